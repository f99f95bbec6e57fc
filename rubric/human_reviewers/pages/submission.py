"""A submitted review: what its reviewer gave, the resulting overall, and what is next.

Hides authors, keys, lengths and weights, and in round 1 other reviews: no record has a field for them.
"""

import re
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.calibration.core import parse_key
from rubric.calibration.queries import build_labels, load_keys, load_progress
from rubric.core.records import HOLISTIC, RubricRecord
from rubric.core.response_order import LABELS
from rubric.core.scales import Scales
from rubric.core.scores import Overall, get_weights, round_half_up, score_marks
from rubric.human_reviewers.core import FirstRoundScores
from rubric.human_reviewers.queries.reviews import ReviewState, load_other_reviews
from rubric.human_reviewers.queries.waiting import (
    SECOND,
    TO_CALIBRATE,
    WaitingSet,
    find_next_review,
    waiting_sets,
)
from rubric.models import CalibrationComparison, Review, ReviewedResponse
from rubric.models.reviews import CALIBRATION, RATING, SUPERSEDED
from rubric.reviews.core.answer_record import RANK_MISMATCH
from rubric.reviews.core.panel import compute_rank_numbers
from rubric.reviews.core.score_rows import find_first
from rubric.reviews.queries import list_changes, load_own_numbers
from rubric.versions.labels import format_mark
from workspace.models import Person


class SubmittedResponse(Struct, frozen=True):
    """A response of a submitted review; `overall` is computed, "" without scores. `changed` is what round 2 changed."""

    label: str
    rank: str
    holistic: str
    scores: list[str]
    overall: str
    is_incomplete: bool
    notes: str
    cannot_judge: list[str]
    text: str
    others: list[str]
    changed: list[str] = []


def build_submitted_page(*, work: ReviewState, person: Person) -> dict[str, Any]:
    """`number` is the reviewer's own; `has_scales`: criteria have their own; `feedback` is on a calibration."""
    review = work.review
    rows = review.reviewed.select_related("response").order_by("position")
    others: dict[int, list[FirstRoundScores]] = {}
    for other in load_other_reviews(review):
        others.setdefault(other.number, []).append(other)
    places = review.reported_ranking if review.reported_ranking is not None else review.ranking
    ranks = compute_rank_numbers(places)
    rounds = Review.objects.filter(
        comparison=review.comparison_id, reviewer=review.reviewer_id, purpose=RATING
    )
    other_rounds = rounds.exclude(round=review.round).exclude(state=SUPERSEDED)
    twin = other_rounds.first() if review.purpose == RATING else None
    firsts = {row.response_id: row for row in twin.reviewed.all()} if twin and review.round == 2 else {}
    responses = [
        _response(row, work, ranks, others.get(row.response.number, []), firsts.get(row.response_id))
        for row in rows
    ]
    sets = waiting_sets(person)
    return {
        "review": review,
        "number": load_own_numbers(review.reviewer_id)[review.pk],
        "has_holistic": bool(work.sheet.holistic),
        "criteria": [criterion.label for criterion in work.rubric.criteria] if work.sheet.scores else [],
        "responses": sorted(
            responses, key=lambda response: (not response.rank, int(response.rank or 0), response.label)
        ),
        "is_ranking_own": review.reported_ranking is not None,
        "has_scales": bool(work.sheet.scores and work.sheet.scales),
        "contradicts": any(flag["code"] == RANK_MISMATCH for flag in review.flags),
        "other_round": twin.pk if twin else 0,
        "next": find_next_review(sorted(sets, key=lambda each: each.row.pk != review.reviewer.set_id)),
        "may_get_second": review.round == 1 and _waits_for_others(review, sets),
        "feedback": build_feedback(review, work.rubric, sets),
    }


def _changed(first: ReviewedResponse | None, row: ReviewedResponse, work: ReviewState) -> list[str]:
    names = {criterion.key: criterion.label for criterion in work.rubric.criteria}
    names["holistic"] = _("Holistic")
    return [
        _("%(name)s was %(first)s")
        % {"name": names[key], "first": format_mark(was, key, work.rubric.scales) or _("no score")}
        for key, was in list_changes(first, row).items()
        if key in names
    ]


