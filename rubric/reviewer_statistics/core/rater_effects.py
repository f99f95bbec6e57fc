"""Residuals of a reviewer: a score minus the mean of the other reviewers of the same response.

The quality of the response itself cancels, so the reviewer's effect remains.
"""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from rubric.reviews.core.score_rows import Row
from workspace.core.words import say
from workspace.statistics.estimates import Interval
from workspace.statistics.means import student_t
from workspace.statistics.ratings import Matrix

# A reviewer is flagged below this p.
LEVEL = 0.01
Value = Callable[[Row], float | None]


class RaterEffect(Struct, frozen=True):
    """One figure about one reviewer, or about all of them (`reviewer` "").

    `is_flagged` is a note to the lead, never a reason to delete. `rows` and `comparisons` count what it is computed
    from; `needed` is how many rows it takes. If there is no value, `reason` is a sentence that says why; if there is no
    interval, `interval_reason` is.
    """

    reviewer: str
    value: float | None
    interval: Interval | None = None
    p: float | None = None
    is_flagged: bool = False
    rows: int = 0
    comparisons: int = 0
    needed: int | None = None
    reason: str = ""
    interval_reason: str = ""


class Residual(Struct, frozen=True):
    """A row, and how far its value lies above the mean of the other reviewers of that response."""

    row: Row
    value: float


def residuals(rows: Sequence[Row], get_value: Value) -> list[Residual]:
    """The residual of every row whose response somebody else judged too; the author's own row does not count.

    `rows` must be sorted, so that the order of the input does not change the sums.
    """
    sums: dict[tuple[str, str], tuple[float, int]] = {}
    values = [(row, get_value(row)) for row in rows]
    for row, value in values:
        if value is not None and not row.is_own:
            total, count = sums.get(row.item, (0.0, 0))
            sums[row.item] = total + value, count + 1
    found = []
    for row, value in values:
        if value is None:
            continue
        total, count = sums.get(row.item, (0.0, 0))
        if not row.is_own:
            total, count = total - value, count - 1
        if count > 0:
            found.append(Residual(row, round(value - total / count, 9)))
    return found


def by_reviewer(found: Sequence[Residual]) -> dict[str, list[Residual]]:
    """Residuals of each reviewer, in the order of their names."""
    grouped: dict[str, list[Residual]] = {}
    for effect in found:
        grouped.setdefault(effect.row.reviewer, []).append(effect)
    return dict(sorted(grouped.items()))


def t_interval(values: Matrix) -> tuple[Interval | None, str]:
    """The 95 % interval of a mean by Student's t, or None and why. Source: Student, Biometrika 6 (1908), 1-25."""
    count = len(values)
    if count < 3:
        return None, say("An interval needs at least 3 comparisons; there are {count}.", count=count)
    mean = float(values.mean())
    half = float(student_t(count - 1) * values.std(ddof=1) / np.sqrt(count))
    return (mean - half, mean + half), ""


def chance(observed: float, arranged: Matrix) -> float:
    """The share of random arrangements at least as extreme as the observed one, which counts as one of them.

    Source: B. Phipson and G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010), article 39.
    """
    return float((1 + (arranged >= observed - 1e-12).sum()) / (1 + len(arranged)))
