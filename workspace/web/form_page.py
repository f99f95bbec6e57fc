"""A page with one form: shown empty, shown again with its faults, or acted on and left."""

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse

from workspace.core.refusals import Refusal
from workspace.web.bind_form import add_refusal, bind_form
from workspace.web.respond import respond


def form_page(
    request: HttpRequest,
    form_class: type[BaseForm],
    act: Callable[[Any], str | Mapping[str, object]],
    *,
    page: str,
    context: Callable[[], Mapping[str, object]],
    initial: MutableMapping[str, object] | None = None,
    refuse: Callable[[BaseForm, Refusal], int] = add_refusal,
    **given: object,
) -> HttpResponse:
    """Show `page` with `form` in its context. A valid form that was sent goes to `act`, which returns the next address,
    or what the page shows besides, once, with an empty form.

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
                if isinstance(done, str):
                    return respond(request, page=page, redirect=done)
                form, status, shown = form_class(initial=initial, **given), 200, done  # type: ignore[arg-type]
            except Refusal as refusal:
                status = refuse(form, refusal)
    return respond(request, page=page, context={"form": form, **context(), **shown}, status=status)
