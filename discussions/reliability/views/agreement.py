"""The page of agreement: how far evaluators of the same games agree, and each with themselves; and its words."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.adjudication.labels import answer_label
from discussions.core import judgement_kinds
from discussions.models import TeamFigures
from discussions.reliability.core.agreement import AgreementLine
from discussions.reliability.core.blind_answers import AnswerKind, list_answer_kinds
from discussions.reliability.core.self_agreement import SelfAgreement
from discussions.reliability.core.stored import AgreementFigures
from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import shared_games
from discussions.reliability.views.state import SECTION, build_team_state
from workspace.models import Person, Project
from workspace.statistics.labels import agreement_plot, list_undefined
from workspace.stored_statistics.pages import decode_body
from workspace.web.bind_form import only_parameters, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

KIND = "agreement"
LABELS = {
    judgement_kinds.REFERENCE: gettext_lazy("Memory references"),
    judgement_kinds.STRATEGIC_DEPTH: gettext_lazy("Strategic depth"),
    judgement_kinds.COHERENCE: gettext_lazy("Conversation coherence"),
    judgement_kinds.ROLE_CONSISTENCY: gettext_lazy("Role consistency"),
    judgement_kinds.IDENTIFY: gettext_lazy("Manual check: identified by the language"),
    judgement_kinds.RATING: gettext_lazy("Rating"),
    judgement_kinds.MISSED: gettext_lazy("Sentences marked as missed references"),
    judgement_kinds.PHRASE: gettext_lazy("Repeated phrases marked acceptable"),
}

STRENGTHS = {
    "firm": gettext_lazy("firm (.800 or more)"),
    "tentative": gettext_lazy("tentative (.667 to .800)"),
    "low": gettext_lazy("too low to rest on (below .667)"),
    "": "",
}


@require("see_team_figures")
def agreement(request: SignedIn, slug: str) -> HttpResponse:
    """Show agreement on all subjects."""
    only_parameters(request)
    project = project_or_404(request.user, slug, check_see_team_statistics)
    context = {**_agreement_context(project, timezone.now()), **frame(request.user, project, SECTION)}
    return respond(
        request,
        page="discussions/reliability/agreement.html",
        region="discussions/reliability/_agreement_figures.html",
        context=context,
    )


def _agreement_context(project: Project, now: datetime) -> dict[str, object]:
    """The figures of a project; at most ten queries. `is_shared`: two evaluators submitted the same game.

    `names` are evaluators by key, `notes` are sentences, each once, with the labels of the subjects it applies to.
    """
    state, row = build_team_state(project=project, kind=KIND, now=now)
    if row is None:
        return {"state": state, "is_shared": shared_games(project).exists(), "rows": [], "own": []}
    figures = agreement_body(row)
    team, question_count = figures.agreement, len(figures.questions)
    rows = [
        AgreementRow(subject, line, figures.questions)
        for line in team.things
        if (subject := find_answer_kind(line.key, question_count)) is not None
    ]
    return {
        "state": state,
        "is_shared": figures.games > 0,
        "basis": _describe_basis(figures.games, team.evaluators),
        "not_blind": figures.submitted - team.evaluations,
        "plot": agreement_plot([(row.label, row.line.alpha, row.line.gwet) for row in rows]),
        "rows": rows,
        "notes": _gather_notes(rows),
        "marks": [(LABELS[mark.kind], mark) for mark in team.marks],
        "own": [_own_row(line, question_count) for line in figures.own],
        "names": load_names({person.evaluator for line in figures.own for person in line.people}),
    }


def agreement_body(row: TeamFigures) -> AgreementFigures:
    """The stored figures."""
    figures: AgreementFigures = decode_body(row, AgreementFigures)
    return figures


def load_names(people: Collection[int]) -> dict[int, str]:
    """The names of people by key."""
    return dict(Person.objects.filter(pk__in=people).values_list("pk", "name"))


class AgreementRow:
    """Agreement on one subject; `text` is the question, `notes` and `needed` are sentences."""

    def __init__(self, subject: AnswerKind, line: AgreementLine, questions: Sequence[str]) -> None:
        self.line = line
        self.label = get_kind_label(subject)
        self.text = questions[int(subject.question) - 1] if subject.question else ""
        self.strength = STRENGTHS[line.strength]
        self.needed = _describe_needed(subject, line)
        figures = [
            (_("Alpha"), line.alpha),
            (gwet_name(subject), line.gwet),
            (_("agreement"), line.share),
            ("ICC(2,1)", line.icc),
            ("ICC(2,k)", line.panel),
        ]
        known = [(name, estimate) for name, estimate in figures if estimate is not None]
        self.notes = [*list_undefined(known, line.alpha, _("alpha")), *_list_notes(subject, line)]


def _own_row(line: SelfAgreement, question_count: int) -> dict[str, object]:
    """Agreement of evaluators with themselves on one subject; its `notes` are sentences."""
    subject = find_answer_kind(line.key, question_count)
    figures = [(_("Alpha"), line.alpha), (_("agreement"), line.share)]
    return {
        "line": line,
        "label": get_kind_label(subject) if subject else line.key,
        "notes": list_undefined(figures, line.alpha, _("alpha")),
    }


def _gather_notes(rows: Sequence[AgreementRow]) -> list[tuple[str, list[str]]]:
    labels: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            labels.setdefault(note, []).append(row.label)
    return list(labels.items())


def _describe_basis(games: int, people: int) -> str:
    says = ngettext(
        "%(n)d game that two evaluators or more have submitted, %(people)d evaluators.",
        "%(n)d games that two evaluators or more have submitted, %(people)d evaluators.",
        games,
    )
    return says % {"n": games, "people": people}


def get_kind_label(answer_kind: AnswerKind) -> str:
    """The name of a subject: "Question 2", "Coherence"."""
    return (
        _("Question %(number)s") % {"number": answer_kind.question}
        if answer_kind.question
        else str(LABELS[answer_kind.kind])
    )


def find_answer_kind(key: str, question_count: int) -> AnswerKind | None:
    return next(
        (answer_kind for answer_kind in list_answer_kinds(question_count) if answer_kind.key == key), None
    )


def answer_word(answer_kind: AnswerKind, value: str) -> str:
    """An answer in the words of its button."""
    return f"{float(value):g}" if answer_kind.is_rating else answer_label(answer_kind.kind, value)


def gwet_name(answer_kind: AnswerKind) -> str:
    return "AC2" if answer_kind.is_rating else "AC1"


def format_unit_count(answer_kind: AnswerKind, count: int) -> str:
    """The count with its unit: "3 messages"."""
    if answer_kind.kind == judgement_kinds.REFERENCE:
        says = ngettext("%(n)d reference", "%(n)d references", count)
    elif answer_kind.kind == judgement_kinds.IDENTIFY:
        says = ngettext("%(n)d agent", "%(n)d agents", count)
    elif answer_kind.has_parts:
        says = ngettext("%(n)d message", "%(n)d messages", count)
    else:
        says = ngettext("%(n)d game", "%(n)d games", count)
    return says % {"n": count}


def _list_notes(answer_kind: AnswerKind, line: AgreementLine) -> list[str]:
    """Sentences that help to read these figures."""
    notes = []
    if line.is_skewed:
        words = {
            "word": answer_word(answer_kind, line.common),
            "share": f"{100 * line.common_share:.0f}",
            "gwet": gwet_name(answer_kind),
        }
        notes.append(
            _(
                "Low alpha here may mean few answers other than “%(word)s” (%(share)s\u00a0%% of all), "
                "not poor raters; "
                "look at the table and at %(gwet)s beside it."
            )
            % words
        )
    if line.alpha.interval is not None and line.alpha.interval[0] == line.alpha.interval[1]:
        notes.append(_("All agree, which leaves the interval no width: it does not say how sure this is."))
    if answer_kind.has_parts and line.items and line.items < line.answered:
        notes.append(
            _(
                "%(items)s of %(answered)d that were judged blind have two answers or more; only those are compared."
            )
            % {"items": format_unit_count(answer_kind, line.items), "answered": line.answered}
        )
    if answer_kind.kind == judgement_kinds.ROLE_CONSISTENCY and line.items:
        notes.append(
            _(
                "Everybody labels what the rules object to, so these messages are not like all messages of a game."
            )
        )
    return notes


def _describe_needed(answer_kind: AnswerKind, line: AgreementLine) -> str:
    """A sentence on the evaluators that would be enough; "" when alpha is undefined."""
    if line.alpha.value is None:
        return ""
    basis = "ICC(2,1)" if line.icc and line.icc.value is not None else _("alpha")
    if line.needed is None:
        return _("By %(basis)s no panel of up to 1,000 evaluators would reach a reliability of .80.") % {
            "basis": basis
        }
    says = ngettext(
        "%(n)d evaluator for each game would do for a reliability of .80 (Spearman-Brown, from %(basis)s).",
        "%(n)d evaluators for each game would do for a reliability of .80 of what they say together (Spearman-Brown, "
        "from %(basis)s).",
        line.needed,
    )
    return says % {"n": line.needed, "basis": basis}
