"""A submitted review: what its reviewer gave, the resulting overall, and what is next."""

from django.utils.translation import gettext as _

from rubric.core.records import HOLISTIC
from rubric.core.response_order import LABELS
from rubric.core.scales import Scales
from rubric.core.scores import Overall, round_half_up, score_marks
from rubric.human_reviewers.pages.feedback import build_feedback
from rubric.human_reviewers.pages.records import SubmittedResponse, SubmittedReviewPage
from rubric.human_reviewers.queries.reviews import OtherReview, ReviewState, load_other_reviews
from rubric.human_reviewers.queries.waiting import SECOND, WaitingSet, find_next_review, waiting_sets
from rubric.models import Review, ReviewedResponse
from rubric.models.reviews import RATING, SUPERSEDED
from rubric.reviews.core.answer_record import RANK_MISMATCH
from rubric.reviews.core.panel import compute_rank_numbers
from rubric.reviews.queries import list_changes, load_own_numbers
from rubric.versions.labels import format_mark
from workspace.models import Person


def build_submitted_page(*, work: ReviewState, person: Person) -> SubmittedReviewPage:
    """The review with overalls and ranking; its second round shows what others gave in the first."""
    review = work.review
    rows = review.reviewed.select_related("response").order_by("position")
    others: dict[int, list[OtherReview]] = {}
    for other in load_other_reviews(review):
        others.setdefault(other.number, []).append(other)
    places = review.reported_ranking if review.reported_ranking is not None else review.ranking
    ranks = compute_rank_numbers(places)
    firsts = _first_rows(review)
    responses = [
        _response(row, work, ranks, others.get(row.response.number, []), firsts.get(row.response_id))
        for row in rows
    ]
    sets = waiting_sets(person)
    return SubmittedReviewPage(
        review=review,
        number=load_own_numbers(review.reviewer_id)[review.pk],
        has_holistic=bool(work.sheet.holistic),
        criteria=[criterion.label for criterion in work.rubric.criteria] if work.sheet.scores else [],
        responses=sorted(
            responses, key=lambda response: (not response.rank, int(response.rank or 0), response.label)
        ),
        is_ranking_own=review.reported_ranking is not None,
        has_scales=bool(work.sheet.scores and work.sheet.scales),
        contradicts=any(flag["code"] == RANK_MISMATCH for flag in review.flags),
        other_round=_other_round(review),
        next=find_next_review(
            sorted(sets, key=lambda waiting_set: waiting_set.row.pk != review.reviewer.set_id)
        ),
        may_get_second=review.round == 1 and _waits_for_others(review, sets),
        feedback=build_feedback(review, work.rubric, sets),
    )


def _first_rows(review: Review) -> dict[int, ReviewedResponse]:
    if review.round != 2:
        return {}
    first = Review.objects.filter(
        comparison=review.comparison_id, reviewer=review.reviewer_id, round=1, purpose=RATING
    )
    rows = ReviewedResponse.objects.filter(review__in=first.exclude(state=SUPERSEDED))
    return {row.response_id: row for row in rows}


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
    others: list[OtherReview],
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
        others=[_other(other, names, scales) for other in others],
        changed=_changed(first, row, work),
    )


def _other(other: OtherReview, names: dict[str, str], scales: Scales) -> str:
    given = {key: points for key, points in other.scores.items() if key in names}
    if not given and other.holistic is not None:
        given = {HOLISTIC: other.holistic}
    scores = [f"{names[key]} {format_mark(points, key, scales)}" for key, points in given.items()]
    return ", ".join(scores) + (f". {other.notes}" if other.notes else "")


def _other_round(review: Review) -> int:
    """The number of the same reviewer's review in the other round, 0 without one."""
    if review.purpose != RATING:
        return 0
    rows = Review.objects.filter(comparison=review.comparison_id, reviewer=review.reviewer_id, purpose=RATING)
    other = rows.exclude(round=review.round).exclude(state=SUPERSEDED).first()
    return other.pk if other else 0


def _waits_for_others(review: Review, sets: list[WaitingSet]) -> bool:
    """Whether a second round may open later: the open set has one, and the round is neither open nor started yet."""
    comparison_set = review.reviewer.set
    if not comparison_set.has_second_round or comparison_set.closed_at or review.purpose != RATING:
        return False
    own = [waiting for waiting_set in sets for waiting in waiting_set.comparisons]
    own = [waiting for waiting in own if waiting.comparison == review.comparison_id]
    return all(waiting.review == review.pk and waiting.state != SECOND for waiting in own)
