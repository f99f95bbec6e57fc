"""The gate of a stage, the frame that all pages of a stage share, and the form for the first stage."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from discussions.core.iteration_states import BROKEN, CHANGE, SUCCESS, UNKNOWN
from discussions.core.outcome import ABOVE, AMBER, ENGAGEMENT, FEW_REFERENCES, UNREPORTED
from discussions.gates.core import GateStatus, Streak
from discussions.gates.permissions import check_open_next_stage, check_sign_stage
from discussions.gates.queries import list_weak_games, load_gate, load_stage_rubric
from discussions.iterations.core.averages import CacheRate
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.queries import load_history, load_rubric
from discussions.models import Iteration, Stage
from discussions.verdicts.core.rule import get_cost_state, read_rules
from rubric.core.records import RubricRecord
from workspace.access.permissions import get_refusal, is_admin
from workspace.core.text import figure
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person, Project


class GamePayment(Struct, frozen=True):
    """What one game cost and how much of it came from the cache. `counts` marks games of the row of successes."""

    iteration: int
    figures: GameFigures
    cost: str
    cost_tone: str
    cost_says: str
    counts: bool


class CacheText(Struct, frozen=True):
    """The cache hit rate over the games of the row."""

    text: str
    needed: str
    tone: str
    notes: list[str]


class GatePage(Struct, frozen=True):
    """Everything on the gate page. `next_refusal` and `sign_refusal` disable their buttons, "" if they do not.

    `goes_on` is the number of the iteration whose prompt goes on, the reference; `undecided` is that of the change that
    waits for its decision; 0 without one.
    """

    stage: Stage
    gate: GateStatus
    missing: list[str]
    states: dict[str, tuple[str, str]]
    payments: list[GamePayment]
    limits: str
    cache: CacheText
    anchor: str
    sign_refusal: str
    next_refusal: str
    is_override: bool
    newest_change: int
    counted: str
    weak: str
    goes_on: int
    undecided: int


def build_gate_page(*, stage: Stage, person: Person) -> GatePage:
    """The gate now; of a closed stage, the gate when the next one was opened.

    Fetch the stage with its project, `stated_by` and `closed_by`.
    """
    history = load_history(stage)
    rubric = load_stage_rubric(stage, history)
    gate = load_gate(stage, history)
    return GatePage(
        stage=stage,
        gate=gate,
        missing=[_in_short(gate.streak) if text == gate.streak.says else text for text in gate.missing],
        states={
            SUCCESS: ("pass", _("succeeds")),
            BROKEN: ("fail", _("breaks the row")),
            UNKNOWN: ("pending", _("not certain yet")),
        },
        payments=_payments(
            gate.streak, {iteration.number: load_rubric(iteration) for iteration in history.iterations}
        ),
        limits=_limits(rubric),
        cache=_cache(gate.cache),
        anchor=rubric.criterion(ENGAGEMENT).anchors.get("5", ""),
        sign_refusal=get_refusal(check_sign_stage, person, stage),
        next_refusal=_next_refusal(stage, person, gate),
        is_override=not gate.is_open and is_admin(person),
        newest_change=history.newest_change,
        counted=counted_says(stage),
        weak=_describe_weak_games(list_weak_games(stage, gate.streak)),
        goes_on=history.reference.number if history.reference else 0,
        undecided=next(
            (change.number for change in history.iterations if change.kind == CHANGE and not change.decision),
            0,
        ),
    )


def _describe_weak_games(numbers: list[int]) -> str:
    """Which games of the row pass a metric with little to count; "" for none."""
    if not numbers:
        return ""
    return _(
        "In %(games)s, of those that count, a metric is not applicable (counts as pass) or passes on fewer than "
        "%(few)d references."
    ) % {"games": format_numbers(numbers), "few": FEW_REFERENCES}


def _in_short(streak: Streak) -> str:
    """The count; the page says at each step what breaks the row and what it waits for."""
    if streak.says == streak.counted:
        return streak.counted
    return _("%(counted)s The reasons are given below.") % {"counted": streak.counted}


def _next_refusal(stage: Stage, person: Person, gate: GateStatus) -> str:
    """Why the button is disabled, without what the page says above already."""
    refusal = get_refusal(check_open_next_stage, person, stage, gate)
    if refusal and stage.closed_at is None and not gate.is_open:
        return _(
            "The gate is closed, see the blockers above. Only an admin can create the next stage now, with a reason."
        )
    return refusal


def _payments(streak: Streak, rubrics: dict[int, RubricRecord]) -> list[GamePayment]:
    """What the games cost, each by the rubric version of its iteration."""
    counted = {game.number for game in streak.games}
    return [
        _payment(step.iteration, game, rubrics[step.iteration], counts=game.number in counted)
        for step in streak.steps
        for game in step.games
    ]


def _payment(iteration: int, game: GameFigures, rubric: RubricRecord, *, counts: bool) -> GamePayment:
    state = get_cost_state(game.cost_usd, read_rules(rubric))
    tones = {ABOVE: "fail", AMBER: "pending", UNREPORTED: "pending"}
    says = {ABOVE: _("fails"), AMBER: _("no success"), UNREPORTED: _("not reported")}
    return GamePayment(
        iteration=iteration,
        figures=game,
        cost=cost_text(game, rubric),
        cost_tone=tones.get(state, ""),
        cost_says=says.get(state, ""),
        counts=counts,
    )


def cost_text(game: GameFigures, rubric: RubricRecord) -> str:
    """A game's cost, never rounded across the two limits of cost; "" when not reported."""
    if game.cost_usd is None:
        return ""
    rules = read_rules(rubric)
    nearest = min((rules.amber, rules.limit), key=lambda amount: abs(amount - (game.cost_usd or 0)))
    return f"${figure(game.cost_usd, float(nearest), decimals=2)}"


