"""Effects of reviewers: severity, straight-lining, halo effect, position bias and preference for their own responses.

All but straight-lining rest on residuals: a score minus the mean of the other reviewers of the same response. The
quality of the response itself cancels, so the reviewer's effect remains.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby

import numpy as np
from msgspec import Struct

from rubric.core.scales import COMMON, Scale, Scales, Value
from rubric.reviews.core.score_rows import ReviewRow, Weights, complete, overalls, sort_rows
from workspace.core.words import mark, say
from workspace.statistics.conclusions import SEED, Z_ONE_SIDED, Z_POWER
from workspace.statistics.estimates import Interval
from workspace.statistics.means import student_t, wilson
from workspace.statistics.ratings import Matrix

# A reviewer is flagged below this p.
LEVEL = 0.01
LEAST_FLAT, LEAST_HALO, LEAST_OWN, LEAST_OTHER = 8, 15, 5, 20
HONEST_FLAT, HALO, SLOPE = 0.10, 0.25, 0.2
# Responses of one question are not independent, so a smaller excess over the others is no sign.
LEAST_EXCESS = 0.1
# Of the rows of real sets that were tried, 20 to 37 % have one number on all criteria.
MOST_HONEST, LEAST_ROWS = 0.5, 20
DRAWS, HALO_DRAWS = 5000, 2000
_NO_INTERVAL = mark("The permutation test gives a p and no interval.")
_SAME = mark(
    "All reviewers saw the responses in the same order, so position and quality cannot be told apart."
)
_SAME_KNOWN = mark(
    "All known orders are the same and others are not known, so nothing can be said about position."
)
_UNKNOWN = mark(
    "In which order the responses were shown is not known, so nothing can be said about position."
)
_NO_SHEETS = mark(
    "No reviewer has scored two responses of a comparison at known positions that others scored too."
)


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


class Residual(Struct, frozen=True):
    """A row, and how far its value lies above the mean of the other reviewers of that response."""

    row: ReviewRow
    value: float


def residuals(rows: Sequence[ReviewRow], get_value: Callable[[ReviewRow], float | None]) -> list[Residual]:
    """The residual of every row whose response somebody else judged too; the author's own row does not count.

    `rows` must be sorted, so that the order of the input does not change the sums.
    """
    sums: dict[tuple[str, str], tuple[float, int]] = {}
    values = [(row, value) for row in rows if (value := get_value(row)) is not None]
    for row, value in values:
        if not row.is_own:
            total, count = sums.get(row.item, (0.0, 0))
            sums[row.item] = total + value, count + 1
    found = []
    for row, value in values:
        total, count = sums.get(row.item, (0.0, 0))
        if not row.is_own:
            total, count = total - value, count - 1
        if count > 0:
            found.append(Residual(row, round(value - total / count, 9)))
    return found


def _overall_residuals(used: Sequence[ReviewRow], weights: Weights) -> list[Residual]:
    values = {key: float(value) for key, value in overalls(used, weights).items()}
    return residuals(used, lambda row: values.get((row.item, row.reviewer)))


def _by_reviewer(found: Sequence[Residual]) -> dict[str, list[Residual]]:
    def name(residual: Residual) -> str:
        return residual.row.reviewer

    return {reviewer: list(own) for reviewer, own in groupby(sorted(found, key=name), key=name)}


def _names(rows: Sequence[ReviewRow]) -> list[str]:
    return sorted({row.reviewer for row in rows})


def _count_comparisons(found: Sequence[Residual]) -> int:
    return len({residual.row.comparison for residual in found})


def _t_interval(values: Matrix) -> tuple[Interval | None, str]:
    """The 95 % interval of a mean by Student's t, or None and why. Source: Student, Biometrika 6 (1908), 1-25."""
    count = len(values)
    if count < 3:
        return None, say("An interval needs at least 3 comparisons; there are {count}.", count=count)
    mean = float(values.mean())
    half = float(student_t(count - 1) * values.std(ddof=1) / np.sqrt(count))
    return (mean - half, mean + half), ""


def _chance(observed: float, arranged: Matrix) -> float:
    """The share of random arrangements at least as extreme as the observed one, which counts as one of them.

    Source: B. Phipson and G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010), article 39.
    """
    return float((1 + (arranged >= observed - 1e-12).sum()) / (1 + len(arranged)))


