"""The labels of evaluators' answers on screen."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from discussions.core import judgement_kinds

TIE_ENDED = gettext_lazy("The tie was resolved meanwhile, so your answer to it was not needed.")

# A long game shows a thousand of them: only the one that is shown is translated.
_WORDS = {
    (judgement_kinds.REFERENCE, judgement_kinds.ACCURATE): gettext_lazy("accurate"),
    (judgement_kinds.REFERENCE, judgement_kinds.INACCURATE): gettext_lazy("inaccurate"),
    (judgement_kinds.REFERENCE, judgement_kinds.VAGUE): gettext_lazy("vague"),
    (judgement_kinds.REFERENCE, judgement_kinds.NOT_A_REFERENCE): gettext_lazy("not a reference"),
    (judgement_kinds.STRATEGIC_DEPTH, judgement_kinds.YES): gettext_lazy("strategic"),
    (judgement_kinds.STRATEGIC_DEPTH, judgement_kinds.NO): gettext_lazy("not strategic"),
    (judgement_kinds.COHERENCE, judgement_kinds.YES): gettext_lazy("on topic"),
    (judgement_kinds.COHERENCE, judgement_kinds.NO): gettext_lazy("off topic"),
    (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.CONSISTENT): gettext_lazy("consistent"),
    (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.INCONSISTENT): gettext_lazy("inconsistent"),
    (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.NOT_ASSESSABLE): gettext_lazy("can't tell"),
    (judgement_kinds.PHRASE, judgement_kinds.ACCEPTABLE): gettext_lazy("acceptable"),
    (judgement_kinds.ATTRIBUTION, judgement_kinds.CANNOT_TELL): gettext_lazy("can't tell"),
    (judgement_kinds.STATEMENT, judgement_kinds.HONEST): gettext_lazy("honest"),
    (judgement_kinds.STATEMENT, judgement_kinds.BLUFF): gettext_lazy("bluff"),
    (judgement_kinds.STATEMENT, judgement_kinds.MISTAKEN): gettext_lazy("mistaken"),
    (judgement_kinds.STATEMENT, judgement_kinds.CANNOT_TELL): gettext_lazy("can't tell"),
}
_PLAIN = {
    judgement_kinds.YES: gettext_lazy("yes"),
    judgement_kinds.NO: gettext_lazy("no"),
    "": gettext_lazy("no answer"),
}


def answer_label(kind: str, value: str) -> str:
    if kind == judgement_kinds.ATTRIBUTION and value.isdigit():
        return _("agent %(number)s") % {"number": value}
    return str(_WORDS.get((kind, value)) or _PLAIN.get(value) or value)
