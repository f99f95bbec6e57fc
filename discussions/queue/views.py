"""The queue of an evaluator, and the team pages of a lead: slots, assignments, the rule of the queue, pace and load."""

from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.calibration.permissions import GUIDELINE_UNREAD
from discussions.calibration.queries import OwnCalibration, own_calibrations
from discussions.calibration.views import take_after_guideline
from discussions.core.evaluation_states import LAPSED, OPEN, SKIPPED, SUBMITTED
from discussions.models import Evaluation, Game, Slot
from discussions.models.evaluations import WORK_COLUMNS
from discussions.models.queue_rules import load_queue_rule
from discussions.models.slots import CALIBRATION, RATING
from discussions.queue.actions import assign_games, take_next_game
from discussions.queue.actions import change_queue as do_change_queue
from discussions.queue.actions import unassign_game as do_unassign
from discussions.queue.core import LONG_DAYS, SHORT_DAYS
from discussions.queue.forms import AssignForm, QueueForm, ReleaseForm
from discussions.queue.permissions import check_see_team
from discussions.queue.queries import free_counts, load_progress, load_workloads
from discussions.rating.actions import submit_evaluation as do_submit
from discussions.rating.forms import SubmissionForm
from discussions.rating.pages.evaluation import CompletedAct
from discussions.rating.pages.review import find_place_after
from discussions.rating.views import evaluation_or_404, refused
from discussions.slots.actions import release_slot
from discussions.slots.core import minutes_left
from discussions.slots.permissions import check_assign, check_take_game
from discussions.slots.queries import barred_until, evaluators_in, free_for, games_led_by, query_kept_slots
from workspace.access.permissions import get_refusal
from workspace.audit.forms import KeyedForm
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.database.unions import MOST_COUNTED, capped_count
from workspace.models import Job, Person, Project
from workspace.models.jobs import QUEUED, RUNNING
from workspace.web.bind_form import bind_form, kept_status, project_or_404
from workspace.web.form_page import form_page, press, send
from workspace.web.views import SignedIn, frame, is_htmx, require, respond

SECTION = "team"
PAGE = "discussions/queue/team.html"
HOLDS = "discussions/queue/_holds.html"
MOST_ASIDE, MOST_FREE = 20, 60


class HeldSlot:
    """An open evaluation with its slot: what is judged of what is needed; `minutes` is None while no lease runs."""

    def __init__(self, evaluation: Evaluation, now: datetime) -> None:
        self.evaluation = evaluation
        self.minutes = minutes_left(evaluation.slot.lease_until, now)
        self.judged, self.needed = load_progress(evaluation)


class TeamHolds:
    """The live part of the team page: four queries, and a few more for each evaluation that changed since the last.

    `aside` are the newest skipped and lapsed evaluations, with `judged` and `is_free`; `aside_count` counts all.
    """

    def __init__(self, *, project: Project, now: datetime) -> None:
        columns = (*WORK_COLUMNS, "evaluator__name", "slot__taken_at")
        rows = Evaluation.objects.filter(game__project=project)
        started = (
            rows.filter(state__in=OPEN).select_related("slot", "evaluator", "game__project").only(*columns)
        )
        self.held = [HeldSlot(row, now) for row in started.order_by("slot__taken_at", "pk")]
        kept = Slot.objects.free().filter(project=project, purpose=RATING, assigned_to__isnull=False)
        kept = kept.select_related("game", "assigned_to", "assigned_by")
        self.kept = list(kept.order_by("game__number", "number"))
        free = Slot.objects.free_for(OuterRef("evaluator"))
        free = free.filter(game=OuterRef("game"), purpose=OuterRef("purpose"))
        judged = Count("judgements", filter=~Q(judgements__value=""))
        aside = rows.filter(state__in=(SKIPPED, LAPSED))
        named = aside.select_related("game", "evaluator").annotate(judged=judged, is_free=Exists(free))
        listed = list(named.order_by("-pk")[: MOST_ASIDE + 1])
        self.aside = listed[:MOST_ASIDE]
        self.aside_count = aside.count() if len(listed) > MOST_ASIDE else len(listed)


class TeamPage:
    """The team page. `free` are the first games with free slots: (number, count); `free_count` counts all of them."""

    def __init__(self, *, project: Project, now: datetime) -> None:
        slots = Slot.objects.free().filter(project=project, purpose=RATING, assigned_to=None)
        slots = slots.filter(game__withdrawn_at=None)
        games = slots.order_by("game__number").values_list("game__number").annotate(Count("pk"))
        listed = list(games[: MOST_FREE + 1])
        is_more = len(listed) > MOST_FREE
        self.holds = TeamHolds(project=project, now=now)
        self.free = listed[:MOST_FREE]
        self.free_count = slots.values("game").distinct().count() if is_more else len(listed)
        self.rule = load_queue_rule(project)


