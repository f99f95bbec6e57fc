"""The first author of a set against each other author, over the comparisons that have responses of both."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rubric.results.core.ranking_uncertainty import LEAST_PANEL, clip_gap, compute_tail, tell_apart
from rubric.results.core.whole_set import Item, Scored
from workspace.statistics.estimates import Interval
from workspace.statistics.means import exact_mean, student_t

PairedWord = Literal["ahead", "behind", "cannot_tell", "apart"]
LEAST_COMMON = 2


class PairedLead(Struct, frozen=True):
    """The lead of the first over a rival in their common comparisons, with the 95 % interval of the difference.

    `gap` is None without a common comparison, the interval with fewer than two. `reviewers` judged in these;
    `is_certain` allows for all rivals, see `tell_apart`.
    """

    rival: str
    gap: Fraction | None
    interval: Interval | None
    comparisons: int
    reviewers: int = 0
    is_certain: bool = False

    @property
    def word(self) -> PairedWord:
        """The leader, if that is certain; "apart" if they have no comparison in common."""
        if self.gap is None:
            return "apart"
        if not self.is_certain:
            return "cannot_tell"
        return "ahead" if self.gap > 0 else "behind"


# By author and comparison: their responses to it whose values count.
_Given = dict[str, dict[str, list[Scored]]]


def compute_paired_leads(
    scored: Iterable[Scored],
    names: Mapping[Item, str],
    first: str,
    rivals: Sequence[str],
    rounding: float = 0.0,
) -> list[PairedLead]:
    """The first against each rival; if one author has several responses to a question, their mean counts.

    Mean difference +/- t(.975, n - 1) s / sqrt(n) over n comparisons, with the variance of rounding, once for each
    value (see `compute_rounding`). The difficulty of a question cancels out in differences within it. A lead is certain
    with three reviewers, and if it holds beside all other rivals. Source: Student, Biometrika 6 (1908), 1-25.
    """
    given: _Given = {}
    for score in scored:
        if score.values:
            by_comparison = given.setdefault(names[score.comparison, score.response], {})
            by_comparison.setdefault(score.comparison, []).append(score)
    compared = [_compare(rival, given.get(first, {}), given.get(rival, {}), rounding) for rival in rivals]
    certain = tell_apart([tail if lead.reviewers >= LEAST_PANEL else 1.0 for lead, tail in compared])
    return [
        replace(lead, is_certain=is_certain)
        for (lead, _tail), is_certain in zip(compared, certain, strict=True)
    ]


def _compare(
    rival: str, own: Mapping[str, list[Scored]], theirs: Mapping[str, list[Scored]], rounding: float
) -> tuple[PairedLead, float]:
    """The lead, not certain yet, and its two-sided p."""
    common = [(own[comparison], theirs[comparison]) for comparison in own if comparison in theirs]
    differences = [_mean(mine) - _mean(other) for mine, other in common]
    sides = [side for pair in common for side in pair]
    reviewers = len({name for side in sides for score in side for name in score.values})
    count, gap = len(differences), exact_mean(differences)
    if gap is None or count < LEAST_COMMON:
        return PairedLead(rival, gap, None, count, reviewers), 1.0
    values = [float(difference) for difference in differences]
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count
    # Of a mean of means, in variances of one value.
    weights = (sum(1 / len(score.values) for score in side) / len(side) ** 2 for side in sides)
    error = math.sqrt(variance + rounding * math.fsum(weights) / count**2)
    half = student_t(count - 1) * error
    interval = clip_gap(round(mean - half, 9), round(mean + half, 9))
    return PairedLead(rival, gap, interval, count, reviewers), compute_tail(mean, error, count - 1)


def _mean(responses: Sequence[Scored]) -> Fraction:
    return sum((score.mean or Fraction() for score in responses), Fraction()) / len(responses)
