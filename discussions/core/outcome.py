"""A verdict's content as plain records: a line for each metric, the reasons, the advice, and what would change it."""

from collections.abc import Collection
from decimal import Decimal

from msgspec import Struct

from workspace.core.words import say, say_many
from workspace.statistics.means import JudgedStratum

MEMORY = "memory_accuracy"
DIVERSITY = "personality_diversity"
REPETITION = "anti_repetition"
ENGAGEMENT = "engagement"
LOW = "low"
AMBER = "amber"
ABOVE = "above"
UNREPORTED = "unreported"

# Memory accuracy on fewer references says little, whatever its value.
FEW_REFERENCES = 5


class ManualCheck(Struct, frozen=True, omit_defaults=True):
    """The manual check of who said it: `yes` of `asked` players were recognised; `decides` when the evaluator says so.

    In the blind test, `yes` of `asked` messages were matched with the right one of `agents`, and `p` is the exact
    probability of at least as many hits by guessing. `agents` is 0 if the question was asked instead. With
    `is_by_agent`, `yes` of `asked` agents were identified in the test, and `p` is the probability to pass by guessing.
    """

    yes: int
    asked: int
    needed: int
    passes: bool
    decides: bool
    agents: int = 0
    p: float | None = None
    is_by_agent: bool = False

    @property
    def is_test(self) -> bool:
        return self.agents > 0


class Facts(Struct, frozen=True, omit_defaults=True):
    """The input of flip distances besides the scores.

    It holds how often each phrase that counts as repeated, or was accepted, occurs, and whether there is any sentence
    that could be marked as a reference.
    """

    repeated: list[int] = []
    accepted: list[int] = []
    has_messages: bool = True


class PassKind:
    """The kind of a pass, for records with these fields of a line."""

    __slots__ = ()
    key: str
    passes: bool | None
    is_applicable: bool
    denominator: int
    manual_check: ManualCheck | None
    people: "PeopleShare | None"

    @property
    def is_open(self) -> bool:
        """Whether people's estimate is too near the threshold: neither pass nor fail until more messages are judged."""
        return self.people is not None and self.people.is_open

    @property
    def is_by_rule(self) -> bool:
        """Whether the line passes because there was nothing to count."""
        return not self.is_applicable and bool(self.passes)

    @property
    def is_on_few_references(self) -> bool:
        """Whether it is memory accuracy on fewer than `FEW_REFERENCES`."""
        return self.is_applicable and self.key == MEMORY and self.denominator < FEW_REFERENCES

    @property
    def is_weak_pass(self) -> bool:
        """Whether it passes by the rubric's rule, or is memory accuracy on fewer than `FEW_REFERENCES`."""
        is_on_little = not self.is_applicable or self.is_on_few_references
        return bool(self.passes) and is_on_little and not self.is_decided_by_hand

    @property
    def is_decided_by_hand(self) -> bool:
        """Whether the manual check took the place of the score's pass or fail."""
        return self.manual_check is not None and self.manual_check.decides


def say_helped(judges: Collection[str], answers: int) -> str:
    """Wherever an estimate is shown that judges helped with, this is said: their names, and how many answers of people
    it is from; "" without judges.
    """
    if not judges:
        return ""
    return say_many(
        "people's estimate, helped by {judges}: {n} answer of people",
        "people's estimate, helped by {judges}: {n} answers of people",
        answers,
        judges=", ".join(say("judge {name}", name=name) for name in judges),
    )


class PeopleShare(Struct, frozen=True, omit_defaults=True):
    """The share of messages that people would count, as a fraction of 1, with its 95 % interval in percent.

    `judged` of `total` messages were judged; `counted` is the score, in percent, that counts the others as the rule has
    them. `counts`: this share is the score of its line. `is_open`: its 90 % interval holds the threshold, and messages
    are left to ask for, `batch` at a time. `flip` is the number of judgements that would take it across the threshold.
    `strata` are what it was counted from: the messages that the rule counts, and the others, as `helpers` divide them:
    judges by number and name.
    """

    numerator: int
    denominator: int
    low: float
    high: float
    judged: int
    total: int
    counted: float
    counts: bool = False
    is_open: bool = False
    flip: int | None = None
    batch: int = 0
    strata: list[JudgedStratum] = []
    helpers: list[tuple[int, str]] = []

    @property
    def share(self) -> float:
        return 100 * self.numerator / self.denominator

    @property
    def helped(self) -> str:
        return say_helped([name for _number, name in self.helpers], self.judged)


class OutcomeLine(Struct, PassKind, frozen=True, omit_defaults=True):
    """A line for a metric. `score` is in the unit of its `scale`; `interval` is Wilson's, in percent, for shares of
    messages and references alone. Where `people` counts, score and interval are those of people's estimate, and
    `numerator` and `denominator` are its fraction.

    `passes` is None while the metric is pending. A line that does not apply passes by the rubric's rule.
    `could_go_other_way` exists only in verdicts on a basis before format 3, which read Wilson's interval of one game as
    if it predicted other games.
    """

    key: str
    label: str
    scale: str
    threshold: float
    numerator: int
    denominator: int
    score: float | None
    passes: bool | None
    is_applicable: bool = True
    is_mandatory: bool = False
    interval: tuple[float, float] | None = None
    could_go_other_way: bool = False
    flip: int | None = None
    manual_check: ManualCheck | None = None
    people: PeopleShare | None = None

    @property
    def is_scored_by_people(self) -> bool:
        return self.people is not None and self.people.counts

    @property
    def is_turned_by_people(self) -> bool:
        """Whether people's estimate lies on the other side of the threshold than the counted score."""
        people = self.people
        return people is not None and (people.share >= self.threshold) != (people.counted >= self.threshold)


class Reason(Struct, frozen=True):
    """Why a game fails: `code` is "metrics", "engagement" (any mandatory criterion) or "cost"."""

    code: str
    says: str


class Recommendation(Struct, frozen=True):
    """The rubric's advice for a failed metric; `shortfall` is relative to the scale, from 0 to 1."""

    key: str
    label: str
    shortfall: float
    advice: list[str]


class Outcome(Struct, frozen=True, omit_defaults=True):
    """A verdict, or what is known of it so far: `passes` is None while `missing` names keys of pending metrics.

    `open` names the open metrics on which the verdict depends; `passes` then takes their estimates as they are.
    """

    passes: bool | None
    headline: str
    lines: list[OutcomeLine]
    passed_count: int
    needed_count: int
    by_rule_count: int
    is_quality_pass: bool
    cost_usd: Decimal | None
    cost_state: str
    cost_limit_usd: Decimal
    cost_amber_usd: Decimal
    reasons: list[Reason]
    missing: list[str]
    flip_distance: int | None
    recommendations: list[Recommendation]
    composite: float | None
    open: list[str] = []

    @property
    def weak_passes(self) -> list[OutcomeLine]:
        """The lines that pass with nothing to count, on few references, or while they are open."""
        return [line for line in self.lines if line.is_weak_pass or (line.passes and line.is_open)]

    def line(self, key: str) -> OutcomeLine:
        for line in self.lines:
            if line.key == key:
                return line
        raise KeyError(key)
