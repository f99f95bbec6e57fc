"""Calibration rounds: opened, viewed and closed by leads; taken by evaluators, who see their result for each game."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.calibration import actions
from discussions.calibration.forms import RoundForm
from discussions.calibration.pages import calibration_page, calibrations_page, feedback_page
from discussions.calibration.permissions import check_calibrate
from discussions.core.evaluation_states import SUBMITTED
from discussions.guidelines.views import take_after_guideline
from discussions.models import CalibrationRound
from discussions.models.slots import CALIBRATION
from discussions.rating.views import evaluation_or_404
from discussions.slots.permissions import check_take_game
from rubric.calibration.forms import WaiverForm
from workspace.core.refusals import NotAllowed, Refusal, Unacceptable
from workspace.models import Person, Project
from workspace.revisions.forms import KeyedForm
from workspace.web.bind_form import bind_form, kept_status, only_parameters, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

SECTION = "team"


def round_or_404(project: Project, number: int) -> CalibrationRound:
    """The project's round of that number."""
    rows = CalibrationRound.objects.select_related("project", "created_by")
    return get_object_or_404(rows, project=project, number=number)


def member_or_404(project: Project, person: int) -> Person:
    """Somebody who is or was a member of the project: a page that was opened before still names who left."""
    return get_object_or_404(Person.objects.filter(memberships__project=project).distinct(), pk=person)


@require("calibrate", methods=("GET", "POST"))
def calibrations(request: SignedIn, slug: str) -> HttpResponse:
    """All rounds, and the form that opens one; leads to it."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_calibrate(request.user, project)
    form, status = RoundForm(), 200
    if request.method == "POST":
        form, status = bind_form(request, RoundForm), 422
        try:
            if form.is_valid():
                plan = form.to_plan()
                opened = actions.open_round(project=project, plan=plan, by=request.user, now=timezone.now())
                return respond(request, page="", redirect=_place(slug, opened.number))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    page = calibrations_page(project=project)
    context = {"page": page, "form": form, **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/calibration/list.html", context=context, status=status)


@require("calibrate")
def calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """One round, with everybody's results."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_calibrate(request.user, project)
    return _show(request, round_or_404(project, number))


@require("calibrate", methods=("POST",))
def close_calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Close a round."""
    project = project_or_404(request.user, slug)
    check_calibrate(request.user, project)
    found = round_or_404(project, number)
    bind_form(request, NothingForm)
    actions.close_round(opened=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=_place(slug, number))


@require("calibrate", methods=("POST",))
def let_rate(request: SignedIn, slug: str, number: int, person: int) -> HttpResponse:
    """Let a person rate who did not pass."""
    project = project_or_404(request.user, slug)
    check_calibrate(request.user, project)
    found = round_or_404(project, number)
    who = member_or_404(project, person)
    form = bind_form(request, WaiverForm)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        actions.let_rate(opened=found, person=who, reason=reason, by=request.user, now=timezone.now())
    except (Unacceptable, NotAllowed) as refusal:
        status = kept_status(form, refusal)
        return _show(request, found, waiving=form, waived=who.pk, status=status)
    return respond(request, page="", redirect=_place(slug, number) + "#people")


@require("take_game", methods=("POST",))
def take_calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Begin the next game of a round; redirects to the queue when there is none."""
    project = project_or_404(request.user, slug)
    bind_form(request, KeyedForm)
    check_take_game(request.user, project)
    found = round_or_404(project, number)
    return take_after_guideline(
        request, project, lambda: actions.take_calibration(opened=found, by=request.user, now=timezone.now())
    )


@require("rate")
def calibration_feedback(request: SignedIn, evaluation: int) -> HttpResponse:
    """The result of one's own calibration game, once it is submitted."""
    only_parameters(request)
    found = evaluation_or_404(request.user, evaluation)
    is_done = found.purpose == CALIBRATION and found.state == SUBMITTED
    page = feedback_page(evaluation=found) if is_done else None
    if page is None:
        raise Http404
    context = {"page": page, **frame(request.user)}
    return respond(request, page="discussions/calibration/feedback.html", context=context)


def _show(
    request: SignedIn,
    opened: CalibrationRound,
    *,
    waiving: WaiverForm | None = None,
    waived: int = 0,
    status: int = 200,
) -> HttpResponse:
    context = {
        "page": calibration_page(opened=opened),
        "waiving": waiving,
        "waived": waived,
        **frame(request.user, opened.project, SECTION),
    }
    return respond(request, page="discussions/calibration/show.html", context=context, status=status)


def _place(slug: str, number: int) -> str:
    return reverse("calibration", args=[slug, number])
