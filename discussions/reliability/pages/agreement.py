"""The page of agreement: how far evaluators of the same games agree, and each with themselves."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.models import TeamFigures
from discussions.reliability.core.agreement import AgreementLine, MarkCounts
from discussions.reliability.core.blind_answers import AnswerKind
from discussions.reliability.core.self_agreement import SelfAgreement
from discussions.reliability.core.stored import AgreementFigures
from discussions.reliability.labels.agreement import (
    LABELS,
    STRENGTHS,
    describe_needed,
    find_answer_kind,
    get_kind_label,
    get_question_text,
    gwet_name,
    list_notes,
)
from discussions.reliability.pages.stored import build_team_state
from discussions.reliability.queries import shared_games
from workspace.display.core.charts import IntervalsChart
from workspace.models import Person, Project
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import agreement_plot, list_undefined
from workspace.stored_statistics.pages import StatisticsState, decode_body

KIND = "agreement"


class AgreementRow(Struct, frozen=True):
    """Agreement on one subject; `text` is the question, `notes` and `needed` are sentences."""

    line: AgreementLine
    label: str
    text: str
    strength: str
    needed: str
    notes: list[str]


class SelfAgreementRow(Struct, frozen=True):
    """Agreement of evaluators with themselves on one subject; `notes` are sentences."""

    line: SelfAgreement
    label: str
    notes: list[str]


class AgreementPage(Struct, frozen=True):
    """The page. `is_shared` says whether two evaluators submitted the same game; `names` are evaluators by key.

    `notes` are sentences, each once, with the labels of the subjects to which it applies.
    """

    state: StatisticsState
    is_shared: bool
    basis: str = ""
    not_blind: int = 0
    plot: IntervalsChart | None = None
    rows: list[AgreementRow] = []
    notes: list[tuple[str, list[str]]] = []
    marks: list[tuple[str, MarkCounts]] = []
    own: list[SelfAgreementRow] = []
    names: dict[int, str] = {}


def build_agreement_page(*, project: Project, now: datetime) -> AgreementPage:
    """The page of a project; at most ten queries."""
    state, row = build_team_state(project=project, kind=KIND, now=now)
    if row is None:
        return AgreementPage(state, shared_games(project).exists())
    figures = agreement_body(row)
    found = figures.agreement
    subjects = [(find_answer_kind(line.key, len(figures.questions)), line) for line in found.things]
    known = [(subject, line) for subject, line in subjects if subject is not None]
    rows = [build_row(subject, line, figures.questions) for subject, line in known]
    return AgreementPage(
        state=state,
        is_shared=figures.games > 0,
        basis=_basis(figures.games, found.evaluators),
        not_blind=figures.submitted - found.evaluations,
        plot=agreement_plot([(get_kind_label(subject), line.alpha, line.gwet) for subject, line in known]),
        rows=rows,
        notes=_gather_notes(rows),
        marks=[(str(LABELS[mark.kind]), mark) for mark in found.marks],
        own=[_own_row(line, len(figures.questions)) for line in figures.own],
        names=_names(figures.own),
    )


def _gather_notes(rows: Sequence[AgreementRow]) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            found.setdefault(note, []).append(row.label)
    return list(found.items())


def _basis(games: int, people: int) -> str:
    says = ngettext(
        "%(n)d game that two evaluators or more have submitted, %(people)d evaluators.",
        "%(n)d games that two evaluators or more have submitted, %(people)d evaluators.",
        games,
    )
    return says % {"n": games, "people": people}


def agreement_body(row: TeamFigures) -> AgreementFigures:
    """The stored figures."""
    found: AgreementFigures = decode_body(row, AgreementFigures)
    return found


def build_row(subject: AnswerKind, line: AgreementLine, questions: Sequence[str]) -> AgreementRow:
    """One subject as a line of the table."""
    figures = [
        (_("Alpha"), line.alpha),
        (gwet_name(subject), line.gwet),
        (_("agreement"), line.share),
        ("ICC(2,1)", line.icc),
        ("ICC(2,k)", line.panel),
    ]
    known = [(name, found) for name, found in figures if found is not None]
    return AgreementRow(
        line=line,
        label=get_kind_label(subject),
        text=get_question_text(subject, questions),
        strength=str(STRENGTHS[line.strength]),
        needed=describe_needed(subject, line),
        notes=[*list_undefined(known, line.alpha, _("alpha")), *list_notes(subject, line)],
    )


def _own_row(line: SelfAgreement, question_count: int) -> SelfAgreementRow:
    subject = find_answer_kind(line.key, question_count)
    figures: list[tuple[str, Agreement]] = [(_("Alpha"), line.alpha), (_("agreement"), line.share)]
    return SelfAgreementRow(
        line=line,
        label=get_kind_label(subject) if subject else line.key,
        notes=list_undefined(figures, line.alpha, _("alpha")),
    )


def _names(lines: Sequence[SelfAgreement]) -> dict[int, str]:
    keys = {person.evaluator for line in lines for person in line.people}
    return dict(Person.objects.filter(pk__in=keys).values_list("pk", "name")) if keys else {}
