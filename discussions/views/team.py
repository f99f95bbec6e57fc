"""The team page: who holds what, places released, games kept for people by name, and the rule of the queue."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.actions.assigning import assign_games
from discussions.actions.assigning import unassign_game as do_unassign
from discussions.actions.leasing import release_place as release
from discussions.actions.ruling_queue import change_queue as change_rule
from discussions.forms.team import AssignForm, QueueForm, ReleaseForm
from discussions.models import Evaluation, Slot
from discussions.pages.team import build_release_page, build_team_holds, build_team_page, evaluators_of
from discussions.permissions import check_deal_out, check_see_team
from discussions.views.moved import kept_status
from workspace.core.refusals import Refusal
from workspace.forms.people import NothingForm
from workspace.models import Project
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, is_htmx, needs
from workspace.views.projects import project_or_404

SECTION = "team"
PAGE = "discussions/team_show.html"
HOLDS = "discussions/_team_holds.html"


@needs("see_team")
def team(request: SignedIn, slug: str) -> HttpResponse:
    """Who holds what, with the forms to deal games out. The live part asks `team_holds` by itself."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_see_team(request.user, project)
    return show_team(request, project)


@needs("see_team")
def team_holds(request: SignedIn, slug: str) -> HttpResponse:
    """The live part of the page alone; the whole page without htmx."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_see_team(request.user, project)
    if not is_htmx(request):
        return show_team(request, project)
    holds = build_team_holds(project=project, now=timezone.now())
    return answer(request, page=PAGE, region=HOLDS, context={"holds": holds})


@needs("deal_out", methods=("GET", "POST"))
def release_place(request: SignedIn, slug: str, evaluation: int) -> HttpResponse:
    """Ask for a reason, then take the place back; leads to the team page."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_deal_out(request.user, project)
    found = get_object_or_404(
        Evaluation.objects.select_related("game__project", "evaluator", "slot"),
        pk=evaluation,
        game__project=project,
    )
    form, status = ReleaseForm(), 200
    if request.method == "POST":
        form, status = typed(request, ReleaseForm), 422
        try:
            if form.is_valid():
                release(
                    evaluation=found, reason=form.cleaned_data["reason"], by=request.user, now=timezone.now()
                )
                return answer(request, page="", redirect=reverse("team", args=[slug]))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    context = {
        "page": build_release_page(evaluation=found),
        "form": form,
        **frame(request.user, project, SECTION),
    }
    return answer(request, page="discussions/team_release.html", context=context, status=status)


@needs("deal_out", methods=("POST",))
def assign_game(request: SignedIn, slug: str) -> HttpResponse:
    """Keep places on these games for one person: on all of them, or on none."""
    project = project_or_404(request.user, slug)
    check_deal_out(request.user, project)
    form = typed(request, AssignForm, people=evaluators_of(project))
    if not form.is_valid():
        return show_team(request, project, assigning=form, status=422)
    try:
        assign_games(
            project=project, numbers=form.all_games, person=form.who, by=request.user, now=timezone.now()
        )
    except Refusal as refusal:
        return show_team(request, project, assigning=form, status=kept_status(form, refusal))
    return answer(request, page="", redirect=reverse("team", args=[slug]) + "#kept")


@needs("deal_out", methods=("POST",))
def unassign_game(request: SignedIn, slug: str, slot: int) -> HttpResponse:
    """Keep a place for nobody any more."""
    project = project_or_404(request.user, slug)
    check_deal_out(request.user, project)
    found = get_object_or_404(
        Slot.objects.select_related("project", "game__project"), pk=slot, project=project
    )
    typed(request, NothingForm)
    do_unassign(slot=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("team", args=[slug]) + "#kept")


@needs("deal_out", methods=("POST",))
def change_queue(request: SignedIn, slug: str) -> HttpResponse:
    """Say in which order games are dealt, and how many are hidden repeats."""
    project = project_or_404(request.user, slug)
    check_deal_out(request.user, project)
    form = typed(request, QueueForm)
    if not form.is_valid():
        return show_team(request, project, ruling=form, status=422)
    try:
        change_rule(project=project, **form.cleaned_data, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return show_team(request, project, ruling=form, status=kept_status(form, refusal))
    return answer(request, page="", redirect=reverse("team", args=[slug]) + "#queue")


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
        "assign_form": assigning or AssignForm(people=evaluators_of(project)),
        "chosen": set(assigning.data.getlist("games")) if assigning else set(),  # type: ignore[attr-defined]
        "queue_form": ruling or QueueForm(initial=rule),
        **frame(request.user, project, SECTION),
    }
    return answer(request, page=PAGE, context=context, status=status)
