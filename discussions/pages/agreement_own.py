"""The part of the page on agreement that compares evaluators with themselves, from hidden repeats."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.self_agreement import OwnAgreed, SelfAgreed
from discussions.pages.agreement_words import label_of, percent, thing_by_key
from rubric.pages.agreement_parts import PLACES, undefined
from rubric.pages.statistics_state import interval_text, number
from workspace.models import Person


class OwnPersonRow(Struct, frozen=True):
    """One person: of `items` the share answered alike both times, and alpha or why there is none."""

    name: str
    items: int
    share: str
    alpha: str
    reason: str


class OwnRow(Struct, frozen=True):
    """One thing over all people, and each of them."""

    key: str
    label: str
    items: int
    games: int
    share: str
    alpha: str
    interval: str
    notes: list[str]
    people: list[OwnPersonRow]


class OwnPart(Struct, frozen=True):
    """Everything that somebody answered twice."""

    rows: list[OwnRow]

    @property
    def has_notes(self) -> bool:
        """Whether anything is undefined."""
        return any(row.notes for row in self.rows)


def own_part(found: Sequence[SelfAgreed], question_count: int) -> OwnPart:
    """The part; one query for the names."""
    keys = {person.evaluator for line in found for person in line.people}
    names = dict(Person.objects.filter(pk__in=keys).values_list("pk", "name"))
    return OwnPart([_row(line, names, question_count) for line in found])


def _row(line: SelfAgreed, names: Mapping[int, str], question_count: int) -> OwnRow:
    thing = thing_by_key(line.key, question_count)
    return OwnRow(
        key=line.key,
        label=label_of(thing) if thing else line.key,
        items=line.items,
        games=line.games,
        share=percent(line.share),
        alpha=number(line.alpha.value, PLACES),
        interval=interval_text(line.alpha.interval, PLACES),
        notes=undefined([(_("Alpha"), line.alpha), (_("agreement"), line.share)], line.alpha, _("alpha")),
        people=[_person(person, names) for person in line.people],
    )


def _person(person: OwnAgreed, names: Mapping[int, str]) -> OwnPersonRow:
    return OwnPersonRow(
        name=names.get(person.evaluator, ""),
        items=person.items,
        share="" if person.share is None else f"{100 * person.share:.0f} %",
        alpha=number(person.alpha, PLACES),
        reason=person.reason,
    )
