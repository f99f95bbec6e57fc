"""The gate from a stage to the next: a streak, a lead's statement on its games, and their cache hit rate.

An admin's reason opens it although something is missing. The streak counts how many iterations or games of a stage
succeed in a row. Sources: the rubric's "Do NOT proceed to Iteration 2 until" and "Success Criteria" (enough metrics
pass in consecutive tests, engagement and cost consistently so).
"""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from discussions.core.iteration_states import AVERAGE, BROKEN, EVERY_GAME, GAME, ITERATION, SUCCESS, UNKNOWN
from discussions.core.outcome import ENGAGEMENT
from discussions.iterations.core.averages import CacheRate, compute_averages, compute_cache_rate
from discussions.iterations.core.figures import GameFigures, exact, passes
from discussions.iterations.core.history import IterationFigures
from discussions.verdicts.core.rule import read_rules
from rubric.core.records import RubricRecord
from workspace.core.text import figure
from workspace.core.words import mark, say, say_many
from workspace.display.core.number_lists import format_numbers


class Signed(Struct, frozen=True):
    """A signed text: a lead's statement on the games, or an admin's reason to open the gate."""

    by: str
    on: str
    says: str


class StreakStep(Struct, frozen=True):
    """One iteration, or one game where the unit is the game: whether it succeeds, and if not, why.

    `state` is "success", "broken" or "unknown"; unknown neither counts nor breaks. `is_kept` is false for a change that
    was not kept: by the rubric it counts all the same.
    """

    iteration: int
    game: int | None
    state: str
    reasons: list[str]
    games: list[GameFigures]
    is_kept: bool = True


class Streak(Struct, frozen=True):
    """The steps in order of opening, without reverted iterations. The row is what follows the last break.

    `unit` is what counts: iterations or games. `needed` successes in a row are asked for.
    """

    steps: list[StreakStep]
    reverted: list[int]
    unit: str
    needed: int

    @property
    def row(self) -> list[StreakStep]:
        broken = [index for index, step in enumerate(self.steps) if step.state == BROKEN]
        return self.steps[broken[-1] + 1 :] if broken else self.steps

    @property
    def broken_by(self) -> StreakStep | None:
        return next((step for step in reversed(self.steps) if step.state == BROKEN), None)

    @property
    def count(self) -> int:
        return sum(step.state == SUCCESS for step in self.row)

    @property
    def is_reached(self) -> bool:
        """Whether the last `needed` steps succeed; unknown steps before them do not matter."""
        return [step.state for step in self.row[-self.needed :]] == [SUCCESS] * self.needed

    @property
    def unknown(self) -> list[StreakStep]:
        """The steps of the row that could still break it; none once it is reached."""
        return [] if self.is_reached else [step for step in self.row if step.state == UNKNOWN]

    @property
    def successes(self) -> list[StreakStep]:
        """The latest successes of the row, at most as many as are needed."""
        return [step for step in self.row if step.state == SUCCESS][-self.needed :]

    @property
    def games(self) -> list[GameFigures]:
        return [game for step in self.successes for game in step.games]

    @property
    def certain_count(self) -> int:
        """The most successes of the row with nothing uncertain between them."""
        runs = [0]
        for step in self.row:
            runs = [*runs[:-1], runs[-1] + 1] if step.state == SUCCESS else [*runs, 0]
        return max(runs)

    @property
    def not_kept(self) -> list[StreakStep]:
        return [step for step in self.successes if not step.is_kept]

    @property
    def says(self) -> str:
        count = min(self.certain_count, self.needed)
        parts = [say("{count} of {needed} successes in a row.", count=count, needed=self.needed)]
        if self.broken_by is not None and not count:
            parts.append(say("{step_name} broke the row: {reasons}.", **_name_step(self.broken_by)))
        parts += [say("{step_name}: {reasons}.", **_name_step(step)) for step in self.unknown]
        if self.not_kept:
            numbers = format_numbers([_step_number(step) for step in self.not_kept], self.unit)
            parts.append(say("Counted although the prompt was not kept: {numbers}.", numbers=numbers))
        return " ".join(parts)


