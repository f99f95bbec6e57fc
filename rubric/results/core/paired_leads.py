"""The first author of a set against each other author, over the comparisons that have responses of both."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from rubric.results.core.ranking_uncertainty import clip_gap
from rubric.results.core.whole_set import Item, Scored
from workspace.statistics.estimates import Interval
from workspace.statistics.means import exact_mean, student_t

PairedWord = Literal["ahead", "behind", "cannot_tell", "apart"]
LEAST_COMMON = 2


class PairedLead(Struct, frozen=True):
    """The lead of the first over a rival in their common comparisons, with the 95 % interval of the difference.

    `gap` is None without a common comparison, the interval with fewer than two.
    """

    rival: str
    gap: Fraction | None
    interval: Interval | None
    comparisons: int

    @property
    def word(self) -> PairedWord:
        """The leader, if the interval excludes 0; "apart" if they have no comparison in common."""
        if self.gap is None:
            return "apart"
        low, high = self.interval or (0, 0)
        if low > 0:
            return "ahead"
        return "behind" if high < 0 else "cannot_tell"


def compute_paired_leads(
    scored: Iterable[Scored], names: Mapping[Item, str], first: str, rivals: Sequence[str]
) -> list[PairedLead]:
    """The first against each rival; if one author has several responses to a question, their mean counts.

    Mean difference +/- t(.975, n - 1) s / sqrt(n) over n comparisons. The difficulty of a question cancels out in
    differences within it. Source: Student, Biometrika 6 (1908), 1-25.
    """
    means = _means_by_comparison(scored, names)
    own = means.get(first, {})
    return [_compare(rival, own, means.get(rival, {})) for rival in rivals]


def _compare(rival: str, own: Mapping[str, Fraction], theirs: Mapping[str, Fraction]) -> PairedLead:
    differences = [own[comparison] - theirs[comparison] for comparison in own if comparison in theirs]
    gap = exact_mean(differences)
    return PairedLead(rival, gap, _interval(differences), len(differences))


def _interval(differences: Sequence[Fraction]) -> Interval | None:
    count = len(differences)
    if count < LEAST_COMMON:
        return None
    values = [float(difference) for difference in differences]
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = student_t(count - 1) * math.sqrt(variance / count)
    return clip_gap(round(mean - half, 9), round(mean + half, 9))


def _means_by_comparison(
    scored: Iterable[Scored], names: Mapping[Item, str]
) -> dict[str, dict[str, Fraction]]:
    """Author -> comparison -> the mean of the values that count of their responses to it."""
    given: dict[str, dict[str, list[Fraction]]] = {}
    for score in scored:
        if score.mean is not None:
            by_comparison = given.setdefault(names[score.comparison, score.response], {})
            by_comparison.setdefault(score.comparison, []).append(score.mean)
    return {
        name: {comparison: sum(several, Fraction()) / len(several) for comparison, several in found.items()}
        for name, found in given.items()
    }
