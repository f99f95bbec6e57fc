"""The page of agreement: how far evaluators of the same games agree, on each metric, question and on the rating."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.core.agreement_figures import AgreementFigures
from discussions.core.blind_answers import Thing
from discussions.core.evaluator_agreement import AgreedLine, Marked
from discussions.models.agreed import shared_games
from discussions.models.team_figures import TeamFigures
from discussions.pages.agreement_own import OwnPart, own_part
from discussions.pages.agreement_words import (
    LABELS,
    STRENGTHS,
    companion_name,
    label_of,
    needed_of,
    notes_of,
    percent,
    text_of,
    thing_by_key,
)
from discussions.pages.team_figures import TeamState, build_team_state
from rubric.core.agreement.estimates import Agreement
from rubric.pages.agreement_parts import PLACES, agreement_plot, undefined
from rubric.pages.statistics_state import interval_text, number
from workspace.core.interval_plot import IntervalsChart
from workspace.models import Project
from workspace.pages.stored_statistics import decode_body

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
        plot=agreement_plot([(label_of(thing), line.alpha, line.companion) for thing, line in known]),
        rows=[row_of(thing, line, figures.questions) for thing, line in known],
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


def row_of(thing: Thing, line: AgreedLine, questions: list[str]) -> AgreementRow:
    """One thing as a line of the table."""
    return AgreementRow(
        key=line.key,
        label=label_of(thing),
        text=text_of(thing, questions),
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
        needed_says=needed_of(thing, line),
        notes=[*undefined(_parts(thing, line), line.alpha, _("alpha")), *notes_of(thing, line)],
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
