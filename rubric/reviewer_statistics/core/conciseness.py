"""The fourth success metric: do longer responses score lower on conciseness?

The unit is the response, the mean over its reviewers, since a response's ratings share its length. Ranks are taken
within the comparison, since questions differ in how long an answer they need. The report also has the overall: where it
rises with length while accuracy is held fixed, reviewers reward length.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from msgspec import Struct

from rubric.reviews.core.score_rows import ReviewRow, Weights, complete, overalls, sort_rows
from workspace.core.words import mark, say
from workspace.statistics.conclusions import (
    Z_ONE_SIDED,
    Z_POWER,
    Conclusion,
    Figure,
    cannot_tell,
    drawn_counts,
    is_inside,
    no_difference,
    percentile_interval,
    too_few,
    without_interval,
)
from workspace.statistics.rankings import mid_ranks
from workspace.statistics.ratings import Matrix

CONCISENESS, ACCURACY = "conciseness", "accuracy"
LEAST_RESPONSES = 3
EXPECTED = -0.3
_FEW = mark("No comparison has {least} responses of known length with all scores.")
_CONSTANT = mark("Lengths or scores do not differ within any comparison.")


class LengthReport(Struct, frozen=True):
    """Spearman correlations of length with the criteria and the overall.

    `within` is by criterion, within comparisons; `literal` is that of conciseness over all responses pooled; `overall`
    is within comparisons; `overall_given_accuracy` is the same with accuracy held fixed.
    """

    within: dict[str, Figure]
    literal: Figure
    literal_conclusion: Conclusion
    overall: Figure
    overall_given_accuracy: Figure
    conclusion: Conclusion


# The comparison of each response, as a number, and how many rows the responses have.
_Basis = tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], int]


def length_report(rows: Sequence[ReviewRow], weights: Weights) -> LengthReport:
    """Length against conciseness, the other criteria and the overall.

    Spearman's rho of ranks within comparisons, each minus its comparison's mean rank; bootstrap over comparisons, if
    there are at least 20. Source: C. Spearman, American Journal of Psychology 15 (1904), 72-101.
    """
    basis, lengths, means = _responses(sort_rows(rows), weights)
    words, overall = _centred(basis, lengths), _centred(basis, means[:, -1])
    columns = {key: _centred(basis, means[:, at]) for at, key in enumerate(weights)}
    within = {key: _correlation(basis, words, column) for key, column in columns.items()}
    absent = Figure(None, reason=say('The rubric has no criterion "{conciseness}".', conciseness=CONCISENESS))
    literal = absent
    if CONCISENESS in columns:
        column = means[:, list(weights).index(CONCISENESS)]
        literal = _correlation(basis, _ranked(lengths), _ranked(column))
    given = Figure(None, reason=say('The rubric has no criterion "{accuracy}".', accuracy=ACCURACY))
    if ACCURACY in columns:
        given = _correlation(basis, words, overall, columns[ACCURACY])
    return LengthReport(
        within=within,
        literal=literal,
        literal_conclusion=_conclusion(literal),
        overall=_correlation(basis, words, overall),
        overall_given_accuracy=given,
        conclusion=_conclusion(within.get(CONCISENESS, absent)),
    )


def responses_needed(rho: float) -> int:
    """The number of responses needed to detect a correlation of that size, one-sided at 5 %, 80 % of the time.

    Source: D. G. Bonett and T. A. Wright, Psychometrika 65 (2000), 23-28.
    """
    return 3 + math.ceil(((Z_ONE_SIDED + Z_POWER) / math.atanh(rho)) ** 2 * (1 + rho**2 / 2))


def _responses(rows: Sequence[ReviewRow], weights: Weights) -> tuple[_Basis, Matrix, Matrix]:
    """Responses of known length, in comparisons that have at least three: their words, and the means of their scores.

    The last column of the means is that of the overall.
    """
    scored = [row for row in complete(rows, weights) if row.words is not None]
    values = overalls(scored, weights)
    of_item = {item: list(group) for item, group in groupby(scored, key=lambda row: row.item)}
    sizes = Counter(comparison for comparison, _ in of_item)
    used = {item: group for item, group in of_item.items() if sizes[item[0]] >= LEAST_RESPONSES}
    table = [
        [*(sum(float(row.scores[key]) for row in group) / len(group) for key in weights),
         float(sum(values[item, row.reviewer] for row in group) / len(group))]
        for item, group in used.items()
    ]  # fmt: skip
    index = np.unique([comparison for comparison, _ in used], return_inverse=True)[1].astype(np.int64)
    words = np.array([float(group[0].words or 0) for group in used.values()])
    means = np.round(np.array(table).reshape(len(used), len(weights) + 1), 9)
    return (index, sum(len(group) for group in used.values())), words, means


def _ranked(values: Matrix) -> Matrix:
    """Mid-ranks minus their mean."""
    return np.asarray(mid_ranks(values) - (len(values) + 1) / 2) if len(values) else values


def _centred(basis: _Basis, values: Matrix) -> Matrix:
    """Mid-ranks within each comparison, minus their mean."""
    found = np.zeros(len(values))
    for at in np.unique(basis[0]):
        inside = basis[0] == at
        found[inside] = _ranked(values[inside])
    return found


def _correlation(basis: _Basis, first: Matrix, second: Matrix, held: Matrix | None = None) -> Figure:
    """The correlation of two centred columns, from sums by comparison; partial if a third column is held fixed."""
    (index, rows), responses = basis, len(first)
    if not responses:
        few = say(_FEW, least=LEAST_RESPONSES)
        return Figure(None, reason=few, interval_reason=few)
    size = int(index.max()) + 1
    columns = [first, second] if held is None else [first, second, held]
    sums = np.array([
        [np.bincount(index, column * other, minlength=size) for column in columns] for other in columns
    ])  # fmt: skip
    value = float(_from_sums(sums.sum(axis=2, keepdims=True))[0])
    if not math.isfinite(value):
        return Figure(None, reason=say(_CONSTANT), interval_reason=say(_CONSTANT))
    interval, reason = None, too_few(size)
    if not reason:
        drawn = np.einsum("ijq,dq->ijd", sums, drawn_counts(size))
        interval = percentile_interval(_from_sums(drawn), size)
        reason = "" if interval else say("Too many resamples have no correlation.")
    return Figure(value, interval, size, responses, rows, interval_reason=reason)


def _from_sums(sums: Matrix) -> Matrix:
    """Correlations from sums of products (columns x columns x tables); partial ones if a third column is held fixed."""
    with_scale = np.einsum("iid->id", sums)
    scale = np.sqrt(with_scale[:, None] * with_scale[None])
    found = np.where(scale > 0, sums / np.where(scale > 0, scale, 1), np.nan)
    if len(found) == 2:
        return np.asarray(np.clip(found[0, 1], -1, 1))
    below = (1 - found[0, 2] ** 2) * (1 - found[1, 2] ** 2)
    partial = (found[0, 1] - found[0, 2] * found[1, 2]) / np.sqrt(np.where(below > 1e-12, below, np.nan))
    return np.asarray(np.clip(partial, -1, 1))


def _conclusion(figure: Figure) -> Conclusion:
    count, needed = figure.comparisons, None
    if count:
        needed = math.ceil(responses_needed(EXPECTED) * count / figure.responses)
    if figure.interval is None:
        return without_interval(figure, needed)
    if figure.interval[1] < 0:
        return Conclusion("holds", say("Longer responses score lower on conciseness."), count, needed)
    if figure.interval[0] > 0:
        return Conclusion("fails", say("Longer responses score higher on conciseness."), count, needed)
    if is_inside(figure.interval, -EXPECTED):
        return no_difference(count, say("{margin:g} of 0", margin=-EXPECTED), needed)
    return cannot_tell(count, say("the interval of the correlation holds 0."), needed)
