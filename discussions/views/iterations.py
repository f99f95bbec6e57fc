"""The screens of iterations: planning one, where it stands, its games, and the rules of unsorted games."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from discussions.actions.iterating import change_iteration
from discussions.actions.sorting import move_games as move
from discussions.actions.sorting import open_for_rating as freeze
from discussions.forms.iterations import HERE, IterationForm, MoveForm
from discussions.models import Iteration
from discussions.pages.iteration_show import build_iteration_page
from discussions.pages.iterations import build_iteration_page as build_rules_page
from discussions.pages.iterations import rules_of
from discussions.pages.stage_frame import SECTION, build_stage_frame
from discussions.permissions import check_change_iteration, check_freeze, check_see_iterations
from discussions.views.moved import kept_status
from workspace.core.refusals import Refusal
from workspace.forms.people import NothingForm
from workspace.models import Person
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404

SHOW = "discussions/iteration_show.html"


def iteration_or_404(person: Person, slug: str, number: int) -> Iteration:
    """The iteration of that number with all that its pages show, when the person may know of it."""
    rows = Iteration.objects.visible_to(person).select_related(
        "project", "stage__project", "rubric_version__rubric", "compared_with", "created_by", "opened_by"
    )
    return get_object_or_404(rows, project__slug=slug, number=number)


@needs("change_iteration", methods=("GET", "POST"))
def change(request: SignedIn, slug: str) -> HttpResponse:
    """How unsorted games are judged, and a form for what a lead may change; what a number does is shown first."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_change_iteration(request.user, project)
    rows = Iteration.objects.select_related("project", "rubric_version__rubric")
    iteration = get_object_or_404(rows, project=project, stage=None)
    form, status, wanted = IterationForm(initial=rules_of(iteration)), 200, None
    if request.method == "POST":
        form, status = typed(request, IterationForm), 422
        if form.is_valid():
            given = dict(form.cleaned_data)
            wanted = given["evaluator_count"]
            if given.pop("confirmed") == wanted or wanted in (None, iteration.evaluator_count):
                change_iteration(iteration=iteration, **given, by=request.user, now=timezone.now())
                return answer(request, page="", redirect=reverse("change_iteration", args=[slug]))
            status = 200
    page = build_rules_page(iteration=iteration, wanted=wanted)
    context = {"page": page, "form": form, **frame(request.user, project)}
    return answer(request, page="discussions/iteration_change.html", context=context, status=status)


@needs("see_iterations")
def iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Where an iteration stands, its plan and its games; unsorted games have a page of rules instead."""
    only_parameters(request)
    found = iteration_or_404(request.user, slug, iteration)
    check_see_iterations(request.user, found.project)
    if found.is_unsorted:
        return redirect("change_iteration", slug=slug)
    return show_iteration(request, found)


@needs("change_iteration", methods=("POST",))
def move_games(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Move games in from the unsorted ones, or back; leads to the iteration."""
    found = iteration_or_404(request.user, slug, iteration)
    check_change_iteration(request.user, found.project)
    form = typed(request, MoveForm)
    if not form.is_valid():
        return _again(request, found, moving=form, status=422)
    is_in = form.cleaned_data["to"] == HERE
    to = found if is_in else Iteration.objects.get(project=found.project, stage=None)
    try:
        move(games=form.cleaned_data["games"], to=to, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return _again(request, found, moving=form, status=kept_status(form, refusal))
    return answer(request, page="", redirect=reverse("iteration", args=[slug, iteration]))


@needs("freeze", methods=("POST",))
def open_for_rating(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """Freeze the list of games and open their places; leads to the iteration."""
    found = iteration_or_404(request.user, slug, iteration)
    form = typed(request, NothingForm)
    try:
        check_freeze(request.user, found)
        freeze(iteration=found, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return _again(request, found, opening=form, status=kept_status(form, refusal))
    return answer(request, page="", redirect=reverse("iteration", args=[slug, iteration]))


def _again(request: SignedIn, found: Iteration, **given: object) -> HttpResponse:
    """The page as it is by now, with what was refused."""
    if found.is_unsorted:
        return redirect("change_iteration", slug=found.project.slug)
    fresh = iteration_or_404(request.user, found.project.slug, found.number)
    return show_iteration(request, fresh, **given)  # type: ignore[arg-type]


def show_iteration(
    request: SignedIn,
    found: Iteration,
    *,
    moving: MoveForm | None = None,
    opening: NothingForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of an iteration of a stage, with a form that was refused."""
    stage = found.stage
    assert stage is not None  # unsorted games have another page
    page = build_iteration_page(iteration=found, person=request.user)
    context = {
        "page": page,
        "head": build_stage_frame(stage=stage, current="iteration", newest=page.newest_change),
        "move_form": moving or MoveForm(),
        "chosen": set(moving.data.getlist("games")) if moving else set(),  # type: ignore[attr-defined]
        "open_form": opening or NothingForm(),
        **frame(request.user, found.project, SECTION),
    }
    return answer(request, page=SHOW, context=context, status=status)
