"""The list of projects, a new project, one project."""

from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.core.refusals import Refusal
from workspace.forms.people import ProjectForm
from workspace.models import Person, Project
from workspace.pages.frame import frame
from workspace.pages.projects import project_page, projects_page
from workspace.permissions import check_create_project
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, only_parameters, typed
from workspace.views.gate import SignedIn, View, needs


def project_or_404(person: Person, slug: str) -> Project:
    """The project of that short name, when the person may know of it."""
    return get_object_or_404(Project.objects.visible_to(person), slug=slug)


@needs("sign_in")
def projects(request: SignedIn) -> HttpResponse:
    """The projects that one may see."""
    only_parameters(request)
    page = projects_page(person=request.user)
    return answer(request, page="workspace/project_list.html", context={"page": page, **frame(request.user)})


@needs("sign_in")
def project(request: SignedIn, slug: str) -> HttpResponse:
    """One project and the doors that are open to one."""
    found = project_or_404(request.user, slug)
    page = project_page(person=request.user, project=found)
    return answer(
        request, page="workspace/project_show.html", context={"page": page, **frame(request.user, found)}
    )


def create_project_with(open_project: Callable[..., Project]) -> View:
    """The view that opens projects by the action given: the roof hands in the one of the last wing."""

    @needs("create_project", methods=("GET", "POST"))
    def create_project(request: SignedIn) -> HttpResponse:
        """A form for a new project; leads to its people."""
        check_create_project(request.user)
        form, status = ProjectForm(), 200
        if request.method == "POST":
            form, status = typed(request, ProjectForm), 422
            if form.is_valid():
                try:
                    made = open_project(**form.cleaned_data, by=request.user, now=timezone.now())
                    return answer(request, page="", redirect=reverse("members", args=[made.slug]))
                except Refusal as refusal:
                    status = fault_of(form, refusal)
        context = {"form": form, **frame(request.user)}
        return answer(request, page="workspace/project_create.html", context=context, status=status)

    return create_project
