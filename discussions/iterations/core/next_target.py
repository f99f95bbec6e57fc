"""Which metric to work on next, and how far the lowest one will rise by regression to the mean.

Source: the rubric's "Iteration Cycle" (identify the lowest-scoring metric) and "Troubleshooting Guide". On the rebound:
F. Galton, Journal of the Anthropological Institute 15 (1886), 246-263, regression towards the mean.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import erf, exp, pi, sqrt

import numpy as np
from msgspec import Struct

from discussions.iterations.core.averages import Spread, pooled_spread
from discussions.iterations.core.figures import GameFigures, collect_scores, mean_score
from discussions.metrics.core.registry import METRICS
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text import figure, signed_figure
from workspace.core.words import say

# Without games of its own a project has an SD of twice the material difference: 10 points of a percentage, 0.6 of a
# rating. Strategic depth and coherence of public games of Mafia differ by 7 to 12 points.
USUAL_SD = 2.0
PRIOR_DF = 4
# Two metrics of one game, while fewer than `LEAST_DF` degrees of freedom say what it is.
USUAL_CORRELATION, LEAST_DF, MOST_CORRELATION = 0.3, 8, 0.9


class Margin(Struct, frozen=True):
    """How far a metric's average lies above its threshold (below: negative).

    `value` is the rubric's average, `points` the distance in its own unit, `sds` in standard deviations between games;
    None without a spread. `share` is the average on a scale of 100, so a rating of 3.5 of 5 is 70; it gives the
    literally lowest metric. `game_count` counts the games to which the metric applies; `judged` is their average, from
    which `sds` is computed.
    """

    key: str
    label: str
    threshold: float
    value: float
    points: float
    share: float
    sds: float | None
    spread: Spread
    game_count: int
    judged: float | None
    advice: list[str]


class NextTarget(Struct, frozen=True):
    """The metric that is proposed, with every margin, lowest first.

    `literal` is the key of the lowest number; None if nothing is known. `rebound` is by how much the proposed one is
    expected to rise with no change at all, in its own unit, `rebound_sds` in SDs; None without a spread, or with only
    one metric.
    """

    target: Margin | None
    literal: str | None
    margins: list[Margin]
    rebound: float | None
    rebound_sds: float | None
    candidate_count: int
    says: str


class MarginText(Struct, frozen=True):
    """A metric and its distance to the threshold, as text; `tone` is "pass" or "fail"."""

    label: str
    value: str
    threshold: str
    points: str
    sds: str
    tone: str
    is_proposed: bool
    is_literal: bool


class TargetAdvice(Struct, frozen=True):
    """The proposed metric, why, and the rubric's advice on it; `lines` are all metrics, lowest first."""

    key: str
    label: str
    says: str
    advice: list[str]
    lines: list[MarginText]


def next_target(
    games: Sequence[GameFigures], rubric: RubricRecord, *, earlier: Iterable[Sequence[GameFigures]] = ()
) -> NextTarget:
    batches = [games, *earlier]
    known = [
        found for criterion in rubric.criteria if (found := _margin(criterion, games, batches)) is not None
    ]
    margins = sorted(known, key=_rank)
    measured = [margin for margin in margins if margin.sds is not None]
    literal = min(margins, key=lambda margin: margin.share).key if margins else None
    target = margins[0] if margins else None
    sds = rebound = None
    if target is not None and target.sds is not None and len(measured) > 1:
        shared = correlate_metrics(batches, [margin.key for margin in measured])
        true = _true_variance(measured, shared)
        sds = expected_rebound(len(measured), target.game_count, true, shared)
        rebound = sds * _moderate_sd(target)
    return NextTarget(
        target=target,
        literal=literal,
        margins=margins,
        rebound=rebound,
        rebound_sds=sds,
        candidate_count=len(measured),
        says=_says(target, literal, margins, rebound),
    )


def describe_target(found: NextTarget) -> TargetAdvice | None:
    if found.target is None:
        return None
    lines = []
    for margin in found.margins:
        unit = METRICS[margin.key].scale.symbol
        lines.append(
            MarginText(
                label=margin.label,
                value=figure(margin.value, margin.threshold) + unit,
                threshold=figure(margin.threshold) + unit,
                points=signed_figure(margin.points),
                sds="" if margin.sds is None else signed_figure(margin.sds),
                tone="pass" if margin.points >= 0 else "fail",
                is_proposed=margin.key == found.target.key,
                is_literal=margin.key == found.literal,
            )
        )
    return TargetAdvice(found.target.key, found.target.label, found.says, found.target.advice, lines)


def expected_rebound(
    candidates: int, games: int, true_variance: float, correlation: float = USUAL_CORRELATION
) -> float:
    """By how many SDs the lowest of these metrics rises on average in a new batch without any change.

    x = c_k e / sqrt(e + m^2), e = (1 - r)/n, with n games, r the correlation of two metrics over games of one batch and
    m^2 the variance of the metrics' true margins, all in SDs: what all metrics of a game share moves no ranking.
    """
    noise = (1 - correlation) / games
    return expected_maximum(candidates) * noise / sqrt(noise + true_variance)