def severity(rows: Sequence[ReviewRow], weights: Weights) -> list[RaterEffect]:
    """How far each reviewer's overalls lie above (lenient) or below (severe) those of the others, in points.

    The mean over comparisons of the mean residual within each, with Student's t over comparisons; flagged if the
    interval, widened for the number of reviewers (Bonferroni), excludes 0. Source: C. E. Bonferroni (1936); O. J. Dunn,
    JASA 56 (1961), 52-64.
    """
    found = _by_reviewer(_overall_residuals(sort_rows(rows), weights))
    return [_severity(name, found.get(name, []), len(found)) for name in _names(rows)]


def _severity(reviewer: str, found: Sequence[Residual], reviewers: int) -> RaterEffect:
    from scipy.special import stdtr

    if not found:
        reason = say("Nobody else has scored a response that {reviewer} scored.", reviewer=reviewer)
        return RaterEffect(reviewer, None, reason=reason)
    grouped = (
        [residual.value for residual in same]
        for _, same in groupby(found, lambda found: found.row.comparison)
    )
    means = np.array([sum(values) / len(values) for values in grouped])
    value, p = float(means.mean()), None
    interval, reason = _t_interval(means)
    if interval is not None:
        error, away = float(means.std(ddof=1) / np.sqrt(len(means))), abs(value)
        sure = 0.0 if away > 1e-9 else 1.0
        p = float(2 * stdtr(len(means) - 1, -away / error)) if error > 1e-12 else sure
    is_flagged = p is not None and p * max(reviewers, 1) < 0.05
    return RaterEffect(
        reviewer, value, interval, p, is_flagged, len(found), len(means), interval_reason=reason
    )


def self_preference(rows: Sequence[ReviewRow], weights: Weights) -> list[RaterEffect]:
    """How much more each reviewer gives their own responses than others', beyond what the other reviewers give.

    p one-sided by assigning "own" to the reviewer's rows at random, 5,000 times; at least 5 own and 20 other rows.
    Source: E. J. G. Pitman, Supplement to the JRSS 4 (1937), 119-130.
    """
    used = sort_rows(rows, with_own=True)
    found = _by_reviewer(_overall_residuals(used, weights))
    return [_preference(name, found.get(name, [])) for name in _names([row for row in used if row.is_own])]


def _preference(reviewer: str, found: Sequence[Residual]) -> RaterEffect:
    own = np.array([residual.row.is_own for residual in found], dtype=bool)
    values = np.array([residual.value for residual in found])
    count, counts = int(own.sum()), (len(own), _count_comparisons(found), LEAST_OWN + LEAST_OTHER)
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
        return RaterEffect(reviewer, None, None, None, False, *counts, reason=reason)

    def apart(assigned: Matrix) -> Matrix:
        mine = assigned @ values
        return np.asarray(mine / count - (values.sum() - mine) / (len(own) - count))

    value = float(apart(own[None])[0])
    permuted = np.random.default_rng(SEED).permuted(np.broadcast_to(own, (DRAWS, len(own))), axis=1)
    p = _chance(value, apart(permuted))
    return RaterEffect(reviewer, value, None, p, p < LEVEL, *counts, interval_reason=say(_NO_INTERVAL))


def group_alike(criteria: Collection[str], scales: Scales) -> list[list[str]]:
    """Groups of criteria that share a scale: only scores on the same scale can be the same number."""
    found: dict[tuple[float, float, float], list[str]] = {}
    for key in criteria:
        scale = scales.get(key, COMMON)
        found.setdefault((scale.lowest, scale.highest, scale.step), []).append(key)
    return [keys for keys in found.values() if len(keys) > 1]


def is_flat(scores: Mapping[str, Value], groups: Sequence[Sequence[str]]) -> bool:
    """Whether complete scores are the same within every group of `group_alike`."""
    return bool(groups) and all(len({scores[key] for key in keys}) == 1 for keys in groups)


