"""One metric of one change: is it better than its reference, worse, not materially different, or unclear?

The answer is that of an interval, so that the two cannot contradict each other: improved when it lies above 0, worse
when it lies below. It is a t interval whose level depends on the number of games, so that over three looks at most 4 %
of changes without effect are called improved. Sources: docs/iterations.md; for levels that grow with the games P. C.
O'Brien, T. R. Fleming, Biometrics 35 (1979), 549-556.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from discussions.core.outcome import DIVERSITY, REPETITION
from discussions.iterations.core.averages import Spread
from discussions.iterations.core.figures import GameFigures, collect_scores
from discussions.iterations.core.next_target import NextTarget
from workspace.core.text import figure
from workspace.core.words import mark, say
from workspace.statistics.means import exact_mean, pool_squares, weighted_error, weighted_mean

# Scores have no more decimals than this.
PLACES = 4


# The regression to the mean in points, the unit of the scores, and the share of the control that picked the target.
Rebound = tuple[float, float]
NO_REBOUND: Rebound = (0.0, 0.0)


def find_rebound(
    key: str, lowest: NextTarget, picked: Collection[int], judged: Sequence[GameFigures]
) -> Rebound:
    """The rebound of a metric that is the lowest in the games that picked it, by numbers, of the `judged` control.

    None for any other metric, and while no spread was known when it was named.
    """
    games = [game for game in judged if collect_scores([game], key, with_by_rule=False)]
    count = sum(game.number in picked for game in games)
    if lowest.target is None or lowest.target.key != key or lowest.rebound is None or not count:
        return NO_REBOUND
    share = count / len(games)
    return round(lowest.rebound * share, PLACES), share


FOLLOW_LENGTH = frozenset({DIVERSITY, REPETITION})
_MORE = mark("{share}\u00a0% more {name} ({after} against {before})")
_FEWER = mark("{share}\u00a0% fewer {name} ({after} against {before})")
# A difference of a fifth, up or down, is reported.
NOTED = Fraction(1, 5)


def describe_lengths(key: str, control: Sequence[GameFigures], change: Sequence[GameFigures]) -> str:
    """A sentence on lengths that differ by more than a fifth, for a metric that depends on length; "" otherwise."""
    if key not in FOLLOW_LENGTH:
        return ""
    parts = [
        _describe(name, before, after)
        for name, before, after in (
            (say("words per message"), _words_per_message(control), _words_per_message(change)),
            (say("messages per game"), _messages_per_game(control), _messages_per_game(change)),
        )
        if before and after is not None and abs(after / before - 1) > NOTED
    ]
    if not parts:
        return ""
    both = say("{first} and {second}", first=parts[0], second=parts[1]) if len(parts) == 2 else parts[0]
    return say("Follows the length of what is said: {parts}.", parts=both)


def _words_per_message(games: Sequence[GameFigures]) -> Fraction | None:
    known = [
        (game.word_count, game.message_count) for game in games if game.word_count and game.message_count
    ]
    messages = sum(count for _words, count in known)
    return Fraction(sum(words for words, _count in known), messages) if messages else None


def _messages_per_game(games: Sequence[GameFigures]) -> Fraction | None:
    known = [game.message_count for game in games if game.message_count is not None]
    return Fraction(sum(known), len(known)) if known else None


def _describe(name: str, before: Fraction, after: Fraction) -> str:
    share = figure(100 * abs(after / before - 1), decimals=0)
    said = _MORE if after > before else _FEWER
    return say(said, share=share, name=name, after=figure(after), before=figure(before))


IMPROVED = "improved"
WORSE = "worse"
SAME = "no material difference"
UNCLEAR = "cannot tell yet"
MOST_LOOKS = 3
# How many games each side gets between two looks.
MORE_GAMES = 3
# One look at n games a side has the level Φ(-LEVEL_Z √(1 + 2 / (n EXPECTED²))) on each side: .6 % at 3 games, 1.7 %
# at 6, 2.5 % at 9. EXPECTED is the size of effects that is looked for, in standard deviations between games.
LEVEL_Z = 1.63
# The spread of pairs is known from the pairs alone, so that looks agree less with each other.
PAIRED_Z = 1.68
EXPECTED = 0.7
# What a target was picked by is subtracted, and what is subtracted is itself an estimate: the level of "better" is that
# of effects smaller by this much of the share of the control that picked it.
PICKED_SMALLER = 0.15
ROUNDING = 1e-9  # what may be left of a difference of equal squares
# Variances are unequal beyond these tails of the F distribution.
UNEQUAL_TAIL = 0.05
# No material difference: the 90 % interval lies within it.
SAME_TAIL = 0.05
# A fall of another metric is said where chance alone shows one so large in at most one comparison of five.
MOST_FALSE_FALLS = 0.2
# The normal quantile of 80 %: this share of falls of the size that is named is said.
SEEN_Z = 0.8416


class Error(Struct, frozen=True):
    """The standard error of a difference of means, in the unit of the scores, and its degrees of freedom."""

    size: float
    df: float


class Difference(Struct, frozen=True):
    """The difference of the means of two lists of scores, change minus control, with its answer.

    `raw` is the observed difference. `rebound` is the part of it that is regression to the mean, since `picked_share`
    of the control's games picked the target; answer and `interval` are about the rest, `judged`. `error` is None while
    no spread is known, then `reason` says why the answer is "cannot tell yet". `pair_count` is above 0 if games were
    compared in pairs. `better` and `worse` are the one-sided p of "not better" and "not worse", `level` what they must
    be below, and `span` the width of the scale.
    """

    control_mean: float | None
    change_mean: float | None
    control_count: int
    change_count: int
    raw: float | None
    material: float
    spread: Spread
    error: Error | None
    interval: tuple[float, float] | None
    answer: str
    reason: str
    better: float = 1.0
    worse: float = 1.0
    level: tuple[float, float] = (0.0, 0.0)
    span: float = 0.0
    rebound: float = 0.0
    picked_share: float = 0.0
    pair_count: int = 0

    @property
    def judged(self) -> float | None:
        """The difference that is judged: the raw one minus the regression to the mean."""
        return None if self.raw is None else self.raw - self.rebound

    @property
    def games_differ(self) -> float:
        """The SD between games that the error comes from, as if both sides had it."""
        return self.error.size / sqrt(1 / self.control_count + 1 / self.change_count) if self.error else 0.0

    @property
    def size(self) -> int:
        """The games of the smaller side."""
        return min(self.control_count, self.change_count)


def difference(
    control: Sequence[Fraction],
    change: Sequence[Fraction],
    spread: Spread,
    *,
    material: float,
    span: float,
    rebound: Rebound = NO_REBOUND,
    is_paired: bool = False,
    weights: tuple[Sequence[Fraction], ...] = ((), ()),
) -> Difference:
    """The difference of two lists of game scores of the same protocol.

    `spread` is pooled over all batches, these two included; `material` the difference that matters and `span` the width
    of the scale, both in the unit of the scores: intervals are clipped to plus and minus `span`. `rebound` is
    subtracted before judging. With `is_paired` the scores of both lists were played alike, one by one, and only their
    differences are judged. `weights` are those of the scores of each side, empty where all weigh the same.
    """
    first, second = (
        weighted_mean(scores, given) if given else exact_mean(scores)
        for scores, given in zip((control, change), weights, strict=True)
    )
    raw = None if first is None or second is None else second - first
    error = find_paired_error(control, change) if is_paired else find_error(control, change, spread)
    if any(weights):
        error = find_weighted_error(control, change, weights)
    found = Difference(
        control_mean=None if first is None else float(first),
        change_mean=None if second is None else float(second),
        control_count=len(control),
        change_count=len(change),
        raw=None if raw is None else float(raw),
        material=material,
        spread=spread,
        error=error,
        interval=None,
        answer=UNCLEAR,
        reason="",
        rebound=rebound[0],
        picked_share=rebound[1],
        pair_count=len(control) if is_paired else 0,
    )
    left = None if raw is None else raw - Fraction(rebound[0]).limit_denominator(10**PLACES)
    return _judge(found, left, span)


def _judge(found: Difference, left: Fraction | None, span: float) -> Difference:
    if left is None:
        return replace(found, reason=say("One of the two has no game with this figure."))
    if found.error is None and found.spread.df and not left:
        return replace(found, answer=SAME)
    if found.error is None:
        one_game = say("No batch has two games, so nobody knows how much games differ by chance.")
        alike = say(
            "All games of a batch have the same score, so there is no spread to judge a difference by."
        )
        return replace(found, reason=alike if found.spread.df else one_game)
    value, error = float(left), found.error
    z = _get_z(found)
    levels = get_level(found.size, found.picked_share, z=z), get_level(found.size, z=z)
    found = replace(found, better=_tail(error, value), worse=_tail(error, -value), level=levels, span=span)
    return narrow_answer(found, better=found.better, worse=found.worse)


def narrow_answer(found: Difference, *, better: float, worse: float) -> Difference:
    """The answer and the interval for `better` and `worse` that were corrected for the number of metrics."""
    if found.error is None or found.judged is None:
        return found
    ratios = [
        own / corrected for own, corrected in ((found.better, better), (found.worse, worse)) if corrected
    ]
    low, high = (_quantile(found.error, level * min(ratios, default=1.0)) for level in found.level)
    interval = max(-found.span, found.judged - low), min(found.span, found.judged + high)
    is_small = abs(found.judged) + _quantile(found.error, SAME_TAIL) < found.material
    answer = SAME if is_small else UNCLEAR
    if better < found.level[0]:
        answer = IMPROVED
    elif worse < found.level[1]:
        answer = WORSE
    return replace(found, interval=interval, answer=answer)


def get_level(size: int, picked_share: float = 0.0, *, z: float = LEVEL_Z) -> float:
    """The one-sided level of a look at `size` games on the smaller side; smaller for a target that they picked."""
    from scipy.special import ndtr

    if not size:
        return 0.0
    expected = EXPECTED * (1 - PICKED_SMALLER * picked_share)
    return float(ndtr(-z * sqrt(1 + 2 / (size * expected**2))))


def _get_z(found: Difference) -> float:
    return PAIRED_Z if found.pair_count else LEVEL_Z


def find_error(control: Sequence[Fraction], change: Sequence[Fraction], spread: Spread) -> Error | None:
    """s √(1/n_C + 1/n_X) with the pooled spread; None while it is not known, or it is 0.

    Where an F test at `UNEQUAL_TAIL` on each side tells the change's variance from that of all other batches, each side
    has its own, with Satterthwaite's degrees of freedom. Sources: B. L. Welch, Biometrika 34 (1947), 28-35; F. E.
    Satterthwaite, Biometrics Bulletin 2 (1946), 110-114.
    """
    from scipy.special import fdtr

    if not spread.df or not spread.variance or not control or not change:
        return None
    own, own_df = float(pool_squares([change])[0]), len(change) - 1
    other, other_df = spread.variance * spread.df - own, spread.df - own_df
    pooled = Error(sqrt(spread.variance * (1 / len(control) + 1 / len(change))), float(spread.df))
    # A side at the end of the scale has no spread, and says nothing of it.
    if not (own_df and other_df and own) or other < ROUNDING * own:
        return pooled
    first, second = other / other_df, own / own_df
    below = float(fdtr(own_df, other_df, second / first))
    if UNEQUAL_TAIL <= below <= 1 - UNEQUAL_TAIL:
        return pooled
    first, second = first / len(control), second / len(change)
    df = (first + second) ** 2 / (first**2 / other_df + second**2 / own_df)
    return Error(sqrt(first + second), df)


def find_weighted_error(
    control: Sequence[Fraction], change: Sequence[Fraction], weights: tuple[Sequence[Fraction], ...]
) -> Error | None:
    """From the errors of both weighted means, with Satterthwaite's degrees of freedom; None while one is not known."""
    ones = [Fraction(1)]
    found = [
        weighted_error(scores, given or ones * len(scores))
        for scores, given in zip((control, change), weights, strict=True)
    ]
    if found[0] is None or found[1] is None:
        return None
    first, second = found[0][0] ** 2, found[1][0] ** 2
    df = (first + second) ** 2 / (first**2 / found[0][1] + second**2 / found[1][1])
    return Error(sqrt(first + second), df)


