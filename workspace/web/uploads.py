"""How large one request may be, checked before its body is read: only an address that takes files takes large ones."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from workspace.core.refusals import Malformed


def is_too_large(request: HttpRequest, view: object, address: dict[str, Any]) -> bool:
    """Whether the body, by the length it was announced with, is more than this person may send to this view.

    A form has settings.DATA_UPLOAD_MAX_MEMORY_SIZE bytes. A view behind `require(..., files=may)` takes
    settings.MOST_UPLOADED_AT_ONCE from people for whom `may` is true. No more than what was announced is ever
    read, so neither a wrong length nor a body in pieces without one gets anything onto the disk.
    """
    length = announced_length(request)
    return length > 0 and length > _most(request, view, address)


def announced_length(request: HttpRequest) -> int:
    """How many bytes of body were announced, as Django reads it, who then reads that many and no more."""
    try:
        return max(0, int(request.META.get("CONTENT_LENGTH") or 0))
    except ValueError:
        return 0


def refuse_pieces(request: HttpRequest) -> None:
    """Raise Malformed for a chunked body without a length: it would be ignored without an error."""
    if "Transfer-Encoding" in request.headers and not request.META.get("CONTENT_LENGTH"):
        says = _(
            "Send the body with its length (Content-Length), not in pieces (Transfer-Encoding: chunked). Nothing was "
            "read."
        )
        raise Malformed(says, code="length_needed")


def _most(request: HttpRequest, view: object, address: dict[str, Any]) -> int:
    may_send = getattr(view, "files", None)
    if may_send and request.user.is_authenticated and may_send(request.user, **address):
        return int(settings.MOST_UPLOADED_AT_ONCE)
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
