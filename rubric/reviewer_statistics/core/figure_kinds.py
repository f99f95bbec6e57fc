"""Figures of a comparison set by kind, as they are stored; a background job computes them."""

from collections.abc import Sequence

from msgspec import Struct

from rubric.core.scales import Scales
from rubric.reviewer_statistics.core.agreement import AgreementReport, agreement_report
from rubric.reviewer_statistics.core.conciseness import LengthReport, length_report
from rubric.reviewer_statistics.core.rater_effects import (
    PositionEffect,
    RaterEffect,
    flat_rows,
    position_effects,
    residual_halo,
    self_preference,
    severity,
)
from rubric.reviewer_statistics.core.stability import StabilityReport, stability_report
from rubric.reviewer_statistics.core.variance import VarianceReport, variance_report
from rubric.reviewer_statistics.core.weights_fit import (
    Preference,
    Tuning,
    tuned_to_holistic,
    tuned_to_preferences,
)
from rubric.reviews.core.score_rows import ReviewRow, Weights

# Figures stored under another number were computed by other code, and are computed again.
CODE_VERSION = "5"
RATER_EFFECTS, AGREEMENT, SUCCESS, TUNING = "manners", "agreement", "success", "tuning"
# The pages of these figures. The keys are stored.
PAGES = {
    RATER_EFFECTS: "set_reviewers",
    AGREEMENT: "set_agreement",
    SUCCESS: "set_success",
    TUNING: "set_weights",
}
KINDS = tuple(PAGES)


class Input(Struct, frozen=True):
    """What the figures come from: first-round rows, preferences from rankings, weights; `reviews` is their count.

    `whole_first` are the rows without late holistic scores: `late_count` reviews gave these after they saw the
    criteria (None: there are none). `unknown_count` reviews by file do not say which came first. Scores in rows are
    on the common scale; `scales` are the scales on which they were given.
    """

    rows: list[ReviewRow]
    preferences: list[Preference]
    weights: Weights
    reviews: int
    whole_first: list[ReviewRow] | None = None
    late_count: int = 0
    unknown_count: int = 0
    scales: Scales = {}


class RaterEffectFigures(Struct, frozen=True):
    reviews: int
    severity: list[RaterEffect]
    flat: list[RaterEffect]
    halo: list[RaterEffect]
    position: list[PositionEffect]
    self_preference: list[RaterEffect]


class AgreementFigures(Struct, frozen=True):
    reviews: int
    report: AgreementReport


class SuccessFigures(Struct, frozen=True):
    """Three of the four success metrics; the third, understanding, comes from surveys and is counted on the page."""

    reviews: int
    variance: VarianceReport
    stability: StabilityReport
    length: LengthReport
    late_count: int
    unknown_count: int


class TuningFigures(Struct, frozen=True):
    reviews: int
    holistic: Tuning
    preferences: Tuning


Figures = RaterEffectFigures | AgreementFigures | SuccessFigures | TuningFigures


def compute_statistics(kind: str, given: Input) -> Figures:
    """The figures of that kind; the same input always gives the same."""
    rows, weights, reviews = given.rows, given.weights, given.reviews
    if kind == RATER_EFFECTS:
        return RaterEffectFigures(
            reviews,
            severity(rows, weights),
            flat_rows(rows, weights, given.scales),
            residual_halo(rows, list(weights)),
            position_effects(rows, weights),
            self_preference(rows, weights),
        )
    if kind == AGREEMENT:
        return AgreementFigures(reviews, agreement_report(rows, weights, given.scales))
    if kind == SUCCESS:
        whole_first = rows if given.whole_first is None else given.whole_first
        return SuccessFigures(
            reviews,
            variance_report(whole_first, weights),
            stability_report(whole_first, weights),
            length_report(rows, weights),
            given.late_count,
            given.unknown_count,
        )
    if kind == TUNING:
        preferred = tuned_to_preferences(rows, given.preferences, weights)
        return TuningFigures(reviews, tuned_to_holistic(rows, weights), preferred)
    raise ValueError(f'There are no figures of the kind "{kind}".')


def derive_preferences(
    comparison: str, reviewer: str, ranking: Sequence[Sequence[str]], own: Sequence[str] = ()
) -> list[Preference]:
    """A preference for each pair of responses that the ranking orders; ties and own responses give none."""
    places = [[text for text in place if text not in own] for place in ranking]
    return [
        Preference(comparison, better, worse, reviewer)
        for at, place in enumerate(places)
        for lower in places[at + 1 :]
        for better in place
        for worse in lower
    ]
