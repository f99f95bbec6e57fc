"""What somebody had typed into a form that could not be taken, so that it can be shown and sent again."""

from urllib.parse import urlsplit

from django.http import HttpRequest
from msgspec import Struct

LONGEST_FIELD = 100_000
SECRET = frozenset({"csrfmiddlewaretoken", "password", "old", "proof", "code", "secret"})


class UnsavedForm(Struct, frozen=True):
    """The fields of a form; `can_resend` says whether one press may send them again."""

    fields: list[tuple[str, str]]
    can_resend: bool


def unsaved_fields(request: HttpRequest) -> UnsavedForm:
    """The posted fields, without secrets and files.

    Sending again is only offered when the browser says that the form came from this very site: otherwise a foreign
    page could fill in the form and have the person press the button for it.
    """
    fields = [
        (name, value[:LONGEST_FIELD])
        for name, values in request.POST.lists()
        if name not in SECRET
        for value in values
    ]
    return UnsavedForm(fields, can_resend=bool(fields) and not request.FILES and is_from_here(request))


def is_from_here(request: HttpRequest) -> bool:
    """Whether the browser names this site as the origin of the request."""
    origin = urlsplit(request.headers.get("Origin", ""))
    return origin.scheme == request.scheme and bool(origin.netloc) and origin.netloc == request.get_host()
