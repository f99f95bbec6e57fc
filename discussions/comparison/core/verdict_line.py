"""The first line on a comparison: a word and an interval that can never contradict each other.

The answer comes from the shrunken difference, the interval from the raw one, so either can be the more cautious. The
word follows the more cautious of the two.
"""

from msgspec import Struct

from discussions.comparison.core.difference import (
    IMPROVED,
    SAME,
    TAIL,
    WORSE,
    Difference,
    get_standard_error,
)

# Improved or worse: certain if the 95 % interval agrees and P(true difference > 0) is beyond .99, else likely.
CERTAIN = "certain"
LIKELY = "likely"
# Can't tell yet, or no material difference, although the interval is on one side of 0.
PERHAPS = "perhaps"
PERHAPS_SMALL = "perhaps, but small"
# No material difference: the interval lies within the material difference, or extends beyond it.
NO_DIFFERENCE = "no difference"
PROBABLY_NO_DIFFERENCE = "probably no difference"
OPEN = "open"
ALMOST_CERTAIN = 0.99


class VerdictLine(Struct, frozen=True):
    """The word (`kind`), its direction, and the unshrunken interval of the judged difference that is shown next to it.

    `interval` is None if the spread is unknown; `percent` is its level, 95, or 90 if only that interval lies on the
    side of the answer. The first four kinds have an interval on one side of 0, the side of `is_better`; `NO_DIFFERENCE`
    has one within the material difference; the others have one that contains 0.
    """

    kind: str
    is_better: bool
    interval: tuple[float, float] | None
    percent: int = 95


def choose_verdict_line(found: Difference) -> VerdictLine:
    is_better = (found.judged or 0) > 0
    posterior = found.posterior
    if posterior is None:
        return VerdictLine(NO_DIFFERENCE if found.answer == SAME else OPEN, is_better, None)
    low, high = posterior.interval
    has_side = low > 0 or high < 0
    if found.answer in (IMPROVED, WORSE):
        chance = posterior.higher if is_better else 1 - posterior.higher
        if not has_side:
            return VerdictLine(LIKELY, is_better, narrow_interval(found), 90)
        return VerdictLine(CERTAIN if chance > ALMOST_CERTAIN else LIKELY, is_better, (low, high))
    if found.answer == SAME and -found.material < low and high < found.material:
        return VerdictLine(NO_DIFFERENCE, is_better, (low, high))
    if has_side:
        return VerdictLine(PERHAPS_SMALL if found.answer == SAME else PERHAPS, is_better, (low, high))
    return VerdictLine(PROBABLY_NO_DIFFERENCE if found.answer == SAME else OPEN, is_better, (low, high))


def narrow_interval(found: Difference) -> tuple[float, float] | None:
    """The 90 % interval of the raw difference; None without a spread.

    It lies on one side of 0 whenever the answer is improved or worse: the shrunken difference has the same t with a
    factor below 1, and has to pass the same 95th percentile.
    """
    from scipy.special import stdtrit

    error = get_standard_error(found)
    if found.posterior is None or found.judged is None or error is None:
        return None
    half = float(stdtrit(found.spread.df, 1 - TAIL)) * error
    low, high = found.posterior.interval
    return max(low, found.judged - half), min(high, found.judged + half)


def is_prior_in_conflict(found: Difference) -> bool:
    """Whether the shrunken difference lies outside the interval of the raw one: the games and the prior disagree.

    Source: M. Evans, H. Moshonov, Bayesian Analysis 1 (2006), 893-914, on checking for prior-data conflict.
    """
    if found.posterior is None:
        return False
    low, high = found.posterior.interval
    return not low <= found.posterior.shrunken <= high
