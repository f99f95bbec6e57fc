"""Reviewers who do not tell the criteria apart: straight-lining, and a halo effect over all criteria."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rubric.core.scales import COMMON, Scale, Scales, Value
from rubric.reviewer_statistics.core.rater_effects import LEVEL, RaterEffect, by_reviewer, chance, residuals
from rubric.reviews.core.score_rows import Row, complete, sort_rows
from workspace.core.words import say
from workspace.statistics.conclusions import SEED
from workspace.statistics.proportions import wilson
from workspace.statistics.ratings import Matrix

LEAST_FLAT, LEAST_HALO = 8, 15
HONEST_FLAT = 0.10
HALO = 0.25
DRAWS = 2000


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
    rows: Sequence[Row], criteria: Collection[str], scales: Mapping[str, Scale] = {}
) -> list[RaterEffect]:
    """Each reviewer's share of responses with the same score on every criterion, among criteria of one scale.

    Exact binomial test, one-sided, against 10 % or the share of the other reviewers if that is higher; flagged below p
    = 0.01 if there are at least 8 responses. Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413;
    interval by Wilson (1927).
    """
    used = complete(sort_rows(rows), criteria)
    groups = group_alike(criteria, scales)
    flat = [is_flat(row.scores, groups) for row in used]
    found = []
    for reviewer in sorted({row.reviewer for row in rows}):
        own = [hit for row, hit in zip(used, flat, strict=True) if row.reviewer == reviewer]
        others = [hit for row, hit in zip(used, flat, strict=True) if row.reviewer != reviewer]
        seen = len({row.comparison for row in used if row.reviewer == reviewer})
        if len(criteria) > 1 and not groups:
            reason = say("No two criteria have the same scale, so no score can be the same on both.")
            found.append(RaterEffect(reviewer, None, needed=LEAST_FLAT, reason=reason))
            continue
        found.append(_flatness(reviewer, own, others, seen, len(criteria)))
    return found


def binomial_tail(hits: int, count: int, share: float) -> float:
    """The probability of that many hits or more: the regularised incomplete beta function I_p(k, n - k + 1)."""
    from scipy.special import betainc

    return 1.0 if hits <= 0 else float(betainc(hits, count - hits + 1, share))


def _flatness(
    reviewer: str, own: Sequence[bool], others: Sequence[bool], comparisons: int, criteria: int
) -> RaterEffect:
    if criteria < 2 or not own:
        lacking = (
            say("has scored every criterion of no response")
            if criteria >= 2
            else say("has one criterion at most")
        )
        return RaterEffect(reviewer, None, needed=LEAST_FLAT, reason=f"{reviewer} {lacking}.")
    hits, count = sum(own), len(own)
    expected = max(HONEST_FLAT, sum(others) / len(others) if others else 0.0)
    p = binomial_tail(hits, count, expected)
    ends = wilson(hits, count)
    return RaterEffect(
        reviewer=reviewer,
        value=hits / count,
        interval=(ends[0] / 100, ends[1] / 100) if ends else None,
        p=p,
        is_flagged=count >= LEAST_FLAT and p < LEVEL,
        rows=count,
        comparisons=comparisons,
        needed=LEAST_FLAT,
    )


def residual_halo(rows: Sequence[Row], criteria: Sequence[str]) -> list[RaterEffect]:
    """For each reviewer, the mean correlation between criteria of the residuals from the other reviewers' scores.

    The true correlation of the criteria cancels, so an honest reviewer is near 0. p by shuffling each criterion's
    residuals over the responses, 2,000 times; flagged below 0.01 if the correlation is 0.25 or more, with at least 15
    responses: in a small panel the halo of one reviewer shows a little in the others too, who are compared with it.
    Source: K. R. Murphy, R. A. Jako and R. L. Anhalt, Journal of Applied Psychology 78 (1993), 218-225 (halo against
    true correlation); E. J. G. Pitman, Supplement to the JRSS 4 (1937), 225-232 (permutation test of a correlation).
    """
    used, keys = complete(sort_rows(rows), criteria), sorted(criteria)
    columns = [by_reviewer(residuals(used, lambda row, key=key: float(row.scores[key]))) for key in keys]  # type: ignore[misc]
    found = []
    for reviewer in sorted({row.reviewer for row in rows}):
        own = [column.get(reviewer, []) for column in columns]
        table = np.array([[residual.value for residual in column] for column in own]).T
        seen = len({residual.row.comparison for residual in own[0]}) if own else 0
        found.append(_halo(reviewer, table, seen))
    return found


def _halo(reviewer: str, table: Matrix, comparisons: int) -> RaterEffect:
    count = len(table)
    if count < LEAST_HALO:
        reason = say(
            "{reviewer} has {count} complete responses that others judged too; it takes at least "
            "{least_halo}.",
            reviewer=reviewer,
            count=count,
            least_halo=LEAST_HALO,
        )
        return RaterEffect(
            reviewer, None, rows=count, comparisons=comparisons, needed=LEAST_HALO, reason=reason
        )
    spread = table.std(axis=0)
    varying = table[:, spread > 1e-9]
    if varying.shape[1] < 2:
        reason = say(
            "{reviewer} differs from the others by a constant on all criteria but one.", reviewer=reviewer
        )
        return RaterEffect(
            reviewer, None, rows=count, comparisons=comparisons, needed=LEAST_HALO, reason=reason
        )
    scaled = (varying - varying.mean(axis=0)) / varying.std(axis=0)
    value = float(_mean_correlation(scaled[None])[0])
    rng = np.random.default_rng(SEED)
    shuffled = rng.permuted(np.broadcast_to(scaled, (DRAWS, *scaled.shape)), axis=1)
    p = chance(value, _mean_correlation(shuffled))
    return RaterEffect(
        reviewer, value, p=p, is_flagged=p < LEVEL and value >= HALO, rows=count, comparisons=comparisons,
        needed=LEAST_HALO,
        interval_reason=say("The permutation test gives a p and no interval."),
    )  # fmt: skip


def _mean_correlation(scaled: Matrix) -> Matrix:
    """The mean off-diagonal correlation of tables (tables x responses x criteria) of standardised columns."""
    _, count, criteria = scaled.shape
    squared = np.square(scaled.sum(axis=2)).sum(axis=1) / count
    return np.asarray((squared - criteria) / (criteria * (criteria - 1)))
