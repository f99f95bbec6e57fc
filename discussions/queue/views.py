"""The queue of an evaluator, and the team pages of a lead: slots, assignments, the rule of the queue, pace and load."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.access.queries import evaluators_in
from discussions.guidelines.views import take_after_guideline
from discussions.models import Evaluation, Slot
from discussions.queue.actions import assign_games, take_next_game
from discussions.queue.actions import change_queue as do_change_queue
from discussions.queue.actions import unassign_game as do_unassign
from discussions.queue.forms import AssignForm, QueueForm, ReleaseForm
from discussions.queue.pages.pace import build_pace_page
from discussions.queue.pages.queue import queue_page
from discussions.queue.pages.team import build_team_holds, build_team_page, load_progress
from discussions.queue.permissions import check_see_team
from discussions.slots.actions import release_slot
from discussions.slots.permissions import check_assign, check_take_game
from workspace.core.refusals import Refusal
from workspace.models import Project
from workspace.revisions.forms import KeyedForm
from workspace.web.bind_form import bind_form, kept_status, only_parameters, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, is_htmx, require
from workspace.web.respond import respond

SECTION = "team"


PAGE = "discussions/queue/team.html"


HOLDS = "discussions/queue/_holds.html"


@require("see_team")
def team(request: SignedIn, slug: str) -> HttpResponse:
    """Open evaluations and the forms that assign games. The live part polls `team_holds`."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_see_team(request.user, project)
    return show_team(request, project)


@require("see_team")
def team_holds(request: SignedIn, slug: str) -> HttpResponse:
    """The live part of the page alone; the whole page without htmx."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_see_team(request.user, project)
    if not is_htmx(request):
        return show_team(request, project)
    holds = build_team_holds(project=project, now=timezone.now())
    return respond(request, page=PAGE, region=HOLDS, context={"holds": holds, "project": project})


@require("assign", methods=("GET", "POST"))
def release_place(request: SignedIn, slug: str, evaluation: int) -> HttpResponse:
    """Ask for a reason, then release the slot; redirects to the team page."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_assign(request.user, project)
    found = get_object_or_404(
        Evaluation.objects.select_related("game__project", "evaluator", "slot"),
        pk=evaluation,
        game__project=project,
    )
    form, status = ReleaseForm(), 200
    if request.method == "POST":
        form, status = bind_form(request, ReleaseForm), 422
        try:
            if form.is_valid():
                release_slot(
                    evaluation=found, reason=form.cleaned_data["reason"], by=request.user, now=timezone.now()
                )
                return respond(request, page="", redirect=reverse("team", args=[slug]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    judged, needed = load_progress(found)
    context = {
        "evaluation": found,
        "judged": judged,
        "needed": needed,
        "form": form,
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="discussions/queue/release.html", context=context, status=status)


@require("assign", methods=("POST",))
def assign_game(request: SignedIn, slug: str) -> HttpResponse:
    """Assign all of these games to one person, or none of them."""
    project = project_or_404(request.user, slug)
    check_assign(request.user, project)
    form = bind_form(request, AssignForm, people=evaluators_in(project))
    if not form.is_valid():
        return show_team(request, project, assigning=form, status=422)
    try:
        assign_games(
            project=project, numbers=form.all_games, person=form.who, by=request.user, now=timezone.now()
        )
    except Refusal as refusal:
        return show_team(request, project, assigning=form, status=kept_status(form, refusal))
    return respond(request, page="", redirect=reverse("team", args=[slug]) + "#kept")


@require("assign", methods=("POST",))
def unassign_game(request: SignedIn, slug: str, slot: int) -> HttpResponse:
    """End an assignment."""
    project = project_or_404(request.user, slug)
    check_assign(request.user, project)
    found = get_object_or_404(
        Slot.objects.select_related("project", "game__project"), pk=slot, project=project
    )
    bind_form(request, NothingForm)
    do_unassign(slot=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("team", args=[slug]) + "#kept")


@require("assign", methods=("POST",))
def change_queue(request: SignedIn, slug: str) -> HttpResponse:
    """Set the order in which games are given out, and the percentage of hidden duplicates."""
    project = project_or_404(request.user, slug)
    check_assign(request.user, project)
    form = bind_form(request, QueueForm)
    if not form.is_valid():
        return show_team(request, project, ruling=form, status=422)
    try:
        do_change_queue(project=project, **form.cleaned_data, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return show_team(request, project, ruling=form, status=kept_status(form, refusal))
    return respond(request, page="", redirect=reverse("team", args=[slug]) + "#queue")


def show_team(
    request: SignedIn,
    project: Project,
    *,
    assigning: AssignForm | None = None,
    ruling: QueueForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page, with a form that was refused."""
    page = build_team_page(project=project, now=timezone.now())
    rule = {"order": page.rule.order, "repeat_percent": page.rule.repeat_percent}
    context = {
        "page": page,
        "holds": page.holds,
        "assign_form": assigning or AssignForm(people=evaluators_in(project)),
        "chosen": set(assigning.data.getlist("games")) if assigning else set(),  # type: ignore[attr-defined]
        "queue_form": ruling or QueueForm(initial=rule),
        **frame(request.user, project, SECTION),
    }
    return respond(request, page=PAGE, context=context, status=status)


@require("see_team")
def team_pace(request: SignedIn, slug: str) -> HttpResponse:
    """Workload of each evaluator, for leads alone."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_see_team(request.user, project)
    page = build_pace_page(project=project, now=timezone.now())
    context = {"page": page, **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/queue/pace.html", context=context)


@require("sign_in")
def queue(request: SignedIn, slug: str) -> HttpResponse:
    """What is free in a project, or why nothing is."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    page = queue_page(person=request.user, project=project)
    context = {"page": page, **frame(request.user, project, "games")}
    return respond(request, page="discussions/queue/queue.html", context=context)


@require("take_game", methods=("POST",))
def next_game(request: SignedIn, slug: str) -> HttpResponse:
    """Take the next game; to the queue when none is free, and first to a guideline that the person has not read."""
    project = project_or_404(request.user, slug)
    bind_form(request, KeyedForm)
    check_take_game(request.user, project)
    return take_after_guideline(
        request, project, lambda: take_next_game(project=project, by=request.user, now=timezone.now())
    )
