"""The first success metric: do reviewers differ less on the criteria than on the holistic score?

Read literally, this is a ratio of variances, which a weighted mean of several scores passes by arithmetic alone. So the
report also has reliability, the part of the variance of scores that comes from the responses. Averaging alone does not
raise it. But whole numbers lower it, and a mean of several scores loses less by them than one score. So overalls are
also rounded to the steps of the holistic scores, and what holds or fails does so with both.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from rubric.core.scales import HIGHEST, LOWEST
from rubric.reviews.core.score_rows import (
    Ratings,
    ReviewRow,
    Weights,
    comparable,
    find_grid,
    list_tables,
    on_grid,
    overalls,
    ratings,
    sort_rows,
)
from workspace.core.words import mark, say
from workspace.statistics import conclusions
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.estimates import LEAST_FOR_INTERVAL, Agreement, Interval, jackknife_t
from workspace.statistics.intraclass import compute_icc
from workspace.statistics.ratings import Matrix

MARGIN = 0.05
RATIO_EFFECT = 0.1
_ALPHA_WORDS = mark("{margin:g} of alpha")
_RATIO_WORDS = mark("{effect:g} of the ratio")
_NO_BOTH = mark("No row has all criteria and a holistic score, so the two cannot be compared.")
_NOBODY_TWICE = mark("No response has scores by two reviewers.")

# Squares within responses and their degrees of freedom, by comparison.
_Sums = tuple[Matrix, Matrix]
_alpha = partial(krippendorff_alpha, level="interval", with_interval=False)
_icc = partial(compute_icc, form="2,1", with_interval=False)


class ScoreSpread(Struct, frozen=True):
    """How one kind of score varies: `variance` within responses, its `ratio` to that of the holistic score.

    `at_floor` and `at_ceiling` are the shares of scores at the lowest and the highest of their scale: if all scores are
    there, nothing varies and there is no result. `key` is the criterion's, "" for the overall and the holistic score.
    """

    key: str
    variance: conclusions.Figure
    ratio: conclusions.Figure
    icc: conclusions.Figure
    alpha: conclusions.Figure
    at_floor: float | None
    at_ceiling: float | None


class VarianceReport(Struct, frozen=True):
    """The literal ratio (mean variance of the criteria to that of the holistic score), and the difference of alphas.

    `on_grid` is the overall rounded to the `grid_size` steps of the holistic scores, `difference_on_grid` that of its
    alpha; the conclusion needs both differences.
    """

    criteria: list[ScoreSpread]
    overall: ScoreSpread
    on_grid: ScoreSpread
    holistic: ScoreSpread
    grid_size: int
    literal: conclusions.Figure
    literal_conclusion: conclusions.Conclusion
    difference: conclusions.Figure
    difference_on_grid: conclusions.Figure
    conclusion: conclusions.Conclusion


def variance_report(rows: Sequence[ReviewRow], weights: Weights) -> VarianceReport:
    """Variance between reviewers and reliability, of criteria, overall and holistic score.

    Variance: sum of squares within responses by the sum of (reviewers - 1), over responses with two reviewers or more.
    ICC(2,1) and interval alpha over responses, intervals by jackknife over comparisons. Sources: Shrout and Fleiss
    (1979), Henderson (1953); Krippendorff (2011); R. G. Miller, Biometrika 61 (1974), 1-15.
    """
    scored, holistic = comparable(sort_rows(rows), weights)
    is_paired = scored == holistic and bool(scored)
    *tables, whole, single = list_tables(scored, holistic, weights)
    reference, grid = _sums(single) if is_paired else None, find_grid(holistic)
    literal = _ratio([_sums(table) for table in tables], reference, whole)
    values = overalls(scored, weights)
    coarse = ratings(scored, lambda row: on_grid(float(values[row.item, row.reviewer]), grid))
    difference, rounded = (
        _difference(table, single) if is_paired else conclusions.Figure(None, reason=say(_NO_BOTH))
        for table in (whole, coarse)
    )
    return VarianceReport(
        criteria=[_spread(key, table, reference) for key, table in zip(weights, tables, strict=True)],
        overall=_spread("", whole, reference),
        on_grid=_spread("", coarse, reference),
        holistic=_spread("", single, None),
        grid_size=len(grid),
        literal=literal,
        literal_conclusion=_literal_conclusion(literal),
        difference=difference,
        difference_on_grid=rounded,
        conclusion=_conclusion(difference, rounded),
    )


def _spread(key: str, table: Ratings, reference: _Sums | None) -> ScoreSpread:
    sums, found = _sums(table), table.values[~np.isnan(table.values)]
    squares, freedom = sums[0].sum(), sums[1].sum()
    nobody = conclusions.Figure(None, reason=say(_NOBODY_TWICE))
    variance = _figure(table, float(squares / freedom)) if freedom else nobody
    return ScoreSpread(
        key=key,
        variance=variance,
        ratio=_ratio([sums], reference, table),
        icc=_jackknifed(table, _icc),
        alpha=_jackknifed(table, _alpha),
        at_floor=float((found == LOWEST).mean()) if len(found) else None,
        at_ceiling=float((found == HIGHEST).mean()) if len(found) else None,
    )


def _sums(table: Ratings) -> _Sums:
    counts = (~np.isnan(table.values)).sum(axis=1)
    two = counts >= 2
    values, comparison_index = table.values[two], table.comparison_index[two]
    squares = np.square(values - np.nanmean(values, axis=1, keepdims=True)) if len(values) else values

    def of_comparison(figures: Matrix) -> Matrix:
        sums = np.bincount(comparison_index, figures, minlength=len(table.comparisons))
        return np.asarray(sums, dtype=np.float64)

    return of_comparison(np.nansum(squares, axis=1)), of_comparison(counts[two] - 1.0)


def _ratio(parts: Sequence[_Sums], reference: _Sums | None, table: Ratings) -> conclusions.Figure:
    """The ratio of the mean of the parts' variances to the reference's variance; all over the same rows."""
    if reference is None:
        return conclusions.Figure(None, reason=say(_NO_BOTH))
    squares, freedom = reference
    if not parts or not freedom.sum():
        return conclusions.Figure(None, reason=say(_NOBODY_TWICE))
    used = freedom > 0
    above = np.mean([part for part, _ in parts], axis=0)[used]
    below, count = squares[used], int(used.sum())
    if not below.sum():
        return conclusions.Figure(
            None, reason=say("All reviewers gave the same holistic scores, so nothing can be lower.")
        )
    value, few = float(above.sum() / below.sum()), conclusions.too_few(count)
    if few:
        return _figure(table, value, None, few, count)
    counts = conclusions.drawn_counts(count)
    drawn = counts @ below
    ratios = np.where(drawn > 0, counts @ above / np.where(drawn > 0, drawn, 1), np.nan)
    interval = conclusions.percentile_interval(ratios, count)
    lacking = "" if interval else say("Too many resamples have no variance of the holistic score.")
    return _figure(table, value, interval, lacking, count)


def _jackknifed(table: Ratings, statistic: Callable[[Matrix], Agreement]) -> conclusions.Figure:
    found = statistic(table.values)
    if found.value is None:
        return conclusions.Figure(None, reason=found.reason, interval_reason=found.reason)
    size = len(table.comparisons)
    if size < LEAST_FOR_INTERVAL:
        few = say(
            "An interval needs at least {least_for_interval} comparisons; there are {size}.",
            least_for_interval=LEAST_FOR_INTERVAL,
            size=size,
        )
        return _figure(table, found.value, None, few)
    return _figure(table, found.value, *jackknife_t(found.value, _without_each(table, statistic)))


def _difference(whole: Ratings, single: Ratings) -> conclusions.Figure:
    """Alpha of the overall minus alpha of the holistic score; interval by jackknife over comparisons."""
    first, second = _alpha(whole.values), _alpha(single.values)
    if first.value is None or second.value is None:
        reason = first.reason or second.reason
        return conclusions.Figure(None, reason=reason, interval_reason=reason)
    value, few = first.value - second.value, conclusions.too_few(len(whole.comparisons))
    if few:
        return _figure(whole, value, None, few)
    without = _without_each(whole, _alpha) - _without_each(single, _alpha)
    return _figure(whole, value, *jackknife_t(value, without, may_be_exact=True))


def _without_each(table: Ratings, statistic: Callable[[Matrix], Agreement]) -> Matrix:
    kept = (statistic(table.values[table.comparison_index != at]) for at in range(len(table.comparisons)))
    return np.array([np.nan if found.value is None else found.value for found in kept])


def _figure(
    table: Ratings, value: float, interval: Interval | None = None, reason: str = "", count: int | None = None
) -> conclusions.Figure:
    """A figure of `count` comparisons, by default all of the table; without an interval `reason` says why."""
    comparisons = len(table.comparisons) if count is None else count
    rows = int((~np.isnan(table.values)).sum())
    return conclusions.Figure(value, interval, comparisons, len(table.items), rows, interval_reason=reason)


def _literal_conclusion(ratio: conclusions.Figure) -> conclusions.Conclusion:
    count = ratio.comparisons
    if ratio.interval is None:
        return conclusions.without_interval(ratio)
    needed = conclusions.needed_count(count, ratio.interval, RATIO_EFFECT)
    small = conclusions.small_note(
        ratio.interval, RATIO_EFFECT, say(_RATIO_WORDS, effect=RATIO_EFFECT), centre=1
    )
    if ratio.interval[1] < 1:
        said = say("Reviewers vary less on the criteria than on the holistic score.{small}", small=small)
        return conclusions.Conclusion("holds", said, count, needed)
    if ratio.interval[0] > 1:
        said = say("Reviewers vary more on the criteria than on the holistic score.{small}", small=small)
        return conclusions.Conclusion("fails", said, count, needed)
    if conclusions.is_inside(ratio.interval, RATIO_EFFECT, centre=1):
        return conclusions.no_difference(count, say(_RATIO_WORDS, effect=RATIO_EFFECT), needed)
    return conclusions.cannot_tell(count, say("the interval of the ratio holds 1."), needed)


def _conclusion(difference: conclusions.Figure, rounded: conclusions.Figure) -> conclusions.Conclusion:
    """The conclusion from both differences: the ends that are nearer to none decide."""
    count = difference.comparisons
    if difference.interval is None:
        return conclusions.without_interval(difference)
    if rounded.interval is None:
        return conclusions.without_interval(rounded)
    lows, highs = zip(difference.interval, rounded.interval, strict=True)
    low, high = min(lows), max(highs)
    needed = conclusions.needed_count(
        count, max(difference.interval, rounded.interval, key=lambda ends: ends[1] - ends[0]), MARGIN
    )
    small = conclusions.small_note((low, high), MARGIN, say(_ALPHA_WORDS, margin=MARGIN))
    if low > 0:
        said = say("The overall is more reliable than the holistic score.{small}", small=small)
        return conclusions.Conclusion("holds", said, count, needed)
    if high < 0:
        said = say("The overall is less reliable than the holistic score.{small}", small=small)
        return conclusions.Conclusion("fails", said, count, needed)
    if conclusions.is_inside((low, high), MARGIN):
        return conclusions.no_difference(count, say(_ALPHA_WORDS, margin=MARGIN), needed)
    if low > -MARGIN:
        said = say(
            "The overall is not less reliable than the holistic score by {margin:g} or more.", margin=MARGIN
        )
        return conclusions.Conclusion("not_worse", said, count, needed)
    if difference.interval[0] > 0 or difference.interval[1] < 0:
        return conclusions.cannot_tell(
            count, say("the difference of alphas may come from rounding alone."), needed
        )
    return conclusions.cannot_tell(
        count, say("the interval of the difference of alphas is too wide."), needed
    )
