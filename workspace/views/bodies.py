"""Reading what was posted: only fields that the form knows, each at most once."""

from typing import Any, TypeVar

from django.forms import BaseForm
from django.http import HttpRequest
from django.utils.translation import gettext as _

from workspace.core.refusals import Conflict, Malformed, Refusal, Unacceptable

F = TypeVar("F", bound=BaseForm)

CSRF_FIELD = "csrfmiddlewaretoken"
MOST_DIGITS = 15


def typed(request: HttpRequest, form_class: type[F], **given: object) -> F:
    """The form bound to what was posted; `given` goes to the form's constructor.

    Raises Malformed (400) for a field that the form does not have and for one that is sent twice where the form takes
    one value: neither comes from our own pages. Whether the values fit is the form's own question (422).
    """
    form = form_class(data=request.POST, files=request.FILES, **given)  # type: ignore[arg-type]
    names = {form.add_prefix(name): field for name, field in form.fields.items()}
    sent: list[tuple[str, list[Any]]] = [*request.POST.lists(), *request.FILES.lists()]
    for name, values in sent:
        if name == CSRF_FIELD:
            continue
        if name not in names:
            raise Malformed(
                _("The form was sent with a field that it does not have. Reload the page and try again.")
            )
        if len(values) > 1 and not takes_many(names[name]):
            raise Malformed(_("The form was sent with a field twice. Reload the page and try again."))
    return form


def takes_many(field: object) -> bool:
    """Whether a form field holds a list: its widget allows several values."""
    widget = getattr(field, "widget", None)
    return bool(getattr(widget, "allow_multiple_selected", False))


def only_parameters(request: HttpRequest, *names: str) -> dict[str, str]:
    """The parameters of the address, all of them in `names` and each at most once, else Malformed (400)."""
    for name, values in request.GET.lists():
        if name not in names or len(values) != 1:
            raise Malformed(
                _("This address holds something that the page does not know. Open the page afresh.")
            )
    return {name: request.GET.get(name, "") for name in names}


def fault_of(form: BaseForm, refusal: Refusal) -> int:
    """Put a refusal into the form that it is about, beside its field where it names one; the status to answer with.

    Refusals that are not about what was typed are raised on.
    """
    if not isinstance(refusal, Unacceptable | Conflict):
        raise refusal
    field = getattr(refusal, "field", "")
    form.add_error(field if field in form.fields else None, refusal.sentence)
    return refusal.status


def number_of(text: str) -> int:
    """A number from 0 in a parameter of the address, 0 when it is empty; anything else is Malformed (400)."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise Malformed(_("This address holds something that the page does not know. Open the page afresh."))
    return int(text)
