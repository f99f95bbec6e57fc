"""Calibration rounds: opened, looked at and closed by leads; taken by evaluators, who see what came of each game."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.actions import calibrating
from discussions.core.moves import SUBMITTED
from discussions.forms.calibrating import LetRateForm, RoundForm
from discussions.models import CalibrationRound
from discussions.models.slots import CALIBRATION
from discussions.pages.calibration_feedback import feedback_page
from discussions.pages.calibrations import calibration_page, calibrations_page
from discussions.pages.team import evaluators_of
from discussions.permissions import check_calibrate, check_take_game
from discussions.views.moved import kept_status
from discussions.views.rating import evaluation_or_404
from workspace.core.refusals import Refusal
from workspace.forms.acts import KeyedForm
from workspace.forms.people import NothingForm
from workspace.models import Person, Project
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404

SECTION = "team"


def round_or_404(project: Project, number: int) -> CalibrationRound:
    """The project's round of that number."""
    rows = CalibrationRound.objects.select_related("project", "created_by")
    return get_object_or_404(rows, project=project, number=number)


@needs("calibrate", methods=("GET", "POST"))
def calibrations(request: SignedIn, slug: str) -> HttpResponse:
    """All rounds, and the form that opens one; leads to it."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_calibrate(request.user, project)
    form, status = RoundForm(), 200
    if request.method == "POST":
        form, status = typed(request, RoundForm), 422
        try:
            if form.is_valid():
                plan = form.to_plan()
                opened = calibrating.open_round(
                    project=project, plan=plan, by=request.user, now=timezone.now()
                )
                return answer(request, page="", redirect=_place(slug, opened.number))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    page = calibrations_page(project=project)
    context = {"page": page, "form": form, **frame(request.user, project, SECTION)}
    return answer(request, page="discussions/calibration_list.html", context=context, status=status)


@needs("calibrate")
def calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """One round: how everybody does in it."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_calibrate(request.user, project)
    return _show(request, round_or_404(project, number))


@needs("calibrate", methods=("POST",))
def close_calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Close a round."""
    project = project_or_404(request.user, slug)
    check_calibrate(request.user, project)
    found = round_or_404(project, number)
    typed(request, NothingForm)
    calibrating.close_round(opened=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=_place(slug, number))


@needs("calibrate", methods=("POST",))
def let_rate(request: SignedIn, slug: str, number: int, person: int) -> HttpResponse:
    """Let somebody rate who did not pass."""
    project = project_or_404(request.user, slug)
    check_calibrate(request.user, project)
    found = round_or_404(project, number)
    who = get_object_or_404(
        Person.objects.filter(pk__in=[one.pk for one in evaluators_of(project)]), pk=person
    )
    form = typed(request, LetRateForm)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        calibrating.let_rate(opened=found, person=who, reason=reason, by=request.user, now=timezone.now())
    except Refusal as refusal:
        status = kept_status(form, refusal)
        return _show(request, found, waiving=form, waived=who.pk, status=status)
    return answer(request, page="", redirect=_place(slug, number) + "#people")


@needs("take_game", methods=("POST",))
def take_calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Begin the next game of a round; to the queue when there is none."""
    project = project_or_404(request.user, slug)
    typed(request, KeyedForm)
    check_take_game(request.user, project)
    found = round_or_404(project, number)
    taken = calibrating.take_calibration(opened=found, by=request.user, now=timezone.now())
    place = reverse("rate", args=[taken.pk]) if taken else reverse("queue", args=[slug])
    return answer(request, page="", redirect=place)


@needs("rate")
def calibration_feedback(request: SignedIn, evaluation: int) -> HttpResponse:
    """What came of one's own calibration game, once it is handed in."""
    only_parameters(request)
    found = evaluation_or_404(request.user, evaluation)
    is_done = found.purpose == CALIBRATION and found.state == SUBMITTED
    page = feedback_page(evaluation=found) if is_done else None
    if page is None:
        raise Http404
    context = {"page": page, **frame(request.user)}
    return answer(request, page="discussions/calibration_feedback.html", context=context)


def _show(
    request: SignedIn,
    opened: CalibrationRound,
    *,
    waiving: LetRateForm | None = None,
    waived: int = 0,
    status: int = 200,
) -> HttpResponse:
    context = {
        "page": calibration_page(opened=opened),
        "waiving": waiving,
        "waived": waived,
        **frame(request.user, opened.project, SECTION),
    }
    return answer(request, page="discussions/calibration_show.html", context=context, status=status)


def _place(slug: str, number: int) -> str:
    return reverse("calibration", args=[slug, number])
