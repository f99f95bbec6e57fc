"""Open comparison sets, fill them by hand or from a file (all of it or nothing), add reviewers, close the sets."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from rubric.comparisons import queries
from rubric.comparisons.core.lines import (
    Lines,
    NewComparison,
    NewResponse,
    ReviewGiven,
    comparison_faults,
    response_numbers,
    word_count,
)
from rubric.comparisons.core.placing import Placed, place_review
from rubric.core.records import HOLISTIC
from rubric.core.response_order import map_labels
from rubric.models import Answer, Comparison, ComparisonSet, Response, Review, Reviewer, RubricVersion
from rubric.models.comparisons import ELSEWHERE, MODEL, MODES, PERSON
from rubric.models.reviews import SUBMITTED, UPLOADED
from rubric.models.rubrics import PUBLISHED
from rubric.reviewer_statistics.actions import queue_figures
from rubric.reviews.actions import begin_review, record_submission
from rubric.reviews.core.claims import claimed_flags
from rubric.reviews.permissions import check_change_set, check_open_set, could_see_results
from workspace.audit.actions import record_event
from workspace.core.identifiers import plain_name
from workspace.core.json_faults import Problem
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import clean_text
from workspace.models import Person, Project
from workspace.people.permissions import check_room


def open_set(
    *,
    project: Project,
    name: str,
    version: RubricVersion,
    mode: str,
    has_second_round: bool = False,
    people_needed: int | None = None,
    by: Person,
    now: datetime,
) -> ComparisonSet:
    """Open an empty set under a published version of a response rubric.

    `people_needed` of its people review each comparison; all of them if it is None. Raises NotAllowed, Unacceptable for
    an impossible name, version or mode.
    """
    check_open_set(by, project)
    plain = plain_name(name)
    if plain is None:
        raise Unacceptable(_("Write a name of 1 to 200 visible characters."), field="name")
    if version.state != PUBLISHED or version.rubric.kind != "response":
        raise Unacceptable(_("Choose a published version of a response rubric."), field="version")
    if mode not in dict(MODES):
        raise Unacceptable(_("Choose how responses are scored: holistic, rubric or both."), field="mode")
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        newest = ComparisonSet.objects.filter(project=project).aggregate(newest=Max("number"))["newest"]
        made = ComparisonSet.objects.create(
            project=project,
            number=(newest or 0) + 1,
            name=plain,
            rubric_version=version,
            mode=mode,
            has_second_round=has_second_round,
            people_needed=people_needed,
            created_at=now,
            created_by=by,
        )
        detail = {"number": made.number, "name": plain, "mode": mode, "version": version.sha256}
        record_event("comparison_set:opened", made, by=by, now=now, detail=detail)
    return made


def add_comparisons(
    *, comparison_set: ComparisonSet, comparisons: Sequence[NewComparison], by: Person, now: datetime
) -> list[Comparison]:
    """Add questions with their responses, all or none. A comparison without a key gets its number as key.

    An author that is the e-mail address of an account is that person. Raises NotAllowed, Unacceptable for the first
    fault, Conflict for a key that the set has already.
    """
    check_change_set(by, comparison_set)
    for comparison in comparisons:
        for fault in comparison_faults(comparison):
            raise Unacceptable(fault.message, field=fault.pointer)
    with transaction.atomic():
        # A lead who had submitted everything could see results; new comparisons end that.
        _mark_present_seers(comparison_set, now)
        rows = _stored(comparison_set, comparisons, by, now)
        people = _people(comparisons)
        responses = [
            _response(row, number, response, people)
            for row, comparison in zip(rows, comparisons, strict=True)
            for number, response in enumerate(comparison.responses, start=1)
        ]
        Response.objects.bulk_create(responses, batch_size=500)
        detail = {"comparisons": len(rows), "responses": len(responses)}
        record_event("comparison_set:filled", comparison_set, by=by, now=now, detail=detail)
        check_room(comparison_set.project, field="file")
    return rows


def add_reviewer(
    *,
    comparison_set: ComparisonSet,
    kind: str,
    person: Person | None = None,
    name: str = "",
    model: str = "",
    parameters: Mapping[str, object] | None = None,
    by: Person,
    now: datetime,
) -> Reviewer:
    """Let a person of the project, a model, or an external reviewer review the set.

    A reviewer who is in the set already is returned; a removed one is added again. Raises NotAllowed, Unacceptable.
    """
    check_change_set(by, comparison_set)
    name = _named(_get_member_name(comparison_set, person) if kind == PERSON else name)
    with transaction.atomic():
        could_see = person is not None and could_see_results(person, comparison_set)
        key = {"set": comparison_set, "kind": kind, "person": person}
        key |= {} if person else {"name": name}
        made = {"name": name, "model": model, "parameters": dict(parameters or {})}
        reviewer, is_new = Reviewer.objects.get_or_create(
            **key, defaults=made | {"created_at": now, "created_by": by}
        )
        if (model and model != reviewer.model) or (parameters and parameters != reviewer.parameters):
            said = _("This set has another reviewer with the name %(name)s. Give this one a name of its own.")
            raise Unacceptable(said % {"name": name}, field="name")
        if is_new or reviewer.ended_at:
            Reviewer.objects.filter(pk=reviewer.pk).update(ended_at=None, ended_by=None)
            reviewer.ended_at = reviewer.ended_by = None
            if could_see:
                _mark_seers([reviewer], now)
            detail = {"kind": kind, "reviewer": reviewer.pk}
            record_event("comparison_set:reviewer_added", comparison_set, by=by, now=now, detail=detail)
    return reviewer


def _get_member_name(comparison_set: ComparisonSet, person: Person | None) -> str:
    members = comparison_set.project.memberships.filter(person=person, ended_at=None)
    if person is None or not (person.is_active and members.exists()):
        raise Unacceptable(_("Choose somebody who belongs to this project."), field="person")
    return person.name


def end_reviewer(*, reviewer: Reviewer, by: Person, now: datetime) -> None:
    """Ask this reviewer for no more; submitted reviews still count. Raises NotAllowed, Conflict if already removed."""
    check_change_set(by, reviewer.set)
    with transaction.atomic():
        if not Reviewer.objects.filter(pk=reviewer.pk, ended_at=None).update(ended_at=now, ended_by=by):
            raise Conflict(_("This reviewer was removed already."), code="reviewer_ended")
        detail = {"kind": reviewer.kind, "reviewer": reviewer.pk}
        record_event("comparison_set:reviewer_ended", reviewer.set, by=by, now=now, detail=detail)


def close_set(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> None:
    """Take no more reviews. Reviewers may now see the results, and the set's figures are computed.

    Raises NotAllowed, Conflict when it is closed.
    """
    check_open_set(by, comparison_set.project)
    with transaction.atomic():
        rows = ComparisonSet.objects.filter(pk=comparison_set.pk, closed_at=None)
        if not rows.update(closed_at=now, closed_by=by):
            raise Conflict(_("This set was closed already."), code="set_closed")
        record_event("comparison_set:closed", comparison_set, by=by, now=now, detail={})
        reviewers = Reviewer.objects.filter(set=comparison_set, kind=PERSON, ended_at=None)
        if Review.objects.filter(comparison__set=comparison_set, state=SUBMITTED).exists():
            _mark_seers(reviewers, now)
        queue_figures(comparison_set=comparison_set, by=by, now=now)


def change_people_needed(
    *, comparison_set: ComparisonSet, people_needed: int | None, by: Person, now: datetime
) -> None:
    """Change how many of the set's people review each comparison; None means all of them.

    Reviews that were started stay. Setting the current number again changes nothing. Raises NotAllowed.
    """
    check_change_set(by, comparison_set)
    with transaction.atomic():
        locked = ComparisonSet.objects.select_for_update().get(pk=comparison_set.pk)
        if locked.people_needed == people_needed:
            return
        # A lead without a place could see results. More places end that.
        _mark_present_seers(locked, now)
        ComparisonSet.objects.filter(pk=locked.pk).update(people_needed=people_needed)
        detail = {"people_needed": people_needed, "before": locked.people_needed}
        record_event("comparison_set:places_changed", locked, by=by, now=now, detail=detail)


def _mark_present_seers(comparison_set: ComparisonSet, now: datetime) -> None:
    reviewers = Reviewer.objects.filter(set=comparison_set, kind=PERSON, ended_at=None, could_see_since=None)
    found = [(row, row.person) for row in reviewers.select_related("person")]
    _mark_seers((row for row, who in found if who and could_see_results(who, comparison_set)), now)


def _mark_seers(reviewers: Iterable[Reviewer], now: datetime) -> None:
    """Record that these people could see results of the set, so that what they submit from now on is not blind."""
    keys = [reviewer.pk for reviewer in reviewers]
    Reviewer.objects.filter(pk__in=keys, could_see_since=None).update(could_see_since=now)


def reopen_set(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> None:
    """Take reviews again. Raises NotAllowed, Conflict when it is open."""
    check_open_set(by, comparison_set.project)
    with transaction.atomic():
        rows = ComparisonSet.objects.filter(pk=comparison_set.pk, closed_at__isnull=False)
        if not rows.update(closed_at=None, closed_by=None):
            raise Conflict(_("This set is open already."), code="set_open")
        record_event("comparison_set:reopened", comparison_set, by=by, now=now, detail={})


def _named(name: str) -> str:
    return clean_text(name, field="name", ask=_("Give it a name."), most=LONGEST_NAME)


def _stored(
    comparison_set: ComparisonSet, comparisons: Sequence[NewComparison], by: Person, now: datetime
) -> list[Comparison]:
    """Store the questions; their numbers continue those of the set."""
    locked = ComparisonSet.objects.select_for_update().get(pk=comparison_set.pk)
    found = Comparison.objects.filter(set=locked)
    first = (found.aggregate(newest=Max("number"))["newest"] or 0) + 1
    keys = [comparison.key or str(number) for number, comparison in enumerate(comparisons, start=first)]
    counts = Counter([*found.values_list("key", flat=True), *keys])
    twice = next((key for key, count in counts.items() if count > 1), None)
    if twice is not None:
        sentence = _('The set has a comparison with the id "%(key)s" already. Nothing was added.')
        raise Conflict(sentence % {"key": twice}, code="comparison_known")
    rows = [
        Comparison(
            set=locked, number=number, key=key, question=comparison.question, created_at=now, created_by=by
        )
        for number, (key, comparison) in enumerate(zip(keys, comparisons, strict=True), start=first)
    ]
    return Comparison.objects.bulk_create(rows, batch_size=500)


def _people(comparisons: Sequence[NewComparison]) -> dict[str, Person]:
    addresses = {
        response.author.lower()
        for comparison in comparisons
        for response in comparison.responses
        if "@" in response.author
    }
    # There may be more addresses than one query can hold; the number of people is always smaller.
    people = Person.objects.all() if addresses else Person.objects.none()
    return {person.email: person for person in people if person.email in addresses}


def _response(row: Comparison, number: int, given: NewResponse, people: Mapping[str, Person]) -> Response:
    person = people.get(given.author.lower())
    return Response(
        comparison=row,
        number=number,
        key=given.key or str(number),
        text=given.text,
        word_count=word_count(given.text),
        author=person.name if person else given.author,
        written_by=person,
    )


BATCH = 100
Fitting = tuple[ReviewGiven, Placed]


class ImportSummary(Struct, frozen=True):
    """The result of an import: what was added, how many lines were there already, and faults; then nothing is added."""

    comparisons: int = 0
    reviews: int = 0
    known: int = 0
    faults: list[Problem] = []


def import_lines(*, comparison_set: ComparisonSet, lines: Lines, by: Person, now: datetime) -> ImportSummary:
    """Add what a file holds; its reviews may name comparisons of the same file. Raises NotAllowed, Conflict."""
    check_change_set(by, comparison_set)
    new, faults = _new_comparisons(comparison_set, lines.comparisons)
    responses = {comparison.key: response_numbers(comparison) for comparison in new}
    reviews, more = _fitting(comparison_set, lines.reviews, responses)
    faults = [*lines.faults, *faults, *more]
    if faults:
        return ImportSummary(faults=sorted(faults, key=lambda fault: fault.line))
    if new:
        add_comparisons(comparison_set=comparison_set, comparisons=new, by=by, now=now)
    _store(comparison_set, reviews, by, now)
    count = len(lines.comparisons) + len(lines.reviews)
    return ImportSummary(len(new), len(reviews), count - len(new) - len(reviews))


def import_reviews(
    *, comparison_set: ComparisonSet, reviews: Sequence[ReviewGiven], by: Person, now: datetime
) -> ImportSummary:
    """Add reviews of comparisons that are in the set. Raises NotAllowed, Conflict."""
    return import_lines(comparison_set=comparison_set, lines=Lines([], list(reviews), []), by=by, now=now)


def _new_comparisons(
    comparison_set: ComparisonSet, lines: Sequence[tuple[int, NewComparison]]
) -> tuple[list[NewComparison], list[Problem]]:
    """The comparisons that the set does not have, and a fault for each that it has with a different text."""
    keys = [given.key for _line, given in lines]
    stored: dict[str, Comparison] = {}
    for at in range(0, len(keys), 500):
        rows = Comparison.objects.filter(set=comparison_set, key__in=keys[at : at + 500])
        stored |= {row.key: row for row in rows.prefetch_related("responses__written_by")}
    new, faults = [], []
    for line, given in lines:
        row = stored.get(given.key)
        if row is None:
            new.append(given)
        elif not _is_same(row, given):
            said = _('The set has another comparison with the id "%(id)s". What is stored never changes.')
            faults.append(Problem("taken", said % {"id": given.key}, line, pointer="/id"))
    return new, faults


def _is_same(row: Comparison, given: NewComparison) -> bool:
    stored = sorted(row.responses.all(), key=lambda response: response.number)
    numbers = response_numbers(given)
    if row.question != given.question or [(response.key, response.number) for response in stored] != list(
        numbers.items()
    ):
        return False
    return all(
        old.text == new.text
        and (new.author == old.author or (old.written_by and new.author.lower() == old.written_by.email))
        for old, new in zip(stored, given.responses, strict=True)
    )


def _fitting(
    comparison_set: ComparisonSet, reviews: Sequence[ReviewGiven], coming: Mapping[str, Mapping[str, int]]
) -> tuple[list[Fitting], list[Problem]]:
    """The reviews that are not stored yet, and all faults."""
    if not reviews:
        return [], []
    rubric = comparison_set.rubric_version.to_record()
    responses = {**queries.load_response_numbers(comparison_set), **coming}
    reviewers = queries.load_reviewers_by_name(comparison_set)
    there = queries.load_stored_reviews(
        [reviewers[review.reviewer] for review in reviews if review.reviewer in reviewers]
    )
    fitting, faults = [], []
    for given in reviews:
        known = responses.get(given.comparison)
        if known is None:
            said = _('Neither the set nor the file has a comparison with the id "%(id)s".')
            faults.append(
                Problem("unknown", said % {"id": given.comparison}, given.line, pointer="/comparison")
            )
            continue
        placed = place_review(given, known, rubric)
        if not isinstance(placed, Placed):
            faults += placed
            continue
        key = given.comparison, given.reviewer
        this = queries.StoredReview(placed.order, queries.list_said(placed.record, placed.order), given.text)
        fault = _refusal(this, there.get(key), reviewers.get(given.reviewer))
        if fault:
            faults.append(Problem(*fault, given.line))
        elif key not in there or not this.is_same(there[key]):
            fitting.append((given, placed))
            there[key] = this
    return fitting, faults


def _refusal(
    this: queries.StoredReview, there: queries.StoredReview | None, reviewer: Reviewer | None
) -> tuple[str, str] | None:
    """Code and sentence that say why a review cannot be stored next to the stored one; None when it can."""
    if there is not None and this.is_same(there):
        return None
    if there is not None and there.said is not None:
        return "taken", _("Another review of this comparison by this reviewer is there. It stays.")
    if there is not None and there.order != this.order:
        said = _(
            "This reviewer was asked with the responses in another order. Take the labels of the prompt."
        )
        return "other_order", said
    if reviewer is not None and reviewer.ended_at is not None:
        return "taken_out", _("This reviewer was removed from the set. Let them in again first.")
    return None


def _store(comparison_set: ComparisonSet, reviews: Sequence[Fitting], by: Person, now: datetime) -> None:
    """Submit the reviews in batches, so that nobody waits long for the database in the meantime."""
    reviewers = queries.load_reviewers_by_name(comparison_set)
    for at in range(0, len(reviews), BATCH):
        batch = reviews[at : at + BATCH]
        keys = {given.comparison for given, _placed in batch}
        rows = Comparison.objects.filter(set=comparison_set, key__in=keys)
        comparisons = {row.key: row for row in rows}
        with transaction.atomic():
            for given, placed in batch:
                name = given.reviewer
                if name not in reviewers:
                    reviewers[name] = add_reviewer(
                        comparison_set=comparison_set, kind=ELSEWHERE, name=name, by=by, now=now
                    )
                _bring(comparisons[given.comparison], reviewers[name], given, placed, by, now)


def _bring(
    comparison: Comparison, reviewer: Reviewer, given: ReviewGiven, placed: Placed, by: Person, now: datetime
) -> None:
    order, record = placed.order, placed.record
    review = begin_review(comparison=comparison, reviewer=reviewer, order=order, by=by, now=now)
    if given.text is not None:
        Answer.objects.create(
            review=review,
            source=UPLOADED,
            attempt=review.answers.count() + 1,
            model=reviewer.model or reviewer.name,
            text=given.text,
            created_at=now,
            created_by=by,
        )
        texts = dict(comparison.responses.values_list("number", "text"))
        texts_by_label = {label: texts[number] for label, number in map_labels(order).items()}
        rubric = reviewer.set.rubric_version.to_record()
        record = replace(record, flags=[*record.flags, *claimed_flags(texts_by_label, record, rubric)])
    # A model with everything in one answer was asked in one call.
    is_late = reviewer.kind == MODEL and reviewer.set.mode != HOLISTIC
    criteria_first = given.criteria_first or is_late
    record_submission(review=review, record=record, criteria_first=criteria_first, by=by, now=now)
