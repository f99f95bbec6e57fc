"""The second success metric: are rankings more stable by the overall than by the holistic score?

tau-b ignores ties and so favours the coarser scale; tau-a counts them as no agreement and so favours the finer one. So
overalls are first rounded to the steps of the holistic scores, on any scale, and tau-a and tau-b have to agree.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
from msgspec import Struct

from rubric.reviewer_statistics.core.agreement import LEAST_RESPONSES, concordance
from rubric.reviews.core.score_rows import (
    Ratings,
    ReviewRow,
    Weights,
    comparable,
    find_grid,
    on_grid,
    overalls,
    ratings,
    sort_rows,
)
from workspace.core.words import mark, say
from workspace.statistics import conclusions
from workspace.statistics.rankings import Variant
from workspace.statistics.ratings import Matrix

EFFECT = 0.1
# Scores of another scale have no short decimals on 1 to 10.
_PLACES = 9
_TAU_WORDS = mark("{effect:g} of tau")
_NO_TAU = mark("No comparison has three responses ranked by two reviewers who tell them apart.")
_NO_WINNER = mark("No comparison has two responses judged by two reviewers.")
_NO_GRID = mark("No row has a holistic score, so there is nothing to round to.")
_NO_BOTH = mark("No row has all criteria and a holistic score, so the two cannot be compared.")
_NAMES = ("tau_b", "tau_a", "w", "resampled_tau", "same_winner", "left_out_winner", "tied_share")


class Rankings(Struct, frozen=True):
    """How stable rankings by one kind of score are, mean over comparisons.

    `tau_b` and `tau_a` are between reviewers, `w` is Kendall's W. `resampled_tau` is the tau of resampled reviewers
    with the whole panel, `same_winner` the share of resamples with the same winner. `left_out_winner` is the share of
    comparisons in which the winner stays whichever reviewer is left out, `tied_share` the share of a reviewer's pairs
    of responses that are tied. `questions` counts all comparisons with such scores.
    """

    tau_b: conclusions.Figure
    tau_a: conclusions.Figure
    w: conclusions.Figure
    resampled_tau: conclusions.Figure
    same_winner: conclusions.Figure
    left_out_winner: conclusions.Figure
    tied_share: conclusions.Figure
    questions: int


class StabilityReport(Struct, frozen=True):
    """Rankings by the overall, by the overall rounded to the grid of holistic scores, and by holistic scores.

    `literal` is the difference of tau-b with unrounded overalls; `difference` and `difference_tau_a` are those on the
    same grid, paired by comparison. `grid_size` counts the scores of the grid.
    """

    overall: Rankings
    on_grid: Rankings
    holistic: Rankings
    grid_size: int
    literal: conclusions.Figure
    literal_conclusion: conclusions.Conclusion
    difference: conclusions.Figure
    difference_tau_a: conclusions.Figure
    difference_winner: conclusions.Figure
    conclusion: conclusions.Conclusion


def stability_report(rows: Sequence[ReviewRow], weights: Weights) -> StabilityReport:
    """Stability of rankings by overall and holistic score, over the rows that have both.

    Source: M. G. Kendall, Biometrika 33 (1945), 239-251 (tau); Rank Correlation Methods (1970), chapter 6 (W);
    intervals by percentile bootstrap over comparisons, Efron (1979). Taus and W need at least three responses and two
    reviewers.
    """
    scored, holistic = comparable(sort_rows(rows), weights)
    is_paired = scored == holistic and bool(scored)
    values = overalls(scored, weights)
    grid = find_grid(holistic)
    whole = ratings(scored, lambda row: _rounded(values.get((row.item, row.reviewer))))
    coarse = ratings(scored, lambda row: on_grid(_rounded(values.get((row.item, row.reviewer))), grid))
    single = ratings(holistic, lambda row: row.holistic)
    found = [_by_comparison(table) for table in (whole, coarse, single)]
    pairs = [found[0] - found[2], found[1] - found[2]] if is_paired else []

    def paired(which: int, name: str) -> conclusions.Figure:
        if not pairs:
            return conclusions.Figure(None, reason=say(_NO_BOTH), interval_reason=say(_NO_BOTH))
        return _figure(pairs[which][:, _NAMES.index(name)], name, single)

    literal, difference, by_tau_a = paired(0, "tau_b"), paired(1, "tau_b"), paired(1, "tau_a")
    return StabilityReport(
        overall=_rankings(found[0], whole),
        on_grid=_rankings(found[1], coarse, reason="" if grid else say(_NO_GRID)),
        holistic=_rankings(found[2], single),
        grid_size=len(grid),
        literal=literal,
        literal_conclusion=_conclusion(literal, literal),
        difference=difference,
        difference_tau_a=by_tau_a,
        difference_winner=paired(1, "same_winner"),
        conclusion=_conclusion(difference, by_tau_a),
    )


def _rounded(value: Fraction | None) -> float | None:
    return None if value is None else round(float(value), _PLACES)


def _by_comparison(table: Ratings) -> Matrix:
    """Comparisons x the seven numbers of `_NAMES`, NaN where undefined."""
    tables = [table.values[table.comparison_index == at] for at in range(len(table.comparisons))]
    return np.array([_stability(values) for values in tables]).reshape(len(tables), len(_NAMES))


def _stability(values: Matrix) -> list[float]:
    values = values[:, ~np.isnan(values).all(axis=0)]
    responses, reviewers = values.shape
    if min(values.shape) < 2:
        return [np.nan] * len(_NAMES)
    counts, shares = resamples(reviewers)
    full = compute_means(values, np.ones((1, reviewers)))[0]
    drawn = compute_means(values, counts)
    left = compute_means(values, 1 - np.eye(reviewers))
    same = weighted_mean(winner_kept(full, drawn), shares)
    winners = [same, float(winner_kept(full, left).min()), _tied(values)]
    if responses < LEAST_RESPONSES:
        return [np.nan] * 4 + winners
    taus = [mean_tau(values, variant="b"), mean_tau(values, variant="a"), concordance(values)]
    return [*taus, weighted_mean(taus_with(full, drawn), shares), *winners]


def _tied(values: Matrix) -> float:
    """The share of pairs of responses that a reviewer who scored both has tied."""
    first, second = np.triu_indices(len(values), 1)
    apart = values[first] - values[second]
    count = int((~np.isnan(apart)).sum())
    return float((apart == 0).sum() / count) if count else float("nan")


def _rankings(found: Matrix, table: Ratings, *, reason: str = "") -> Rankings:
    figures = {name: _figure(found[:, at], name, table, reason) for at, name in enumerate(_NAMES)}
    return Rankings(questions=len(table.comparisons), **figures)


def _figure(values: Matrix, name: str, table: Ratings, reason: str = "") -> conclusions.Figure:
    """The mean over comparisons; `reason` says why there is none, if that is known."""
    used = np.isfinite(values)[table.comparison_index]
    rows = int((~np.isnan(table.values[used])).sum())
    usual = say(_NO_WINNER) if name.endswith(("winner", "share")) else say(_NO_TAU)
    return conclusions.mean_figure(values, responses=int(used.sum()), rows=rows, reason=reason or usual)


def _conclusion(difference: conclusions.Figure, by_tau_a: conclusions.Figure) -> conclusions.Conclusion:
    """The conclusion from both differences; one kind of score is more stable only if they agree."""
    count = difference.comparisons
    if difference.interval is None or by_tau_a.value is None:
        return conclusions.without_interval(difference)
    needed = conclusions.needed_count(count, difference.interval, EFFECT)
    low, high = difference.interval
    small = conclusions.small_note(difference.interval, EFFECT, say(_TAU_WORDS, effect=EFFECT))
    if low > 0 and by_tau_a.value > 0:
        return conclusions.Conclusion(
            "holds", say("Rankings by the overall are more stable.{small}", small=small), count, needed
        )
    if high < 0 and by_tau_a.value < 0:
        return conclusions.Conclusion(
            "fails", say("Rankings by the holistic score are more stable.{small}", small=small), count, needed
        )
    if conclusions.is_inside(difference.interval, EFFECT) and conclusions.is_inside(
        by_tau_a.interval, EFFECT
    ):
        return conclusions.no_difference(count, say(_TAU_WORDS, effect=EFFECT), needed)
    if low > 0 or high < 0:
        return conclusions.cannot_tell(count, say("tau-b and tau-a point in opposite directions."), needed)
    return conclusions.cannot_tell(count, say("the interval of the difference of tau-b holds 0."), needed)


MOST_LISTED = 6
DRAWS = 1000


@lru_cache(maxsize=32)
def resamples(reviewers: int) -> tuple[Matrix, Matrix]:
    """How often each reviewer is in each resample (resamples x reviewers), and how probable each resample is.

    All resamples for up to 6 reviewers (462 for 6), else 1,000 drawn at random. Source: B. Efron and R. J. Tibshirani,
    An Introduction to the Bootstrap (1993), chapter 5.
    """
    if reviewers > MOST_LISTED:
        shares = np.full(reviewers, 1 / reviewers)
        drawn = np.random.default_rng(conclusions.SEED).multinomial(reviewers, shares, size=DRAWS)
        return drawn.astype(np.float64), np.full(DRAWS, 1 / DRAWS)
    listed = list(combinations_with_replacement(range(reviewers), reviewers))
    counts = np.array([np.bincount(row, minlength=reviewers) for row in listed], dtype=np.float64)
    ways = [factorial(reviewers) / prod(factorial(int(number)) for number in row) for row in counts]
    return counts, np.array(ways) / reviewers**reviewers


def compute_means(values: Matrix, counts: Matrix) -> Matrix:
    """The mean of each response in each resample (values: responses x reviewers, NaN for missing); NaN without any."""
    present = (~np.isnan(values)).astype(np.float64)
    below = counts @ present.T
    sums = counts @ np.nan_to_num(values).T
    means: Matrix = np.where(below > 0, sums / np.where(below > 0, below, 1), np.nan)
    return np.asarray(np.round(means, _PLACES), dtype=np.float64)


def mean_tau(values: Matrix, *, variant: Variant) -> float:
    """Kendall's tau, mean over the pairs of reviewers that have one (values: responses x reviewers); NaN without any.

    The same as `kendall_tau`, but without its values for the jackknife, which a hundred small tables do not need.
    """
    pairs = range(values.shape[1] - 1)
    found = [taus_with(values[:, at], values[:, at + 1 :].T, variant=variant) for at in pairs]
    every = np.concatenate([np.empty(0), *found])
    return weighted_mean(every, np.ones(len(every)))


def taus_with(full: Matrix, others: Matrix, *, variant: Variant = "b") -> Matrix:
    """Kendall's tau of one list with each of the others, over responses in both; NaN where one list is all ties.

    Source: M. G. Kendall, Biometrika 33 (1945), 239-251.
    """
    first, second = np.triu_indices(len(full), 1)
    left = np.sign(full[first] - full[second])
    other = np.sign(others[:, first] - others[:, second])
    both = ~(np.isnan(left) | np.isnan(other))
    left, other = np.where(both, left, 0), np.where(both, other, 0)
    below = np.sqrt(np.abs(left).sum(axis=1) * np.abs(other).sum(axis=1))
    is_ranked = below > 0
    if variant == "a":
        below = both.sum(axis=1)
    return np.where(is_ranked, (left * other).sum(axis=1) / np.where(is_ranked, below, 1), np.nan)


def winner_kept(full: Matrix, others: Matrix) -> Matrix:
    """1 for each of the other lists in which the same response, or the same tie, is first; else 0."""
    return np.asarray((_first(others) == _first(full[None])).all(axis=1).astype(np.float64))


def weighted_mean(values: Matrix, shares: Matrix) -> float:
    """The mean of the defined values; NaN when there is none."""
    defined = np.isfinite(values)
    whole = shares[defined].sum()
    return float(values[defined] @ shares[defined] / whole) if whole > 0 else float("nan")


def _first(means: Matrix) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    filled = np.where(np.isnan(means), -np.inf, means)
    return np.asarray(filled == filled.max(axis=1, keepdims=True))