@require("see_team")
def team(request: SignedIn, slug: str) -> HttpResponse:
    """Open evaluations and the forms that assign games. The live part polls `team_holds`."""
    project = project_or_404(request.user, slug, check_see_team)
    return show_team(request, project)


@require("see_team")
def team_holds(request: SignedIn, slug: str) -> HttpResponse:
    """The live part of the page alone; the whole page without htmx."""
    project = project_or_404(request.user, slug, check_see_team)
    if not is_htmx(request):
        return show_team(request, project)
    holds = TeamHolds(project=project, now=timezone.now())
    return respond(request, page=PAGE, region=HOLDS, context={"holds": holds, "project": project})


@require("assign", methods=("GET", "POST"))
def release_place(request: SignedIn, slug: str, evaluation: int) -> HttpResponse:
    project = project_or_404(request.user, slug, check_assign)
    row = get_object_or_404(
        Evaluation.objects.select_related("game__project", "evaluator", "slot"),
        pk=evaluation,
        game__project=project,
    )

    def release(form: ReleaseForm) -> str:
        release_slot(evaluation=row, **form.cleaned_data, by=request.user, now=timezone.now())
        return reverse("team", args=[slug])

    def context() -> dict[str, object]:
        judged, needed = load_progress(row)
        return {
            "evaluation": row,
            "judged": judged,
            "needed": needed,
            **frame(request.user, project, SECTION),
        }

    page = "discussions/queue/release.html"
    return form_page(request, ReleaseForm, release, page=page, context=context, refuse=kept_status)


@require("assign", methods=("POST",))
def assign_game(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_assign)
    form = bind_form(request, AssignForm, people=evaluators_in(project))
    show = partial(show_team, request, project, assigning=form)

    def act(by: Person, now: datetime, **_given: object) -> None:
        assign_games(project=project, numbers=form.all_games, person=form.who, by=by, now=now)

    return send(request, form, act, reverse("team", args=[slug]) + "#kept", show=show, refuse=kept_status)


@require("assign", methods=("POST",))
def unassign_game(request: SignedIn, slug: str, slot: int) -> HttpResponse:
    project = project_or_404(request.user, slug, check_assign)
    row = get_object_or_404(Slot.objects.select_related("project", "game__project"), pk=slot, project=project)
    return press(request, do_unassign, reverse("team", args=[slug]) + "#kept", slot=row)


@require("assign", methods=("POST",))
def change_queue(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_assign)
    form, to = bind_form(request, QueueForm), reverse("team", args=[slug]) + "#queue"
    show = partial(show_team, request, project, ruling=form)
    return send(request, form, do_change_queue, to, show=show, refuse=kept_status, project=project)


def show_team(
    request: SignedIn,
    project: Project,
    *,
    assigning: AssignForm | None = None,
    ruling: QueueForm | None = None,
    status: int = 200,
) -> HttpResponse:
    page = TeamPage(project=project, now=timezone.now())
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
    project = project_or_404(request.user, slug, check_see_team)
    loads, timed = load_workloads(project=project, now=timezone.now())
    context = {
        "loads": loads,
        "timed": timed,
        "longest": max((load.ahead for load in loads), default=0) or 1,
        "short_days": SHORT_DAYS,
        "long_days": LONG_DAYS,
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="discussions/queue/pace.html", context=context)


class QueuePage(Struct, frozen=True):
    """The queue of one project for one evaluator.

    `free_count` games can be taken; `kept` are the first numbers of the games assigned to the person; `comes_first`
    says what is given out before them; `reasons` say why nothing is free. A count of 100 means 100 or more.
    `calibration` is the person's progress in the open round, None without one.
    """

    free_count: int
    kept: list[int]
    comes_first: str
    refusal: str
    reasons: list[str]
    calibration: OwnCalibration | None = None

    @property
    def has_next(self) -> bool:
        """Whether "Next game" gives one."""
        return bool(self.free_count or self.kept or self.comes_first)


def queue_page(*, person: Person, project: Project) -> QueuePage:
    """How many games are free for the person, or why none are."""
    refusal = get_refusal(check_take_game, person, project)
    if refusal:
        return QueuePage(0, [], "", refusal, [])
    calibration = own_calibrations(person=person, projects=[project.pk]).get(project.pk)
    why = calibration.why_not if calibration else ""
    free = 0 if why else free_counts(person, [project.pk]).get(project.pk, 0)
    kept = query_kept_slots(person).filter(project=project).values_list("game__number", flat=True)
    numbers = list(kept[:MOST_COUNTED])
    return QueuePage(
        free,
        numbers,
        _comes_first(person, project, calibration),
        "",
        [] if free or numbers else [why] if why else _reasons(person, project),
        calibration,
    )


