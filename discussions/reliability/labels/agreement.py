"""The words of the agreement pages: subjects, answers and coefficients."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.adjudication.labels import answer_label
from discussions.core import judgement_kinds
from discussions.reliability.core.agreement import AgreedLine
from discussions.reliability.core.blind_answers import Thing, list_things

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


def get_thing_label(thing: Thing) -> str:
    """The name of a subject: "Question 2", "Coherence"."""
    return (
        _("Question %(number)s") % {"number": thing.question} if thing.question else str(LABELS[thing.kind])
    )


def thing_by_key(key: str, question_count: int) -> Thing | None:
    return next((thing for thing in list_things(question_count) if thing.key == key), None)


def get_question_text(thing: Thing, questions: Sequence[str]) -> str:
    """The text of a question; "" for other subjects."""
    return questions[int(thing.question) - 1] if thing.question else ""


def answer_word(thing: Thing, value: str) -> str:
    """An answer in the words of its button."""
    return f"{float(value):g}" if thing.is_rating else answer_label(thing.kind, value)


def gwet_name(thing: Thing) -> str:
    return "AC2" if thing.is_rating else "AC1"


def format_unit_count(thing: Thing, count: int) -> str:
    """The count with its unit: "3 messages"."""
    if thing.kind == judgement_kinds.REFERENCE:
        says = ngettext("%(n)d reference", "%(n)d references", count)
    elif thing.kind == judgement_kinds.IDENTIFY:
        says = ngettext("%(n)d agent", "%(n)d agents", count)
    elif thing.has_parts:
        says = ngettext("%(n)d message", "%(n)d messages", count)
    else:
        says = ngettext("%(n)d game", "%(n)d games", count)
    return says % {"n": count}


def list_notes(thing: Thing, line: AgreedLine) -> list[str]:
    """Sentences that help to read these figures."""
    notes = []
    if line.is_skewed:
        given = {
            "word": answer_word(thing, line.common),
            "share": f"{100 * line.common_share:.0f}",
            "gwet": gwet_name(thing),
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
    if thing.has_parts and line.items and line.items < line.answered:
        notes.append(
            _(
                "%(items)s of %(answered)d that were judged blind have two answers or more; only those are compared."
            )
            % {"items": format_unit_count(thing, line.items), "answered": line.answered}
        )
    if thing.kind == judgement_kinds.ROLE_CONSISTENCY and line.items:
        notes.append(
            _(
                "Everybody labels what the rules object to, so these messages are not like all messages of a game."
            )
        )
    return notes


def describe_needed(thing: Thing, line: AgreedLine) -> str:
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