def flat_rows(
    rows: Sequence[ReviewRow], criteria: Collection[str], scales: Mapping[str, Scale] = {}
) -> list[RaterEffect]:
    """Each reviewer's share of responses with the same score on every criterion, among criteria of one scale.

    Exact binomial test, one-sided, against 10 % or the share of the other reviewers if that is higher; flagged below p
    = 0.01 if there are at least 8 responses and the share is 10 points higher. Source: C. J. Clopper and E. S. Pearson,
    Biometrika 26 (1934), 404-413; interval by Wilson (1927).
    """
    used, groups = complete(sort_rows(rows), criteria), group_alike(criteria, scales)
    flat = [(row, is_flat(row.scores, groups)) for row in used]
    found = []
    for reviewer in _names(rows):
        own = [hit for row, hit in flat if row.reviewer == reviewer]
        others = [hit for row, hit in flat if row.reviewer != reviewer]
        reason = ""
        if len(criteria) < 2:
            reason = f"{reviewer} {say('has one criterion at most')}."
        elif not groups:
            reason = say("No two criteria have the same scale, so no score can be the same on both.")
        elif not own:
            reason = f"{reviewer} {say('has scored every criterion of no response')}."
        if reason:
            found.append(RaterEffect(reviewer, None, needed=LEAST_FLAT, reason=reason))
            continue
        hits, count = sum(own), len(own)
        usual = max(HONEST_FLAT, sum(others) / len(others) if others else 0.0)
        p = binomial_tail(hits, count, usual)
        low, high = wilson(hits, count) or (0, 0)
        is_flagged = count >= LEAST_FLAT and p < LEVEL and hits / count - usual >= LEAST_EXCESS
        seen = len({row.comparison for row in used if row.reviewer == reviewer})
        interval = (low / 100, high / 100)
        found.append(RaterEffect(reviewer, hits / count, interval, p, is_flagged, count, seen, LEAST_FLAT))
    return found


def find_unused(flat: Sequence[RaterEffect]) -> float | None:
    """The share of rows with one number on all criteria, if the whole panel does that; None on fewer than 20 rows.

    Beside others who straight-line too, nobody stands out.
    """
    known = [effect for effect in flat if effect.value is not None]
    count = sum(effect.rows for effect in known)
    share = sum((effect.value or 0) * effect.rows for effect in known) / count if count else 0
    return share if count >= LEAST_ROWS and share >= MOST_HONEST else None


def binomial_tail(hits: int, count: int, share: float) -> float:
    """The probability of that many hits or more: the regularised incomplete beta function I_p(k, n - k + 1)."""
    from scipy.special import betainc

    return 1.0 if hits <= 0 else float(betainc(hits, count - hits + 1, share))


def residual_halo(rows: Sequence[ReviewRow], criteria: Sequence[str]) -> list[RaterEffect]:
    """For each reviewer, the mean correlation between criteria of the residuals from the other reviewers' scores.

    The true correlation of the criteria cancels, so an honest reviewer is near 0. p by shuffling each criterion's
    residuals over the responses, 2,000 times; flagged below 0.01 if the correlation is 0.25 or more, with at least 15
    responses: in a small panel the halo of one reviewer shows a little in the others too, who are compared with it.
    Source: K. R. Murphy, R. A. Jako and R. L. Anhalt, Journal of Applied Psychology 78 (1993), 218-225 (halo against
    true correlation); E. J. G. Pitman, Supplement to the JRSS 4 (1937), 225-232 (permutation test of a correlation).
    """
    used, keys = complete(sort_rows(rows), criteria), sorted(criteria)
    columns = [_by_reviewer(residuals(used, lambda row, key=key: float(row.scores[key]))) for key in keys]  # type: ignore[misc]
    found = []
    for reviewer in _names(rows):
        own = [column.get(reviewer, []) for column in columns]
        table = np.array([[residual.value for residual in column] for column in own]).T
        found.append(_halo(reviewer, table, _count_comparisons(own[0]) if own else 0))
    return found


def _halo(reviewer: str, table: Matrix, comparisons: int) -> RaterEffect:
    count, reason = len(table), ""
    counts = (count, comparisons, LEAST_HALO)
    varying = table[:, table.std(axis=0) > 1e-9] if count >= LEAST_HALO else table
    if count < LEAST_HALO:
        reason = say(
            "{reviewer} has {count} complete responses that others judged too; it takes at least "
            "{least_halo}.",
            reviewer=reviewer,
            count=count,
            least_halo=LEAST_HALO,
        )
    elif varying.shape[1] < 2:
        reason = say(
            "{reviewer} differs from the others by a constant on all criteria but one.", reviewer=reviewer
        )
    if reason:
        return RaterEffect(reviewer, None, None, None, False, *counts, reason=reason)
    scaled = (varying - varying.mean(axis=0)) / varying.std(axis=0)
    value = float(_mean_correlation(scaled[None])[0])
    shuffled = np.random.default_rng(SEED).permuted(
        np.broadcast_to(scaled, (HALO_DRAWS, *scaled.shape)), axis=1
    )
    p = _chance(value, _mean_correlation(shuffled))
    is_flagged = p < LEVEL and value >= HALO
    return RaterEffect(reviewer, value, None, p, is_flagged, *counts, interval_reason=say(_NO_INTERVAL))


