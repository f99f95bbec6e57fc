"""The words of the agreement pages: subjects, answers and coefficients."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.adjudication.labels import answer_label
from discussions.core import judgement_kinds
from discussions.reliability.core.agreement import AgreementLine
from discussions.reliability.core.blind_answers import AnswerKind, list_answer_kinds

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


def get_question_text(answer_kind: AnswerKind, questions: Sequence[str]) -> str:
    """The text of a question; "" for other subjects."""
    return questions[int(answer_kind.question) - 1] if answer_kind.question else ""


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


def list_notes(answer_kind: AnswerKind, line: AgreementLine) -> list[str]:
    """Sentences that help to read these figures."""
    notes = []
    if line.is_skewed:
        given = {
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
            % given
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


def describe_needed(answer_kind: AnswerKind, line: AgreementLine) -> str:
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
