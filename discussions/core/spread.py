"""How noisy a game is: the spread of scores within batches of games, pooled over all batches there are."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm, sqrt

from msgspec import Struct

from workspace.core.means import exact_mean, student_t

FEW_DF = 4


class Spread(Struct, frozen=True):
    """The pooled variance within batches and its degrees of freedom; None with 0 of them.

    A batch is what was played under one prompt. `batch_count` are the batches that told something: two games or more.
    """

    variance: float | None
    df: int
    batch_count: int

    @property
    def sd(self) -> float | None:
        """The standard deviation between games."""
        return None if self.variance is None else sqrt(self.variance)

    @property
    def warning(self) -> str:
        """A sentence when the spread rests on little; empty otherwise."""
        if not self.df:
            return "The spread between games is not known: no batch has two games."
        if self.df >= FEW_DF:
            return ""
        return f"SD from only {self.df} df: the spread between games rests on {self.df + self.batch_count} games."


def pooled_spread(batches: Iterable[Sequence[Fraction]]) -> Spread:
    """The sum of squares around each batch's own mean, divided by the games less one for each batch."""
    squares, df, count = Fraction(), 0, 0
    for batch in batches:
        if len(batch) < 2:
            continue
        squares += _squares(batch)
        df += len(batch) - 1
        count += 1
    return Spread(float(squares / df) if df else None, df, count)


def _squares(batch: Sequence[Fraction]) -> Fraction:
    """The sum of squares around the mean, n sum x^2 - (sum x)^2 over n, in whole numbers: fractions take ten times."""
    unit = lcm(*(score.denominator for score in batch))
    whole = [score.numerator * (unit // score.denominator) for score in batch]
    count = len(whole)
    return Fraction(count * sum(each * each for each in whole) - sum(whole) ** 2, count * unit * unit)


def interval_of_mean(scores: Sequence[Fraction], lowest: float, highest: float) -> tuple[float, float] | None:
    """The 95 % interval of the mean of games, from how much the games themselves differ; clipped to the scale.

    mean +/- t(.975, n - 1) s / sqrt(n). None with fewer than two games, or when all have one score. Messages of a game
    hang together, so pooling the messages of several games would promise far too much.
    """
    found = pooled_spread([scores])
    centre = exact_mean(scores)
    if centre is None or not found.sd:
        return None
    half = student_t(found.df) * found.sd / sqrt(len(scores))
    return max(lowest, float(centre) - half), min(highest, float(centre) + half)
