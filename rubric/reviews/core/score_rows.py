"""The input of every figure about reviewers: scores of one response by one reviewer, tables of them, pairs of marks.

Marks of a pair are by response and key: "holistic" for the holistic score, else the key of a criterion.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

import numpy as np
from msgspec import Struct, structs

from rubric.core.records import HOLISTIC
from rubric.core.scales import COMMON, HIGHEST, LOWEST, Scales, Value, bring_all, bring_to_common
from rubric.core.scores import compute_overall, rank_values
from rubric.core.weights import Number, exact
from workspace.statistics.ratings import Matrix

Item = tuple[str, str]
Weights = Mapping[str, Number]
# Scores of another scale have no short decimals on 1 to 10, so a smaller difference comes from rounding.
_PLACES = 9
_ROUNDING = 1e-7
# If a scale has few steps, all of them count, used or not. On a finer scale people use only some, such as the tens.
_MOST_STEPS = 20


class ReviewRow(Struct, frozen=True):
    """One reviewer's scores of one response of one comparison, under one rubric version.

    `scores` holds the criteria that were scored, on the common scale, 1 to 10. `position` is where the reviewer saw the
    response, from 1; `words` its length. `is_own` says that the reviewer wrote it.
    """

    comparison: str
    response: str
    reviewer: str
    scores: Mapping[str, Value]
    holistic: float | None = None
    position: int | None = None
    words: int | None = None
    is_own: bool = False

    @property
    def item(self) -> Item:
        """The response, named by its comparison too."""
        return self.comparison, self.response


class Ratings(Struct, frozen=True, eq=False):
    """Items x reviewers, NaN for missing; each item's comparison as an index into `comparisons`."""

    items: list[Item]
    reviewers: list[str]
    comparisons: list[str]
    comparison_index: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    values: Matrix


def sort_rows(rows: Iterable[ReviewRow], *, with_own: bool = False) -> list[ReviewRow]:
    """The rows that count, in an order that does not depend on the input; scores outside 1 to 10 are dropped.

    Own responses are left out unless asked for. Of several rows by one reviewer for one response, the first counts.
    """
    kept = [_clean(row) for row in rows if with_own or not row.is_own]
    kept.sort(key=_place)
    return [next(same) for _, same in groupby(kept, key=lambda row: (row.item, row.reviewer))]


def complete(rows: Iterable[ReviewRow], criteria: Iterable[str]) -> list[ReviewRow]:
    """The rows that have a score for every criterion."""
    wanted = set(criteria)
    return [row for row in rows if wanted and wanted <= row.scores.keys()]


def comparable(rows: Sequence[ReviewRow], criteria: Iterable[str]) -> tuple[list[ReviewRow], list[ReviewRow]]:
    """Rows for the criteria and for the holistic score: those that have both, so that both use the same rows.

    If no row has both, these are all complete rows and all holistic ones, which cannot be compared.
    """
    scored = complete(rows, criteria)
    both = [row for row in scored if row.holistic is not None]
    return (both, both) if both else (scored, [row for row in rows if row.holistic is not None])


def overalls(rows: Iterable[ReviewRow], weights: Weights) -> dict[tuple[Item, str], Fraction]:
    """The exact overall of each complete row, by item and reviewer."""
    shares = {key: exact(weight) for key, weight in weights.items()}
    found = {}
    for row in complete(rows, shares):
        value = compute_overall(row.scores, shares).value
        if value is not None:
            found[row.item, row.reviewer] = value
    return found


def ratings(rows: Sequence[ReviewRow], get_value: Callable[[ReviewRow], float | Fraction | None]) -> Ratings:
    """The table of that value; `rows` must be sorted."""
    values = [(row, get_value(row)) for row in rows]
    present = [(row, value) for row, value in values if value is not None]
    items = sorted({row.item for row, _ in present})
    reviewers = sorted({row.reviewer for row, _ in present})
    comparisons = sorted({comparison for comparison, _ in items})
    place = {item: at for at, item in enumerate(items)}
    column = {reviewer: at for at, reviewer in enumerate(reviewers)}
    number = {comparison: at for at, comparison in enumerate(comparisons)}
    table = np.full((len(items), len(reviewers)), np.nan)
    for row, value in present:
        table[place[row.item], column[row.reviewer]] = float(value)
    comparison_index = np.array([number[comparison] for comparison, _ in items], dtype=np.int64)
    return Ratings(items, reviewers, comparisons, comparison_index, table)


def on_grid(value: float | None, grid: Sequence[float]) -> float | None:
    """The nearest score of the grid; None without a value or a grid."""
    if value is None or not grid:
        return None
    above = bisect_left(grid, value)
    if above in (0, len(grid)):
        return grid[min(above, len(grid) - 1)]
    down, up = value - grid[above - 1], grid[above] - value
    if abs(down - up) > _ROUNDING:
        return grid[above - 1] if down < up else grid[above]
    # A half is rounded to the neighbour with an even number (from 1): always rounding up would bias all overalls.
    return grid[above - 1] if above % 2 == 0 else grid[above]


