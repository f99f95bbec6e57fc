"""Iterations, for programs: planned, read, filled with games, opened for rating."""

from typing import Annotated, Any, Literal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import Field

from discussions.core.iteration_states import BASELINE
from discussions.iterations.actions import change_iteration, open_for_rating
from discussions.iterations.actions import move_games as move
from discussions.iterations.core.averages import Average
from discussions.iterations.pages import JudgedIteration, judge_iteration
from discussions.iterations.permissions import check_change_iteration, check_freeze
from discussions.iterations.queries import load_history
from discussions.iterations.views import iteration_or_404, stage_or_404
from discussions.models import Iteration
from discussions.models.iterations import IDENTIFICATIONS, MOST_EVALUATORS, REVEALS
from discussions.models.queue_rules import (
    FLAG_RULES,
    MOST_REOPEN_MINUTES,
    MOST_REPEATS,
    ORDERS,
    QueueRule,
    RatingRule,
    load_queue_rule,
    load_rating_rule,
)
from discussions.planning import actions
from discussions.planning.actions import Protocol
from discussions.planning.core import MOST_GAMES, Plan
from discussions.planning.forms import HERE, OUT
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import Play, list_plays
from discussions.planning.views.plan import PlanView, first_texts, plan_texts
from discussions.planning.views.settings import settings_or_404
from discussions.queue.actions import change_queue
from discussions.slots.permissions import check_see_iterations
from rubric.models import RubricVersion
from workspace.core.refusals import Unacceptable
from workspace.models import Person
from workspace.people.actions.projects import MOST_MEGABYTES, set_storage_limit
from workspace.people.queries import Storage, load_storage
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Listed, Number, Operations
from workspace.web.views import SignedIn

router = Operations()
PROJECT = "/projects/{slug:slug}/"
ONE = PROJECT + "iterations/{int:iteration}/"
GameCount = Annotated[int | None, Field(ge=1, le=MOST_GAMES)]


RULES = ("flags", "reopen_minutes", "shows_differences", "records_at_submit")


class SettingsAnswer(
    Answer,
    of=tuple[Iteration, RatingRule, QueueRule, Storage],
    fields="evaluator_count:0.evaluator_count identification:0.identification flags:1.flags "
    "reopen_minutes:1.reopen_minutes shows_differences:1.shows_differences records_at_submit:1.records_at_submit "
    "queue_order:2.order repeat_percent:2.repeat_percent stored_bytes:3.used storage_limit_mb:3.limit_mb",
):
    """The settings of a project: the first two hold for its unsorted games, the last two from the next game on.

    The others hold once something is rated. `repeat_percent` of a person's games are hidden duplicates. Uploaded
    files and the texts of comparisons use `stored_bytes` of `storage_limit_mb`.
    """


class SettingsGiven(Given):
    """What is to be changed; what is left out stays. Only admins change `storage_limit_mb`; 0: as other projects."""

    evaluator_count: int | None = Field(default=None, ge=1, le=MOST_EVALUATORS)
    identification: Literal[tuple(key for key, _label in IDENTIFICATIONS)] | None = None  # type: ignore[valid-type]
    flags: Literal[tuple(key for key, _label in FLAG_RULES)] | None = None  # type: ignore[valid-type]
    reopen_minutes: int | None = Field(default=None, ge=0, le=MOST_REOPEN_MINUTES)
    shows_differences: bool | None = None
    records_at_submit: bool | None = None
    queue_order: Literal[tuple(key for key, _label in ORDERS)] | None = None  # type: ignore[valid-type]
    repeat_percent: int | None = Field(default=None, ge=0, le=MOST_REPEATS)
    storage_limit_mb: int | None = Field(default=None, ge=0, le=MOST_MEGABYTES)


class IterationAnswer(
    Answer,
    of=Iteration,
    fields="number name stage:stage.number kind state rubric:rubric_version evaluator_count target created_at "
    "opened_at",
):
    """An iteration. `stage` is null for unsorted games; `rubric` is the rubric version, such as “discussion 1.1”."""


class SingleIterationAnswer(
    IterationAnswer,
    of=Iteration,
    fields="prompt prompt_sha256 change_note compared_with:compared_with.number reveal least_games",
):
    """One iteration with its prompt and plan; `compared_with` is the number of its reference."""


class AverageAnswer(
    Answer,
    of=Average,
    fields="key label threshold value passes of_count by_rule_count pending interval",
):
    """The average of a metric over the games of an iteration; null while games are not known.

    `interval` is that of the average without games to which the metric does not apply (95 %).
    """


class SummaryAnswer(
    Answer,
    of=JudgedIteration,
    fields="number:row.number name:row.name kind:row.kind state:row.state game_count:row.games.len() "
    "erased_count:row.erased_count "
    "headline:averages.headline passes:averages.passes mean_cost_usd:averages.cost.mean_usd "
    "cache_hit_rate:cache.rate decision:row.decision.choice averages:averages.lines",
):
    """The averages of an iteration and the decision on it, "" while there is none.

    Of `erased_count` games only the figures of their verdicts are left.
    """

    decision: str
    averages: list[AverageAnswer]


