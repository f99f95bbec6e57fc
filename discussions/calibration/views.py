"""Calibration rounds, the guideline of a project, and practice."""

from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct, structs

from discussions.adjudication.pages import (
    JudgedSubject,
    answer_word,
    build_subject,
    get_kind_label,
    load_evidence_source,
)
from discussions.calibration import actions, pages, queries
from discussions.calibration.actions import confirm_guideline, write_guideline
from discussions.calibration.core import ComparedAnswers
from discussions.calibration.forms import ConfirmForm, GuidelineForm, RoundForm
from discussions.calibration.permissions import GUIDELINE_UNREAD, check_calibrate, check_write_guideline
from discussions.calibration.queries import newest_guideline, unread_guideline
from discussions.core.evaluation_states import SUBMITTED
from discussions.models import (
    CalibrationGame,
    CalibrationRound,
    Evaluation,
    Guideline,
    GuidelineReading,
    Verdict,
)
from discussions.models.slots import CALIBRATION
from discussions.rating.forms import ActForm
from discussions.rating.pages.evaluation import CompletedAct, EvaluationQuery, rating_answer, rating_page
from discussions.rating.pages.records import Changed
from discussions.rating.queries import EvaluationState
from discussions.rating.views import ANSWER, AT, FOUND, PAGE, choose_anchor, evaluation_or_404
from discussions.slots.permissions import check_take_game
from rubric.calibration.core import RoundResult, list_missed
from rubric.calibration.forms import WaiverForm
from rubric.calibration.views import waive
from workspace.access.permissions import may
from workspace.audit.forms import KeyedForm, UndoForm, new_nonce
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Membership, Person, Project
from workspace.web.bind_form import bind_form, kept_status, parse_number, project_or_404
from workspace.web.form_page import form_page, press
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, frame, is_htmx, only_parameters, require, respond

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


@require("see_project")
def guideline(request: SignedIn, slug: str) -> HttpResponse:
    project, person = project_or_404(request.user, slug), request.user
    request.session[seen_key(project)] = True
    may_write, current = may(check_write_guideline, person, project), newest_guideline(project)
    versions = Guideline.objects.filter(project=project).select_related("created_by").order_by("-number")
    context = {
        "guideline": current,
        "versions": list(versions[:20]) if may_write else [],
        "is_unread": not may_write and unread_guideline(person, project) is not None,
        "may_write": may_write,
        "may_rate": may(check_take_game, person, project),
        "is_new": not Evaluation.objects.filter(evaluator=person, game__project=project).exists(),
        **frame(person, project, "guideline"),
    }
    if may_write and current:
        evaluators = Membership.objects.filter(project=project, role="evaluator", ended_at=None).values(
            "person"
        )
        readings = GuidelineReading.objects.filter(guideline=current, person__in=evaluators)
        context |= {"evaluator_count": evaluators.count(), "read_count": readings.count()}
    return respond(request, page="discussions/guidelines/show.html", context=context)


def seen_key(project: Project) -> str:
    return f"seen_guideline_{project.pk}"


def _is_newcomer(request: SignedIn, project: Project) -> bool:
    started = Evaluation.objects.filter(evaluator=request.user, game__project=project)
    return not (request.session.get(seen_key(project)) or started.exists())


@require("see_project", methods=("POST",))
def confirm(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug)
    form = bind_form(request, ConfirmForm)
    if not form.is_valid():
        raise Http404
    version = get_object_or_404(Guideline, project=project, number=form.cleaned_data["number"])
    confirm_guideline(guideline=version, by=request.user, now=timezone.now())
    is_left = unread_guideline(request.user, project) is not None
    return respond(request, page="", redirect=reverse("guideline" if is_left else "queue", args=[slug]))


def take_after_guideline(
    request: SignedIn, project: Project, take: Callable[[], Evaluation | None]
) -> HttpResponse:
    """Take a game and open it, after a newcomer has seen how rating works; without one, redirect to the queue."""
    slug = project.slug
    if _is_newcomer(request, project):
        return respond(request, page="", redirect=reverse("guideline", args=[slug]))
    try:
        taken = take()
    except NotAllowed as refusal:
        if refusal.code != GUIDELINE_UNREAD:
            raise
        return respond(request, page="", redirect=reverse("guideline", args=[slug]))
    place = reverse("rate", args=[taken.pk]) if taken else reverse("queue", args=[slug])
    return respond(request, page="", redirect=place)


@require("write_guideline", methods=("GET", "POST"))
def edit_guideline(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_write_guideline)

    def write(form: GuidelineForm) -> str:
        write_guideline(project=project, by=request.user, now=timezone.now(), **form.cleaned_data)
        return reverse("guideline", args=[slug])

    newest = Guideline.objects.filter(project=project).order_by("-number").first()
    return form_page(
        request,
        GuidelineForm,
        write,
        page="discussions/guidelines/edit.html",
        context=lambda: {"newest": newest, **frame(request.user, project, "guideline")},
        initial={"text": newest.text if newest else ""},
    )


