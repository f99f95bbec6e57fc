"""One metric of one change: is it better than its reference, worse, not materially different, or unclear?

A normal prior N(0, tau^2), tau = 0.7 s, on the true difference shrinks what a few games show towards 0; s is the spread
between games, pooled over all batches, and the posterior is taken as Student's t with its degrees of freedom. Sources:
docs/iterations.md; A. Gelman, J. Carlin, Perspectives on Psychological Science 9 (2014), 641-651.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import comb, sqrt

from msgspec import Struct

from discussions.comparison.core.rebound import NO_REBOUND, PLACES, Rebound
from discussions.iterations.core.averages import Spread
from workspace.core.words import say
from workspace.statistics.means import exact_mean, student_t
from workspace.statistics.permutation import Permutation, permutation_test

IMPROVED = "improved"
WORSE = "worse"
SAME = "no material difference"
UNCLEAR = "cannot tell yet"
PRIOR_SHARE = 0.7
# The prior of "better" is narrower by this much of the share of the control that picked the target, since the rebound
# that is subtracted is itself an estimate. Thus at most 3 % of changes without effect are called improved over three
# looks.
PICKED_NARROWER = 0.45
TAIL = 0.05
SURE_SAME = 0.90
SURE_HARM = 0.80
LIKELY_HARM = 0.5
# The normal quantile of 80 %: this share of falls of the size that is said to be detectable is marked.
SEEN_Z = 0.8416
# 1.645 and 0.84: the normal quantiles for 5 % on one side and a power of 80 %.
POWER_Z = 1.645 + 0.84
MORE_GAMES = 3


class Posterior(Struct, frozen=True):
    """What the games say about the true difference: its shrunken estimate, and the probability of each reading.

    `higher` is P(true difference > 0), `within` P(it is smaller than the material one either way), `harm` P(it is
    below minus the material one); `fell` is the same as `harm` without the prior. Intervals are 95 % intervals in the
    unit of the scores; `interval` belongs to the raw difference.
    """

    shrunken: float
    sd: float
    interval: tuple[float, float]
    shrunken_interval: tuple[float, float]
    half_width_with_more: float
    higher: float
    within: float
    harm: float
    fell: float


class Difference(Struct, frozen=True):
    """The difference of the means of two lists of scores, change minus control, with its answer.

    `raw` is the observed difference. `rebound` is the part of it that is regression to the mean, since `picked_share`
    of the control's games picked the target. `posterior` and `permutation` are about the rest, `judged`. `reason` says
    why the answer is "cannot tell yet" if that is not due to the scores. `posterior` is None while there is no spread
    to judge by. `floor` is the smallest two-sided permutation p that these sizes allow. `more_games` is how many more
    each side needs for the material difference to be seen, 0 when there are enough, None without a spread.
    """

    control_mean: float | None
    change_mean: float | None
    control_count: int
    change_count: int
    raw: float | None
    material: float
    spread: Spread
    posterior: Posterior | None
    answer: str
    reason: str
    permutation: Permutation
    floor: float | None
    more_games: int | None
    rebound: float = 0.0
    picked_share: float = 0.0

    @property
    def judged(self) -> float | None:
        """The difference that is judged: the raw one minus the regression to the mean."""
        return None if self.raw is None else self.raw - self.rebound


class ScoresJudged(Struct, frozen=True):
    raw: Fraction | None
    posterior: Posterior | None
    answer: str
    reason: str


def judge_scores(
    control: Sequence[Fraction],
    change: Sequence[Fraction],
    spread: Spread,
    *,
    material: float,
    span: float,
    rebound: Rebound = NO_REBOUND,
) -> ScoresJudged:
    """The answer for two lists of game scores; arguments as in `difference`."""
    first, second = exact_mean(control), exact_mean(change)
    raw = None if first is None or second is None else second - first
    left = None if raw is None else raw - _exact_points(rebound)
    found = None
    if left is not None:
        found = compute_posterior(
            raw=float(left),
            control_count=len(control),
            change_count=len(change),
            spread=spread,
            material=material,
            span=span,
            better_share=PRIOR_SHARE * (1 - PICKED_NARROWER * rebound.share),
        )
    answer, reason = _explain_answer(left, found, spread)
    return ScoresJudged(raw, found, answer, reason)


def _exact_points(rebound: Rebound) -> Fraction:
    return Fraction(rebound.points).limit_denominator(10**PLACES)


def difference(
    control: Sequence[Fraction],
    change: Sequence[Fraction],
    spread: Spread,
    *,
    material: float,
    span: float,
    rebound: Rebound = NO_REBOUND,
) -> Difference:
    """The difference of two lists of game scores of the same protocol.

    `spread` is pooled over all batches, these two included; `material` the difference that matters and `span` the width
    of the scale, both in the unit of the scores: intervals are clipped to plus and minus `span`. `rebound` is
    subtracted before judging.
    """
    first, second = exact_mean(control), exact_mean(change)
    found = judge_scores(control, change, spread, material=material, span=span, rebound=rebound)
    return Difference(
        control_mean=None if first is None else float(first),
        change_mean=None if second is None else float(second),
        control_count=len(control),
        change_count=len(change),
        raw=None if found.raw is None else float(found.raw),
        material=material,
        spread=spread,
        posterior=found.posterior,
        answer=found.answer,
        reason=found.reason,
        permutation=permutation_test(control, [score - _exact_points(rebound) for score in change]),
        floor=permutation_floor(len(control), len(change)),
        more_games=more_games(len(control), len(change), spread, material),
        rebound=rebound.points,
        picked_share=rebound.share,
    )


def compute_posterior(
    *,
    raw: float,
    control_count: int,
    change_count: int,
    spread: Spread,
    material: float,
    span: float,
    better_share: float = PRIOR_SHARE,
) -> Posterior | None:
    """The posterior of the true difference; None while the spread is not known or is 0.

    With v = s^2 (1/n_C + 1/n_X): mean raw tau^2 / (tau^2 + v), sd sqrt(v tau^2 / (tau^2 + v)), t with the spread's df.
    For `higher` alone tau is `better_share` s instead of the usual 0.7 s.
    """
    if not spread.df or not spread.variance or not control_count or not change_count:
        return None
    noise = spread.variance * (1 / control_count + 1 / change_count)
    prior = PRIOR_SHARE**2 * spread.variance
    careful = better_share**2 * spread.variance
    shrunken, sd = raw * prior / (prior + noise), sqrt(noise * prior / (prior + noise))
    half = student_t(spread.df) * sqrt(noise)
    more = spread.variance * (1 / (control_count + MORE_GAMES) + 1 / (change_count + MORE_GAMES))
    return Posterior(
        shrunken=shrunken,
        sd=sd,
        interval=_clipped(raw, half, span),
        shrunken_interval=_clipped(shrunken, student_t(spread.df) * sd, span),
        half_width_with_more=min(span, student_t(spread.df + 2 * MORE_GAMES) * sqrt(more)),
        higher=_below(spread.df, raw * sqrt(careful / (noise * (careful + noise)))),
        within=_below(spread.df, (material - shrunken) / sd) - _below(spread.df, (-material - shrunken) / sd),
        harm=_below(spread.df, (-material - shrunken) / sd),
        fell=_below(spread.df, (-material - raw) / sqrt(noise)),
    )


def has_fallen(found: Difference) -> bool:
    """Whether the metric more likely than not fell by more than the material difference, as the games stand.

    Nothing is shrunken: a prior that expects small effects would hide the harm that a guardrail must show. Without any
    spread within the batches, the fall itself decides; without two games in a batch, nothing is marked.
    """
    if found.posterior is not None:
        return found.posterior.fell > LIKELY_HARM
    return bool(found.spread.df) and found.raw is not None and found.raw < -found.material


def has_fallen_after_shrinking(found: Difference) -> bool:
    """The mark of decisions in the first format: P(true difference < -material) > .80 under the prior."""
    return found.posterior is not None and found.posterior.harm > SURE_HARM


def compute_fall_seen(found: Difference) -> float | None:
    """The size of a true fall that `has_fallen` marks in 80 % of comparisons of these sizes; None without a spread.

    The mark is set when the raw difference is below -d, and that has SD s sqrt(1/n_C + 1/n_X): d + 0.84 of it.
    """
    error = get_standard_error(found)
    return None if error is None else found.material + SEEN_Z * error


def compute_false_mark(found: Difference) -> float | None:
    """How often `has_fallen` marks an unchanged metric, in comparisons of these sizes; None without a spread."""
    from scipy.special import ndtr

    error = get_standard_error(found)
    return None if error is None else float(ndtr(-found.material / error))


def get_standard_error(found: Difference) -> float | None:
    """The standard error of the raw difference, s sqrt(1/n_C + 1/n_X); None while it is not known or 0."""
    if not found.spread.sd or not found.control_count or not found.change_count:
        return None
    return found.spread.sd * sqrt(1 / found.control_count + 1 / found.change_count)


def compute_find_chance(size: int, earlier_df: int) -> float:
    """How often one comparison of `size` against `size` games calls a true gain of one standard deviation "improved".

    P(shrunken / sd > t(.95, df)) is P(T > t(.95, df) / sqrt(k)) of the noncentral t with df = earlier df + 2 (n - 1),
    noncentrality 1 / sqrt(2/n) and k = tau^2 / (tau^2 + 2/n), all in SDs. Source: N. L. Johnson,
    B. L. Welch, Biometrika 31 (1940), 362-389.
    """
    from scipy.special import nctdtr, stdtrit

    df, noise, prior = earlier_df + 2 * (size - 1), 2 / size, PRIOR_SHARE**2
    if df < 1:
        return 0.0
    bound = stdtrit(df, 1 - TAIL) / sqrt(prior / (prior + noise))
    return float(1 - nctdtr(df, 1 / sqrt(noise), bound))


def more_games(control_count: int, change_count: int, spread: Spread, material: float) -> int | None:
    """How many more games each side needs, from the material difference and never from the observed one.

    The smallest m with (1.645 + 0.84)^2 s^2 (1/(n_C + m) + 1/(n_X + m)) <= material^2: 80 % power at 5 % on one side.
    None without a spread, and when nothing material was named.
    """
    if not spread.variance or material <= 0:
        return None
    needed = POWER_Z**2 * spread.variance / material**2
    low, high = -1, max(1, int(2 * needed) + 2)
    while high - low > 1:
        tried = (low + high) // 2
        first, second = control_count + tried, change_count + tried
        is_enough = bool(first and second) and needed * (1 / first + 1 / second) <= 1
        low, high = (low, tried) if is_enough else (tried, high)
    return high


def permutation_floor(control_count: int, change_count: int) -> float | None:
    """The smallest two-sided p of the exact permutation test at these sizes, 0.10 at 3 against 3.

    If both groups have the same size, every division of the games has a mirror image that is equally extreme.
    """
    if not control_count or not change_count:
        return None
    mirrored = 2 if control_count == change_count else 1
    return mirrored / comb(control_count + change_count, change_count)


def _explain_answer(raw: Fraction | None, found: Posterior | None, spread: Spread) -> tuple[str, str]:
    if raw is None:
        return UNCLEAR, say("One of the two has no game with this figure.")
    if found is not None:
        return decide_answer(no_better=1 - found.higher, no_worse=found.higher, within=found.within), ""
    if not spread.df:
        return UNCLEAR, say("No batch has two games, so nobody knows how much games differ by chance.")
    if raw == 0:
        return SAME, ""
    return (
        UNCLEAR,
        say("All games of a batch have the same score, so there is no spread to judge a difference by."),
    )


def decide_answer(*, no_better: float, no_worse: float, within: float) -> str:
    if no_better < TAIL:
        return IMPROVED
    if no_worse < TAIL:
        return WORSE
    return SAME if within > SURE_SAME else UNCLEAR


def _clipped(centre: float, half: float, span: float) -> tuple[float, float]:
    return max(-span, centre - half), min(span, centre + half)


def _below(df: int, value: float) -> float:
    from scipy.special import stdtr

    return float(stdtr(df, value))
