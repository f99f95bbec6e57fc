"""The gate of a stage, the frame that all pages of a stage share, and the form for the first stage."""

from datetime import datetime

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from discussions.core.iteration_states import BROKEN, CHANGE, SUCCESS, UNKNOWN
from discussions.core.outcome import ABOVE, AMBER, ENGAGEMENT, UNREPORTED
from discussions.gates.core import GateStatus, Signed, Streak, StreakStep
from discussions.gates.permissions import check_open_next_stage, check_sign_stage
from discussions.gates.queries import compute_stage_gate, load_stage_rubric
from discussions.iterations.core.averages import CacheRate
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.queries import load_history, load_rubric
from discussions.models import Iteration, Stage
from discussions.verdicts.core.rule import get_cost_state, read_rules
from rubric.core.records import RubricRecord
from workspace.access.permissions import get_refusal, role_in
from workspace.core.text import figure
from workspace.models import Person, Project


class StepLine(Struct, frozen=True):
    """One step of the row: an iteration, or a game. `counts` marks those that make up the row of successes."""

    iteration: int
    game: int | None
    state: str
    says: str
    reasons: list[str]
    games: list[int]
    counts: bool


class PaidLine(Struct, frozen=True):
    """What one game cost and how much of it came from the cache; tones are those of the design system."""

    number: int
    iteration: int
    cost: str
    cost_tone: str
    cost_says: str
    is_cost_by_hand: bool
    cache: str
    is_cache_by_hand: bool
    tokens: str
    counts: bool


class CachePart(Struct, frozen=True):
    """The cache hit rate over the games of the row."""

    text: str
    needed: str
    tone: str
    says: str
    notes: list[str]


class ClosedPart(Struct, frozen=True):
    """Who opened the next stage and when; the reason where the door was shut."""

    at: datetime
    by: str
    reason: str
    next_number: int


class GatePage(Struct, frozen=True):
    """Everything on the gate page. `next_refusal` and `sign_refusal` grey their buttons, "" where they do not."""

    slug: str
    number: int
    name: str
    is_open: bool
    missing: list[str]
    count: int
    needed: int
    unit: str
    is_reached: bool
    streak_says: str
    steps: list[StepLine]
    reverted: list[int]
    paid: list[PaidLine]
    limits: str
    cache: CachePart
    statement: Signed | None
    anchor: str
    sign_refusal: str
    next_refusal: str
    is_override: bool
    closed: ClosedPart | None
    newest_change: int
    counted: str


def build_gate_page(*, stage: Stage, person: Person) -> GatePage:
    """The gate as it stands; of a closed stage as it stood when the next one was opened.

    Fetch the stage with its project, `stated_by` and `closed_by`.
    """
    history = load_history(stage)
    rubric = load_stage_rubric(stage, history)
    door = (
        msgspec.json.decode(stage.door, type=GateStatus) if stage.door else compute_stage_gate(stage, history)
    )
    streak = door.streak
    return GatePage(
        slug=stage.project.slug,
        number=stage.number,
        name=stage.name,
        is_open=door.is_open,
        missing=[_in_short(streak) if text == streak.says else text for text in door.missing],
        count=streak.count,
        needed=streak.needed,
        unit=streak.unit,
        is_reached=streak.is_reached,
        streak_says=streak.says,
        steps=_steps(streak),
        reverted=streak.reverted,
        paid=_paid(streak, {iteration.number: load_rubric(iteration) for iteration in history.iterations}),
        limits=_limits(rubric),
        cache=_cache(door.cache),
        statement=door.statement,
        anchor=rubric.criterion(ENGAGEMENT).anchors.get("5", ""),
        sign_refusal=get_refusal(check_sign_stage, person, stage),
        next_refusal=_next_refusal(stage, person, door),
        is_override=not door.is_open and role_in(person, stage.project) == "admin",
        closed=_closed(stage),
        newest_change=history.newest_change,
        counted=counted_says(stage),
    )


