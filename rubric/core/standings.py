"""How sure the ranking of one comparison is: intervals of means, and what the first's lead is worth."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from msgspec import Struct

from rubric.core.agreement.estimates import Interval
from rubric.core.agreement.ratings import Matrix
from rubric.core.records import HIGHEST, LOWEST
from rubric.core.sensitivity import Edge, Flip, edges, flips
from rubric.core.success.resampling import means_of, resamples
from rubric.core.success.rows import Row
from rubric.core.weights import exact
from workspace.core.means import jackknife_error, student_t

Values = Mapping[str, Mapping[str, Fraction]]
Shares = Mapping[str, Fraction]
Means = Mapping[str, Mapping[str, Fraction]]

Word = Literal["level", "one_reviewer", "tie", "ahead"]


class Lead(Struct, frozen=True):
    """By how much the first response leads a rival, and what that is worth.

    `gap` is the difference of their means. `chance` is how often the first is ahead when the reviewers are drawn anew,
    draws where both are level counting half; `noise` is half the 95 % interval of the gap over the `reviewers` who
    judged either, None when one of them alone carries a mean.
    """

    rival: str
    gap: Fraction
    reviewers: int
    chance: float | None
    noise: float | None

    @property
    def word(self) -> Word:
        """What to call it: a gap that is not larger than reviewers differ by is a tie."""
        if self.gap == 0:
            return "level"
        if self.noise is None:
            return "one_reviewer"
        return "tie" if self.gap <= self.noise else "ahead"


class Move(Struct, frozen=True):
    """The smallest move of weight that brings a rival level: from which criteria how much, to which one.

    `amount` is None when no weights do it, 0 when both are level already.
    """

    rival: str
    amount: Fraction | None
    is_fragile: bool
    takes: dict[str, Fraction]
    gives: str


class Hold(Struct, frozen=True):
    """Between which values of one weight the first stays first, all others scaled; and who draws level at each end."""

    criterion: str
    weight: Fraction
    low: Fraction | None = None
    low_rival: str = ""
    high: Fraction | None = None
    high_rival: str = ""


def mean_interval(values: Iterable[Fraction]) -> Interval | None:
    """The 95 % interval of a mean across reviewers, within 1 to 10; None for fewer than two values.

    mean +/- t(.975, n - 1) s / sqrt(n). Source: Student, Biometrika 6 (1908), 1-25.
    """
    given = [float(value) for value in values]
    half = _half_width(given)
    if half is None:
        return None
    mean = math.fsum(given) / len(given)
    return max(float(LOWEST), mean - half), min(float(HIGHEST), mean + half)


def leads(values: Values, first: str, rivals: Sequence[str], *, seed: int = 0) -> list[Lead]:
    """The first's lead over each rival, from the values that count by reviewer and response.

    The interval is the jackknife's over reviewers, with Student's t: where everybody judged both it is that of the mean
    difference. Source: R. G. Miller, Biometrika 61 (1974), 1-15.
    """
    reviewers = sorted(values)
    table = np.array([
        [float(values[one][key]) if key in values[one] else np.nan for one in reviewers] for key in (first, *rivals)
    ])  # fmt: skip
    counts, shares = resamples(len(reviewers), seed=seed)
    drawn = means_of(table, counts)
    left_out = means_of(table, 1 - np.eye(len(reviewers)))
    own = _mean(each[first] for each in values.values() if first in each)
    found = []
    for at, rival in enumerate(rivals, start=1):
        judged = np.isfinite(table[[0, at]]).any(axis=0)
        gap = own - _mean(each[rival] for each in values.values() if rival in each)
        chance = _chance(drawn[:, 0] - drawn[:, at], shares) if len(reviewers) > 1 else None
        noise = _noise((left_out[:, 0] - left_out[:, at])[judged])
        found.append(Lead(rival, gap, int(judged.sum()), chance, noise))
    return found


def criterion_means(rows: Iterable[Row], shares: Shares) -> dict[str, dict[str, Fraction]]:
    """Each response's mean score by criterion, over complete rows that are not the reviewer's own."""
    given: dict[str, list[Mapping[str, float]]] = {}
    for row in rows:
        if not row.is_own and shares.keys() <= row.scores.keys():
            given.setdefault(row.response, []).append(row.scores)
    return {
        response: {key: _mean(exact(scores[key]) for scores in several) for key in shares}
        for response, several in given.items()
    }


def moves(means: Means, shares: Shares, winner: str) -> list[Move]:
    """What it takes for each rival to draw level with the winner, the nearest first; [] when it has no complete row."""
    return [_move(flip, shares) for flip in flips(means, shares).get(winner, [])]


def holds(means: Means, shares: Shares, winner: str) -> list[Hold]:
    """For each weight between which values the winner stays first against all others."""
    rivals = {key: edges(means[winner], given, shares) for key, given in means.items() if key != winner}
    return [_hold(key, share, [(rival, found[at]) for rival, found in rivals.items()])
            for at, (key, share) in enumerate(shares.items())]  # fmt: skip


def _hold(key: str, share: Fraction, found: Sequence[tuple[str, Edge]]) -> Hold:
    lows = [(edge.below, rival) for rival, edge in found if edge.below is not None]
    highs = [(edge.above, rival) for rival, edge in found if edge.above is not None]
    low, low_rival = max(lows, key=lambda pair: pair[0], default=(None, ""))
    high, high_rival = min(highs, key=lambda pair: pair[0], default=(None, ""))
    return Hold(key, share, low, low_rival, high, high_rival)


def _move(flip: Flip, shares: Shares) -> Move:
    after = flip.weights or {}
    takes = {key: shares[key] - after[key] for key in after if after[key] < shares[key]}
    gives = next((key for key in after if after[key] > shares[key]), "")
    return Move(flip.rival, flip.move, flip.is_fragile, takes, gives)


def _chance(ahead: Matrix, shares: Matrix) -> float | None:
    """The share of draws in which it is above 0; draws without one of the two do not count."""
    defined = np.isfinite(ahead)
    whole = float(shares[defined].sum())
    won = (ahead > 0) + 0.5 * (ahead == 0)
    return float(won[defined] @ shares[defined]) / whole if whole > 0 else None


def _half_width(values: Sequence[float]) -> float | None:
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    error = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count)
    return round(student_t(count - 1) * error, 9)


def _noise(without: Matrix) -> float | None:
    """Half the interval of a gap from the gaps without each reviewer in turn; None when one of those is undefined."""
    count = len(without)
    if count < 2 or not np.isfinite(without).all():
        return None
    return round(student_t(count - 1) * jackknife_error(without), 6)


def _mean(values: Iterable[Fraction]) -> Fraction:
    several = list(values)
    return sum(several, Fraction()) / len(several)