class PlanGiven(Given):
    """A plan. What is left out stays as it is, or as the site proposes it for a new iteration.

    For a baseline: `rubric` and `version` (such as “discussion” and “1.1”), `evaluator_count`, `reveal` and
    `identification` say how its games are judged. For a change: `change_note` says what is new, `target` is the key of
    the metric to improve ("" for none), `material` holds the differences that matter by metric, and `hunks_answer`
    says why several places of the prompt differ.
    """

    name: str | None = None
    prompt: str | None = None
    least_games: int | None = None
    change_note: str | None = None
    target: str | None = None
    material: dict[str, float] | None = None
    hunks_answer: str | None = None
    rubric: str | None = None
    version: str | None = None
    evaluator_count: int | None = None
    reveal: Literal[tuple(key for key, _name in REVEALS)] | None = None  # type: ignore[valid-type]
    identification: Literal[tuple(key for key, _name in IDENTIFICATIONS)] | None = None  # type: ignore[valid-type]


class NewPlanGiven(PlanGiven):
    """A new iteration. A change is compared with the reference of the stage; when `compared_with` names another
    iteration than that by its number, nothing is opened (409).
    """

    kind: Literal["baseline", "change"]
    compared_with: int | None = None


class MoveGiven(Given):
    """Numbers of games, and whether they move into the iteration (here) or back to the unsorted games (out)."""

    games: list[Number] = Field(max_length=1_000)
    to: Literal["here", "out"] = HERE  # type: ignore[assignment]


class PlayAnswer(Answer, of=Play, fields="order pair prompt seed iteration"):
    """A game of a play list: a pair has one seed and a game under each prompt, the reference's and the change's.

    `iteration` is the number of the iteration that takes the game.
    """


class MovedAnswer(Answer):
    """The numbers of the games that were moved."""

    games: list[int]


@router.get(PROJECT + "stages/{int:stage}/summary/", "api_stage_summary", "see_iterations")
def summarise_stage(request: SignedIn, slug: str, stage: int) -> Listed[SummaryAnswer]:
    """Read the averages of all iterations of a stage."""
    found = stage_or_404(request.user, slug, stage)
    check_see_iterations(request.user, found.project)
    return Listed[SummaryAnswer].read_all(map(judge_iteration, load_history(found).iterations))


@router.get(PROJECT + "iterations/", "api_iterations", "see_iterations")
def list_iterations(request: SignedIn, slug: str) -> Listed[IterationAnswer]:
    """List the iterations of a project; number 0 holds the unsorted games."""
    project = project_or_404(request.user, slug, check_see_iterations)
    rows = Iteration.objects.filter(project=project).select_related("stage", "rubric_version__rubric")
    return Listed[IterationAnswer].read_all(rows.order_by("number"))


@router.get(ONE, "api_iteration", "see_iterations")
def show_iteration(request: SignedIn, slug: str, iteration: int) -> SingleIterationAnswer:
    """Read one iteration with its prompt and its plan."""
    return SingleIterationAnswer.read(iteration_or_404(request.user, slug, iteration))


@router.get(ONE + "play-list/", "api_play_list", "see_iterations")
def show_play_list(
    request: SignedIn, slug: str, iteration: int, games: GameCount = None
) -> Listed[PlayAnswer]:
    """List the games of a change and its reference in the order to play them.

    `games` is how many of each side; without it, the least number that the change needs.
    """
    row = iteration_or_404(request.user, slug, iteration)
    return Listed[PlayAnswer].read_all(list_plays(row, games or row.least_games))


@router.post(ONE + "open/", "api_iteration_open", "freeze", "admin")
def open_iteration(request: SignedIn, slug: str, iteration: int) -> SingleIterationAnswer:
    """Open an iteration for rating.

    That freezes its list of games and opens their slots.
    """
    found = iteration_or_404(request.user, slug, iteration)
    check_freeze(request.user, found)
    open_for_rating(iteration=found, by=request.user, now=timezone.now())
    return SingleIterationAnswer.read(iteration_or_404(request.user, slug, iteration))


@router.post(
    PROJECT + "stages/{int:stage}/iterations/", "api_iteration_plan", "open_iteration", "admin", status=201
)
def plan_iteration(request: SignedIn, slug: str, stage: int, given: NewPlanGiven) -> SingleIterationAnswer:
    """Create a baseline or a change, open for import.

    A stage begins with a baseline. A change waits until the one before it is decided.
    """
    found = stage_or_404(request.user, slug, stage)
    check_open_iteration(request.user, found)
    history, now = load_history(found), timezone.now()
    proposed = first_texts(PlanView(found, history, given.kind, None))
    plan = _plan(given, proposed)
    if given.kind == BASELINE:
        protocol = _protocol(given, proposed, request.user)
        made = actions.open_baseline(stage=found, plan=plan, protocol=protocol, by=request.user, now=now)
    else:
        row, number = history.reference, given.compared_with
        if number is not None:
            row = next((row for row in history.iterations if row.number == number), None)
        compared_with = row.id if row else 0
        made = actions.open_change(
            stage=found, plan=plan, compared_with=compared_with, by=request.user, now=now
        )
    return SingleIterationAnswer.read(iteration_or_404(request.user, slug, made.number))


