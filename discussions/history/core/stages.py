"""The summary of a stage: one record for the page, Markdown, JSON and CSV.

The CSV holds the figures behind every chart: a line for each dot, each mean and each difference.
"""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

import msgspec
from msgspec import Struct

from discussions.iterations.core.gates import Signed
from discussions.iterations.core.next_target import TargetAdvice
from discussions.metrics.core.registry import METRICS
from workspace.core.words import say
from workspace.display.core.csv_lines import Cell, csv_bytes

FORMAT = 2


class SummaryAverage(Struct, frozen=True):
    key: str
    label: str
    text: str
    state: str
    word: str
    says: str
    threshold: float
    value: float | None
    second: float | None
    second_says: str
    interval: tuple[float, float] | None
    game_count: int


class SummaryGame(Struct, frozen=True):
    """One game: its scores unrounded (None while not known), which are not applicable (100), which pass on few
    references, what it cost. `state` is "recorded", "complete" or "open"; `passes` says by metric what its verdict has.
    """

    number: int
    state: str
    is_pass: bool | None
    scores: dict[str, float | None]
    passes: dict[str, bool | None]
    by_rule: list[str]
    cost_usd: Decimal | None
    is_cost_by_hand: bool
    cache_hit_rate: float | None
    is_cache_by_hand: bool
    on_few_references: list[str] = []


class SummaryWithdrawal(Struct, frozen=True):
    game: SummaryGame
    reason: str
    by: str
    at: datetime


class SummaryDecision(Struct, frozen=True):
    number: int
    look: int
    choice: str
    reason: str
    by: str
    at: datetime


class SummaryDifference(Struct, frozen=True):
    """One metric of a change against its reference, unrounded.

    `raw` is as played; `rebound` of it is regression to the mean, and `interval` is about the rest. `by_people`: the
    means are those of people's estimates.
    """

    key: str
    label: str
    is_target: bool
    answer: str
    rule: str
    control_mean: float | None
    change_mean: float | None
    game_count: int
    raw: float | None
    interval: tuple[float, float] | None
    by_people: bool = False
    rebound: float = 0.0


class SummaryComparison(Struct, frozen=True):
    number: int
    name: str
    answer: str
    says: str
    proposal: str
    action: str
    reason: str
    batches: str
    checks: list[str]
    gains: list[str]
    metrics: list[SummaryDifference]


class SummaryIteration(Struct, frozen=True):
    """One iteration. `diff` are the lines of what changed in the prompt, each with "+", "-" or a blank in front.

    `compared` is there once a game of it is known; `replay_of` is the number of what a re-play plays again.
    """

    number: int
    name: str
    kind: str
    stands: str
    is_reference: bool
    change_note: str
    target: str
    hunks_answer: str
    diff: list[str]
    prompt_sha256: str
    compared_with: int | None
    rubric: str
    opened_at: datetime | None
    opened_by: str
    games: list[SummaryGame]
    withdrawn: list[SummaryWithdrawal]
    averages: list[SummaryAverage]
    headline: str
    passes: bool | None
    cost: str
    cost_says: str
    cache: str
    cache_says: str
    decisions: list[SummaryDecision]
    compared: SummaryComparison | None
    replay_of: int | None = None

    @property
    def decision(self) -> SummaryDecision | None:
        return self.decisions[-1] if self.decisions else None


class SummaryGate(Struct, frozen=True):
    """The gate now; of a closed stage, the gate when the next one was opened, with an admin's reason if any."""

    is_open: bool
    missing: list[str]
    count: int
    needed: int
    unit: str
    streak_says: str
    cache_says: str
    statement: Signed | None
    closed_at: datetime | None
    closed_by: str
    override_reason: str


