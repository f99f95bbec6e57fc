"""Comparisons and reviews that come by file: all of them, or none while anything is wrong with one.

What is there already is passed over, so the same file can be brought again, also after half of it was stored.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from rubric.actions.comparing import add_comparisons, add_reviewer
from rubric.actions.handing_in import begin_review, hand_in
from rubric.core.claims import claimed_flags
from rubric.core.comparison_lines import ComparisonLine, Lines, ReviewGiven, response_numbers
from rubric.core.comparisons import NewComparison
from rubric.core.dealing import labelled
from rubric.core.placing import Placed, place_review
from rubric.core.records import ReviewRecord
from rubric.core.review_lines import LineFault
from rubric.models import Answer, Comparison, ComparisonSet, Review, ReviewedResponse, Reviewer
from rubric.models.comparisons import ELSEWHERE, MODEL
from rubric.models.reviews import DRAFT, SUBMITTED, SUPERSEDED, UPLOADED
from rubric.permissions import check_change_set
from workspace.models import Person

BATCH = 100
_Row = tuple[Any, ...]
Said = tuple[str, list[_Row]]


class Brought(Struct, frozen=True):
    """What came of a file: how much was added, how many lines were there already, and what is wrong; then none was."""

    comparisons: int = 0
    reviews: int = 0
    known: int = 0
    faults: list[LineFault] = []


class _There(Struct, frozen=True):
    """A review that is stored, or that an earlier line of the file holds; `said` is None of one that still waits."""

    order: list[int]
    said: Said | None = None


class _Fitting(Struct, frozen=True):
    """A review that can be stored."""

    given: ReviewGiven
    placed: Placed


def bring_lines(*, comparison_set: ComparisonSet, lines: Lines, by: Person, now: datetime) -> Brought:
    """Add what a file holds; its reviews may speak of its own comparisons. Raises NotAllowed, Conflict."""
    check_change_set(by, comparison_set)
    new, faults = _new_comparisons(comparison_set, lines.comparisons)
    responses = {each.key: response_numbers(each) for each in new}
    reviews, more = _fitting(comparison_set, lines.reviews, responses)
    faults = [*lines.faults, *faults, *more]
    if faults:
        return Brought(faults=sorted(faults, key=lambda each: each.line))
    if new:
        add_comparisons(comparison_set=comparison_set, comparisons=new, by=by, now=now)
    _store(comparison_set, reviews, by, now)
    count = len(lines.comparisons) + len(lines.reviews)
    return Brought(len(new), len(reviews), count - len(new) - len(reviews))


def bring_reviews(
    *, comparison_set: ComparisonSet, reviews: Sequence[ReviewGiven], by: Person, now: datetime
) -> Brought:
    """Add reviews of comparisons that are there. Raises NotAllowed, Conflict."""
    return bring_lines(comparison_set=comparison_set, lines=Lines([], list(reviews), []), by=by, now=now)


def _new_comparisons(
    comparison_set: ComparisonSet, lines: Sequence[ComparisonLine]
) -> tuple[list[NewComparison], list[LineFault]]:
    """Those that the set does not have, and a fault for each that it has with other words."""
    keys = [each.comparison.key for each in lines]
    stored: dict[str, Comparison] = {}
    for at in range(0, len(keys), 500):
        rows = Comparison.objects.filter(set=comparison_set, key__in=keys[at : at + 500])
        stored |= {row.key: row for row in rows.prefetch_related("responses__written_by")}
    new, faults = [], []
    for each in lines:
        row = stored.get(each.comparison.key)
        if row is None:
            new.append(each.comparison)
        elif not _is_same(row, each.comparison):
            said = _('The set has another comparison with the id "%(id)s". What is stored never changes.')
            faults.append(LineFault(each.line, "/id", "taken", said % {"id": each.comparison.key}))
    return new, faults


def _is_same(row: Comparison, given: NewComparison) -> bool:
    stored = sorted(row.responses.all(), key=lambda each: each.number)
    numbers = response_numbers(given)
    if row.question != given.question or [(each.key, each.number) for each in stored] != list(
        numbers.items()
    ):
        return False
    return all(
        one.text == other.text
        and (other.author == one.author or (one.written_by and other.author.lower() == one.written_by.email))
        for one, other in zip(stored, given.responses, strict=True)
    )


def _fitting(
    comparison_set: ComparisonSet, reviews: Sequence[ReviewGiven], coming: Mapping[str, Mapping[str, int]]
) -> tuple[list[_Fitting], list[LineFault]]:
    """The reviews that are not there yet, and everything that is wrong with any."""
    if not reviews:
        return [], []
    rubric = comparison_set.rubric_version.to_record()
    responses = {**_responses(comparison_set), **coming}
    reviewers = _reviewers(comparison_set)
    there = _there([reviewers[each.reviewer] for each in reviews if each.reviewer in reviewers])
    fitting, faults = [], []
    for given in reviews:
        known = responses.get(given.comparison)
        if known is None:
            said = _('Neither the set nor the file has a comparison with the id "%(id)s".')
            faults.append(LineFault(given.line, "/comparison", "unknown", said % {"id": given.comparison}))
            continue
        placed = place_review(given, known, rubric)
        if not isinstance(placed, Placed):
            faults += placed
            continue
        key = given.comparison, given.reviewer
        this = _There(placed.order, _said(placed.record, placed.order))
        fault = _refusal(this, there.get(key), reviewers.get(given.reviewer))
        if fault:
            faults.append(LineFault(given.line, "", *fault))
        elif there.get(key) != this:
            fitting.append(_Fitting(given, placed))
            there[key] = this
    return fitting, faults


def _refusal(this: _There, there: _There | None, reviewer: Reviewer | None) -> tuple[str, str] | None:
    """Code and sentence of why a review cannot be stored beside what is there."""
    if there == this:
        return None
    if there is not None and there.said is not None:
        return "taken", _("Another review of this comparison by this reviewer is there. It stays.")
    if there is not None and there.order != this.order:
        said = _(
            "This reviewer was asked with the responses in another order. Take the labels of the prompt."
        )
        return "other_order", said
    if reviewer is not None and reviewer.ended_at is not None:
        return "taken_out", _("This reviewer was taken out of the set. Let them in again first.")
    return None


def _responses(comparison_set: ComparisonSet) -> dict[str, Mapping[str, int]]:
    """Key of the comparison -> key of the response -> its number."""
    found: dict[str, Mapping[str, int]] = {}
    rows = Comparison.objects.filter(set=comparison_set).order_by("pk")
    for key, response, number in rows.values_list("key", "responses__key", "responses__number"):
        found[key] = {**found.get(key, {}), response: number}
    return found


def _reviewers(comparison_set: ComparisonSet) -> dict[str, Reviewer]:
    """Those whose reviews come by file, by name: a model of the set, else somebody elsewhere."""
    rows = Reviewer.objects.filter(set=comparison_set, kind__in=(ELSEWHERE, MODEL))
    named = {each.name: each for each in rows.filter(kind=ELSEWHERE).select_related("set__project")}
    return named | {each.name: each for each in rows.filter(kind=MODEL).select_related("set__project")}


def _there(reviewers: Sequence[Reviewer]) -> dict[tuple[str, str], _There]:
    """The reviews of these reviewers that count or wait, by the comparison's key and the reviewer's name."""
    rows = Review.objects.filter(reviewer__in={each.pk for each in reviewers}, round=1)
    handed = ReviewedResponse.objects.filter(review__in=rows.filter(state=SUBMITTED)).order_by("position")
    said: dict[int, list[_Row]] = defaultdict(list)
    columns = ("review", "response__number", "scores", "holistic", "reported_overall", "notes")
    for review, *values in handed.values_list(*columns):
        said[review].append(tuple(values))
    there = rows.exclude(state=SUPERSEDED).values_list(
        "pk", "comparison__key", "reviewer__name", "order", "state", "mode"
    )
    return {
        (comparison, reviewer): _There(order, None if state == DRAFT else (mode, said[key]))
        for key, comparison, reviewer, order, state, mode in there
    }


def _said(record: ReviewRecord, order: Sequence[int]) -> Said:
    """What a record says, as its rows will say it."""
    numbers = labelled(order)
    rows: list[_Row] = [
        (numbers[each.label], each.scores, each.holistic, each.reported_overall, each.notes or "")
        for each in record.responses
    ]
    return record.mode, rows


def _store(comparison_set: ComparisonSet, reviews: Sequence[_Fitting], by: Person, now: datetime) -> None:
    """Hand the reviews in, some at a time: nobody waits long for the database meanwhile."""
    reviewers = _reviewers(comparison_set)
    for at in range(0, len(reviews), BATCH):
        batch = reviews[at : at + BATCH]
        keys = {each.given.comparison for each in batch}
        rows = Comparison.objects.filter(set=comparison_set, key__in=keys)
        comparisons = {row.key: row for row in rows}
        with transaction.atomic():
            for each in batch:
                name = each.given.reviewer
                if name not in reviewers:
                    reviewers[name] = add_reviewer(
                        comparison_set=comparison_set, kind=ELSEWHERE, name=name, by=by, now=now
                    )
                _bring(comparisons[each.given.comparison], reviewers[name], each, by, now)


def _bring(comparison: Comparison, reviewer: Reviewer, each: _Fitting, by: Person, now: datetime) -> None:
    order, record = each.placed.order, each.placed.record
    review = begin_review(comparison=comparison, reviewer=reviewer, order=order, by=by, now=now)
    if each.given.text is not None:
        Answer.objects.create(
            review=review,
            source=UPLOADED,
            attempt=review.answers.count() + 1,
            model=reviewer.model or reviewer.name,
            text=each.given.text,
            created_at=now,
            created_by=by,
        )
        texts = dict(comparison.responses.values_list("number", "text"))
        dealt = {label: texts[number] for label, number in labelled(order).items()}
        rubric = reviewer.set.rubric_version.to_record()
        record = replace(record, flags=[*record.flags, *claimed_flags(dealt, record, rubric)])
    hand_in(review=review, record=record, by=by, now=now)