class GateStatus(Struct, frozen=True):
    """The gate to the next stage. `missing` holds a sentence for each thing that keeps it closed.

    With an admin's `override` it is open although things are missing; both are kept.
    """

    is_open: bool
    missing: list[str]
    streak: Streak
    cache: CacheRate
    statement: Signed | None
    override: Signed | None

    @property
    def is_by_override(self) -> bool:
        return self.is_open and bool(self.missing)


def compute_gate_status(
    streak: Streak,
    rubric: RubricRecord,
    *,
    statement: Signed | None = None,
    override: Signed | None = None,
) -> GateStatus:
    cache = compute_cache_rate(streak.games, rubric)
    missing = [] if streak.is_reached else [streak.says]
    if statement is None or not statement.says.strip():
        missing.append(say("No lead has signed yet that the games are fascinating to watch."))
    if not cache.passes:
        missing.append(cache.says)
    return GateStatus(
        is_open=not missing or (override is not None and bool(override.says.strip())),
        missing=missing,
        streak=streak,
        cache=cache,
        statement=statement,
        override=override,
    )


class Choices(Struct, frozen=True):
    """How a stage reads the rubric: what a test is (`unit`), and if `engagement` is an average."""

    unit: str = ITERATION
    engagement: str = AVERAGE


BY_THE_RUBRIC = Choices()
# How often a prompt that lies exactly at all thresholds reaches the row within so many iterations of so many games: an
# iteration succeeds in 30.0 % (benchmarks/statistics/gates.py, whose test compares it with this number).
CHANCE_AT_THRESHOLDS = 0.120
IN_A_ROW_SIMULATED, ITERATIONS_SIMULATED, GAMES_SIMULATED = 3, 8, 3


def describe_odds(streak: Streak, choices: Choices) -> str:
    """How often a prompt exactly at all thresholds gets through, for the settings that were simulated; else ""."""
    is_simulated = streak.needed == IN_A_ROW_SIMULATED and choices == BY_THE_RUBRIC
    if not is_simulated or any(len(step.games) != GAMES_SIMULATED for step in streak.steps):
        return ""
    return say(
        "A prompt exactly at all thresholds gets through within {tests} iterations of {games} games 1 time in {times}.",
        tests=ITERATIONS_SIMULATED,
        games=GAMES_SIMULATED,
        times=round(1 / CHANCE_AT_THRESHOLDS),
    )


def compute_streak(
    iterations: Sequence[IterationFigures], rubric: RubricRecord, choices: Choices = BY_THE_RUBRIC
) -> Streak:
    return Streak(
        steps=[
            _step(iteration, games, rubric, choices)
            for iteration in iterations
            if not iteration.is_reverted
            for games in (
                [[game] for game in iteration.games]
                if choices.unit == GAME and iteration.games
                else [iteration.games]
            )
        ],
        reverted=[iteration.number for iteration in iterations if iteration.is_reverted],
        unit=choices.unit,
        needed=int(rubric.parameters["successes_in_a_row"]),
    )


def _step(
    iteration: IterationFigures, games: list[GameFigures], rubric: RubricRecord, choices: Choices
) -> StreakStep:
    rubric = iteration.rubric or rubric
    judged = [
        _quality(games, rubric, choices),
        _engagement(games, rubric, choices),
        _costs(games, rubric),
        _size(iteration, choices),
    ]
    broken = [reason for found, _ in judged for reason in found]
    unknown = [reason for _, found in judged for reason in found]
    if not games:
        broken, unknown = [], [say("it has no game")]
    return StreakStep(
        iteration=iteration.number,
        game=games[0].number if choices.unit == GAME and games else None,
        state=BROKEN if broken else UNKNOWN if unknown else SUCCESS,
        reasons=broken + unknown,
        games=games,
        is_kept=iteration.is_kept,
    )