def find_paired_error(control: Sequence[Fraction], change: Sequence[Fraction]) -> Error | None:
    """s_D/√n of the differences of n pairs, with n - 1 degrees of freedom; None while it is not known, or 0."""
    found = [other - first for first, other in zip(control, change, strict=True)]
    squares = float(pool_squares([found])[0])
    if len(found) < 2 or not squares:
        return None
    return Error(sqrt(squares / (len(found) - 1) / len(found)), float(len(found) - 1))


def _quantile(error: Error, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(error.df, 1 - level)) * error.size


def _tail(error: Error, value: float) -> float:
    """P(T > value / error)."""
    from scipy.special import stdtr

    return float(stdtr(error.df, -value / error.size))


def has_fallen(found: Difference) -> bool:
    """Whether the metric fell by more than the material difference, and by more than chance shows one time in five.

    Without any spread within the batches, the fall itself decides; without two games in a batch, nothing is said.
    """
    if found.judged is None or found.judged >= -found.material:
        return False
    if found.error is None:
        return bool(found.spread.df)
    return compute_false_fall(found) <= MOST_FALSE_FALLS


def compute_false_fall(found: Difference) -> float:
    """How often chance alone shows a fall at least as large as this one; 0 without an error."""
    return 0.0 if found.error is None or found.judged is None else _tail(found.error, -found.judged)