def _limits(rubric: RubricRecord) -> str:
    rules = read_rules(rubric)
    given = {"amber": figure(rules.amber, decimals=2), "limit": figure(rules.limit, decimals=2)}
    return _("Success needs every game below %(amber)s dollars; above %(limit)s a game fails.") % given


def _cache(cache: CacheRate) -> CacheText:
    notes = []
    if cache.unweighted:
        notes.append(
            _("Counted with the usual number of input tokens: %(games)s.") % _games(cache.unweighted)
        )
    if cache.by_hand:
        notes.append(_("Entered by hand: %(games)s.") % _games(cache.by_hand))
    return CacheText(
        text=_("not known") if cache.rate is None else f"{figure(100 * cache.rate, cache.percent)}\u00a0%",
        needed=f"{figure(cache.percent)}\u00a0%",
        tone={True: "pass", False: "fail", None: "pending"}[cache.passes],
        notes=notes,
    )


def _games(numbers: list[int]) -> dict[str, str]:
    return {"games": ", ".join(map(str, sorted(numbers)))}


SECTION = "iterations"


HISTORY, COMPARE, GATE, SUMMARY = "stage", "compare_iterations", "stage_gate", "stage_summary"


# Route and name of each page of a stage, in the order of the tabs; the template leaves out what has no route.
TABS = [
    (HISTORY, gettext_lazy("History")),
    (COMPARE, gettext_lazy("Compare")),
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
    """The head of every page of a stage."""

    stage: Stage
    tabs: list[StageTab]


def build_stage_frame(*, stage: Stage, current: str, newest: int | None = None) -> StageFrame:
    """The head for a stage fetched with its project; `current` is the route of the page.

    One query, for the number of the newest change, where the page does not know it.
    """
    if newest is None:
        changes = Iteration.objects.filter(stage=stage, kind=CHANGE).order_by("-number")
        newest = changes.values_list("number", flat=True).first() or 0
    return StageFrame(
        stage=stage,
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


def list_gate_conditions(project: Project) -> list[str]:
    """What the gate of the first stage asks for, under the rubric version of the project's unsorted games."""
    unsorted = Iteration.objects.select_related("rubric_version").get(project=project, stage=None)
    rubric = unsorted.rubric_version.to_record()
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
        _("a cache hit rate above %(cache)s\u00a0%% over their games") % given,
        _("a lead's signed statement that the games are fascinating to watch"),
    ]
