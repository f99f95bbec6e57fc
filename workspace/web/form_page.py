"""Views that act: a page with one form, a form that is a part of its page, and a button without fields."""

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from workspace.core.refusals import Refusal
from workspace.web.bind_form import add_refusal, bind_form
from workspace.web.forms import NothingForm
from workspace.web.views import respond

Act = Callable[..., Any]
# An address, or what makes it, or the whole answer, of what the act returned.
Address = str | Callable[[Any], str | HttpResponse]


def form_page(
    request: HttpRequest,
    form_class: type[BaseForm],
    act: Callable[[Any], str | Mapping[str, object] | HttpResponse],
    *,
    page: str,
    context: Callable[[], Mapping[str, object]],
    initial: MutableMapping[str, object] | None = None,
    refuse: Callable[[BaseForm, Refusal], int] = add_refusal,
    **given: object,
) -> HttpResponse:
    """Show `page` with `form` in its context. A valid form that was sent goes to `act`, which returns the next address,
    or what the page shows besides, once, with an empty form, or the whole answer.

    A refusal that is about what was typed becomes a fault of the form (see `add_refusal`). `context` is called only
    when the page is shown, after the act. `given` goes to the form's constructor.
    """
    shown: Mapping[str, object] = {}
    form, status = form_class(initial=initial, **given), 200  # type: ignore[arg-type]
    if request.method == "POST":
        form, status = bind_form(request, form_class, **given), 422
        if form.is_valid():
            try:
                done = act(form)
                if isinstance(done, str | HttpResponse):
                    return _leave(request, done)
                form, status, shown = form_class(initial=initial, **given), 200, done  # type: ignore[arg-type]
            except Refusal as refusal:
                status = refuse(form, refusal)
    return respond(request, page=page, context={"form": form, **context(), **shown}, status=status)


def send(
    request: HttpRequest,
    form: BaseForm,
    act: Act,
    to: Address,
    *,
    show: Callable[..., HttpResponse],
    refuse: Callable[[BaseForm, Refusal], int] = add_refusal,
    **given: object,
) -> HttpResponse:
    """Act with `given` and the form's values, and go to an address, or `show` the page again with the form's faults.

    `show` gets the status; for refusals see `form_page`.
    """
    if not form.is_valid():
        return show(status=422)
    try:
        return _act(request, act, to, given | form.cleaned_data)
    except Refusal as refusal:
        return show(status=refuse(form, refusal))


def press(request: HttpRequest, act: Act, to: Address, **given: object) -> HttpResponse:
    """Act with `given` for a button without fields, and go to an address."""
    bind_form(request, NothingForm)
    return _act(request, act, to, given)


def _act(request: HttpRequest, act: Act, to: Address, given: Mapping[str, object]) -> HttpResponse:
    done = act(**given, by=request.user, now=timezone.now())
    return _leave(request, to if isinstance(to, str) else to(done))


def _leave(request: HttpRequest, to: str | HttpResponse) -> HttpResponse:
    return to if isinstance(to, HttpResponse) else respond(request, page="", redirect=to)