@router.post(ONE + "plan/", "api_iteration_edit", "open_iteration", "admin")
def edit_iteration(request: SignedIn, slug: str, iteration: int, given: PlanGiven) -> SingleIterationAnswer:
    """Change the plan of an iteration that holds no game yet."""
    found = iteration_or_404(request.user, slug, iteration)
    stored = plan_texts(found)
    judging = {"rubric", "version", *Protocol.__struct_fields__}
    is_judged_anew = bool(judging & given.model_dump(exclude_none=True).keys())
    actions.edit_iteration(
        iteration=found,
        plan=_plan(given, stored),
        protocol=_protocol(given, stored, request.user) if is_judged_anew else None,
        by=request.user,
        now=timezone.now(),
    )
    return SingleIterationAnswer.read(iteration_or_404(request.user, slug, iteration))


@router.post(ONE + "replay/", "api_iteration_replay", "open_iteration", "admin", status=201)
def replay_reference(request: SignedIn, slug: str, iteration: int) -> SingleIterationAnswer:
    """Open an iteration that plays the prompt of this reference again. Its games count with those of the reference."""
    found = iteration_or_404(request.user, slug, iteration)
    made = actions.replay_reference(iteration=found, by=request.user, now=timezone.now())
    return SingleIterationAnswer.read(iteration_or_404(request.user, slug, made.number))


@router.post(ONE + "games/", "api_iteration_games", "change_iteration", "admin")
def move_games(request: SignedIn, slug: str, iteration: int, given: MoveGiven) -> MovedAnswer:
    """Move games into an iteration, or back to the unsorted ones."""
    found = iteration_or_404(request.user, slug, iteration)
    check_change_iteration(request.user, found.project)
    to = Iteration.objects.get(project=found.project, stage=None) if given.to == OUT else found
    return MovedAnswer(games=move(games=given.games, to=to, by=request.user, now=timezone.now()))


@router.get(PROJECT + "settings/", "api_settings", "change_iteration")
def read_settings(request: SignedIn, slug: str) -> SettingsAnswer:
    """Read the settings of a project."""
    return _settings(settings_or_404(request, slug))


@router.post(PROJECT + "settings/", "api_settings", "change_iteration", "admin")
def change_settings(request: SignedIn, slug: str, given: SettingsGiven) -> SettingsAnswer:
    """Change settings of a project.

    Another number of evaluators also holds for games without a verdict: slots open, or open slots close.
    """
    unsorted = settings_or_404(request, slug)
    changed = given.model_dump(exclude_none=True)
    wanted = _settings(unsorted).model_dump() | changed
    games = {name: wanted[name] for name in ("evaluator_count", "identification")}
    rule = {name: wanted[name] for name in RULES}
    queue = {"order": wanted["queue_order"], "repeat_percent": wanted["repeat_percent"]}
    who: dict[str, Any] = {"by": request.user, "now": timezone.now()}
    with transaction.atomic():
        change_iteration(iteration=unsorted, **games, **who)
        actions.change_rating_rule(project=unsorted.project, **rule, **who)
        if {"queue_order", "repeat_percent"} & changed.keys():
            change_queue(project=unsorted.project, **queue, **who)
        if "storage_limit_mb" in changed:
            set_storage_limit(project=unsorted.project, megabytes=wanted["storage_limit_mb"] or None, **who)
    return _settings(settings_or_404(request, slug))


def _settings(unsorted: Iteration) -> SettingsAnswer:
    project = unsorted.project
    rules = load_rating_rule(project.pk), load_queue_rule(project)
    return SettingsAnswer.read((unsorted, *rules, load_storage(project)))


def _plan(given: PlanGiven, known: dict[str, Any]) -> Plan:
    """The plan as sent, with known values for the fields that were left out."""
    values = {"name": "", "prompt": "", **known, **given.model_dump(exclude_none=True)}
    kept = {name.partition("-")[2]: value for name, value in known.items() if name.startswith("material-")}
    values["material"] = kept if given.material is None else given.material
    return Plan(**{name: values[name] for name in Plan.__struct_fields__ if name in values})


def _protocol(given: PlanGiven, known: dict[str, Any], person: Person) -> Protocol:
    """The protocol as sent, with known values for the fields that were left out."""
    values = known | given.model_dump(exclude_none=True)
    rows = RubricVersion.objects.visible_to(person).select_related("rubric")
    stored = rows.get(pk=known["rubric_version"])
    named = {"rubric__key": given.rubric or stored.rubric.key, "number": given.version or stored.number}
    version = rows.filter(**named).first()
    if version is None:
        raise Unacceptable(_("There is no such rubric version."), field="version")
    names = [name for name in Protocol.__struct_fields__ if name != "rubric_version"]
    return Protocol(rubric_version=version, **{name: values[name] for name in names})
