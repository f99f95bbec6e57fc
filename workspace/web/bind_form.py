"""Reading what was posted: the fields that the form knows, each at most once.

If the thing that a form is about changed meanwhile, the answer is the same page, with everything that was typed.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.forms import BaseForm
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from workspace.core.refusals import Conflict, Malformed, NotAllowed, Refusal, Unacceptable
from workspace.models import Person, Project
from workspace.models.people import prepare_by_rights
from workspace.web.views import odd_address

F = TypeVar("F", bound=BaseForm)
CSRF_FIELD = "csrfmiddlewaretoken"
MOST_DIGITS = 15


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
