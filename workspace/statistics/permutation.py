"""The exact permutation test of two groups of scores."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import comb, lcm

from msgspec import Struct

from workspace.core.words import say

# Twelve against twelve; the work grows with the square root of it.
MOST_ARRANGEMENTS = 3_000_000
Score = float | Decimal | Fraction


class Permutation(Struct, frozen=True):
    """How probable a difference of means like this one is if the scores were divided among the groups by chance.

    `second_higher` and `second_lower` are one-sided, at least as far in that direction; `either` is two-sided. Where
    they cannot be computed, they are None and `reason` is a sentence.
    """

    second_higher: float | None
    second_lower: float | None
    either: float | None
    arrangements: int
    reason: str = ""


def permutation_test(first: Sequence[Score], second: Sequence[Score]) -> Permutation:
    """Exact p of the difference of means of two groups, over all divisions into groups of these sizes.

    Scores are taken as the decimals that they print as, so that equal sums are equal. Source: R. A. Fisher, The Design
    of Experiments (1935), section 21; E. J. G. Pitman, Supplement to the JRSS 4 (1937), 119-130.
    """
    arrangements = comb(len(first) + len(second), len(second)) if first and second else 0
    reason = ""
    if not arrangements:
        reason = say("One of the two groups has no score; the test needs one in each.")
    elif arrangements > MOST_ARRANGEMENTS:
        reason = say(
            "{count} ways to distribute the scores are too many to count them all.", count=arrangements
        )
    else:
        try:
            return _counted([Fraction(str(score)) for score in (*first, *second)], len(second), arrangements)
        except ValueError:
            reason = say("A score is not a finite number; correct it first.")
    return Permutation(None, None, None, arrangements, reason)


def _counted(scores: list[Fraction], size: int, arrangements: int) -> Permutation:
    """The test in integers: how many choices of the second group give a sum at least as extreme as the observed one."""
    unit = lcm(*(score.denominator for score in scores))
    whole = [score.numerator * (unit // score.denominator) for score in scores]
    observed, count = sum(whole[-size:]), len(whole)
    centre = sum(whole) * size
    far = abs(observed * count - centre)
    at_least = _counter(whole, size)
    higher, lower = at_least(observed), arrangements - at_least(observed + 1)
    either = arrangements
    if far:
        either = at_least(-(-(centre + far) // count)) + arrangements - at_least((centre - far) // count + 1)
    return Permutation(higher / arrangements, lower / arrangements, either / arrangements, arrangements)


def _counter(whole: list[int], size: int) -> Callable[[int], int]:
    """How many ways to choose `size` numbers have a sum of at least a bound.

    The numbers are cut in two halves, the sums of each half sorted, and the sums of one half are looked up in the
    other. Where fewer numbers are left over than chosen, choices of those left over are counted instead.
    """
    left_over = len(whole) - size
    if left_over < size:
        others = _counter(whole, left_over)
        total, ways = sum(whole), comb(len(whole), size)
        return lambda bound: ways - others(total - bound + 1)
    half = len(whole) // 2
    first, second = _sums(whole[:half], size), _sums(whole[half:], size)

    def at_least(bound: int) -> int:
        return sum(
            len(rest) - bisect_left(rest, bound - total)
            for taken, rest in enumerate(reversed(second))
            for total in first[taken]
        )

    return at_least


def _sums(whole: list[int], most: int) -> list[list[int]]:
    """The sums of all ways to choose none, one and so on up to `most` of the numbers, each list sorted."""
    sums: list[list[int]] = [[0], *([] for _ in range(most))]
    for number in whole:
        for taken in range(most, 0, -1):
            sums[taken] += [total + number for total in sums[taken - 1]]
    return [sorted(several) for several in sums]