def correlate_metrics(batches: Iterable[Sequence[GameFigures]], keys: Sequence[str]) -> float:
    """The mean correlation of two metrics over games of one batch, from 0 to `MOST_CORRELATION`.

    Games with all of the metrics count; with fewer than `LEAST_DF` degrees of freedom it is the usual one.
    """
    df, squares = 0, np.zeros((len(keys), len(keys)))
    for batch in batches:
        rows = [[game.score(key) for key in keys] for game in batch if all(map(game.applies, keys))]
        known = np.array([row for row in rows if None not in row], dtype=float)
        if len(known) > 1:
            centred = known - known.mean(axis=0)
            df, squares = df + len(known) - 1, squares + centred.T @ centred
    spread = np.sqrt(np.diag(squares))
    varied = spread > 0
    count = int(varied.sum())
    if df < LEAST_DF or count < 2:
        return USUAL_CORRELATION
    shares = (squares / np.outer(np.where(varied, spread, 1), np.where(varied, spread, 1)))[varied][:, varied]
    mean = (float(shares.sum()) - count) / (count * (count - 1))
    return min(MOST_CORRELATION, max(0.0, mean))


def _moderate_sd(margin: Margin) -> float:
    """The SD between games with the usual one as if it came from `PRIOR_DF` further degrees of freedom.

    Source: G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 3 (2004), article 3.
    """
    usual = USUAL_SD * METRICS[margin.key].scale.material
    squares = PRIOR_DF * usual**2 + margin.spread.df * (margin.spread.variance or 0.0)
    return sqrt(squares / (PRIOR_DF + margin.spread.df))


@lru_cache(maxsize=64)
def expected_maximum(count: int) -> float:
    """c_k, the expected maximum of `count` independent standard normals: the integral of x k phi(x) Phi(x)^(k-1)."""
    steps, reach = 4000, 10.0
    width = 2 * reach / steps
    total = 0.0
    for step in range(steps + 1):
        x = -reach + step * width
        below = (1 + erf(x / sqrt(2))) / 2
        total += x * count * exp(-x * x / 2) / sqrt(2 * pi) * below ** (count - 1)
    return total * width


def _margin(
    criterion: Criterion, games: Sequence[GameFigures], batches: Sequence[Sequence[GameFigures]]
) -> Margin | None:
    key = criterion.key
    scale = METRICS[key].scale
    value = mean_score(games, key)
    if value is None:
        return None
    applicable = [collect_scores(batch, key, with_by_rule=False) for batch in batches]
    spread = pooled_spread(applicable)
    points = value - Fraction(str(criterion.threshold or 0))
    judged = mean_score(batches[0], key, with_by_rule=False)
    sds = None
    if spread.sd and judged is not None:
        sds = float(judged - Fraction(str(criterion.threshold or 0))) / spread.sd
    return Margin(
        key=key,
        label=criterion.label,
        threshold=float(criterion.threshold or 0),
        value=float(value),
        points=float(points),
        share=float(value / Fraction(scale.high) * 100),
        sds=sds,
        spread=spread,
        game_count=len(applicable[0]),
        judged=None if judged is None else float(judged),
        advice=list(criterion.advice),
    )


def _rank(margin: Margin) -> tuple[float, float]:
    """Margins in SDs; one without a spread comes first when it fails and last when it passes."""
    plain = margin.points / METRICS[margin.key].scale.span
    if margin.sds is not None:
        return margin.sds, plain
    return (float("-inf") if margin.points < 0 else float("inf")), plain


def _true_variance(measured: Sequence[Margin], correlation: float) -> float:
    """m^2, the variance of the true margins in SDs: that of the observed ones minus the noise of few games.

    Both are in moderated SDs, so that the SD of one metric that is small by chance does not spread the margins.
    """
    observed = [(margin.sds or 0.0) * (margin.spread.sd or 0.0) / _moderate_sd(margin) for margin in measured]
    centre = sum(observed) / len(observed)
    variance = sum((value - centre) ** 2 for value in observed) / (len(observed) - 1)
    noise = sum((1 - correlation) / margin.game_count for margin in measured) / len(measured)
    return max(0.0, variance - noise)


def _describe_distance(target: Margin) -> str:
    if target.sds is not None:
        return say("{sds} SD from its threshold", sds=signed_figure(target.sds))
    return say("its games do not differ") if target.spread.df else say("no spread is known")


def _says(
    target: Margin | None, literal: str | None, margins: Sequence[Margin], rebound: float | None
) -> str:
    if target is None:
        return say("No metric is known yet, so none is proposed.")
    distance = _describe_distance(target)
    value, threshold = figure(target.value, target.threshold), figure(target.threshold)
    judged = "" if target.judged is None else figure(target.judged, target.threshold)
    bare = (
        say(", {judged} without the games to which it does not apply", judged=judged)
        if judged not in ("", value)
        else ""
    )
    parts = [
        say(
            "Next target: {metric}, {value} against {threshold}{bare} ({distance}).",
            metric=target.label.lower(),
            value=value,
            threshold=threshold,
            bare=bare,
            distance=distance,
        )
    ]
    if literal not in (None, target.key):
        lowest = next(margin for margin in margins if margin.key == literal)
        parts.append(say("As a plain number {metric} is the lowest.", metric=lowest.label.lower()))
    if rebound is not None:
        parts.append(
            say(
                "Chosen because it was lowest: +{points} of regression to the mean is expected without any "
                "change, and is taken off before a change is judged.",
                points=figure(rebound),
            )
        )
    return " ".join(parts)
