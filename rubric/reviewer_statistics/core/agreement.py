"""How far reviewers agree on each criterion, the overall and the holistic score: all together and in pairs.

The rows must come from blind reviews: the first round.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from msgspec import Struct

from rubric.core.scales import COMMON, Scale, Scales, bring_to_common
from rubric.core.weights import exact
from rubric.reviews.core.score_rows import (
    ONE_SCALE,
    MarkPairs,
    Marks,
    Ratings,
    ReviewRow,
    Weights,
    list_tables,
    pair_marks,
    sort_rows,
)
from workspace.core.words import mark, say
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import gwet_ac
from workspace.statistics.conclusions import Figure, mean_figure
from workspace.statistics.estimates import Agreement
from workspace.statistics.intraclass import compute_icc
from workspace.statistics.rankings import kendall_tau, kendall_w
from workspace.statistics.ratings import Matrix

OVERALL, WHOLE = "overall", "holistic"
LEAST_RESPONSES = 3
_NO_W = mark("No question has three responses that the same two reviewers or more have all ranked.")
_NOBODY_TWICE = mark("No response has scores by two reviewers.")


class AgreedOn(Struct, frozen=True):
    """Agreement on one kind of score: `part` is "criterion", "overall" or "holistic", `key` the criterion's key.

    `alpha` (interval) comes first, then AC2 (quadratic weights, over the steps of the criterion's own scale) and
    ICC(2,1); all three are the same on the common scale as on the criterion's own. `w` is Kendall's W within
    comparisons, mean over those of the `questions` that have one; `spread` the mean over responses of the standard
    deviation between their reviewers, in points of the common scale, over `responses` with two reviewers or more.
    """

    part: str
    key: str
    alpha: Agreement
    ac2: Agreement
    icc: Agreement
    w: Figure
    spread: float | None
    responses: int
    questions: int
    reason: str = ""


class ReviewerPair(Struct, frozen=True):
    """Two reviewers, by their keys: the `responses` that both scored, their alpha and tau-b, and how far they differ.

    `apart` is the mean of the first reviewer's scores minus the second's, `distance` the mean absolute difference, in
    points.
    """

    first: str
    second: str
    responses: int
    alpha: Agreement
    tau: Agreement
    apart: float | None
    distance: float | None


class AgreementReport(Struct, frozen=True):
    """Agreement on every kind of score, and of each pair of reviewers on `pairs_on`: "overall", else "holistic"."""

    lines: list[AgreedOn]
    pairs_on: str
    pairs: list[ReviewerPair]


def agreement_report(
    rows: Sequence[ReviewRow], weights: Weights, scales: Mapping[str, Scale] = {}
) -> AgreementReport:
    """Agreement over all responses, each response an item; own responses are left out.

    Sources: K. Krippendorff (2011); K. L. Gwet (2014); Shrout and Fleiss (1979), Henderson (1953) where ratings are
    missing; M. G. Kendall (1970). Intervals of alpha, AC2 and ICC: jackknife-t over responses; of W: bootstrap over
    comparisons.
    """
    used = sort_rows(rows)
    *criteria, overall, holistic = list_tables(used, used, weights)
    tables = [("criterion", key, table) for key, table in zip(weights, criteria, strict=True)]
    tables += [(OVERALL, "", overall), (WHOLE, "", holistic)]
    pairs_on, table = (OVERALL, overall) if len(overall.items) else (WHOLE, holistic)
    return AgreementReport(
        lines=[_agreed(part, key, table, scales.get(key, COMMON)) for part, key, table in tables],
        pairs_on=pairs_on,
        pairs=[_pair(table, first, other) for first, other in combinations(range(len(table.reviewers)), 2)],
    )


def _agreed(part: str, key: str, table: Ratings, scale: Scale) -> AgreedOn:
    spread, responses = within_spread(table.values)
    return AgreedOn(
        part=part,
        key=key,
        alpha=krippendorff_alpha(table.values, level="interval"),
        ac2=gwet_ac(table.values, weights="quadratic", scale=_steps(table.values, scale)),
        icc=compute_icc(table.values, form="2,1"),
        w=_within_comparisons(table),
        spread=spread,
        responses=responses,
        questions=len(table.comparisons),
        reason="" if responses else say(_NOBODY_TWICE),
    )


def _ranked_scores(values: Matrix) -> Matrix:
    """The scores of one question (responses x reviewers) that can be ranked: none is missing.

    A reviewer who did not score every response, such as the author of one, is left out. If that would leave fewer
    than two reviewers, responses without a score from every reviewer are left out instead.
    """
    values = values[:, ~np.isnan(values).all(axis=0)]
    missing = np.isnan(values)
    if (~missing.any(axis=0)).sum() >= 2:
        return values[:, ~missing.any(axis=0)]
    return values[~missing.any(axis=1)]


def concordance(values: Matrix) -> float:
    """Kendall's W of one question; NaN below three responses or two reviewers, and where everything is tied."""
    used = _ranked_scores(values)
    value = None if len(used) < LEAST_RESPONSES or used.shape[1] < 2 else kendall_w(used).value
    return float("nan") if value is None else value


def within_spread(values: Matrix) -> tuple[float | None, int]:
    """The mean over items of the standard deviation (n - 1) of their ratings, and how many have two ratings."""
    two = values[(~np.isnan(values)).sum(axis=1) >= 2]
    return (float(np.nanstd(two, axis=1, ddof=1).mean()), len(two)) if len(two) else (None, 0)


def _steps(values: Matrix, scale: Scale) -> list[float] | None:
    """Every step of the scale, on the common scale, if all scores are steps; None means the values that occur."""
    steps = [float(bring_to_common(exact(point), scale)) for point in scale.points]
    return steps if np.isin(values[~np.isnan(values)], steps).all() else None


def _within_comparisons(table: Ratings) -> Figure:
    tables = [table.values[table.comparison_index == at] for at in range(len(table.comparisons))]
    found = np.array([concordance(values) for values in tables], dtype=np.float64)
    used = [_ranked_scores(values) for values, w in zip(tables, found, strict=True) if not np.isnan(w)]
    responses, rows = sum(len(values) for values in used), sum(values.size for values in used)
    return mean_figure(found, responses=responses, rows=rows, reason=say(_NO_W))


def _pair(table: Ratings, first: int, other: int) -> ReviewerPair:
    both = table.values[:, [first, other]]
    both = both[~np.isnan(both).any(axis=1)]
    apart = both[:, 0] - both[:, 1]
    return ReviewerPair(
        first=table.reviewers[first],
        second=table.reviewers[other],
        responses=len(both),
        alpha=krippendorff_alpha(both, level="interval"),
        tau=kendall_tau(both, variant="b"),
        apart=float(apart.mean()) if len(both) else None,
        distance=float(np.abs(apart).mean()) if len(both) else None,
    )


ADJACENT = Fraction(1)


def compute_self_agreement(
    repeats: Iterable[tuple[int, Marks, Marks]], weights: Mapping[str, Fraction], scales: Scales = ONE_SCALE
) -> list[dict[str, int]]:
    """One line for each reviewer, in the order of `repeats`, which are (reviewer, first, again).

    How many of the `marks` given twice are the same, and how many at most a point apart; in `first_alike` of
    `first_count` repeats, the same response is first. `scales` holds the scales of the criteria that have their own.
    """
    by_reviewer: dict[int, list[MarkPairs]] = {}
    for reviewer, first, again in repeats:
        by_reviewer.setdefault(reviewer, []).append(pair_marks(first, again, weights, scales))
    lines = []
    for reviewer, found in by_reviewer.items():
        firsts = [pairs.is_same_first for pairs in found if pairs.is_same_first is not None]
        lines.append(
            {
                "reviewer": reviewer,
                "repeats": len(found),
                "marks": sum(len(pairs.pairs) for pairs in found),
                "exact": sum(pairs.count_within(Fraction(0)) for pairs in found),
                "within_one": sum(pairs.count_within(ADJACENT) for pairs in found),
                "first_alike": sum(firsts),
                "first_count": len(firsts),
            }
        )
    return lines
