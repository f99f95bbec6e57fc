"""Whether the position at which a response is shown changes its score."""

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from msgspec import Struct

from rubric.reviewer_statistics.core.rater_effects import (
    LEVEL,
    RaterEffect,
    Residual,
    by_reviewer,
    chance,
    residuals,
    t_interval,
)
from rubric.reviews.core.score_rows import Row, Weights, overalls, sort_rows
from workspace.core.words import mark, say
from workspace.statistics.conclusions import SEED, Z_ONE_SIDED, Z_POWER
from workspace.statistics.ratings import Matrix

EFFECT = 0.2
DRAWS = 5000
_SAME = mark(
    "All reviewers saw the responses in the same order, so position and quality cannot be told apart."
)
_SAME_KNOWN = mark(
    "All known orders are the same and others are not known, so nothing can be said about position."
)
_UNKNOWN = mark(
    "In which order the responses were shown is not known, so nothing can be said about position."
)
_NONE = mark(
    "No reviewer has scored two responses of a comparison at known positions that others scored too."
)


class PositionEffect(Struct, frozen=True):
    """Points per position (`slope`), and the points of the first position minus the last (`first_less_last`).

    `reviewer` is "" for all together. `sheets` counts sheets: a reviewer's responses of one comparison. `needed` is how
    many sheets it takes to detect 0.2 points per position.
    """

    reviewer: str
    slope: RaterEffect
    first_less_last: RaterEffect
    sheets: int
    needed: int | None


def position_effects(rows: Sequence[Row], weights: Weights) -> list[PositionEffect]:
    """The effect for all reviewers together, then for each.

    Slope of the residuals (score minus the mean of the others) on the position, both minus their mean within the sheet;
    p two-sided by shuffling the positions within each sheet 5,000 times. Sources: Pitman (1937); L. Zheng et al.,
    Judging LLM-as-a-judge (NeurIPS 2023); L. Shi et al., arXiv 2406.07791 (2024).
    """
    used = sort_rows(rows)
    values = {key: float(value) for key, value in overalls(used, weights).items()}
    every = residuals(used, lambda row: values.get((row.item, row.reviewer)))
    # Others are still compared with the scores of reviewers whose order is unknown.
    found = [residual for residual in every if residual.row.position is not None]
    names = sorted({row.reviewer for row in rows})
    known = {row.reviewer for row in used if row.position is not None}
    if rows and not known:
        return [_without(name, say(_UNKNOWN)) for name in ("", *names)]
    places: dict[tuple[str, str], set[int | None]] = {}
    for residual in found:
        places.setdefault(residual.row.item, set()).add(residual.row.position)
    if found and all(len(seen) == 1 for seen in places.values()):
        reason = say(_SAME) if known == set(names) else say(_SAME_KNOWN)
        return [_without(name, reason) for name in ("", *names)]
    groups = {"": found} | by_reviewer(found)
    return [
        _effect(name, groups.get(name, [])) if not name or name in known else _without(name, say(_UNKNOWN))
        for name in ("", *names)
    ]


def _effect(reviewer: str, found: Sequence[Residual]) -> PositionEffect:
    sheets = _sheets(found)
    if not sheets:
        return _without(reviewer, say(_NONE))
    spread = sum(float(np.square(positions).sum()) for positions, _ in sheets)
    observed = sum(float(positions @ values) for positions, values in sheets) / spread
    rng = np.random.default_rng(SEED)
    arranged = np.zeros(DRAWS)
    for positions, values in sheets:
        arranged += rng.permuted(np.broadcast_to(positions, (DRAWS, len(positions))), axis=1) @ values
    p = chance(abs(observed), np.abs(arranged / spread))
    ends = np.array([values[positions.argmin()] - values[positions.argmax()] for positions, values in sheets])
    interval, reason = t_interval(ends)
    count = sum(len(values) for _, values in sheets)
    comparisons = len({residual.row.comparison for residual in found})
    noise = sum(float(np.square(values).sum()) for _, values in sheets) / max(1, count - len(sheets))
    needed = math.ceil((Z_ONE_SIDED + Z_POWER) ** 2 * noise * len(sheets) / (EFFECT**2 * spread))
    slope = RaterEffect(
        reviewer, observed, p=p, is_flagged=p < LEVEL, rows=count, comparisons=comparisons,
        interval_reason=say("The permutation test gives a p and no interval."),
    )  # fmt: skip
    ends_apart = RaterEffect(
        reviewer, float(ends.mean()), interval, rows=count, comparisons=comparisons, interval_reason=reason
    )
    return PositionEffect(reviewer, slope, ends_apart, len(sheets), max(1, needed))


def _sheets(found: Sequence[Residual]) -> list[tuple[Matrix, Matrix]]:
    """Positions and residuals of each sheet with two positions or more, both minus their means."""
    ordered_rows = sorted(
        found, key=lambda residual: (residual.row.reviewer, residual.row.comparison, residual.row.response)
    )
    sheets = []
    for _, same in groupby(
        ordered_rows, key=lambda ordered_row: (ordered_row.row.reviewer, ordered_row.row.comparison)
    ):
        sheet = list(same)
        positions = np.array([float(residual.row.position or 0) for residual in sheet])
        values = np.array([residual.value for residual in sheet])
        if positions.min() < positions.max():
            sheets.append((positions - positions.mean(), values - values.mean()))
    return sheets


def _without(reviewer: str, reason: str) -> PositionEffect:
    empty = RaterEffect(reviewer, None, reason=reason, interval_reason=reason)
    return PositionEffect(reviewer, empty, empty, 0, None)
