"""What every view answers with: its form, the frame around its page, and the page, region, redirect or file.

A form takes only fields that it knows, each at most once. If the thing that it is about changed meanwhile, the answer
is the same page, with everything that was typed.
"""

from collections.abc import Callable, Mapping, MutableMapping
from datetime import datetime
from typing import IO, Any, TypeVar, cast

from django.forms import BaseForm
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from workspace.access.permissions import may_lead
from workspace.access.queries import prepare_by_rights
from workspace.core.refusals import Conflict, Malformed, NotAllowed, Refusal, Unacceptable
from workspace.models import Person, Project
from workspace.web.forms import NothingForm
from workspace.web.require import is_htmx


def respond(
    request: HttpRequest,
    *,
    page: str,
    region: str | None = None,
    context: Mapping[str, Any] | None = None,
    status: int = 200,
    redirect: str | None = None,
) -> HttpResponse:
    """Answer with `region` when htmx asks and there is one, 303 to `redirect` after a plain POST, else with `page`.

    With htmx and no region a `redirect` is followed by the browser itself. A status of 400 and more never redirects:
    the same page or region says what is wrong.
    """
    values = dict(context or {})
    if is_htmx(request):
        if region is not None:
            return _draw(request, region, values, status)
        if redirect is not None and status < 400:
            return HttpResponseClientRedirect(redirect)
    if redirect is not None and request.method == "POST" and status < 400:
        return HttpResponseRedirect(redirect, status=303)
    return _draw(request, page, values, status)


def _draw(request: HttpRequest, template: str, values: dict[str, Any], status: int) -> HttpResponse:
    return HttpResponse(render_to_string(template, values, request), status=status)


def download(body: bytes, name: str, content_type: str) -> HttpResponse:
    """A file under a name of ours, never shown inline."""
    return HttpResponse(
        body,
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


def download_file(file: IO[bytes], name: str, content_type: str) -> HttpResponse:
    """A file of any size under a name of ours, sent piece by piece; it is closed afterwards."""
    answer = FileResponse(file, as_attachment=True, filename=name, content_type=content_type)
    answer["Cache-Control"] = "no-store"
    # Views and middleware treat an answer that is sent piece by piece as any other.
    return cast(HttpResponse, answer)


def tell_saved(answer: HttpResponse, saved_at: datetime | None) -> HttpResponse:
    """Say in a header when the work was stored, if it was."""
    if saved_at:
        answer["X-Saved"] = timezone.localtime(saved_at).strftime("%H:%M:%S")
    return answer


def frame(person: Person, project: Project | None = None, section: str = "") -> dict[str, object]:
    is_lead = project is not None and may_lead(person, project)
    return {"project": project, "section": section, "may_lead": is_lead}


F = TypeVar("F", bound=BaseForm)
CSRF_FIELD = "csrfmiddlewaretoken"
MOST_DIGITS = 15


def bind_form(request: HttpRequest, form_class: type[F], **given: object) -> F:
    """The form bound to what was posted; `given` goes to the form's constructor.

    Raises Malformed (400) for a field that the form does not have, for one that is sent twice where the form takes
    one value, and for parameters that `only_parameters` found to be odd: nothing of that comes from our own pages. The
    form itself checks whether the values are valid (422).
    """
    if odd_address := getattr(request, "odd_address", None):
        raise odd_address
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
        takes_many = getattr(names[name].widget, "allow_multiple_selected", False)
        if len(values) > 1 and not takes_many:
            raise Malformed(_("The form was sent with a field twice. Reload the page and try again."))
    return form


def add_refusal(form: BaseForm, refusal: Refusal) -> int:
    """Add a refusal to its form, to its field when it names one; return the status to answer with.

    Refusals that are not about what was typed are raised on.
    """
    if not isinstance(refusal, Unacceptable | Conflict):
        raise refusal
    field = getattr(refusal, "field", "")
    form.add_error(field if field in form.fields else None, refusal.sentence)
    return refusal.status


def parse_number(text: str) -> int:
    """A number from 0 in a parameter of the address, 0 when it is empty; anything else is Malformed (400)."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise Malformed(_("This address holds something that the page does not know. Open the page again."))
    return int(text)


def kept_status(form: BaseForm, refusal: Refusal) -> int:
    """Like `add_refusal`, also for a NotAllowed that is about the state of the thing: such a refusal has its own code.

    So the typed text is kept when the state changed in the meantime.
    """
    if isinstance(refusal, NotAllowed) and refusal.code != NotAllowed.default_code:
        form.add_error(None, refusal.sentence)
        return refusal.status
    return add_refusal(form, refusal)


def project_or_404(
    person: Person, slug: str, check: Callable[[Person, Project], None] | None = None
) -> Project:
    """The project of that short name, when the person may know of it; `check` raises when they may not do this."""
    project: Project | None = _PROJECTS[person.is_admin].first(person.pk, slug)
    if project is None:
        raise Http404
    if check:
        check(person, project)
    return project


# For nearly every page.
_PROJECTS = prepare_by_rights(lambda person, slug: Project.objects.visible_to(person).filter(slug=slug), str)


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
