"""Intervals for a proportion: of the messages, references or players of one game, of answers to a survey."""

from math import sqrt


def wilson(numerator: int, denominator: int, z: float = 1.959963984540054) -> tuple[float, float] | None:
    """Wilson's interval in percent (95 % with the default z); None when there is nothing to count.

    Centre (p + z^2/2n) / (1 + z^2/n), half width z / (1 + z^2/n) * sqrt(p(1-p)/n + z^2/4n^2).
    Of a game it speaks of that game's messages only, not of other games. Source: E. B. Wilson, JASA 22 (1927), 209-212.
    """
    if denominator <= 0:
        return None
    share = numerator / denominator
    scale = 1 + z * z / denominator
    centre = (share + z * z / (2 * denominator)) / scale
    half = z / scale * sqrt(share * (1 - share) / denominator + z * z / (4 * denominator * denominator))
    return 100 * max(0.0, centre - half), 100 * min(1.0, centre + half)


def newcombe(
    numerator: int, denominator: int, other_numerator: int, other_denominator: int
) -> tuple[float, float] | None:
    """The 95 % interval of the difference of two independent shares, first less second, from -1 to 1.

    d - sqrt((p1 - l1)^2 + (u2 - p2)^2) to d + sqrt((u1 - p1)^2 + (p2 - l2)^2) with l and u the ends of Wilson's
    intervals; None when one of them has nothing to count. Source: R. G. Newcombe, Statistics in Medicine 17 (1998),
    873-890, method 10.
    """
    left, other = wilson(numerator, denominator), wilson(other_numerator, other_denominator)
    if left is None or other is None:
        return None
    first, second = numerator / denominator, other_numerator / other_denominator
    low = sqrt((first - left[0] / 100) ** 2 + (other[1] / 100 - second) ** 2)
    high = sqrt((left[1] / 100 - first) ** 2 + (second - other[0] / 100) ** 2)
    return max(-1.0, first - second - low), min(1.0, first - second + high)
