"""Rules that decide which games enter a project's queue, and with which probability each game does.

A list of rows, of which the first that fits a game decides, and the share of the rest. A game has one number below 1
for good, and enters where it is below the share. So with a larger share no game leaves that was in.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from workspace.core.refusals import Unacceptable
from workspace.core.words import say

WEAKEST = "weakest"
SHORT, NEAR, FAILS, PASSES, BELOW, FROM = "short", "near", "fails", "passes", "below", "from"
AGENT, ROLE, MODEL, ITERATION, CATEGORY, ODD = "agent", "role", "model", "iteration", "category", "odd"
OF_SCORES = (SHORT, NEAR, FAILS, PASSES, BELOW, FROM)
OF_TEXTS = (AGENT, ROLE, MODEL, CATEGORY)
CONDITIONS = (*OF_SCORES, AGENT, ROLE, MODEL, ITERATION, CATEGORY, ODD)
MOST_ROWS, LONGEST_VALUE = 12, 200


class FillRow(Struct, frozen=True, omit_defaults=True):
    """A condition, and the share of the games that it fits, in percent.

    `metric` is the key of a metric or WEAKEST, the one furthest below its threshold; only for OF_SCORES. `value` holds
    points for SHORT and NEAR, a score for BELOW and FROM, the number of an iteration, or a name.
    """

    condition: str
    percent: float
    metric: str = ""
    value: str = ""


class Filling(Struct, frozen=True):
    """The rows in order, and the share of the rest in percent. Without rows and with 100, everything enters."""

    rows: Sequence[FillRow] = ()
    rest: float = 100.0

    @property
    def is_everything(self) -> bool:
        return self.rest == 100 and all(row.percent == 100 for row in self.rows)

    @property
    def shares(self) -> list[float]:
        return [*(row.percent for row in self.rows), self.rest]


EVERYTHING = Filling()


class Arrival(Struct, frozen=True):
    """What rules read of a game. `scores` are automatic: metric -> (score, threshold), of metrics that apply.

    `names` are its agents and `roles` theirs, both casefolded, as are `categories`.
    """

    scores: dict[str, tuple[Fraction, Fraction]]
    iteration: int = 0
    model: str = ""
    is_odd: bool = False
    names: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()


def find_row(filling: Filling, game: Arrival) -> int:
    """The number of the row that decides on the game, counted from 1; the rest comes after the last."""
    fits = (number for number, row in enumerate(filling.rows, start=1) if _fits(row, game))
    return next(fits, len(filling.rows) + 1)


def is_drawn(digits: str, percent: float) -> bool:
    """Whether a game with these hexadecimal digits, of which 13 are read, enters with that probability."""
    return int(digits[:13], 16) * 100 < percent * 16**13


def _fits(row: FillRow, game: Arrival) -> bool:
    if row.condition in OF_SCORES:
        return _fits_score(row, game)
    if row.condition == ODD:
        return game.is_odd
    if row.condition == ITERATION:
        return str(game.iteration) == row.value
    known = {AGENT: game.names, ROLE: game.roles, MODEL: {game.model.casefold()}, CATEGORY: game.categories}
    return row.value.casefold() in known[row.condition]


def _fits_score(row: FillRow, game: Arrival) -> bool:
    known = game.scores.values() if row.metric == WEAKEST else filter(None, [game.scores.get(row.metric)])
    found = min(known, key=lambda pair: pair[0] - pair[1], default=None)
    if found is None:
        return False
    score, margin = found[0], found[0] - found[1]
    if row.condition in (FAILS, PASSES):
        return (margin >= 0) == (row.condition == PASSES)
    value = Fraction(row.value)
    if row.condition in (BELOW, FROM):
        return (score >= value) == (row.condition == FROM)
    return -value < margin < 0 if row.condition == SHORT else abs(margin) <= value


def tidy_filling(filling: Filling) -> Filling:
    """The same rules without white space around values, and without what a condition does not ask for."""
    rows = [
        FillRow(
            row.condition,
            row.percent,
            row.metric or WEAKEST if row.condition in OF_SCORES else "",
            "" if row.condition in (FAILS, PASSES, ODD) else " ".join(row.value.split()).replace("\0", ""),
        )
        for row in filling.rows
    ]
    return Filling(rows, filling.rest)


def list_faults(filling: Filling, metrics: Sequence[str]) -> Iterator[Unacceptable]:
    """The faults of tidied rules; `metrics` are the keys of those that have automatic scores."""
    if len(filling.rows) > MOST_ROWS:
        yield Unacceptable(say("At most {most} rules.", most=MOST_ROWS), field="rows", code="too_many")
    for number, row in enumerate(filling.rows, start=1):
        if says := _find_fault(row, metrics):
            said = say("Rule {number}: {says}", number=number, says=says)
            yield Unacceptable(said, field="rows", code="rule")
    if not 0 <= filling.rest <= 100:
        yield Unacceptable(say("A share lies between 0 and 100 percent."), field="rest", code="range")


def _find_fault(row: FillRow, metrics: Sequence[str]) -> str:
    if row.condition not in CONDITIONS:
        return say("choose a condition.")
    if not 0 <= row.percent <= 100:
        return say("a share lies between 0 and 100 percent.")
    if row.condition in OF_SCORES and row.metric not in (WEAKEST, *metrics):
        return say("choose a metric that is measured.")
    if row.condition in (BELOW, FROM) and row.metric == WEAKEST:
        return say("a score is compared with a number in one metric; choose which.")
    if row.condition in (SHORT, NEAR, BELOW, FROM):
        return "" if _is_number(row.value) else say("enter a number from 0 to 100.")
    if row.condition == ITERATION:
        is_known = row.value.isascii() and row.value.isdecimal() and len(row.value) < 10
        return "" if is_known else say("enter the number of an iteration; 0 for unsorted games.")
    if row.condition in OF_TEXTS and not 0 < len(row.value) <= LONGEST_VALUE:
        return say("enter a name of at most {most} characters.", most=LONGEST_VALUE)
    return ""


def _is_number(text: str) -> bool:
    whole, _point, part = text.partition(".")
    digits = whole + part
    return digits.isascii() and digits.isdecimal() and len(digits) < 8 and 0 <= Fraction(text) <= 100


def describe_row(row: FillRow, labels: dict[str, str]) -> str:
    """The condition in words; `labels` names metrics by their keys."""
    metric = labels.get(row.metric, row.metric) if row.metric != WEAKEST else say("The weakest metric")
    said = {
        SHORT: say("{metric} fails by less than {value} points", metric=metric, value=row.value),
        NEAR: say("{metric} is within {value} points of its threshold", metric=metric, value=row.value),
        FAILS: say("{metric} fails", metric=metric),
        PASSES: say("{metric} passes", metric=metric),
        BELOW: say("{metric} is below {value}", metric=metric, value=row.value),
        FROM: say("{metric} is at least {value}", metric=metric, value=row.value),
        AGENT: say("Agent {value}", value=row.value),
        ROLE: say("Role {value}", value=row.value),
        MODEL: say("Model {value}", value=row.value),
        ITERATION: say("Iteration {value}", value=row.value),
        CATEGORY: say("Category {value}", value=row.value),
        ODD: say("With an oddity or a warning"),
    }
    return said[row.condition]


def say_weighted() -> str:
    """Wherever figures of games that weigh differently are shown, this is said."""
    return say("Games entered the queue with different probabilities, and weigh accordingly.")


def describe_rows(filling: Filling, labels: dict[str, str]) -> list[str]:
    return [*(describe_row(row, labels) for row in filling.rows), say("The rest, at random")]