def _mean_correlation(scaled: Matrix) -> Matrix:
    """The mean off-diagonal correlation of tables (tables x responses x criteria) of standardised columns."""
    _, count, criteria = scaled.shape
    squared = np.square(scaled.sum(axis=2)).sum(axis=1) / count
    return np.asarray((squared - criteria) / (criteria * (criteria - 1)))


def position_effects(rows: Sequence[ReviewRow], weights: Weights) -> list[PositionEffect]:
    """The effect for all reviewers together, then for each.

    Slope of the residuals (score minus the mean of the others) on the position, both minus their mean within the sheet;
    p two-sided by shuffling the positions within each sheet 5,000 times. Sources: Pitman (1937); L. Zheng et al.,
    Judging LLM-as-a-judge (NeurIPS 2023); L. Shi et al., arXiv 2406.07791 (2024).
    """
    used, names = sort_rows(rows), _names(rows)
    # Others are still compared with the scores of reviewers whose order is unknown.
    found = [residual for residual in _overall_residuals(used, weights) if residual.row.position is not None]
    known = {row.reviewer for row in used if row.position is not None}
    places = {(residual.row.item, residual.row.position) for residual in found}
    reason = ""
    if rows and not known:
        reason = say(_UNKNOWN)
    elif found and len(places) == len({item for item, _ in places}):
        reason = say(_SAME) if known == set(names) else say(_SAME_KNOWN)
    if reason:
        return [_without(name, reason) for name in ("", *names)]
    groups = {"": found} | _by_reviewer(found)
    return [
        _position(name, groups.get(name, [])) if not name or name in known else _without(name, say(_UNKNOWN))
        for name in ("", *names)
    ]


def _position(reviewer: str, found: Sequence[Residual]) -> PositionEffect:
    sheets = _sheets(found)
    if not sheets:
        return _without(reviewer, say(_NO_SHEETS))
    spread = sum(float(np.square(positions).sum()) for positions, _ in sheets)
    observed = sum(float(positions @ values) for positions, values in sheets) / spread
    rng = np.random.default_rng(SEED)
    arranged = np.zeros(DRAWS)
    for positions, values in sheets:
        arranged += rng.permuted(np.broadcast_to(positions, (DRAWS, len(positions))), axis=1) @ values
    p = _chance(abs(observed), np.abs(arranged / spread))
    ends = np.array([values[positions.argmin()] - values[positions.argmax()] for positions, values in sheets])
    interval, reason = _t_interval(ends)
    count = sum(len(values) for _, values in sheets)
    noise = sum(float(np.square(values).sum()) for _, values in sheets) / max(1, count - len(sheets))
    needed = math.ceil((Z_ONE_SIDED + Z_POWER) ** 2 * noise * len(sheets) / (SLOPE**2 * spread))
    counts, why = (count, _count_comparisons(found)), say(_NO_INTERVAL)
    return PositionEffect(
        reviewer,
        RaterEffect(reviewer, observed, None, p, p < LEVEL, *counts, interval_reason=why),
        RaterEffect(reviewer, float(ends.mean()), interval, None, False, *counts, interval_reason=reason),
        len(sheets),
        max(1, needed),
    )


def _sheets(found: Sequence[Residual]) -> list[tuple[Matrix, Matrix]]:
    """Positions and residuals of each sheet with two positions or more, both minus their means."""
    rows = sorted(
        (residual.row.reviewer, residual.row.comparison, residual.row.response, residual.row.position, residual.value)
        for residual in found
    )  # fmt: skip
    sheets = []
    for _, sheet in groupby(rows, key=lambda row: row[:2]):
        positions, values = np.array([(float(row[3] or 0), row[4]) for row in sheet]).T
        if positions.min() < positions.max():
            sheets.append((positions - positions.mean(), values - values.mean()))
    return sheets


def _without(reviewer: str, reason: str) -> PositionEffect:
    empty = RaterEffect(reviewer, None, reason=reason, interval_reason=reason)
    return PositionEffect(reviewer, empty, empty, 0, None)