def compute_gain_seen(found: Difference) -> float | None:
    """The size of a true gain that is called better in 80 % of comparisons of these sizes; None without a spread."""
    if found.error is None:
        return None
    return _quantile(found.error, found.level[0]) + SEEN_Z * found.error.size


def compute_find_chance(size: int, earlier_df: int, picked_share: float = 0.0) -> float:
    """How often one comparison of `size` against `size` games calls a true gain of one standard deviation "improved".

    P(T > t(1 - level, df)) of the noncentral t with df = earlier df + 2 (n - 1) and noncentrality 1 / sqrt(2/n), in
    SDs. Source: N. L. Johnson, B. L. Welch, Biometrika 31 (1940), 362-389.
    """
    from scipy.special import nctdtr, stdtrit

    df = earlier_df + 2 * (size - 1)
    if df < 1:
        return 0.0
    return float(1 - nctdtr(df, 1 / sqrt(2 / size), stdtrit(df, 1 - get_level(size, picked_share))))


class Chances(Struct, frozen=True):
    """The chances of the answers that further games may give."""

    improved: float = 0.0
    worse: float = 0.0
    same: float = 0.0

    @property
    def total(self) -> float:
        return min(1.0, self.improved + self.worse + self.same)

    @property
    def likeliest(self) -> str:
        return max((self.improved, IMPROVED), (self.worse, WORSE), (self.same, SAME))[1]


