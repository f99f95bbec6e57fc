"""Reading what was posted: only so much as the address takes, and fields that the form knows, each at most once.

If the thing that a form is about changed meanwhile, the answer is the same page, with everything that was typed.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.forms import BaseForm
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from workspace.core.refusals import Conflict, Malformed, NotAllowed, Refusal, Unacceptable
from workspace.models import Person, Project
from workspace.models.people import prepare_by_rights

F = TypeVar("F", bound=BaseForm)
CSRF_FIELD = "csrfmiddlewaretoken"
MOST_DIGITS = 15


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


def bind_form(request: HttpRequest, form_class: type[F], **given: object) -> F:
    """The form bound to what was posted; `given` goes to the form's constructor.

    Raises Malformed (400) for a field that the form does not have, for one that is sent twice where the form takes
    one value, and for parameters that `only_parameters` found to be odd: nothing of that comes from our own pages. The
    form itself checks whether the values are valid (422).
    """
    if refusal := getattr(request, "odd_address", None):
        raise refusal
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


def only_parameters(request: HttpRequest, *names: str) -> dict[str, str]:
    """The parameters of the address, all of them in `names` and each at most once, else Malformed (400).

    It is refused by `bind_form`, before anything is done, or by `require` when the view has ended; the view gets empty
    values meanwhile. So who may not see the page or do the act is told that first.
    """
    is_odd = any(name not in names or len(values) != 1 for name, values in request.GET.lists())
    request.odd_address = odd_address() if is_odd else None  # type: ignore[attr-defined]
    if is_odd:
        return dict.fromkeys(names, "")
    return {name: request.GET.get(name, "") for name in names}


def odd_address() -> Malformed:
    return Malformed(_("This address holds something that the page does not know. Open the page again."))


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
        raise odd_address()
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
