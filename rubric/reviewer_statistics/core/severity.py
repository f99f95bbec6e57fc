"""How severe reviewers are, and which of them favour their own responses."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from rubric.reviewer_statistics.core.rater_effects import (
    LEVEL,
    RaterEffect,
    Residual,
    by_reviewer,
    chance,
    residuals,
    t_interval,
)
from rubric.reviews.core.score_rows import Item, Row, Weights, overalls, sort_rows
from workspace.core.words import say
from workspace.statistics.conclusions import SEED
from workspace.statistics.ratings import Matrix

LEAST_OWN, LEAST_OTHER = 5, 20
DRAWS = 5000


def severity(rows: Sequence[Row], weights: Weights) -> list[RaterEffect]:
    """How far each reviewer's overalls lie above (lenient) or below (severe) those of the others, in points.

    The mean over comparisons of the mean residual within each, with Student's t over comparisons; flagged if the
    interval, widened for the number of reviewers (Bonferroni), excludes 0. Source: C. E. Bonferroni (1936); O. J. Dunn,
    JASA 56 (1961), 52-64.
    """
    used = sort_rows(rows)
    values = overalls(used, weights)
    found = by_reviewer(residuals(used, lambda row: _overall(values, row)))
    names = sorted({row.reviewer for row in rows})
    return [_severity(name, found.get(name, []), len(found)) for name in names]


def self_preference(rows: Sequence[Row], weights: Weights) -> list[RaterEffect]:
    """How much more each reviewer gives their own responses than others', beyond what the other reviewers give.

    p one-sided by assigning "own" to the reviewer's rows at random, 5,000 times; at least 5 own and 20 other rows.
    Source: E. J. G. Pitman, Supplement to the JRSS 4 (1937), 119-130.
    """
    used = sort_rows(rows, with_own=True)
    values = overalls(used, weights)
    found = by_reviewer(residuals(used, lambda row: _overall(values, row)))
    authors = sorted({row.reviewer for row in used if row.is_own})
    return [_preference(name, found.get(name, [])) for name in authors]


def _overall(values: Mapping[tuple[Item, str], Fraction], row: Row) -> float | None:
    value = values.get((row.item, row.reviewer))
    return None if value is None else float(value)


def _severity(reviewer: str, found: Sequence[Residual], reviewers: int) -> RaterEffect:
    from scipy.special import stdtr

    if not found:
        return RaterEffect(
            reviewer,
            None,
            reason=say("Nobody else has scored a response that {reviewer} scored.", reviewer=reviewer),
        )
    grouped: dict[str, list[float]] = {}
    for residual in found:
        grouped.setdefault(residual.row.comparison, []).append(residual.value)
    means = np.array([sum(values) / len(values) for values in grouped.values()])
    interval, reason = t_interval(means)
    p = None
    if interval is not None:
        error = float(means.std(ddof=1) / np.sqrt(len(means)))
        away = abs(float(means.mean()))
        sure = 0.0 if away > 1e-9 else 1.0
        p = float(2 * stdtr(len(means) - 1, -away / error)) if error > 1e-12 else sure
    return RaterEffect(
        reviewer=reviewer,
        value=float(means.mean()),
        interval=interval,
        p=p,
        is_flagged=p is not None and p * max(reviewers, 1) < 0.05,
        rows=len(found),
        comparisons=len(means),
        interval_reason=reason,
    )


def _preference(reviewer: str, found: Sequence[Residual]) -> RaterEffect:
    own = np.array([residual.row.is_own for residual in found], dtype=bool)
    values = np.array([residual.value for residual in found])
    count, comparisons = int(own.sum()), len({residual.row.comparison for residual in found})
    if count < LEAST_OWN or len(own) - count < LEAST_OTHER:
        reason = say(
            "{reviewer} has {count} own and {own_count} other responses that others judged too; "
            "it takes {least_own} and {least_other}.",
            reviewer=reviewer,
            count=count,
            own_count=len(own) - count,
            least_own=LEAST_OWN,
            least_other=LEAST_OTHER,
        )
        needed = LEAST_OWN + LEAST_OTHER
        return RaterEffect(
            reviewer, None, rows=len(own), comparisons=comparisons, needed=needed, reason=reason
        )
    value = _apart(values, own[None])[0]
    permuted = np.random.default_rng(SEED).permuted(np.broadcast_to(own, (DRAWS, len(own))), axis=1)
    p = chance(float(value), _apart(values, permuted))
    return RaterEffect(
        reviewer, float(value), p=p, is_flagged=p < LEVEL, rows=len(own), comparisons=comparisons,
        needed=LEAST_OWN + LEAST_OTHER, interval_reason=say("The permutation test gives a p and no interval."),
    )  # fmt: skip


def _apart(values: Matrix, own: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Matrix:
    """The mean of the own values minus that of the others, for each assignment of "own"."""
    count = own.sum(axis=1)
    mine = own @ values
    return np.asarray(mine / count - (values.sum() - mine) / (own.shape[1] - count))
