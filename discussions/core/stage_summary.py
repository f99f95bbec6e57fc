"""The summary of a stage: one record, of which the page, Markdown, JSON and the figures as CSV are made."""

from datetime import datetime
from decimal import Decimal

import msgspec
from msgspec import Struct

from discussions.core.gates import Signed

FORMAT = 1


class AverageShown(Struct, frozen=True):
    """One average: as text with its state ("pass", "fail", "pending") and word, and unrounded."""

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


class GameShown(Struct, frozen=True):
    """One game: its scores unrounded (None while not known), which are 100 by rule, what it cost. `state` is
    "recorded", "complete" or "open"; `passes` says by metric what its verdict has."""

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


class WithdrawnShown(Struct, frozen=True):
    """A game that is in no average, with the reason why, and who said so when."""

    game: GameShown
    reason: str
    by: str
    at: datetime


class DecisionShown(Struct, frozen=True):
    """One decision; the last of an iteration stands."""

    number: int
    look: int
    choice: str
    reason: str
    by: str
    at: datetime


class DifferenceShown(Struct, frozen=True):
    """One metric of a change against its reference, unrounded."""

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
    shrunken: float | None
    shrunken_interval: tuple[float, float] | None
    higher: float | None
    within: float | None
    permutation_p: float | None
    permutation_floor: float | None


class ComparedShown(Struct, frozen=True):
    """A change against what it is compared with."""

    number: int
    name: str
    answer: str
    says: str
    proposal: str
    action: str
    checks: list[str]
    metrics: list[DifferenceShown]


class IterationShown(Struct, frozen=True):
    """One iteration. `diff` are the lines of what changed in the prompt, each with "+", "-" or a blank in front.

    `compared` is there once a game of it is known.
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
    games: list[GameShown]
    withdrawn: list[WithdrawnShown]
    averages: list[AverageShown]
    headline: str
    passes: bool | None
    cost: str
    cost_says: str
    cache: str
    cache_says: str
    decisions: list[DecisionShown]
    compared: ComparedShown | None

    @property
    def decision(self) -> DecisionShown | None:
        """The decision that stands."""
        return self.decisions[-1] if self.decisions else None


class GateShown(Struct, frozen=True):
    """The gate: of a closed stage as it stood when the next one was opened, by whom, with an admin's reason if any."""

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


class MarginShown(Struct, frozen=True):
    """One metric and its distance to the threshold, as text."""

    label: str
    value: str
    threshold: str
    points: str
    sds: str
    tone: str
    is_proposed: bool
    is_literal: bool


class NextShown(Struct, frozen=True):
    """The metric that is proposed next, why, and the rubric's advice on it; `lines` are all metrics, lowest first."""

    key: str
    label: str
    says: str
    advice: list[str]
    lines: list[MarginShown]


class StageSummary(Struct, frozen=True):
    """One stage as it stood at `made_at`; `counted` says how its row of successes is counted."""

    format: int
    project: str
    number: int
    name: str
    goal: str
    counted: str
    made_at: datetime
    opened_at: datetime
    opened_by: str
    gate: GateShown
    iterations: list[IterationShown]
    next: NextShown | None

    @property
    def game_count(self) -> int:
        """The games that count in the stage."""
        return sum(len(each.games) for each in self.iterations)


def json_of(summary: StageSummary) -> bytes:
    """The summary as indented JSON, keys in the order of the record."""
    return msgspec.json.format(msgspec.json.encode(summary), indent=2) + b"\n"
