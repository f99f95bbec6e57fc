"""Texts that people type: reasons, comments, notes."""

from django.utils.translation import gettext as _

from workspace.core.limits import LONGEST_REASON
from workspace.core.refusals import Unacceptable


def clean_text(text: str, *, field: str = "reason", ask: str = "", most: int = LONGEST_REASON) -> str:
    """The text without surrounding white space.

    Raises Unacceptable for the field when it is too long, or with the sentence `ask`, if given, when it is empty.
    """
    text = text.strip()
    if ask and not text:
        raise Unacceptable(ask, field=field, code="required")
    check_length(text, field=field, most=most)
    return text


def check_length(text: str, *, field: str, most: int = LONGEST_REASON) -> None:
    """Raise Unacceptable for the field when the text is too long."""
    if len(text) > most:
        says = _("This text is too long: write at most %(most)s characters.") % {"most": f"{most:,}"}
        raise Unacceptable(says, field=field, code="too_long")
