"""Contingency tables of automatic values and answers, with shares of their cells."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import fsum
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from workspace.core.words import say
from workspace.statistics.estimates import LEAST_FOR_INTERVAL, jackknife_t
from workspace.statistics.means import wilson

MOST_CASES = 200
ANY = "*"
Cellname = tuple[str, str]
Interval = tuple[float, float]


class CrossedAnswer(NamedTuple):
    """An answer with its row and column in the table `part`, and its position.

    `weight` is the number of messages that a sampled message represents; `detail` is the judged subject when it is
    not the message (a phrase).
    """

    part: str
    row: str
    column: str
    game: int
    message: int
    evaluator: int
    evaluation: int
    weight: float = 1.0
    detail: str = ""


class CrosstabCase(Struct, frozen=True, array_like=True):
    game: int
    message: int
    evaluator: int
    detail: str = ""


class CrosstabCell(Struct, frozen=True):
    """The count of a row and column; `cases` are at most `MOST_CASES`, of the newest games."""

    row: str
    column: str
    count: int
    cases: list[CrosstabCase]


class Rate(Struct, frozen=True):
    """A share in percent. `interval` is Wilson's; `over_games` is the interval over games, None with a reason.

    `weighted` is the share with the weights of sampled messages.
    """

    name: str
    numerator: int
    denominator: int
    interval: Interval | None
    over_games: Interval | None
    over_games_reason: str
    weighted: float | None

    @property
    def value(self) -> float | None:
        """The share in percent; None if the denominator is 0."""
        return 100 * self.numerator / self.denominator if self.denominator else None


class Crosstab(Struct, frozen=True):
    """A table with its shares, and the counts of games, evaluators and evaluations behind it."""

    part: str
    cells: list[CrosstabCell]
    rates: list[Rate]
    games: int
    evaluators: int
    evaluations: int

    @property
    def total(self) -> int:
        return sum(cell.count for cell in self.cells)

    def count(self, row: str, column: str) -> int:
        return sum(cell.count for cell in self.cells if (cell.row, cell.column) == (row, column))

    def rate(self, name: str) -> Rate:
        return next(rate for rate in self.rates if rate.name == name)


class CellShare(NamedTuple):
    """Numerator and denominator of a share as cells (row, column); `ANY` matches every row or column.

    If nobody `is_asked` about each, silence is no answer, and the share has no interval.
    """

    name: str
    numerator: tuple[Cellname, ...]
    denominator: tuple[Cellname, ...]
    is_asked: bool = True


class Tally:
    """Counts the answers of one table; their order does not matter."""

    def __init__(self, part: str) -> None:
        self.part = part
        self.counts: dict[int, Counter[tuple[str, str, float]]] = defaultdict(Counter)
        self.cases: dict[Cellname, list[CrosstabCase]] = defaultdict(list)
        self.evaluators: set[int] = set()
        self.evaluations: set[int] = set()

    def add(self, answer: CrossedAnswer) -> None:
        self.counts[answer.game][answer.row, answer.column, answer.weight] += 1
        self.evaluators.add(answer.evaluator)
        self.evaluations.add(answer.evaluation)
        cases = self.cases[answer.row, answer.column]
        cases.append(CrosstabCase(answer.game, answer.message, answer.evaluator, answer.detail))
        # Truncated from time to time, to limit memory.
        if len(cases) >= 4 * MOST_CASES:
            cases[:] = _newest(cases)

    def table(self, shares: Iterable[CellShare]) -> Crosstab:
        counts: Counter[Cellname] = Counter()
        for counted in self.counts.values():
            for (row, column, _weight), count in counted.items():
                counts[row, column] += count
        cells = [CrosstabCell(*cell, counts[cell], _newest(self.cases[cell])) for cell in sorted(counts)]
        rates = [self._rate(share) for share in shares]
        sizes = (len(self.counts), len(self.evaluators), len(self.evaluations))
        return Crosstab(self.part, cells, rates, *sizes)

    def compute_sums(self, game: int, shares: Iterable[CellShare]) -> list[int]:
        """Numerator and denominator of each share in one game, in a flat list."""
        return [number for share in shares for number in self._sums(game, share)[:2]]

    def _rate(self, share: CellShare) -> Rate:
        games = [found for found in (self._sums(game, share) for game in sorted(self.counts)) if found[1]]
        numerator, denominator = sum(found[0] for found in games), sum(found[1] for found in games)
        above, below = fsum(found[2] for found in games), fsum(found[3] for found in games)
        interval = wilson(numerator, denominator) if share.is_asked else None
        over_games = compute_interval_over_games([found[:2] for found in games], interval)
        weighted = 100 * above / below if below else None
        return Rate(share.name, numerator, denominator, interval, *over_games, weighted)

    def _sums(self, game: int, share: CellShare) -> tuple[int, int, float, float]:
        """Numerator and denominator of the share in one game, then both weighted."""
        counted = sorted(self.counts[game].items())
        above, below = (
            [(n, n * w) for (row, column, w), n in counted if _is_in(row, column, cells)]
            for cells in (share.numerator, share.denominator)
        )
        sums = (sum(n for n, _ in above), sum(n for n, _ in below))
        return *sums, fsum(weighted for _, weighted in above), fsum(weighted for _, weighted in below)


def compute_interval_over_games(
    sums: list[tuple[int, int]], interval: Interval | None
) -> tuple[Interval | None, str]:
    """The 95 % interval of a share by leaving out whole games, or the reason why there is none.

    `sums` are (numerator, denominator) by game. Messages of a game are dependent, so shares vary between games more
    than in Wilson's interval. Jackknife-t of the ratio of sums over games, never narrower than Wilson's: few
    games can be alike by chance. Source: R. G. Miller, Biometrika 61 (1974), 1-15.
    """
    if interval is None:
        return None, say("Nobody is asked about each.") if sums else say("There is nothing to count.")
    if len(sums) < LEAST_FOR_INTERVAL:
        return None, say(
            "Games can be compared from {least} on; there are {game_count}.",
            least=LEAST_FOR_INTERVAL,
            game_count=len(sums),
        )
    table = np.array(sums, dtype=float)
    above, below = table.sum(axis=0)
    jackknife, _reason = jackknife_t(float(above / below), (above - table[:, 0]) / (below - table[:, 1]))
    # Games that are all alike leave Wilson's.
    low, high = (100 * max(0.0, jackknife[0]), 100 * min(1.0, jackknife[1])) if jackknife else interval
    return (min(low, interval[0]), max(high, interval[1])), ""


def _is_in(row: str, column: str, cells: tuple[Cellname, ...]) -> bool:
    return any(first in (row, ANY) and two in (column, ANY) for first, two in cells)


def _newest(cases: list[CrosstabCase]) -> list[CrosstabCase]:
    return sorted(cases, key=lambda case: (-case.game, case.message, case.evaluator, case.detail))[
        :MOST_CASES
    ]
