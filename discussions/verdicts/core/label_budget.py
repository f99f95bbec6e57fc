"""How many more answers make an open metric clear."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np
from msgspec.structs import replace

from discussions.verdicts.core.people_estimate import OPEN_LEVEL, holds_threshold
from workspace.statistics.proportions import JudgedStratum, predict_share

LIKELY = 0.8


@lru_cache(maxsize=1024)
def find_label_budget(
    strata: tuple[JudgedStratum, ...], threshold: float, batch: int
) -> tuple[int, int] | None:
    """The answers that an open metric needs if they are asked for in batches until it is clear; None where it is clear.

    So many decide it with the probability LIKELY, and so many always.
    Messages are drawn at random from the stratum with the most unjudged ones. The answers of a batch have the
    beta-binomial distribution that follows from those before it (see `predict_share`). The metric is clear once its
    90 % interval no longer holds the threshold.
    """
    if not holds_threshold(strata, threshold, OPEN_LEVEL):
        return None
    place = max(range(len(strata)), key=lambda at: strata[at].unjudged)
    stratum, likely = strata[place], 0
    # The probability of each number of positive answers so far, while the metric is open.
    chances, asked = np.ones(1), 0
    while asked < stratum.unjudged:
        more = min(batch, stratum.unjudged - asked)
        chances, asked = _add_batch(chances, stratum, asked, more), asked + more
        first, last = _find_open_counts(strata, place, threshold, asked)
        chances[:first] = chances[last:] = 0
        if not likely and chances.sum() <= 1 - LIKELY:
            likely = asked
        if first >= last:
            break
    return likely or asked, asked


def _add_batch(
    chances: "np.ndarray[tuple[int], np.dtype[np.float64]]", stratum: JudgedStratum, asked: int, more: int
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The probabilities of the numbers of positive answers after `more` further ones."""
    counts = np.arange(len(chances))
    yes = stratum.sampled_positive + 0.5 + counts
    no = stratum.sampled - stratum.sampled_positive + 0.5 + asked - counts
    after = np.zeros(len(chances) + more)
    for positive in range(more + 1):
        factors = [yes + step for step in range(positive)] + [no + step for step in range(more - positive)]
        scale = [yes + no + step for step in range(more)]
        share = np.prod([up / down for up, down in zip(factors, scale, strict=True)], axis=0)
        after[positive : positive + len(chances)] += comb(more, positive) * share * chances
    return after


def _find_open_counts(
    strata: Sequence[JudgedStratum], place: int, threshold: float, asked: int
) -> tuple[int, int]:
    """The numbers of positive answers, from the first to before the last, that leave the metric open.

    The interval rises with the number, so the open ones follow one another.
    """

    def find_interval(positive: int) -> tuple[float, float]:
        _share, low, high = predict_share(_add(strata, place, asked, positive), OPEN_LEVEL)
        return low, high

    counts = range(asked + 1)
    first = bisect_left(counts, True, key=lambda positive: find_interval(positive)[1] >= threshold)
    last = bisect_left(counts, True, key=lambda positive: find_interval(positive)[0] >= threshold)
    is_finished = strata[place].unjudged == asked
    return (0, 0) if is_finished else (first, last)


def _add(strata: Sequence[JudgedStratum], place: int, asked: int, positive: int) -> list[JudgedStratum]:
    after = list(strata)
    stratum = strata[place]
    after[place] = replace(
        stratum,
        judged=stratum.judged + asked,
        positive=stratum.positive + positive,
        sampled=stratum.sampled + asked,
        sampled_positive=stratum.sampled_positive + positive,
        unjudged=stratum.unjudged - asked,
    )
    return after