MOST_GIVEN = 300


class Practice:
    """One person's practice in one project: `given`, the answers so far, and the state after them."""

    def __init__(self, request: SignedIn, slug: str) -> None:
        self.request, self.project = request, project_or_404(request.user, slug)
        self.here = reverse("practice", args=[slug])
        self.given = [tuple(one) for one in request.session.get(self.key, [])]
        self.work = pages.practise_again(pages.begin_practice(request.user, self.project), self.given)
        self.may_rate = may(check_take_game, request.user, self.project)

    @property
    def key(self) -> str:
        return f"practice_{self.project.pk}"

    def keep(self, work: EvaluationState) -> None:
        self.request.session[self.key] = self.given[-MOST_GIVEN:]
        self.work = work

    def show(self, wanted: EvaluationQuery, changed: Changed, status: int = 200) -> HttpResponse:
        page = rating_page(work=self.work, wanted=wanted, lease=None)
        context = {
            "page": pages.make_practice_page(page, self.work, may_rate=self.may_rate),
            "changed": changed,
            "unsaved": False,
            "oob": False,
        }
        region = AT if wanted.at else FOUND if "find" in self.request.GET else None
        return respond(self.request, page=PAGE, region=region, context=context, status=status)

    def answer(self, form: KeyedForm, done: CompletedAct, status: int = 200) -> HttpResponse:
        """The answer to an act, with what it explains; without script the page again."""
        wanted = EvaluationQuery(form.page_nonce or new_nonce(), str(form.data.get("step", "")))
        page, changed = rating_answer(work=self.work, wanted=wanted, done=done)
        if not done.refusal:
            changed = structs.replace(changed, lesson=pages.explain(self.work, done.kind, done.subject))
        if not is_htmx(self.request) and status >= 400:
            return self.show(wanted, changed, status)
        plain = f"{self.here}?step={page.step}#{choose_anchor(done)}"
        page = pages.make_practice_page(page, self.work, may_rate=self.may_rate)
        return respond(
            self.request,
            page=PAGE,
            region=ANSWER,
            context={"page": page, "changed": changed, "unsaved": False},
            status=status,
            redirect=None if is_htmx(self.request) else plain,
        )


@require("see_project", methods=("GET", "POST"))
def practice(request: SignedIn, slug: str) -> HttpResponse:
    """The page of rating, with the explanation of the last answer; POST begins anew."""
    mine = Practice(request, slug)
    if request.method == "POST":
        bind_form(request, NothingForm)
        request.session.pop(mine.key, None)
        return respond(request, page="", redirect=mine.here)
    asked = only_parameters(request, "step", "at", "player", "nonce", "page", "find", "message")
    if asked["message"]:
        return respond(request, page="", redirect=f"{mine.here}#m{parse_number(asked['message'])}")
    wanted = EvaluationQuery(
        asked["nonce"] or new_nonce(),
        asked["step"],
        parse_number(asked["at"]),
        parse_number(asked["player"]),
        find=asked["find"],
    )
    request.session[seen_key(mine.project)] = True
    last = mine.given[-1] if mine.given else ("", "", "")
    return mine.show(wanted, Changed(lesson=pages.explain(mine.work, last[0], last[1])))


@require("see_project", methods=("POST",))
def judge_practice(request: SignedIn, slug: str) -> HttpResponse:
    mine, form, done = Practice(request, slug), bind_form(request, ActForm), CompletedAct()
    try:
        form.check()
        posted = form.to_act()
        done = CompletedAct(posted.kind, posted.subject)
        given = (posted.kind, posted.subject, posted.value or "")
        after = pages.practise(mine.work, given)
    except Unacceptable as refusal:
        return mine.answer(form, structs.replace(done, refusal=refusal.sentence), refusal.status)
    if mine.given[-1:] != [given]:
        mine.given.append(given)
    opened = after.revealed - mine.work.revealed
    mine.keep(after)
    return mine.answer(form, CompletedAct(*given[:2], opened, timezone.now(), is_undoable=True))


@require("see_project", methods=("POST",))
def undo_practice(request: SignedIn, slug: str) -> HttpResponse:
    mine, form = Practice(request, slug), bind_form(request, UndoForm)
    if not mine.given:
        return mine.answer(form, CompletedAct(refusal=_("There is nothing to undo.")), 422)
    kind, subject, _value = mine.given.pop()
    hidden = frozenset({subject} if kind == "reveal" else ())
    mine.keep(pages.practise_again(pages.begin_practice(request.user, mine.project), mine.given))
    return mine.answer(
        form, CompletedAct(kind, subject, hidden, timezone.now(), is_undoable=bool(mine.given))
    )
