"""Calibration rounds: opened, viewed and closed by leads; taken by evaluators, who see their result for each game."""

from functools import partial

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from msgspec import Struct

from discussions.adjudication.pages import (
    JudgedSubject,
    answer_word,
    build_subject,
    get_kind_label,
    load_evidence_source,
)
from discussions.calibration import actions, queries
from discussions.calibration.core import ComparedAnswers
from discussions.calibration.forms import RoundForm
from discussions.calibration.permissions import check_calibrate
from discussions.calibration.views.guidelines import take_after_guideline
from discussions.core.evaluation_states import SUBMITTED
from discussions.models import CalibrationGame, CalibrationRound, Evaluation, Verdict
from discussions.models.slots import CALIBRATION
from discussions.rating.views import evaluation_or_404
from discussions.slots.permissions import check_take_game
from rubric.calibration.core import RoundResult, list_missed
from rubric.calibration.forms import WaiverForm
from rubric.calibration.views import waive
from workspace.audit.forms import KeyedForm
from workspace.models import Person, Project
from workspace.web.bind_form import bind_form, kept_status, project_or_404
from workspace.web.form_page import form_page, press
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

SECTION = "team"
MOST_OFFERED = 60


def round_or_404(project: Project, number: int) -> CalibrationRound:
    rows = CalibrationRound.objects.select_related("project", "created_by")
    return get_object_or_404(rows, project=project, number=number)


def member_or_404(project: Project, person: int) -> Person:
    """Somebody who is or was a member of the project: a page that was opened before still names who left."""
    return get_object_or_404(Person.objects.filter(memberships__project=project).distinct(), pk=person)


@require("calibrate", methods=("GET", "POST"))
def calibrations(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_calibrate)

    def open_round(form: RoundForm) -> str:
        plan = actions.RoundPlan(**form.cleaned_data)
        opened = actions.open_round(project=project, plan=plan, by=request.user, now=timezone.now())
        return _address(slug, opened.number)

    def context() -> dict[str, object]:
        rounds = list(queries.query_rounds(project))
        verdicts = Verdict.objects.not_superseded().filter(project=project, game__withdrawn_at=None)
        numbers = verdicts.order_by("-game__number").values_list("game__number", flat=True)
        return {
            "rounds": rounds,
            "is_open": any(row.closed_at is None for row in rounds),
            "offered": list(numbers[:MOST_OFFERED]),
            **frame(request.user, project, SECTION),
        }

    return form_page(
        request,
        RoundForm,
        open_round,
        page="discussions/calibration/list.html",
        context=context,
        refuse=kept_status,
    )


@require("calibrate")
def calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    project = project_or_404(request.user, slug, check_calibrate)
    return _show(request, round_or_404(project, number))


@require("calibrate", methods=("POST",))
def close_calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    project = project_or_404(request.user, slug, check_calibrate)
    opened = round_or_404(project, number)
    return press(request, actions.close_round, _address(slug, number), opened=opened)


@require("calibrate", methods=("POST",))
def let_rate(request: SignedIn, slug: str, number: int, person: int) -> HttpResponse:
    project = project_or_404(request.user, slug, check_calibrate)
    opened = round_or_404(project, number)
    who = member_or_404(project, person)
    let = partial(actions.let_rate, opened=opened, person=who)
    return waive(request, let, partial(_show, request, opened, waived=who.pk), _address(slug, number))


@require("take_game", methods=("POST",))
def take_calibration(request: SignedIn, slug: str, number: int) -> HttpResponse:
    project = project_or_404(request.user, slug)
    bind_form(request, KeyedForm)
    check_take_game(request.user, project)
    opened = round_or_404(project, number)
    return take_after_guideline(
        request, project, lambda: actions.take_calibration(opened=opened, by=request.user, now=timezone.now())
    )


def _show(
    request: SignedIn,
    opened: CalibrationRound,
    *,
    waiving: WaiverForm | None = None,
    waived: int = 0,
    status: int = 200,
) -> HttpResponse:
    people, games = queries.load_trainees(opened), list(queries.query_games(opened))
    numbers = {game.game_id: game.game.number for game in games}
    missed = list_missed(
        [progress.compared for _person, progress in people],
        lambda game, differs: (numbers[game], get_kind_label(differs.kind), differs.subject, differs.kind),
    )
    context = {
        "round": opened,
        "games": games,
        "people": people,
        "missed": missed,
        "waiving": waiving,
        "waived": waived,
        **frame(request.user, opened.project, SECTION),
    }
    return respond(request, page="discussions/calibration/show.html", context=context, status=status)


def _address(slug: str, number: int) -> str:
    return reverse("calibration", args=[slug, number])


@require("rate")
def calibration_feedback(request: SignedIn, evaluation: int) -> HttpResponse:
    rated = evaluation_or_404(request.user, evaluation)
    if rated.purpose != CALIBRATION or rated.state != SUBMITTED:
        raise Http404
    context = {"page": _build_feedback_page(rated), **frame(request.user)}
    return respond(request, page="discussions/calibration/feedback.html", context=context)


class AnswerDifference(Struct, frozen=True):
    """One subject on which the person's answer differs from the team's.

    Hides what other people answered.
    """

    subject: JudgedSubject
    given: str
    agreed: str


class FeedbackPage(Struct, frozen=True):
    """One game, and the round so far.

    Hides the keys of the games that are left, and what others answered. `left` counts the person's remaining games,
    `kinds` are (label, alike, count). `is_let_rate`: a lead lets the person rate whatever the result.
    """

    round: CalibrationRound
    game: CalibrationGame
    compared: ComparedAnswers
    result: RoundResult
    is_let_rate: bool
    kinds: list[tuple[str, int, int]]
    differences: list[AnswerDifference]
    left: int


def _build_feedback_page(evaluation: Evaluation) -> FeedbackPage:
    """The page of a submitted calibration; Http404 when its round does not count it."""
    rows = CalibrationGame.objects.filter(game=evaluation.game, round__created_at__lte=evaluation.created_at)
    chosen = rows.select_related("round__project", "game").order_by("-round__number").first()
    if chosen is None:
        raise Http404
    opened = chosen.round
    progress = queries.load_progress(opened, evaluation.evaluator)
    compared = progress.compared.get(evaluation.game_id)
    if compared is None:
        raise Http404
    measured = evaluation.measured
    source = load_evidence_source(evaluation.game, measured, measured.rubric_version)
    return FeedbackPage(
        round=opened,
        game=chosen,
        compared=compared,
        result=progress.result,
        is_let_rate=bool(progress.waiver),
        kinds=[(get_kind_label(kind), *counts) for kind, counts in compared.by_kind.items()],
        differences=[
            AnswerDifference(
                build_subject(source, one.kind, one.subject),
                answer_word(one.kind, one.given),
                answer_word(one.kind, one.agreed),
            )
            for one in compared.differences
        ],
        left=len(queries.games_left(opened, evaluation.evaluator)) if opened.closed_at is None else 0,
    )
