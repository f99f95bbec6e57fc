"""Answers counted by what the machine says and what people say, with the shares that can be read off such a table."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import fsum
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from workspace.statistics.estimates import LEAST_FOR_INTERVAL, jackknife_t
from workspace.statistics.proportions import wilson

MOST_CASES = 200


ANY = "*"


Cellname = tuple[str, str]


Interval = tuple[float, float]


class Answer(NamedTuple):
    """One judgement beside the machine's: in which row and column of the table `part` it counts, and where it is.

    `weight` is how many messages of its game a sampled one stands for; `detail` is what is judged where that is not
    the message itself (a phrase).
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
    """Where one counted answer is."""

    game: int
    message: int
    evaluator: int
    detail: str = ""


class CrosstabCell(Struct, frozen=True):
    """How many answers are in one row and column; `cases` are at most `MOST_CASES`, of the newest games."""

    row: str
    column: str
    count: int
    cases: list[CrosstabCase]


class Rate(Struct, frozen=True):
    """A share in percent. `interval` is Wilson's; `over_games` that of games, None with the reason in words.

    `weighted` is the share when every sampled message stands for so many of its game.
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
        """The share in percent; None with nothing to divide by."""
        return 100 * self.numerator / self.denominator if self.denominator else None


class Crosstab(Struct, frozen=True):
    """One table with its shares, and how much work of how many people on how many games is in it."""

    part: str
    cells: list[CrosstabCell]
    rates: list[Rate]
    games: int
    evaluators: int
    evaluations: int

    @property
    def total(self) -> int:
        """How many answers the table counts."""
        return sum(cell.count for cell in self.cells)

    def count(self, row: str, column: str) -> int:
        """How many answers stand in that cell."""
        return sum(cell.count for cell in self.cells if (cell.row, cell.column) == (row, column))

    def rate(self, name: str) -> Rate:
        """The share of that name."""
        return next(rate for rate in self.rates if rate.name == name)


class Share(NamedTuple):
    """What a share divides: cells by (row, column), in which `ANY` stands for every one that is named elsewhere."""

    name: str
    over: tuple[Cellname, ...]
    of: tuple[Cellname, ...]


class Tally:
    """Answers of one table as they are counted; in whichever order they come, the table is the same."""

    def __init__(self, part: str) -> None:
        self.part = part
        self.counts: dict[int, Counter[tuple[str, str, float]]] = defaultdict(Counter)
        self.cases: dict[Cellname, list[CrosstabCase]] = defaultdict(list)
        self.evaluators: set[int] = set()
        self.evaluations: set[int] = set()

    def add(self, answer: Answer) -> None:
        """Count one answer."""
        self.counts[answer.game][answer.row, answer.column, answer.weight] += 1
        self.evaluators.add(answer.evaluator)
        self.evaluations.add(answer.evaluation)
        cases = self.cases[answer.row, answer.column]
        cases.append(CrosstabCase(answer.game, answer.message, answer.evaluator, answer.detail))
        # Cut now and then, so that a thousand games take no more memory than the newest.
        if len(cases) >= 4 * MOST_CASES:
            cases[:] = _newest(cases)

    def table(self, shares: Iterable[Share]) -> Crosstab:
        """The table with these shares."""
        counts: Counter[Cellname] = Counter()
        for counted in self.counts.values():
            for (row, column, _weight), count in counted.items():
                counts[row, column] += count
        return Crosstab(
            part=self.part,
            cells=[
                CrosstabCell(row, column, count, _newest(self.cases[row, column]))
                for (row, column), count in sorted(counts.items())
            ],
            rates=[self._rate(share) for share in shares],
            games=len(self.counts),
            evaluators=len(self.evaluators),
            evaluations=len(self.evaluations),
        )

    def compute_sums(self, game: int, shares: Iterable[Share]) -> list[int]:
        """Of one game: over and under the line of each share, one after the other."""
        return [number for share in shares for number in self._of_game(game, share)[:2]]

    def _rate(self, share: Share) -> Rate:
        games = [found for found in (self._of_game(game, share) for game in sorted(self.counts)) if found[1]]
        sums = [(over, of) for over, of, _weighed, _weight in games]
        over, of = sum(row for row, _of in sums), sum(row for _over, row in sums)
        weighed, weight = fsum(found[2] for found in games), fsum(found[3] for found in games)
        interval = wilson(over, of)
        widened, reason = over_games(sums, interval)
        return Rate(
            share.name, over, of, interval, widened, reason, 100 * weighed / weight if weight else None
        )

    def _of_game(self, game: int, share: Share) -> tuple[int, int, float, float]:
        """Of one game: answers over and under the line of the share, then the same as they are weighted."""
        counted = sorted(self.counts[game].items())
        over = [(n, w) for (row, column, w), n in counted if _is_in(row, column, share.over)]
        of = [(n, w) for (row, column, w), n in counted if _is_in(row, column, share.of)]
        return (
            sum(n for n, _w in over),
            sum(n for n, _w in of),
            fsum(n * w for n, w in over),
            fsum(n * w for n, w in of),
        )


def over_games(sums: list[tuple[int, int]], interval: Interval | None) -> tuple[Interval | None, str]:
    """The 95 % interval of a share when whole games are left out in turn, and why there is none.

    `sums` are (over, of) by game. Messages of one game hang together, so the share differs between games by more than
    Wilson's interval knows. Jackknife-t of the ratio of sums over games, never narrower than Wilson's, since few games
    can look alike by chance. Source: R. G. Miller, Biometrika 61 (1974), 1-15.
    """
    if interval is None:
        return None, "There is nothing to count."
    if len(sums) < LEAST_FOR_INTERVAL:
        return None, f"Games can be compared from {LEAST_FOR_INTERVAL} on; there are {len(sums)}."
    table = np.array(sums, dtype=float)
    over, of = table.sum(axis=0)
    jackknife, _reason = jackknife_t(float(over / of), (over - table[:, 0]) / (of - table[:, 1]))
    if jackknife is None:
        return None, "Games cannot be compared here."
    low, high = 100 * max(0.0, jackknife[0]), 100 * min(1.0, jackknife[1])
    return (min(low, interval[0]), max(high, interval[1])), ""


def _is_in(row: str, column: str, cells: tuple[Cellname, ...]) -> bool:
    return any(first in (row, ANY) and two in (column, ANY) for first, two in cells)


def _newest(cases: list[CrosstabCase]) -> list[CrosstabCase]:
    return sorted(cases, key=lambda case: (-case.game, case.message, case.evaluator, case.detail))[
        :MOST_CASES
    ]
