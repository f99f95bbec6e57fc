"""The reviews behind one reviewer's statistics: every response scored in the first round, next to the others."""

from fractions import Fraction

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from rubric.core.records import HOLISTIC, RubricRecord
from rubric.core.scores import compute_overall, get_weights
from rubric.models import ComparisonSet, Reviewer
from rubric.models.comparisons import PERSON
from rubric.reviewer_statistics.core.halo import group_alike, is_flat
from rubric.reviewer_statistics.permissions import check_see_reviewer
from rubric.reviewer_statistics.queries import FIRST_ROUND
from rubric.reviews.queries import Reviewed, load_own_numbers, load_reviewed
from rubric.sets.pages import SetFrame
from rubric.sets.views import SECTION, set_or_404
from rubric.versions.labels import format_mark
from workspace.web.bind_form import only_parameters, parse_number
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

RESPONSES_A_PAGE = 100


class ScoredLine:
    """One response that the reviewer scored: the marks as they were given, "" where one is missing.

    `overall` is None if it is incomplete, `others` are the overalls of the other reviewers.
    """

    def __init__(
        self, reviewed: Reviewed, record: RubricRecord, overall: Fraction | None, others: list[Fraction]
    ) -> None:
        self.reviewed, self.overall = reviewed, overall
        scales, keys = record.scales, [criterion.key for criterion in record.criteria]
        self.scores = [format_mark(reviewed.scores.get(key), key, scales) for key in keys]
        self.holistic = format_mark(reviewed.holistic, HOLISTIC, scales)
        self.mean = sum(others, Fraction()) / len(others) if others else None
        self.difference = None if overall is None or self.mean is None else float(overall - self.mean)
        is_complete = all(key in reviewed.scores for key in keys)
        self.is_flat = is_complete and is_flat(reviewed.scores, group_alike(keys, scales))


@require("see_reviewer")
def set_reviewer(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    """The reviewer's first-round reviews, `RESPONSES_A_PAGE` responses from `first` to `last` of `count`."""
    start = parse_number(only_parameters(request, "from")["from"]) or 1
    comparison_set = set_or_404(request.user, slug, number)
    row = get_object_or_404(Reviewer, pk=reviewer, set=comparison_set)
    check_see_reviewer(request.user, comparison_set, row)
    record = comparison_set.rubric_version.to_record()
    lines, count = _list_lines(comparison_set, row, record, start)
    if start > max(1, count):
        raise Http404
    head = SetFrame(comparison_set, "set_manners", request.user)
    # Gaps in these numbers would reveal to a reviewer which comparisons were hidden duplicates.
    is_told = head.may_lead and row.kind == PERSON
    context = {
        "head": head,
        "reviewer": row,
        "criteria": record.criteria,
        "lines": lines,
        "own_numbers": load_own_numbers(row.pk) if is_told else None,
        "count": count,
        "first": start,
        "last": start + len(lines) - 1,
        "previous": max(1, start - RESPONSES_A_PAGE) if start > 1 else 0,
        "has_scales": bool(record.scales),
        **frame(request.user, comparison_set.project, SECTION),
    }
    return respond(request, page="rubric/reviewer_statistics/reviewer.html", context=context)


def _list_lines(
    comparison_set: ComparisonSet, reviewer: Reviewer, record: RubricRecord, start: int
) -> tuple[list[ScoredLine], int]:
    """The reviewer's responses from `start` on, and how many there are."""
    shares = get_weights(record)
    everything = load_reviewed(comparison_set, round_number=FIRST_ROUND)
    overalls = {id(review): compute_overall(review.common, shares) for review in everything}
    complete = {key: overall.value for key, overall in overalls.items() if not overall.is_incomplete}
    others: dict[tuple[int, int], list[Fraction]] = {}
    for review in everything:
        value = complete.get(id(review))
        if review.reviewer != reviewer.pk and not review.is_own and value is not None:
            others.setdefault((review.comparison, review.response), []).append(value)
    own = [review for review in everything if review.reviewer == reviewer.pk]
    lines = [
        ScoredLine(
            review, record, complete.get(id(review)), others.get((review.comparison, review.response), [])
        )
        for review in own[start - 1 : start - 1 + RESPONSES_A_PAGE]
    ]
    return lines, len(own)
