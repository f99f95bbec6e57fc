"""What a judge and people answered about the same items, and what is computed from such answers everywhere.

Answers are the words of `judgement_kinds`, of ratings numbers as words ("3.5"); "" is no answer. All were given blind.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import inf, sqrt

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vector = NDArray[np.float64]
# Two ratings agree if they are no farther apart.
CLOSE_RATINGS = 1.0


class JudgedItem(Struct, frozen=True):
    """One subject of a game. `people` are answers by person, `key` its adjudicated value, "" where there is none.

    `role` is "" for metrics that no role changes, `rule` the automatic value, "" where a metric has none.
    """

    metric: str
    role: str
    game: int
    rule: str
    people: Mapping[int, str]
    judge: str
    key: str = ""

    @property
    def targets(self) -> list[str]:
        """What an answer about the item is compared with: its key, else the answer of each person."""
        return [self.key] if self.key else list(self.people.values())

    def find_reference(self, *, is_rating: bool = False) -> str:
        """The key, else the majority of people, or the mean of their ratings; "" where a majority is tied."""
        if self.key or not self.people:
            return self.key
        if is_rating:
            return str(float(np.mean([float(value) for value in self.people.values()])))
        (value, count), *others = Counter(self.people.values()).most_common(2)
        return "" if others and others[0][1] == count else value


def share_agreeing(answer: str, others: Sequence[str], *, is_rating: bool = False) -> float:
    """The share of the other answers that are the same; of ratings, at most a point away."""
    if is_rating:
        return float(np.mean([abs(float(answer) - float(other)) <= CLOSE_RATINGS for other in others]))
    return sum(answer == other for other in others) / len(others)


def compute_error(values: Sequence[float], games: Iterable[Hashable]) -> float:
    """The standard error of the mean of values that depend on each other within games; with one game infinite.

    sqrt(G / (G - 1) sum_g (sum_i (v_i - mean))^2) / n, never less than s / sqrt(n): few games can be alike by chance.
    If every value has a game of its own, both are the same. Source: K.-Y. Liang, S. L. Zeger, Biometrika 73 (1986),
    13-22.
    """
    found = np.array(values, dtype=np.float64)
    sums: dict[Hashable, float] = defaultdict(float)
    for game, distance in zip(games, (found - found.mean()).tolist(), strict=True):
        sums[game] += distance
    count = len(sums)
    if count < 2:
        return inf
    within = sqrt(count / (count - 1) * sum(total * total for total in sums.values())) / len(found)
    return max(within, float(found.std(ddof=1)) / sqrt(len(found)))


def find_design_effect(values: Sequence[float], games: Iterable[Hashable]) -> float:
    """How many such values tell as much as one that depends on no other, from 1 to all of them.

    Source: L. Kish, Survey Sampling (1965), chapter 8.
    """
    alone = compute_error(values, range(len(values)))
    return min(float(len(values)), (compute_error(values, games) / alone) ** 2) if 0 < alone < inf else 1.0