def _response(
    row: ReviewedResponse,
    work: ReviewState,
    ranks: dict[str, int],
    others: list[FirstRoundScores],
    first: ReviewedResponse | None,
) -> SubmittedResponse:
    label = LABELS[row.position - 1]
    criteria = work.rubric.criteria if work.sheet.scores else []
    names = {criterion.key: criterion.label for criterion in criteria} | {"holistic": _("Holistic")}
    scales = work.rubric.scales
    overall = score_marks(row.scores, work.rubric) if criteria else Overall(None, is_incomplete=False)
    return SubmittedResponse(
        label=label,
        rank=str(ranks.get(label, "")),
        holistic=format_mark(row.holistic, HOLISTIC, scales),
        scores=[format_mark(row.scores.get(criterion.key), criterion.key, scales) for criterion in criteria],
        overall="" if overall.value is None else str(round_half_up(overall.value)),
        is_incomplete=overall.value is not None and overall.is_incomplete,
        notes=row.notes,
        cannot_judge=[f"{names.get(key, key)}: {why}" for key, why in row.cannot_judge.items()],
        text=row.response.text,
        others=[_say_other(other, names, scales) for other in others],
        changed=_changed(first, row, work),
    )


def _say_other(other: FirstRoundScores, names: dict[str, str], scales: Scales) -> str:
    points_by_key = {key: points for key, points in other.scores.items() if key in names}
    if not points_by_key and other.holistic is not None:
        points_by_key = {HOLISTIC: other.holistic}
    scores = [f"{names[key]} {format_mark(points, key, scales)}" for key, points in points_by_key.items()]
    return ", ".join(scores) + (f". {other.notes}" if other.notes else "")


def _waits_for_others(review: Review, sets: list[WaitingSet]) -> bool:
    """Whether a second round may open later: the open set has one, and the round is neither open nor started yet."""
    comparison_set = review.reviewer.set
    if not comparison_set.has_second_round or comparison_set.closed_at or review.purpose != RATING:
        return False
    own = [waiting for waiting_set in sets for waiting in waiting_set.comparisons]
    own = [waiting for waiting in own if waiting.comparison == review.comparison_id]
    return all(waiting.review == review.pk and waiting.state != SECOND for waiting in own)


# How a lead names responses: by their numbers, which reviewers never see.
_RESPONSE = re.compile(r"\bresponse ([1-9][0-9]?)\b", re.IGNORECASE)


def build_feedback(review: Review, rubric: RubricRecord, sets: list[WaitingSet]) -> dict[str, Any] | None:
    """On one comparison of a calibration round. `differences` are (response, mark, given, agreed), in words.

    `optional` comes next in a round that is not required, else 0.
    """
    if review.purpose != CALIBRATION:
        return None
    rows = CalibrationComparison.objects.filter(
        comparison=review.comparison_id, round__created_at__lte=review.created_at
    )
    chosen = rows.select_related("round__set__rubric_version").order_by("-round__number").first()
    progress = load_progress(chosen.round, review.reviewer) if chosen else None
    compared = progress.compared.get(review.comparison_id) if progress else None
    if chosen is None or progress is None or compared is None:
        return None
    labels = {str(number): label for label, number in zip(LABELS, review.order, strict=False)}
    names, own = build_labels(chosen.round.set), _("a response of yours")
    key = parse_key(load_keys(chosen.round)[review.comparison_id])
    marks = {response: given for response, given in key.items() if response in labels}
    firsts = find_first(marks, get_weights(rubric), rubric.scales)
    return {
        "round": chosen.round,
        "note": _RESPONSE.sub(lambda number: labels.get(number[1], own), chosen.note),
        "compared": compared,
        "differences": [
            (
                labels[pair.response],
                names[pair.key],
                *(format_mark(points, pair.key, rubric.scales) for points in (pair.other, pair.one)),
            )
            for pair in sorted(compared.differences, key=lambda pair: (labels[pair.response], -pair.apart))
        ],
        "agreed_first": sorted(labels[response] for response in firsts),
        "progress": progress,
        "optional": _offered(review, sets),
    }


def _offered(review: Review, sets: list[WaitingSet]) -> int:
    for waiting_set in sets:
        if waiting_set.row.pk == review.reviewer.set_id and waiting_set.calibration:
            left = waiting_set.in_state(TO_CALIBRATE)
            return left[0].comparison if left and not waiting_set.calibration[0].is_required else 0
    return 0
