"""The reviews behind a comparison's figures: every score by criterion and reviewer, and each review in full."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from rubric.core.records import ABSTAINED, HOLISTIC, PARTIAL, RUBRIC, UNREADABLE, Criterion
from rubric.core.response_order import map_labels
from rubric.core.scales import COMMON, Scales, bring_all, bring_to_common
from rubric.core.scores import compute_overall, round_half_up
from rubric.core.weights import exact
from rubric.models import Comparison, Review, ReviewedResponse
from rubric.models.comparisons import ELSEWHERE, MODEL, PERSON
from rubric.models.reviews import SUBMITTED
from rubric.results.pages.words import NamedResponse, two
from rubric.reviews.queries import list_changes
from rubric.versions.labels import format_mark
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.text import shorten

KINDS = {PERSON: gettext_lazy("person"), MODEL: gettext_lazy("model"), ELSEWHERE: gettext_lazy("elsewhere")}

MODES = {
    RUBRIC: gettext_lazy("all criteria scored"),
    PARTIAL: gettext_lazy("some criteria missing"),
    HOLISTIC: gettext_lazy("no criteria, a holistic score or ranking"),
    ABSTAINED: gettext_lazy("declined to judge"),
    UNREADABLE: gettext_lazy("could not be read"),
}

NO_SCORES = (ABSTAINED, UNREADABLE)


class ReviewContext(Struct, frozen=True):
    """What is needed to show reviews: responses by key, criteria with their weights, names of reviewers.

    `names` is by reviewer's key, `numbers` gives the key of the response for its row. `own_shown` says, by reviewer's
    key, whether the page may show which responses are their own. `scales` are the scales on which scores were given.
    """

    named_responses: Mapping[str, NamedResponse]
    criteria: Sequence[Criterion]
    shares: Mapping[str, Fraction]
    names: Mapping[str, str]
    numbers: Mapping[int, str]
    own_shown: Callable[[str], bool] = lambda _reviewer: True
    scales: Scales = {}


def load_submitted_reviews(comparison: Comparison) -> list[Review]:
    """The reviews of a comparison that count, first rounds first, with their content."""
    rows = Review.objects.filter(comparison=comparison, state=SUBMITTED).select_related("reviewer")
    return list(rows.prefetch_related("reviewed").order_by("reviewer", "round"))


def select_newest(reviews: Iterable[Review]) -> list[Review]:
    """The newest round of each reviewer."""
    return list({review.reviewer_id: review for review in reviews}.values())


def build_score_table(reviews: Sequence[Review], context: ReviewContext) -> dict[str, Any]:
    """Criterion x reviewer for each response, the newest round of each reviewer.

    The `note` of a column says why scores are missing; its heading links to the review `id`. `has_scales` says that
    criteria have scales of their own.
    """
    newest = select_newest(reviews)
    said = {
        (review.pk, context.numbers[row.response_id]): row
        for review in newest
        for row in review.reviewed.all()
    }
    columns = [
        {
            "id": review.pk,
            "name": context.names[str(review.reviewer_id)],
            "note": "" if review.mode == RUBRIC else MODES.get(review.mode, ""),
        }
        for review in newest
    ]
    has_holistic = any(row.holistic is not None for row in said.values())
    groups = []
    for key, named_response in context.named_responses.items():
        given = [said.get((review.pk, key)) for review in newest]
        rows = [
            _row(
                criterion.label, [_score(row, criterion.key) for row in given], criterion.key, context.scales
            )
            for criterion in context.criteria
        ]
        if context.criteria:
            overalls = [_overall(row, context) for row in given]
            rows.append(_row(_("Overall"), overalls, "", context.scales, is_total=True))
        if has_holistic:
            whole = [_exact(row.holistic) if row else None for row in given]
            rows.append(_row(_("Holistic"), whole, HOLISTIC, context.scales))
        groups.append({"response": named_response, "rows": rows})
    has_scales = bool(context.criteria and context.scales)
    return {"columns": columns, "groups": groups, "has_scales": has_scales}


def _row(
    label: str, values: Sequence[Fraction | None], key: str, scales: Scales, *, is_total: bool = False
) -> dict[str, Any]:
    """What each reviewer gave, and the mean. `is_total` marks the overall.

    If the criterion has its own scale, `scale` names it, and `brought` holds the scores on 1 to 10.
    """
    given = [value for value in values if value is not None]
    mean = two(sum(given, Fraction()) / len(given) if given else None)
    row = {"label": label, "cells": [_shown(value, is_total) for value in values], "mean": mean}
    if is_total or not scales:
        return row | {"is_total": is_total, "scale": "", "brought": []}
    scale = scales.get(key, COMMON)
    brought = [two(None if value is None else exact(bring_to_common(value, scale))) for value in values]
    return {
        "label": label,
        "cells": [_given(value, key, scales) for value in values],
        "mean": format_mark(mean, key, scales),
        "is_total": False,
        "scale": scale.text,
        "brought": [] if scale.is_common else brought,
    }


def _shown(value: Fraction | None, is_total: bool) -> str:
    if value is None:
        return ""
    return two(value) if is_total or value.denominator != 1 else str(value)


def _given(value: Fraction | None, key: str, scales: Scales) -> str:
    """A score as given, with two decimals at most, and the end of its scale if criteria have scales of their own."""
    if value is None or not scales:
        return _shown(value, is_total=False)
    return format_mark(f"{round_half_up(value).normalize():f}", key, scales)


def _exact(value: float | None) -> Fraction | None:
    return None if value is None else exact(value)


def _score(row: ReviewedResponse | None, key: str) -> Fraction | None:
    return None if row is None else _exact(row.scores.get(key))


def _overall(row: ReviewedResponse | None, context: ReviewContext) -> Fraction | None:
    return (
        None if row is None else compute_overall(bring_all(row.scores, context.scales), context.shares).value
    )


def build_review(review: Review, context: ReviewContext, earlier: Sequence[Review] = ()) -> dict[str, Any]:
    """One review in full; `earlier` holds the same reviewer's first round, so that changes are marked.

    `ranking` lists the names at each rank, the best first, as given or by its scores.
    """
    seen, reviewer = map_labels(review.order), str(review.reviewer_id)
    labels = {str(number): label for label, number in seen.items()}
    names = {key: named_response.name for key, named_response in context.named_responses.items()}
    named = {label: names[str(number)] for label, number in seen.items() if str(number) in names}
    places = review.reported_ranking or review.ranking or []
    same = [
        other for other in earlier if other.reviewer_id == review.reviewer_id and other.round < review.round
    ]
    before = {row.response_id: row for other in same for row in other.reviewed.all()}
    return {
        "review": review,
        "reviewer": context.names[reviewer],
        "kind": KINDS[review.reviewer.kind],
        "mode": MODES.get(review.mode, ""),
        "flags": [_flag(flag, named) for flag in review.flags],
        "lines": [
            _line(row, before.get(row.response_id), labels, context, reviewer)
            for row in sorted(review.reviewed.all(), key=lambda row: row.position)
        ],
        "ranking": [", ".join(named.get(label, str(label)) for label in place) for place in places],
        "not_shown": [
            name for key, name in names.items() if key not in labels and context.own_shown(reviewer)
        ],
    }


def _flag(flag: Mapping[str, str | None], named: Mapping[str, str]) -> str:
    """The sentence of a flag, with the name of the response that its label stands for."""
    label = flag.get("response") or ""
    sentence = flag.get("message") or ""
    return f"{sentence} ({named[label]})" if label in named else sentence


def _line(
    row: ReviewedResponse,
    first: ReviewedResponse | None,
    labels: Mapping[str, str],
    context: ReviewContext,
    reviewer: str,
) -> dict[str, Any]:
    """The judgement of one response. `cannot` lists criteria with the reason why they could not be judged.

    `notes` are cut at the length that people may write: models and files have no limit. `changed` are the scores that
    were others in the first round.
    """
    named_response = context.named_responses[context.numbers[row.response_id]]
    criteria = {criterion.key: criterion.label for criterion in context.criteria} | {HOLISTIC: _("Holistic")}
    was = {key: format_mark(mark, key, context.scales) for key, mark in list_changes(first, row).items()}
    return {
        "row": row,
        "name": named_response.name,
        "label": labels.get(named_response.key, ""),
        "scores": [
            _given(_score(row, criterion.key), criterion.key, context.scales)
            for criterion in context.criteria
        ],
        "holistic": _given(_exact(row.holistic), HOLISTIC, context.scales),
        "overall": _overall(row, context),
        "notes": shorten(row.notes, LONGEST_COMMENT),
        "cannot": [(criteria.get(key, key), str(reason)) for key, reason in row.cannot_judge.items()],
        "is_own": row.is_own and context.own_shown(reviewer),
        "changed": [
            _("%(name)s was %(first)s") % {"name": criteria.get(key, key), "first": mark or _("no score")}
            for key, mark in was.items()
        ],
    }
