"""Comparison sets: opened, filled with comparisons, given reviewers, and closed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from rubric.actions.figuring import queue_figures
from rubric.core.comparisons import NewComparison, NewResponse, comparison_faults, word_count
from rubric.models import Comparison, ComparisonSet, Response, Reviewer, RubricVersion
from rubric.models.comparisons import MODES, PERSON
from rubric.models.rubrics import PUBLISHED
from rubric.permissions import check_change_set, check_open_set
from workspace.actions.events import record_event
from workspace.actions.texts import clean_text
from workspace.core.identifiers import plain_name
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person, Project


def open_set(
    *,
    project: Project,
    name: str,
    version: RubricVersion,
    mode: str,
    has_second_round: bool = False,
    by: Person,
    now: datetime,
) -> ComparisonSet:
    """Open an empty set under a published version of a response rubric.

    Raises NotAllowed, Unacceptable for a name, version or mode that cannot be.
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
            created_at=now,
            created_by=by,
        )
        detail = {"number": made.number, "name": plain, "mode": mode, "version": version.sha256}
        note_event(comparison_set=made, verb="comparison_set:opened", detail=detail, by=by, now=now)
    return made


def add_comparisons(
    *, comparison_set: ComparisonSet, comparisons: Sequence[NewComparison], by: Person, now: datetime
) -> list[Comparison]:
    """Add questions with their responses, all or none. Keys that nobody gave are the numbers.

    An author that is the e-mail address of an account is that person. Raises NotAllowed, Unacceptable for the first
    thing that is wrong, Conflict for a key that the set has already.
    """
    check_change_set(by, comparison_set)
    for comparison in comparisons:
        for fault in comparison_faults(comparison):
            raise Unacceptable(fault.message, field=fault.pointer)
    with transaction.atomic():
        rows = _stored(comparison_set, comparisons, by, now)
        people = _people(comparisons)
        responses = [
            _response(row, number, each, people)
            for row, comparison in zip(rows, comparisons, strict=True)
            for number, each in enumerate(comparison.responses, start=1)
        ]
        Response.objects.bulk_create(responses, batch_size=500)
        detail = {"comparisons": len(rows), "responses": len(responses)}
        note_event(comparison_set=comparison_set, verb="comparison_set:filled", detail=detail, by=by, now=now)
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
    """Let a person of the project, a model, or somebody whose reviews come by file review the set.

    One who is there already is given back; one who was taken out is let in again. Raises NotAllowed, Unacceptable.
    """
    check_change_set(by, comparison_set)
    if kind == PERSON:
        members = comparison_set.project.memberships.filter(person=person, ended_at=None)
        if person is None or not (person.is_active and members.exists()):
            raise Unacceptable(_("Choose somebody who belongs to this project."), field="person")
        name = person.name
    name = _named(name)
    with transaction.atomic():
        key = {"set": comparison_set, "kind": kind, "person": person}
        key |= {} if person else {"name": name}
        made = {"name": name, "model": model, "parameters": dict(parameters or {})}
        reviewer, is_new = Reviewer.objects.get_or_create(
            **key, defaults=made | {"created_at": now, "created_by": by}
        )
        if is_new or reviewer.ended_at:
            Reviewer.objects.filter(pk=reviewer.pk).update(ended_at=None, ended_by=None)
            reviewer.ended_at = reviewer.ended_by = None
            detail = {"kind": kind, "reviewer": reviewer.pk}
            note_event(
                comparison_set=comparison_set,
                verb="comparison_set:reviewer_added",
                detail=detail,
                by=by,
                now=now,
            )
    return reviewer


def end_reviewer(*, reviewer: Reviewer, by: Person, now: datetime) -> None:
    """Ask this reviewer for no more; what was handed in counts on. Raises NotAllowed, Conflict if it is so."""
    check_change_set(by, reviewer.set)
    with transaction.atomic():
        if not Reviewer.objects.filter(pk=reviewer.pk, ended_at=None).update(ended_at=now, ended_by=by):
            raise Conflict(_("This reviewer was taken out already."), code="reviewer_ended")
        detail = {"kind": reviewer.kind, "reviewer": reviewer.pk}
        note_event(
            comparison_set=reviewer.set, verb="comparison_set:reviewer_ended", detail=detail, by=by, now=now
        )


def close_set(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> None:
    """Take no more reviews; whoever reviewed may see the results, and the set's figures are computed.

    Raises NotAllowed, Conflict when it is closed.
    """
    check_open_set(by, comparison_set.project)
    with transaction.atomic():
        rows = ComparisonSet.objects.filter(pk=comparison_set.pk, closed_at=None)
        if not rows.update(closed_at=now, closed_by=by):
            raise Conflict(_("This set was closed already."), code="set_closed")
        note_event(comparison_set=comparison_set, verb="comparison_set:closed", detail={}, by=by, now=now)
        queue_figures(comparison_set=comparison_set, by=by, now=now)


def reopen_set(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> None:
    """Take reviews again. Raises NotAllowed, Conflict when it is open."""
    check_open_set(by, comparison_set.project)
    with transaction.atomic():
        rows = ComparisonSet.objects.filter(pk=comparison_set.pk, closed_at__isnull=False)
        if not rows.update(closed_at=None, closed_by=None):
            raise Conflict(_("This set is open already."), code="set_open")
        note_event(comparison_set=comparison_set, verb="comparison_set:reopened", detail={}, by=by, now=now)


def note_event(
    *, comparison_set: ComparisonSet, verb: str, detail: Mapping[str, object], by: Person, now: datetime
) -> None:
    """The audit line of an act on a set."""
    record_event(
        by=by,
        now=now,
        project=comparison_set.project,
        verb=verb,
        object_kind="comparison_set",
        object_id=comparison_set.pk,
        detail=detail,
    )


def _named(name: str) -> str:
    return clean_text(name, field="name", ask=_("Give it a name."), most=LONGEST_NAME)


def _stored(
    comparison_set: ComparisonSet, comparisons: Sequence[NewComparison], by: Person, now: datetime
) -> list[Comparison]:
    """The rows of the questions, numbered on from those that are there."""
    locked = ComparisonSet.objects.select_for_update().get(pk=comparison_set.pk)
    found = Comparison.objects.filter(set=locked)
    first = (found.aggregate(newest=Max("number"))["newest"] or 0) + 1
    keys = [each.key or str(number) for number, each in enumerate(comparisons, start=first)]
    counts = Counter([*found.values_list("key", flat=True), *keys])
    twice = next((key for key, count in counts.items() if count > 1), None)
    if twice is not None:
        sentence = _('The set has a comparison with the id "%(key)s" already. Nothing was added.')
        raise Conflict(sentence % {"key": twice}, code="comparison_known")
    rows = [
        Comparison(set=locked, number=number, key=key, question=each.question, created_at=now, created_by=by)
        for number, (key, each) in enumerate(zip(keys, comparisons, strict=True), start=first)
    ]
    return Comparison.objects.bulk_create(rows, batch_size=500)


def _people(comparisons: Sequence[NewComparison]) -> dict[str, Person]:
    addresses = {each.author.lower() for one in comparisons for each in one.responses if "@" in each.author}
    # There may be more addresses than one query can name, and there are never so many people.
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