def find_grid(rows: Iterable[ReviewRow]) -> list[float]:
    """The steps of the holistic scores' own scale, ascending; if they are many or uneven, the scores that occur."""
    occurring = sorted({round(row.holistic, _PLACES) for row in rows if row.holistic is not None})
    span = HIGHEST - LOWEST
    for steps in range(1, _MOST_STEPS + 1 if occurring else 1):
        numbers = [(score - LOWEST) * steps / span for score in occurring]
        if all(abs(number - round(number)) < _ROUNDING for number in numbers):
            return [round(LOWEST + span * number / steps, _PLACES) for number in range(steps + 1)]
    return occurring


def list_tables(
    scored: Sequence[ReviewRow], holistic: Sequence[ReviewRow], weights: Weights
) -> list[Ratings]:
    """The tables of each criterion and of the overall of these rows, then of the holistic scores of those."""
    values = overalls(scored, weights)
    tables = [ratings(scored, lambda row, key=key: row.scores.get(key)) for key in weights]  # type: ignore[misc]
    overall = ratings(scored, lambda row: values.get((row.item, row.reviewer)))
    return [*tables, overall, ratings(holistic, lambda row: row.holistic)]


def _clean(row: ReviewRow) -> ReviewRow:
    scores = {key: value for key, value in row.scores.items() if _is_score(value)}
    holistic = row.holistic if row.holistic is not None and _is_score(row.holistic) else None
    if len(scores) == len(row.scores) and holistic == row.holistic:
        return row
    return structs.replace(row, scores=scores, holistic=holistic)


def _is_score(value: Value) -> bool:
    return math.isfinite(value) and COMMON.lowest <= value <= COMMON.highest


def _place(row: ReviewRow) -> tuple[str, str, str, str]:
    rest = (sorted(row.scores.items()), row.holistic, row.position, row.words, row.is_own)
    return row.comparison, row.response, row.reviewer, repr(rest)


Marks = Mapping[str, Mapping[str, Fraction]]
ONE_SCALE: Scales = {}


class MarkPair(Struct, frozen=True):
    """One mark that both give: of a response, under a key; `apart` is the distance in points of the scale 1 to 10."""

    response: str
    key: str
    one: Fraction
    other: Fraction
    apart: Fraction


class MarkPairs(Struct, frozen=True):
    """All marks of one comparison that both give. `is_same_first` is None if one of them ranks nothing."""

    pairs: list[MarkPair]
    is_same_first: bool | None

    def count_within(self, points: Fraction) -> int:
        """How many pairs are at most `points` apart."""
        return sum(pair.apart <= points for pair in self.pairs)


def pair_marks(
    one: Marks, other: Marks, weights: Mapping[str, Fraction], scales: Scales = ONE_SCALE
) -> MarkPairs:
    """The marks that both give, of the responses that both judged.

    `scales` holds the scales of criteria that have their own. The weighted overall decides which response is first;
    without criteria, the holistic score does.
    """
    shared = [response for response in one if response in other]
    pairs = [
        _pair(response, key, one[response][key], other[response][key], scales)
        for response in shared
        for key in (HOLISTIC, *weights)
        if key in one[response] and key in other[response]
    ]
    firsts = [
        find_first({response: marks[response] for response in shared}, weights, scales)
        for marks in (one, other)
    ]
    is_same = firsts[0] == firsts[1] if all(firsts) else None
    return MarkPairs(pairs, is_same)


def _pair(response: str, key: str, one: Fraction, other: Fraction, scales: Scales) -> MarkPair:
    scale = scales.get(key, COMMON)
    apart = abs(exact(bring_to_common(one, scale)) - exact(bring_to_common(other, scale)))
    return MarkPair(response, key, one, other, apart)


def collect_marks(
    rows: Iterable[tuple[str, Mapping[str, float], float | None]],
) -> dict[str, dict[str, Fraction]]:
    """Marks of rows (response, scores by criterion, holistic score)."""
    return {
        response: {key: exact(score) for key, score in scores.items()}
        | ({} if holistic is None else {HOLISTIC: exact(holistic)})
        for response, scores, holistic in rows
    }


def find_first(marks: Marks, weights: Mapping[str, Fraction], scales: Scales = ONE_SCALE) -> set[str]:
    """The responses that share the first place; empty if nothing can be ranked."""
    overalls = {
        response: compute_overall(bring_all(given, scales), weights).value
        for response, given in marks.items()
    }
    wholes = {response: given.get(HOLISTIC) for response, given in marks.items()}
    places = rank_values(overalls if any(value is not None for value in overalls.values()) else wholes)
    return set(places[0]) if places else set()