def _in_short(streak: Streak) -> str:
    """Where the row stands; what breaks it, and what it waits for, stands at each of its steps on the page."""
    if streak.says == streak.counted:
        return streak.counted
    return _("%(counted)s What stands in the way is said at each of them below.") % {
        "counted": streak.counted
    }


def _next_refusal(stage: Stage, person: Person, door: GateStatus) -> str:
    """Why the button is greyed. What keeps the door shut stands on the page already, so it is not said twice."""
    refusal = get_refusal(check_open_next_stage, person, stage, door)
    if refusal and stage.closed_at is None and not door.is_open:
        return _("The door is shut, as said above. Only an admin opens it all the same, with a reason.")
    return refusal


def _counted(streak: Streak) -> list[int]:
    """The numbers of the games that make up the row."""
    return [game.number for game in streak.games]


def _steps(streak: Streak) -> list[StepLine]:
    says = {SUCCESS: _("succeeds"), BROKEN: _("breaks the row"), UNKNOWN: _("not certain yet")}
    successes = [step for step in streak.row if step.state == SUCCESS][-streak.needed :]
    return [
        StepLine(
            iteration=step.iteration,
            game=step.game,
            state={SUCCESS: "pass", BROKEN: "fail", UNKNOWN: "pending"}[step.state],
            says=says[step.state],
            reasons=step.reasons,
            games=[game.number for game in step.games],
            counts=any(step is success for success in successes),
        )
        for step in streak.steps
    ]


def _paid(streak: Streak, rubrics: dict[int, RubricRecord]) -> list[PaidLine]:
    """What the games cost, each by the rubric version of its iteration."""
    counted = set(_counted(streak))
    return [
        _paid_line(step, game, rubrics[step.iteration], counts=game.number in counted)
        for step in streak.steps
        for game in step.games
    ]


def _paid_line(step: StreakStep, game: GameFigures, rubric: RubricRecord, *, counts: bool) -> PaidLine:
    state = get_cost_state(game.cost_usd, read_rules(rubric))
    tones = {ABOVE: "fail", AMBER: "pending", UNREPORTED: "pending"}
    says = {ABOVE: _("fails"), AMBER: _("no success"), UNREPORTED: _("not reported")}
    return PaidLine(
        number=game.number,
        iteration=step.iteration,
        cost=cost_text(game, rubric),
        cost_tone=tones.get(state, ""),
        cost_says=says.get(state, ""),
        is_cost_by_hand=game.is_cost_by_hand,
        cache="" if game.cache_hit_rate is None else f"{100 * game.cache_hit_rate:.1f} %",
        is_cache_by_hand=game.is_cache_by_hand,
        tokens="" if game.input_tokens is None else f"{game.input_tokens:,}",
        counts=counts,
    )


def cost_text(game: GameFigures, rubric: RubricRecord) -> str:
    """A game's cost, never rounded across the amounts that fail it or make it no success; "" when not reported."""
    if game.cost_usd is None:
        return ""
    rules = read_rules(rubric)
    nearest = min((rules.amber, rules.limit), key=lambda amount: abs(amount - (game.cost_usd or 0)))
    return f"${figure(game.cost_usd, float(nearest), decimals=2)}"


def _limits(rubric: RubricRecord) -> str:
    rules = read_rules(rubric)
    given = {"amber": figure(rules.amber, decimals=2), "limit": figure(rules.limit, decimals=2)}
    return _("Success needs every game below %(amber)s dollars; above %(limit)s a game fails.") % given


def _cache(cache: CacheRate) -> CachePart:
    notes = []
    if cache.unweighted:
        notes.append(
            _("Counted with the usual number of input tokens: %(games)s.") % _games(cache.unweighted)
        )
    if cache.by_hand:
        notes.append(_("Entered by hand: %(games)s.") % _games(cache.by_hand))
    return CachePart(
        text=_("not known") if cache.rate is None else f"{figure(100 * cache.rate, cache.percent)} %",
        needed=f"{figure(cache.percent)} %",
        tone={True: "pass", False: "fail", None: "pending"}[cache.passes],
        says=cache.says,
        notes=notes,
    )


