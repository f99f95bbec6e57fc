"""The labels of evaluators' answers on screen."""

from django.utils.translation import gettext as _

from discussions.core import judgement_kinds


def answer_label(kind: str, value: str) -> str:
    words = {
        (judgement_kinds.REFERENCE, judgement_kinds.ACCURATE): _("accurate"),
        (judgement_kinds.REFERENCE, judgement_kinds.INACCURATE): _("inaccurate"),
        (judgement_kinds.REFERENCE, judgement_kinds.VAGUE): _("vague"),
        (judgement_kinds.REFERENCE, judgement_kinds.NOT_A_REFERENCE): _("not a reference"),
        (judgement_kinds.STRATEGIC_DEPTH, judgement_kinds.YES): _("strategic"),
        (judgement_kinds.STRATEGIC_DEPTH, judgement_kinds.NO): _("not strategic"),
        (judgement_kinds.COHERENCE, judgement_kinds.YES): _("on topic"),
        (judgement_kinds.COHERENCE, judgement_kinds.NO): _("off topic"),
        (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.CONSISTENT): _("consistent"),
        (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.INCONSISTENT): _("inconsistent"),
        (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.NOT_ASSESSABLE): _("can't tell"),
        (judgement_kinds.PHRASE, judgement_kinds.ACCEPTABLE): _("acceptable"),
        (judgement_kinds.ATTRIBUTION, judgement_kinds.CANNOT_TELL): _("can't tell"),
        (judgement_kinds.STATEMENT, judgement_kinds.HONEST): _("honest"),
        (judgement_kinds.STATEMENT, judgement_kinds.BLUFF): _("bluff"),
        (judgement_kinds.STATEMENT, judgement_kinds.MISTAKEN): _("mistaken"),
        (judgement_kinds.STATEMENT, judgement_kinds.CANNOT_TELL): _("can't tell"),
    }
    if kind == judgement_kinds.ATTRIBUTION and value.isdigit():
        return _("agent %(number)s") % {"number": value}
    plain = {judgement_kinds.YES: _("yes"), judgement_kinds.NO: _("no"), "": _("no answer")}
    return words.get((kind, value)) or plain.get(value, value)
