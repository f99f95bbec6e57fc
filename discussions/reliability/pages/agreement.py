"""The page of agreement: how far evaluators of the same games agree, on each metric, question and on the rating.

The part of the page on agreement that compares evaluators with themselves, from hidden repeats.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.models import TeamFigures
from discussions.reliability.core.agreement import AgreedLine, Marked
from discussions.reliability.core.blind_answers import Thing
from discussions.reliability.core.self_agreement import OwnAgreed, SelfAgreed
from discussions.reliability.core.stored import AgreementFigures
from discussions.reliability.labels.agreement import (
    LABELS,
    STRENGTHS,
    companion_name,
    describe_needed,
    get_question_text,
    get_thing_label,
    list_notes,
    percent,
    thing_by_key,
)
from discussions.reliability.pages.stored import TeamState, build_team_state
from discussions.reliability.queries import shared_games
from workspace.display.core.charts import IntervalsChart
from workspace.models import Person, Project
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import PLACES, agreement_plot, interval_text, list_undefined, number
from workspace.stored_statistics.pages import decode_body

KIND = "agreement"


class AgreementRow(Struct, frozen=True):
    """Agreement on one thing, in words and figures; `needed` is a number of evaluators, `notes` are sentences."""

    key: str
    label: str
    text: str
    alpha: str
    interval: str
    strength: str
    companion: str
    share: str
    items: int
    answered: int
    games: int
    raters: int
    pairs: int
    needed: str
    needed_says: str
    notes: list[str]


class MarkRow(Struct, frozen=True):
    """Things that can only be marked: how many one evaluator alone marked, and how many more than one."""

    label: str
    by_one: int
    by_more: int


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


class AgreementPage(Struct, frozen=True):
    """The page. `is_shared` says whether two evaluators handed in the same game at all."""

    state: TeamState
    is_shared: bool
    basis: str
    not_blind: int
    plot: IntervalsChart | None
    rows: list[AgreementRow]
    marks: list[MarkRow]
    own: OwnPart | None


def build_agreement_page(*, project: Project, now: datetime) -> AgreementPage:
    """The page of a project; at most ten queries."""
    state, row = build_team_state(project=project, kind=KIND, now=now)
    if row is None:
        return AgreementPage(state, shared_games(project).exists(), "", 0, None, [], [], None)
    figures = agreement_body(row)
    found = figures.agreement
    things = [(thing_by_key(line.key, len(figures.questions)), line) for line in found.things]
    known = [(thing, line) for thing, line in things if thing is not None]
    return AgreementPage(
        state=state,
        is_shared=figures.games > 0,
        basis=_basis(figures.games, found.evaluators),
        not_blind=figures.handed_in - found.evaluations,
        plot=agreement_plot([(get_thing_label(thing), line.alpha, line.companion) for thing, line in known]),
        rows=[build_row(thing, line, figures.questions) for thing, line in known],
        marks=[_mark(mark) for mark in found.marks],
        own=own_part(figures.own, len(figures.questions)) if figures.own else None,
    )


def _basis(games: int, people: int) -> str:
    says = ngettext(
        "%(n)d game that two evaluators or more have handed in, %(people)d evaluators.",
        "%(n)d games that two evaluators or more have handed in, %(people)d evaluators.",
        games,
    )
    return says % {"n": games, "people": people}


def agreement_body(row: TeamFigures) -> AgreementFigures:
    """The stored figures."""
    found: AgreementFigures = decode_body(row, AgreementFigures)
    return found


def build_row(thing: Thing, line: AgreedLine, questions: list[str]) -> AgreementRow:
    """One thing as a line of the table."""
    return AgreementRow(
        key=line.key,
        label=get_thing_label(thing),
        text=get_question_text(thing, questions),
        alpha=number(line.alpha.value, PLACES),
        interval=interval_text(line.alpha.interval, PLACES),
        strength=str(STRENGTHS[line.strength]),
        companion=number(line.companion.value, PLACES),
        share=percent(line.share),
        items=line.items,
        answered=line.answered,
        games=line.games,
        raters=line.raters,
        pairs=line.pairs,
        needed=str(line.needed or ""),
        needed_says=describe_needed(thing, line),
        notes=[*list_undefined(_parts(thing, line), line.alpha, _("alpha")), *list_notes(thing, line)],
    )


def _parts(thing: Thing, line: AgreedLine) -> list[tuple[str, Agreement]]:
    named = [
        (_("Alpha"), line.alpha),
        (companion_name(thing), line.companion),
        (_("agreement"), line.share),
        ("ICC(2,1)", line.icc),
        ("ICC(2,k)", line.panel),
    ]
    return [(name, found) for name, found in named if found is not None]


def _mark(mark: Marked) -> MarkRow:
    return MarkRow(str(LABELS[mark.kind]), mark.by_one, mark.by_more)


def own_part(found: Sequence[SelfAgreed], question_count: int) -> OwnPart:
    """The part; one query for the names."""
    keys = {person.evaluator for line in found for person in line.people}
    names = dict(Person.objects.filter(pk__in=keys).values_list("pk", "name"))
    return OwnPart([_row(line, names, question_count) for line in found])


def _row(line: SelfAgreed, names: Mapping[int, str], question_count: int) -> OwnRow:
    thing = thing_by_key(line.key, question_count)
    return OwnRow(
        key=line.key,
        label=get_thing_label(thing) if thing else line.key,
        items=line.items,
        games=line.games,
        share=percent(line.share),
        alpha=number(line.alpha.value, PLACES),
        interval=interval_text(line.alpha.interval, PLACES),
        notes=list_undefined(
            [(_("Alpha"), line.alpha), (_("agreement"), line.share)], line.alpha, _("alpha")
        ),
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