def _games(numbers: list[int]) -> dict[str, str]:
    return {"games": ", ".join(str(number) for number in numbers)}


def _closed(stage: Stage) -> ClosedPart | None:
    if stage.closed_at is None or stage.closed_by is None:
        return None
    return ClosedPart(stage.closed_at, stage.closed_by.name, stage.override_reason, stage.number + 1)


SECTION = "iterations"


HISTORY, COMPARE, GATE, SUMMARY = "stage", "compare_iterations", "stage_gate", "stage_summary"


# Route and name of each page of a stage, in the order of the tabs; the template leaves out what has no route.
TABS = [
    (HISTORY, gettext_lazy("History")),
    (COMPARE, gettext_lazy("Compare newest")),
    (GATE, gettext_lazy("Gate")),
    (SUMMARY, gettext_lazy("Summary")),
]


class StageTab(Struct, frozen=True):
    """One page: the name of its route, the number in its address, and what it is called."""

    route: str
    number: int
    label: str
    is_current: bool


class StageFrame(Struct, frozen=True):
    """The head of a page of a stage. `newest` is the number of its newest change, 0 while there is none."""

    slug: str
    project: str
    number: int
    name: str
    goal: str
    is_closed: bool
    newest: int
    tabs: list[StageTab]


def build_stage_frame(*, stage: Stage, current: str, newest: int | None = None) -> StageFrame:
    """The head for a stage fetched with its project; `current` is the route of the page.

    One query, for the number of the newest change, where the page does not know it.
    """
    if newest is None:
        changes = Iteration.objects.filter(stage=stage, kind=CHANGE).order_by("-number")
        newest = changes.values_list("number", flat=True).first() or 0
    return StageFrame(
        slug=stage.project.slug,
        project=stage.project.name,
        number=stage.number,
        name=stage.name,
        goal=stage.goal,
        is_closed=stage.closed_at is not None,
        newest=newest,
        tabs=[
            StageTab(route, newest if route == COMPARE else stage.number, str(label), route == current)
            for route, label in TABS
            if route != COMPARE or newest
        ],
    )


def counted_says(stage: Stage) -> str:
    """How the stage's row of successes is counted."""
    units = {"iteration": _("whole iterations"), "game": _("single games")}
    rules = {"average": _("on average"), "every_game": _("in every game")}
    return _("A success is counted in %(unit)s, with the rating needed %(rule)s.") % {
        "unit": units[stage.streak_unit],
        "rule": rules[stage.engagement_rule],
    }


class StageOpenPage(Struct, frozen=True):
    """What stands beside the form. `there` is the number of the newest stage, 0 while there is none."""

    slug: str
    name: str
    there: int
    asks: list[str]


def build_stage_open_page(*, project: Project) -> StageOpenPage:
    """The page; what the gate asks comes from the rubric version of the project's unsorted games."""
    unsorted = Iteration.objects.select_related("rubric_version").get(project=project, stage=None)
    newest = Stage.objects.filter(project=project).order_by("-number").values_list("number", flat=True)
    return StageOpenPage(
        slug=project.slug,
        name=project.name,
        there=newest.first() or 0,
        asks=_asks(unsorted.rubric_version.to_record()),
    )


def _asks(rubric: RubricRecord) -> list[str]:
    rules = read_rules(rubric)
    given = {
        "row": int(rubric.parameters["successes_in_a_row"]),
        "needed": rules.needed,
        "of": len(rubric.criteria),
        "cost": figure(rules.amber, decimals=2),
        "cache": figure(float(rubric.parameters["cache_hit_percent"])),
    }
    return [
        _("%(row)d successes in a row, each with %(needed)d of %(of)d averages passing") % given,
        _("every game of them below %(cost)s dollars") % given,
        _("a cache hit rate above %(cache)s %% over their games") % given,
        _("a lead's signed statement that the games are fascinating to watch"),
    ]
