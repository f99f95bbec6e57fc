"""The exact permutation test of two groups of scores."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import comb

from msgspec import Struct

MOST_ARRANGEMENTS = 200_000


class Permutation(Struct, frozen=True):
    """How probable a difference of means like this one is when the scores were dealt to the groups by chance.

    `second_higher` and `second_lower` are one-sided, at least as far in that direction; `either` is two-sided. They are
    None with a sentence as `reason` where they cannot be had.
    """

    second_higher: float | None
    second_lower: float | None
    either: float | None
    arrangements: int
    reason: str = ""


def permutation_test(first: Sequence[float | Decimal], second: Sequence[float | Decimal]) -> Permutation:
    """Exact p of the difference of means of two groups, over all ways to deal their scores to groups of these sizes.

    Scores are taken as the decimals that they print as, so that equal sums are equal. Source: R. A. Fisher, The Design
    of Experiments (1935), section 21; E. J. G. Pitman, Supplement to the JRSS 4 (1937), 119-130.
    """
    if not first or not second:
        return Permutation(
            None, None, None, 0, "One of the two groups has no score; the test needs one in each."
        )
    arrangements = comb(len(first) + len(second), len(second))
    if arrangements > MOST_ARRANGEMENTS:
        return Permutation(
            None,
            None,
            None,
            arrangements,
            f"{arrangements} ways to deal the scores are too many to count them all.",
        )
    try:
        scores = [Fraction(str(score)) for score in (*first, *second)]
    except ValueError:
        return Permutation(
            None, None, None, arrangements, "A score is not a finite number; correct it first."
        )
    return _counted(scores, len(second), arrangements)


def _counted(scores: list[Fraction], size: int, arrangements: int) -> Permutation:
    """The test from the number of ways in which each sum of the second group comes about."""
    ways: dict[tuple[int, Fraction], int] = {(0, Fraction(0)): 1}
    for score in scores:
        longer = defaultdict(int, ways)
        for (taken, total), count in ways.items():
            if taken < size:
                longer[taken + 1, total + score] += count
        ways = longer
    observed, centre = sum(scores[-size:], Fraction(0)), sum(scores) * Fraction(size, len(scores))
    higher = lower = either = 0
    for (taken, total), count in ways.items():
        if taken == size:
            higher += count * (total >= observed)
            lower += count * (total <= observed)
            either += count * (abs(total - centre) >= abs(observed - centre))
    return Permutation(higher / arrangements, lower / arrangements, either / arrangements, arrangements)
