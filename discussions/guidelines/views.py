"""The guideline of a project: read, confirmed, written."""

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone

from discussions.guidelines.actions import confirm_guideline, write_guideline
from discussions.guidelines.forms import GuidelineForm
from discussions.guidelines.pages import guideline_page
from discussions.guidelines.permissions import check_write_guideline
from discussions.guidelines.queries import newest_guideline
from workspace.web.bind_form import bind_form, only_parameters, project_or_404
from workspace.web.form_page import form_page
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("see_project")
def guideline(request: SignedIn, slug: str) -> HttpResponse:
    """How rating works in this project, and its guideline."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    page = guideline_page(project=project, person=request.user)
    context = {"page": page, **frame(request.user, project, "guideline")}
    return respond(request, page="discussions/guidelines/show.html", context=context)


@require("see_project", methods=("POST",))
def confirm(request: SignedIn, slug: str) -> HttpResponse:
    """Confirm that one has read the guideline; on to the queue."""
    project = project_or_404(request.user, slug)
    bind_form(request, NothingForm)
    found = newest_guideline(project)
    if found is None:
        raise Http404
    confirm_guideline(guideline=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("queue", args=[slug]))


@require("write_guideline", methods=("GET", "POST"))
def edit_guideline(request: SignedIn, slug: str) -> HttpResponse:
    """Write the next version."""
    project = project_or_404(request.user, slug)
    check_write_guideline(request.user, project)

    def write(form: GuidelineForm) -> str:
        write_guideline(project=project, by=request.user, now=timezone.now(), **form.cleaned_data)
        return reverse("guideline", args=[slug])

    page = guideline_page(project=project, person=request.user)
    text = page.guideline.text if page.guideline else ""
    return form_page(
        request,
        GuidelineForm,
        write,
        page="discussions/guidelines/edit.html",
        context=lambda: {"page": page, **frame(request.user, project, "guideline")},
        initial={"text": text, "after": page.newest},
    )