def count_says(count: int) -> str:
    return _("%(n)d or more") % {"n": MOST_COUNTED} if count >= MOST_COUNTED else str(count)


def _comes_first(person: Person, project: Project, calibration: OwnCalibration | None) -> str:
    if calibration is not None and calibration.comes_first:
        says = _("A calibration round comes first. Games of it to do: %(n)d.")
        return says % {"n": calibration.waiting}
    own = Evaluation.objects.filter(evaluator=person, game__project=project, state__in=OPEN)
    # As an EXISTS: SQLite would look at every game for an IN.
    if not own.filter(~Exists(games_led_by(person).filter(pk=OuterRef("game")))).exists():
        return ""
    return _("You have started a game here; it comes first.")


def _reasons(person: Person, project: Project) -> list[str]:
    """Each count uses its own index, so that none reads all games. Hidden duplicates count, too."""
    if not Game.objects.filter(project=project).exists():
        return [_("No game has been imported into this project yet. A team lead imports them.")]
    own = Evaluation.objects.filter(evaluator=person, game__project=project).exclude(purpose=CALIBRATION)
    slots = Slot.objects.filter(project=project, purpose=RATING, game__withdrawn_at=None)
    others = ~Exists(Evaluation.objects.filter(game=OuterRef("game"), evaluator=person))
    kept = slots.free().exclude(assigned_to=None)
    again = Exists(free_for(person))
    states = (
        (_("Rated by you: %(n)s."), own.filter(state=SUBMITTED)),
        (_("Started by you and not submitted yet: %(n)s."), own.filter(state__in=OPEN)),
        (
            _("Skipped by you: %(n)s. You can resume them from your home page."),
            own.filter(again, state=SKIPPED),
        ),
        (
            _("Started by you until your time ended: %(n)s. You can resume them from your home page."),
            own.filter(again, state=LAPSED),
        ),
        (
            _("Paused by you, with no open slot any more: %(n)s."),
            own.filter(~again, state__in=(SKIPPED, LAPSED)),
        ),
        (
            _("You do not rate here, since you could see their roles while you led this project: %(n)s."),
            _games(slots.filter(others, game__lte=barred_until(person, project))),
        ),
        (_("Reserved for other evaluators by a team lead: %(n)s."), _games(kept.exclude(assigned_to=person))),
        (
            _("Being rated by other evaluators: %(n)s."),
            _games(slots.filter(others, evaluator__isnull=False, is_closed=False)),
        ),
        (_("Rated by other evaluators: %(n)s."), _games(slots.filter(others, is_closed=True))),
    )
    counted = ((says, capped_count(rows)) for says, rows in states)
    sentences = [says % {"n": count_says(count)} for says, count in counted if count]
    jobs = Job.objects.filter(project=project, kind__in=("import", "measure"), state__in=(QUEUED, RUNNING))
    if jobs.exists():
        sentences.append(_("Games are still being measured. They appear by themselves."))
    return sentences or [_("The games that are here are not open for rating yet. A team lead opens them.")]


def _games(slots: "QuerySet[Slot]") -> "QuerySet[Slot, Any]":
    return slots.order_by("game").values("game").distinct()


@require("sign_in")
def queue(request: SignedIn, slug: str) -> HttpResponse:
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


@require("submit", methods=("POST",))
def submit_evaluation(request: SignedIn, evaluation: int) -> HttpResponse:
    """Submit, and open the next game of the project if that is wanted; without one, home says so."""
    found = evaluation_or_404(request.user, evaluation)
    form = bind_form(request, SubmissionForm)
    given = form.cleaned_data if form.is_valid() else {}
    unchanged = bool(given.get("unchanged"))
    try:
        submitted = do_submit(evaluation=found, unchanged=unchanged, by=request.user, now=timezone.now())
    except (NotAllowed, Unacceptable) as refusal:
        return refused(request, found, form, CompletedAct(), refusal)
    place = _next_place(submitted, request.user) if given.get("then") else find_place_after(submitted)
    return respond(request, page="", redirect=place)


def _next_place(submitted: Evaluation, by: Person) -> str:
    """The next game of the project, which says what became of this one; home if there is none for the person now."""
    project, told = submitted.game.project, f"?submitted={submitted.pk}"
    try:
        taken = take_next_game(project=project, by=by, now=timezone.now())
    except NotAllowed as refusal:  # it is submitted all the same
        unread = refusal.code == GUIDELINE_UNREAD
        return reverse("guideline", args=[project.slug]) if unread else reverse("home") + told
    return (reverse("rate", args=[taken.pk]) if taken else reverse("home")) + told
