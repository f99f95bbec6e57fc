"""The list of projects, and a new project."""

from collections.abc import Callable

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from workspace.access.permissions import may
from workspace.models import Project
from workspace.people.forms import ProjectForm
from workspace.people.permissions import check_create_project
from workspace.people.queries import load_projects
from workspace.web.form_page import form_page
from workspace.web.views import SignedIn, View, frame, require, respond


@require("sign_in")
def projects(request: SignedIn) -> HttpResponse:
    context = {
        "projects": load_projects(request.user),
        "may_create": may(check_create_project, request.user),
        **frame(request.user),
    }
    return respond(request, page="workspace/projects/list.html", context=context)


def create_project_with(open_project: Callable[..., Project]) -> View:
    """The view that creates projects by the given action, which `evalsite/urls.py` passes in."""

    @require("create_project", methods=("GET", "POST"))
    def create_project(request: SignedIn) -> HttpResponse:
        check_create_project(request.user)

        def create(form: ProjectForm) -> str:
            made = open_project(**form.cleaned_data, by=request.user, now=timezone.now())
            return reverse("members", args=[made.slug])

        page = "workspace/projects/create.html"
        return form_page(request, ProjectForm, create, page=page, context=lambda: frame(request.user))

    return create_project
