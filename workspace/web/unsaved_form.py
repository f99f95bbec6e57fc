"""What somebody typed into a form that could not be accepted, so that it can be shown and sent again."""

import re
import sys
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext

LONGEST_FIELD = 100_000
SECRET = frozenset({"csrfmiddlewaretoken", "password", "old", "proof", "code", "secret"})
# A field of Django's and allauth's own forms: the address to go on to.
NEXT = "next"


def unsaved_fields(request: HttpRequest) -> dict[str, Any]:
    """The posted fields, without secrets and files, to be sent again; `shown` are those that a person filled in.

    Sending again is only offered when the browser says that the form came from this very site: otherwise a foreign
    page could fill in the form and have the person press the button for it.
    """
    posted = [(name, values) for name, values in request.POST.lists() if name not in SECRET]
    fields = [(name, value[:LONGEST_FIELD]) for name, values in posted for value in values]
    origin = urlsplit(request.headers.get("Origin", ""))
    is_from_here = origin.scheme == request.scheme and origin.netloc == request.get_host() != ""
    form = _find_form(request, {name for name, _value in fields})
    shown = [
        described for name, value in fields if value and (described := _describe_field(form, name, value))
    ]
    can_resend = bool(fields) and not request.FILES and is_from_here
    return {"fields": fields, "shown": shown, "can_resend": can_resend}


def _find_form(request: HttpRequest, names: set[str]) -> type[forms.Form]:
    """The form that was posted: of those that the view's module uses, the one with these fields and the fewest others.

    The request was refused before its view could say which form it takes.
    """
    module = sys.modules[request.resolver_match.func.__module__] if request.resolver_match else None
    used = [each for each in vars(module).values() if isinstance(each, type)] if module else []
    return max(
        [each for each in used if issubclass(each, forms.Form)],
        key=lambda form: (sum(name in form.base_fields for name in names), -len(form.base_fields)),
        default=forms.Form,
    )


def _describe_field(form: type[forms.Form], name: str, value: str) -> tuple[str, str] | None:
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
    if isinstance(field, forms.BooleanField):
        return str(field.label), gettext("yes")
    # Choices that depend on the database stay keys.
    choices: Any = field.choices if isinstance(field, forms.ChoiceField) else []
    return str(field.label), next((str(words) for key, words in choices if str(key) == value), value)
