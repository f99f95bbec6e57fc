"""What somebody typed into a form that could not be accepted, so that it can be shown and sent again."""

import re
import sys
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext
from msgspec import Struct

LONGEST_FIELD = 100_000
SECRET = frozenset({"csrfmiddlewaretoken", "password", "old", "proof", "code", "secret"})
# A field of Django's and allauth's own forms: the address to go on to.
NEXT = "next"


class UnsavedForm(Struct, frozen=True):
    """The fields of a form, to be sent again; `shown` are those that a person filled in, as label and value.

    `can_resend` says whether one press may send the fields again.
    """

    fields: list[tuple[str, str]]
    shown: list[tuple[str, str]]
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
    can_resend = bool(fields) and not request.FILES and is_from_here(request)
    form = find_form(request, {name for name, _value in fields})
    shown = [seen for name, value in fields if value and (seen := describe_field(form, name, value))]
    return UnsavedForm(fields, shown, can_resend)


def is_from_here(request: HttpRequest) -> bool:
    """Whether the browser names this site as the origin of the request."""
    origin = urlsplit(request.headers.get("Origin", ""))
    return origin.scheme == request.scheme and bool(origin.netloc) and origin.netloc == request.get_host()


def find_form(request: HttpRequest, names: set[str]) -> type[forms.Form]:
    """The form that was posted: of those that the view's module uses, the one with these fields and the fewest others.

    The request was refused before its view could say which form it takes.
    """
    module = sys.modules[request.resolver_match.func.__module__] if request.resolver_match else None
    found = (
        [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, forms.Form)]
        if module
        else []
    )
    return max(found, key=lambda form: _fit(form, names), default=forms.Form)


def _fit(form: type[forms.Form], names: Iterable[str]) -> tuple[int, int]:
    fields = form.base_fields
    return sum(name in fields for name in names), -len(fields)


def describe_field(form: type[forms.Form], name: str, value: str) -> tuple[str, str] | None:
    """A posted field as its form shows it, label and value; None for one that nobody filled in.

    Those are hidden fields, and fields for which the form class has no label. A form class whose fields depend on what
    it is about describes them itself by `describe_posted`. A field that is not in the form has its name for a label.
    """
    describe = getattr(form, "describe_posted", None)
    if describe is not None and (described := describe(name, value)):
        return described
    field = form.base_fields.get(name)
    if field is None:
        words = " ".join(re.split(r"[\W_]+", name)).strip()
        return None if name == NEXT else (words[:1].upper() + words[1:], value)
    if field.widget.is_hidden or field.label is None:
        return None
    return str(field.label), _say_choice(field, value)


def _say_choice(field: forms.Field, value: str) -> str:
    """The words of a choice that does not depend on the database, "yes" for a ticked box; any other value as it is."""
    if isinstance(field, forms.BooleanField):
        return gettext("yes")
    choices: Any = field.choices if isinstance(field, forms.ChoiceField) else []
    return next((str(words) for key, words in choices if str(key) == value), value)