def compute_answer_chances(found: Difference, looks_left: int, *, of: int = 1) -> Chances:
    """The chances that one of the looks left, each with 3 games more on each side, answers `found`, which is unclear.

    The true difference is taken as normal around what these games and a prior N(0, s²) say, and the looks as one at
    the last of them: an answer that comes earlier would nearly always come then. With several metrics (`of`), one of
    them has to pass the level of all, and "no material difference" is no answer. Calibrated in docs/iterations.md.
    """
    from scipy.special import ndtr

    if found.error is None or found.judged is None or not looks_left:
        return Chances()
    more, variance, noise = MORE_GAMES * looks_left, found.games_differ**2, found.error.size**2
    size = 2 * variance / noise  # of each side, as if both had as many
    centre, width = found.judged * variance / (variance + noise), variance * noise / (variance + noise)
    share = more / (size + more)
    mean = (1 - share) * found.judged + share * centre
    deviation = sqrt(share**2 * (width + 2 * variance / more))
    later, z = Error(sqrt(2 * variance / (size + more)), found.error.df + 2 * more), _get_z(found)
    after, picked = found.size + more, found.picked_share * found.size / (found.size + more)
    high = _quantile(later, get_level(after, picked, z=z) / of)
    low = _quantile(later, get_level(after, z=z) / of)
    small = max(0.0, found.material - _quantile(later, SAME_TAIL)) if of == 1 else 0.0
    return Chances(
        improved=float(ndtr((mean - high) / deviation)),
        worse=float(ndtr((-low - mean) / deviation)),
        same=float(ndtr((small - mean) / deviation) - ndtr((-small - mean) / deviation)),
    )
