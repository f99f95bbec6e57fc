"""The rules of a project's unsorted iteration."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.actions.iterating import change_iteration
from discussions.forms.iterations import IterationForm
from discussions.models import Iteration
from discussions.pages.iterations import build_iteration_page
from discussions.permissions import check_change_iteration
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


@needs("change_iteration", methods=("GET", "POST"))
def change(request: SignedIn, slug: str) -> HttpResponse:
    """How games are judged, and a form for what a lead may change."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_change_iteration(request.user, project)
    rows = Iteration.objects.select_related("project", "rubric_version__rubric")
    iteration = get_object_or_404(rows, project=project, stage=None)
    form, status = IterationForm(initial={"identification": iteration.identification}), 200
    if request.method == "POST":
        form, status = typed(request, IterationForm), 422
        if form.is_valid():
            change_iteration(iteration=iteration, **form.cleaned_data, by=request.user, now=timezone.now())
            return answer(request, page="", redirect=reverse("change_iteration", args=[slug]))
    page = build_iteration_page(iteration=iteration)
    context = {"page": page, "form": form, **frame(request.user, project)}
    return answer(request, page="discussions/iteration_change.html", context=context, status=status)
