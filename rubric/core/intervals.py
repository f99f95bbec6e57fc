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