class StageSummary(Struct, frozen=True):
    """One stage at `made_at`; `counted` says how its successes are counted."""

    format: int
    project: str
    number: int
    name: str
    goal: str
    counted: str
    made_at: datetime
    opened_at: datetime
    opened_by: str
    gate: SummaryGate
    iterations: list[SummaryIteration]
    next: TargetAdvice | None

    @property
    def game_count(self) -> int:
        return sum(len(iteration.games) for iteration in self.iterations)


def summary_to_json(summary: StageSummary) -> bytes:
    return msgspec.json.format(msgspec.json.encode(summary), indent=2) + b"\n"


COST, CACHE = "cost", "cache_hit_rate"
COLUMNS = (
    "row", "stage", "iteration", "iteration_name", "kind", "decision", "compared_with", "game", "metric", "unit",
    "value", "threshold", "passes", "applies", "source", "withdrawn", "games", "second_look", "difference", "low",
    "high", "by_people", "answer", "rebound", "on_few_references",
)  # fmt: skip


def figures_csv(summary: StageSummary) -> bytes:
    """The figures behind every chart of the stage, a line each: dots ("game"), means ("average"), differences."""
    rows = [
        tuple(row.get(column) for column in COLUMNS)
        for iteration in summary.iterations
        for row in _list_rows(summary, iteration)
    ]
    return csv_bytes(COLUMNS, rows)


def _list_rows(summary: StageSummary, iteration: SummaryIteration) -> Iterator[dict[str, Cell]]:
    about: dict[str, Cell] = {
        "stage": summary.number,
        "iteration": iteration.number,
        "iteration_name": iteration.name,
        "kind": iteration.kind,
        "decision": iteration.decision.choice if iteration.decision else None,
        "compared_with": iteration.compared_with,
    }
    for game in iteration.games:
        yield from (about | row for row in _game_rows(iteration, game))
    for out in iteration.withdrawn:
        yield from (about | row for row in _game_rows(iteration, out.game, is_withdrawn=True))
    yield from (about | _average_row(line) for line in iteration.averages)
    if iteration.compared:
        yield from (about | _difference_row(line) for line in iteration.compared.metrics)


def _game_rows(
    iteration: SummaryIteration, game: SummaryGame, *, is_withdrawn: bool = False
) -> Iterator[dict[str, Cell]]:
    sources = {"recorded": "verdict", "complete": "evaluations", "open": say("not known yet")}
    about: dict[str, Cell] = {"row": "game", "game": game.number, "withdrawn": is_withdrawn}
    for line in iteration.averages:
        yield about | {
            "metric": line.key,
            "unit": METRICS[line.key].scale.unit,
            "value": game.scores.get(line.key),
            "threshold": line.threshold,
            "passes": game.passes.get(line.key),
            "applies": line.key not in game.by_rule,
            "source": sources[game.state],
            "on_few_references": line.key in game.on_few_references,
        }
    paid = (
        (COST, "dollars", game.cost_usd, game.is_cost_by_hand),
        (CACHE, "share", game.cache_hit_rate, game.is_cache_by_hand),
    )
    for metric, unit, value, is_by_hand in paid:
        source = say("not reported") if value is None else say("by hand") if is_by_hand else "transcript"
        yield about | {"metric": metric, "unit": unit, "value": value, "source": source}


def _metric_row(kind: str, line: SummaryAverage | SummaryDifference) -> dict[str, Cell]:
    low, high = line.interval or (None, None)
    unit = METRICS[line.key].scale.unit
    return {"row": kind, "metric": line.key, "unit": unit, "games": line.game_count, "low": low, "high": high}


def _average_row(line: SummaryAverage) -> dict[str, Cell]:
    return _metric_row("average", line) | {
        "value": line.value,
        "threshold": line.threshold,
        "passes": {"pass": True, "fail": False}.get(line.state),
        "second_look": line.second,
    }


def _difference_row(line: SummaryDifference) -> dict[str, Cell]:
    return _metric_row("difference", line) | {
        "value": line.change_mean,
        "difference": line.raw,
        **{name: getattr(line, name) for name in ("by_people", "answer", "rebound")},
    }