def _size(iteration: IterationFigures, choices: Choices) -> tuple[list[str], list[str]]:
    count = len(iteration.games)
    if choices.unit != ITERATION or count >= iteration.least:
        return [], []
    says = say_many(
        "only {n} game counts, {least} are needed",
        "only {n} games count, {least} are needed",
        count,
        least=iteration.least,
    )
    return [], [says]


def _quality(games: list[GameFigures], rubric: RubricRecord, choices: Choices) -> tuple[list[str], list[str]]:
    needed, criteria = read_rules(rubric).needed, {criterion.key: criterion for criterion in rubric.criteria}
    averages = compute_averages(games, rubric) if choices.unit == ITERATION else None
    if averages is not None:
        found = {line.key: line.passes for line in averages.lines}
    else:
        found = {key: passes(games[0], criterion) for key, criterion in criteria.items()}
    if unknown := [key for key, passed in found.items() if passed is None]:
        labels = ", ".join(criteria[key].label.lower() for key in unknown)
        is_rated = len(unknown) < len(found)
        return [], [
            say("not known yet: {labels}", labels=labels) if is_rated else say("not rated in full yet")
        ]
    # An open metric may still end on either side.
    undecided = [key for key in found if any(key in game.open for game in games)]
    best = found | dict.fromkeys(undecided, True)
    failing = [key for key, passed in best.items() if criteria[key].is_mandatory and not passed]
    if undecided and not failing and sum(map(bool, best.values())) >= needed:
        labels = ", ".join(criteria[key].label.lower() for key in undecided)
        return [], [say("open, more messages decide: {labels}", labels=labels)]
    if averages is not None:
        return averages.reasons, []
    counts = {"count": sum(map(bool, found.values())), "metric_count": len(found), "needed": needed}
    short = [say("{count} of {metric_count} metrics pass, {needed} are needed", **counts)]
    return (short if counts["count"] < needed else []) + [
        say("{metric} fails, which must pass", metric=criterion.label.lower())
        for key, criterion in criteria.items()
        if criterion.is_mandatory and not found[key]
    ], []


def _engagement(
    games: list[GameFigures], rubric: RubricRecord, choices: Choices
) -> tuple[list[str], list[str]]:
    if choices.engagement != EVERY_GAME or choices.unit != ITERATION:
        return [], []
    threshold = rubric.criterion(ENGAGEMENT).threshold or 0.0
    low = [
        say(
            "game {number} is rated {rating}, below {threshold}",
            number=game.number,
            rating=figure(exact(game.rating), threshold),
            threshold=figure(threshold),
        )
        for game in games
        if game.rating is not None and exact(game.rating) < Fraction(str(threshold))
    ]
    return low, []


def _costs(games: list[GameFigures], rubric: RubricRecord) -> tuple[list[str], list[str]]:
    rules = read_rules(rubric)
    limit = figure(rules.amber, decimals=2)
    expensive = [
        say(
            "game {number} cost {cost} dollars, success needs less than {limit}",
            number=game.number,
            cost=figure(game.cost_usd, float(rules.amber), decimals=2),
            limit=limit,
        )
        for game in games
        if game.cost_usd is not None and game.cost_usd >= rules.amber
    ]
    bare = [game.number for game in games if game.cost_usd is None]
    if not bare:
        return expensive, []
    numbers = format_numbers(bare)
    return expensive, [say("the cost of {numbers} is not reported; enter it with a reason", numbers=numbers)]


def _step_number(step: StreakStep) -> int:
    return step.iteration if step.game is None else step.game


def _name_step(step: StreakStep) -> dict[str, str]:
    name = mark("Iteration {number}") if step.game is None else mark("Game {number}")
    return {"step_name": say(name, number=_step_number(step)), "reasons": "; ".join(step.reasons)}
