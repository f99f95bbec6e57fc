"""How certain a ranking is: intervals of means, the lead of the first, and how the winner depends on the weights."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from rubric.core.records import HOLISTIC
from rubric.core.scales import COMMON, HIGHEST, LOWEST, Scale, Scales, Value
from rubric.core.scores import compute_overall, rank_values
from rubric.core.weights import Number, exact
from rubric.reviewer_statistics.core.stability import compute_means, resamples
from rubric.reviews.core.score_rows import ReviewRow
from workspace.statistics.estimates import Interval
from workspace.statistics.means import jackknife_error, student_t
from workspace.statistics.ratings import Matrix

FRAGILE = Fraction(5, 100)
Scores = Mapping[str, Mapping[str, Number]]


class WinnerFlip(Struct, frozen=True):
    """What it takes for a rival to draw level with the winner.

    `move` is the weight that moves to another criterion (half the sum of all changes): 0 if both are level already,
    None if no weights make them level. `takes` says from which criteria, `gives` to which. At `weights` both are
    level; any further move in that direction changes the winner.
    """

    rival: str
    move: Fraction | None
    weights: dict[str, Fraction] | None = None
    takes: dict[str, Fraction] = {}
    gives: str = ""

    @property
    def is_fragile(self) -> bool:
        """Whether moving less than 5 points of weight is enough."""
        return self.move is not None and self.move < FRAGILE


def smallest_move(
    *, winner: Mapping[str, Number], rival: Mapping[str, Number], weights: Mapping[str, Number]
) -> WinnerFlip:
    """The smallest move of weight after which the rival is level; its `rival` is "".

    Weight goes to the criterion where the winner leads least, from those where it leads most: each unit taken from
    criterion i closes d_i - d_min of the gap, so taking it where that is largest is the optimum of the linear
    programme. 0 when they are level already or the rival leads. Only criteria that both have scores for count.
    """
    shares = {key: exact(weight) for key, weight in weights.items() if key in winner and key in rival}
    leads = {key: exact(winner[key]) - exact(rival[key]) for key in shares}
    gap = sum((shares[key] * leads[key] for key in shares), Fraction())
    if gap <= 0:
        return WinnerFlip("", Fraction(), shares)
    least = min(leads, key=lambda key: (leads[key], key))
    if leads[least] > 0:
        return WinnerFlip("", None)
    takes, left = {}, gap
    for key in sorted(leads, key=lambda name: (-leads[name], name)):
        closes = leads[key] - leads[least]
        if not left or not closes:
            break
        takes[key] = min(shares[key], left / closes)
        left -= takes[key] * closes
    move = sum(takes.values(), Fraction())
    moved = {key: share - takes.get(key, 0) for key, share in shares.items()} | {least: shares[least] + move}
    return WinnerFlip("", move, moved, takes, least)


def flips(scores: Scores, weights: Mapping[str, Number]) -> dict[str, list[WinnerFlip]]:
    """For each winner (several if tied): what each other response needs to draw level, the nearest first.

    Responses without a score of some criterion are left out: nobody can say what they would need.
    """
    shares = {key: exact(weight) for key, weight in weights.items()}
    complete = {label: given for label, given in scores.items() if shares.keys() <= given.keys()}
    places = rank_values({label: compute_overall(given, shares).value for label, given in complete.items()})
    found = {}
    for winner in places[0] if places else []:
        moves = [
            replace(smallest_move(winner=complete[winner], rival=given, weights=shares), rival=label)
            for label, given in complete.items()
            if label != winner
        ]
        found[winner] = sorted(moves, key=lambda flip: (flip.move is None, flip.move or 0, flip.rival))
    return found


def edges(
    *, winner: Mapping[str, Number], rival: Mapping[str, Number], weights: Mapping[str, Number]
) -> dict[str, tuple[Fraction | None, Fraction | None]]:
    """Where the winner loses its lead when one weight changes and the others keep their proportions.

    For each criterion a value of its weight below, and one above the present; None where nothing changes on that side.
    """
    shares = {key: exact(weight) for key, weight in weights.items()}
    leads = {key: exact(winner[key]) - exact(rival[key]) for key in shares}
    gap = sum((shares[key] * leads[key] for key in shares), Fraction())
    total = sum(shares.values(), Fraction())
    found = {}
    for key, share in shares.items():
        others = (gap - share * leads[key]) / (total - share) if total != share else leads[key]
        # With the weight v on this criterion the gap is v x its lead + (total - v) x the mean lead of the others.
        level = total * others / (others - leads[key]) if others != leads[key] else None
        is_there = level is not None and 0 < level < total and gap > 0
        below = level if is_there and level is not None and level < share else None
        above = level if is_there and level is not None and level > share else None
        found[key] = below, above
    return found


def win_shares(
    scores: Scores, weights: Mapping[str, Number], *, kappa: float | None, draws: int = 10_000, seed: int = 0
) -> dict[str, float]:
    """How often each response wins under weights drawn at random around `weights`; a tie is shared.

    Draws come from a Dirichlet distribution with parameters kappa x weight (100 lets accuracy vary by about 5 points),
    or, without kappa, uniformly from all possible weights. The same seed gives the same shares, whatever the order of
    criteria and responses. A criterion of weight 0 stays at 0 unless kappa is None.
    """
    keys = sorted(key for key in weights if kappa is None or exact(weights[key]) > 0)
    labels = sorted(label for label, given in scores.items() if set(keys) <= set(given))
    if not labels or not keys:
        return {}
    centre = (
        np.ones(len(keys))
        if kappa is None
        else kappa * np.array([float(exact(weights[key])) for key in keys])
    )
    drawn = np.random.default_rng(seed).dirichlet(centre, size=draws)
    table = np.array([[float(exact(scores[label][key])) for key in keys] for label in labels])
    overalls = np.einsum("dk,lk->dl", drawn, table)
    wins = overalls >= overalls.max(axis=1, keepdims=True) - 1e-9
    shares = (wins / wins.sum(axis=1, keepdims=True)).mean(axis=0)
    by_label = dict(zip(labels, map(float, shares), strict=True))
    return {label: by_label[label] for label in scores if label in by_label}


Values = Mapping[str, Mapping[str, Fraction]]
Shares = Mapping[str, Fraction]
Means = Mapping[str, Mapping[str, Fraction]]
Word = Literal["tie", "level", "ahead", "cannot_tell"]
# In points of the scale 1 to 10: responses that are certainly closer than this are called level.
MARGIN = Fraction(1, 4)
# Two reviewers can differ by the same amount by chance.
LEAST_PANEL = 3
ERROR = 0.05


def clip_gap(low: float, high: float) -> Interval:
    """Clip an interval of a difference of scores: no two scores differ by more than 9."""
    widest = float(HIGHEST - LOWEST)
    return max(-widest, low), min(widest, high)


class Lead(Struct, frozen=True):
    """By how much the first response leads a rival, and how certain that is.

    `gap` is the difference of their means. `chance` is the share of resampled panels in which the first is ahead; a
    level draw counts half. `noise` is half the 95 % interval of the gap over the `reviewers` who judged either
    response, None if one reviewer alone carries a mean. `is_ahead` allows for all rivals, see `tell_apart`.
    """

    rival: str
    gap: Fraction
    reviewers: int
    chance: float | None
    noise: float | None
    is_ahead: bool = False

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the gap, within what scores allow; None when one reviewer alone carries a mean."""
        return (
            None
            if self.noise is None
            else clip_gap(float(self.gap) - self.noise, float(self.gap) + self.noise)
        )

    @property
    def word(self) -> Word:
        """The word for the lead: only equal means are a tie; level when the whole interval lies inside the margin.

        Ahead and level take three reviewers.
        """
        if self.gap == 0:
            return "tie"
        if self.interval is None or self.reviewers < LEAST_PANEL:
            return "cannot_tell"
        low, high = self.interval
        if low > -MARGIN and high < MARGIN:
            return "level"
        return "ahead" if self.is_ahead else "cannot_tell"

    @property
    def panel_size(self) -> int:
        """The number of reviewers behind the word: 1 if one reviewer alone gives the mean of either response."""
        return 1 if self.noise is None else self.reviewers


class WeightRange(Struct, frozen=True):
    """The range of one weight in which the first stays first, all others scaled, and who draws level at each end."""

    criterion: str
    weight: Fraction
    low: Fraction | None = None
    low_rival: str = ""
    high: Fraction | None = None
    high_rival: str = ""


def compute_rounding(rows: Iterable[ReviewRow], shares: Shares, scales: Scales, *, kind: str) -> float:
    """The variance that rounding gives one value: 1/12 of the squared step of its scores, of an overall weighted.

    Source: W. F. Sheppard, Proceedings of the London Mathematical Society 29 (1898), 353-380.
    """
    known = list(rows)
    if kind == HOLISTIC:
        step = find_step((row.holistic for row in known if row.holistic is not None), COMMON)
        return float(step**2) / 12
    whole = sum(shares.values(), Fraction()) or 1
    return (
        sum(
            float(
                (
                    share
                    / whole
                    * find_step(
                        (row.scores[key] for row in known if key in row.scores), scales.get(key, COMMON)
                    )
                )
                ** 2
            )
            for key, share in shares.items()
        )
        / 12
    )


def find_step(scores: Iterable[Value], scale: Scale) -> Fraction:
    """The step of scores on the common scale: that of their own scale, or a finer one that occurs."""
    own = Fraction(HIGHEST - LOWEST) * exact(scale.step) / (exact(scale.highest) - exact(scale.lowest))
    above = {exact(score) - LOWEST for score in scores}
    if all((place / own).denominator == 1 for place in above):
        return own
    unit = math.lcm(*(place.denominator for place in above))
    return min(own, Fraction(math.gcd(*(int(place * unit) for place in above)), unit))


def tell_apart(tails: Sequence[float]) -> list[bool]:
    """Which rivals the first differs from, by the two-sided p against each; all of these hold with 95 %.

    From all, by Holm's procedure: the smallest of k p is at most .05 / k, the next .05 / (k - 1), and so on. Else from
    some: the first was picked as the highest, so beside k rivals it stands for k (k + 1) / 2 pairs, and the smallest p
    is compared with .05 over that number, the next with the pairs of those left, until one is above. Source: S. Holm,
    Scandinavian Journal of Statistics 6 (1979), 65-70.
    """
    order = sorted(range(len(tails)), key=tails.__getitem__)
    ranked = [(tails[at], len(tails) - place) for place, at in enumerate(order)]
    if all(tail <= ERROR / left for tail, left in ranked):
        return [True] * len(tails)
    told = len(list(takewhile(lambda pair: pair[0] <= ERROR / (pair[1] * (pair[1] + 1) / 2), ranked)))
    return [at in order[:told] for at in range(len(tails))]


def compute_tail(gap: float, error: float, df: int) -> float:
    """The two-sided p of a gap with that error, by Student's t."""
    from scipy.special import stdtr

    if not error:
        return 0.0 if gap else 1.0
    return float(2 * stdtr(df, -abs(gap) / error))


def mean_interval(values: Iterable[Fraction], rounding: float = 0.0) -> Interval | None:
    """The 95 % interval of a mean across reviewers, within 1 to 10; None for fewer than two values.

    mean +/- t(.975, n - 1) sqrt((s^2 + rounding) / n), see `compute_rounding`. Source: Student, Biometrika 6 (1908),
    1-25.
    """
    given = [float(value) for value in values]
    count = len(given)
    if count < 2:
        return None
    mean = math.fsum(given) / count
    variance = math.fsum((value - mean) ** 2 for value in given) / (count - 1) + rounding
    half = round(student_t(count - 1) * math.sqrt(variance / count), 9)
    return max(float(LOWEST), mean - half), min(float(HIGHEST), mean + half)


def leads(values: Values, first: str, rivals: Sequence[str], rounding: float = 0.0) -> list[Lead]:
    """The first's lead over each rival, from the values that count, by reviewer and response.

    The interval is a jackknife over reviewers, with Student's t; its variance has that of rounding, once for each value
    (see `compute_rounding`). If everybody judged both, it is the interval of the mean difference. Source: R. G. Miller,
    Biometrika 61 (1974), 1-15.
    """
    reviewers = sorted(values)
    table = np.array([
        [float(values[reviewer][key]) if key in values[reviewer] else np.nan for reviewer in reviewers]
 for key in (first, *rivals)
    ])  # fmt: skip
    counts, shares = resamples(len(reviewers))
    drawn = compute_means(table, counts)
    left_out = compute_means(table, 1 - np.eye(len(reviewers)))
    own = _mean(value[first] for value in values.values() if first in value)
    found, tails = [], []
    for at, rival in enumerate(rivals, start=1):
        present = np.isfinite(table[[0, at]])
        judged = present.any(axis=0)
        gap = own - _mean(value[rival] for value in values.values() if rival in value)
        chance = _chance(drawn[:, 0] - drawn[:, at], shares) if len(reviewers) > 1 else None
        error = _error(
            (left_out[:, 0] - left_out[:, at])[judged], rounding * float((1 / present.sum(axis=1)).sum())
        )
        count = int(judged.sum())
        noise = None if error is None else round(student_t(count - 1) * error, 6)
        is_tested = error is not None and count >= LEAST_PANEL
        tails.append(compute_tail(float(gap), error or 0.0, count - 1) if is_tested else 1.0)
        found.append(Lead(rival, gap, count, chance, noise))
    return [replace(lead, is_ahead=is_ahead) for lead, is_ahead in zip(found, tell_apart(tails), strict=True)]


def find_open(found: Sequence[Lead]) -> Lead:
    """The lead that a statement about the first rests on: the first one that is not ahead, else that over the second.

    So the first is called ahead only where it is ahead of all.
    """
    return next((lead for lead in found if lead.word != "ahead"), found[0])


def count_unanimous(values: Values, first: str, rankings: Values | None = None) -> int:
    """The number of reviewers who judged at least two responses, if all of them put `first` alone at the top; else 0.

    Also 0 if only one reviewer did: nobody could have differed. `rankings` of reviewers without a value count, too.
    """
    lists = _list_rankings(values, rankings)
    return len(lists) if len(lists) > 1 and all(rank_values(given)[0] == [first] for given in lists) else 0


def compute_unanimity(values: Values, rankings: Values | None = None) -> float:
    """The probability that all put the same response first if all responses are equal.

    m^(1 - n) if n reviewers judged the same m, else the number that all judged over the product of how many each did.
    """
    lists = _list_rankings(values, rankings)
    common = set.intersection(*(set(given) for given in lists)) if lists else set()
    return len(common) / math.prod(len(given) for given in lists)


def _list_rankings(values: Values, rankings: Values | None) -> list[Mapping[str, Fraction]]:
    return [given for given in {**(rankings or {}), **values}.values() if len(given) > 1]


def criterion_means(rows: Iterable[ReviewRow], shares: Shares) -> dict[str, dict[str, Fraction]]:
    """Each response's mean score by criterion, over complete rows that are not the reviewer's own."""
    given: dict[str, list[Mapping[str, Value]]] = {}
    for row in rows:
        if not row.is_own and shares.keys() <= row.scores.keys():
            given.setdefault(row.response, []).append(row.scores)
    return {
        response: {key: _mean(exact(scores[key]) for scores in several) for key in shares}
        for response, several in given.items()
    }


def moves(means: Means, shares: Shares, winner: str) -> list[WinnerFlip]:
    """What it takes for each rival to draw level with the winner, nearest first; [] if it has no complete row."""
    return flips(means, shares).get(winner, [])


def weight_ranges(means: Means, shares: Shares, winner: str) -> list[WeightRange]:
    """For each weight, the range of values in which the winner stays first against all others."""
    rivals = {
        key: edges(winner=means[winner], rival=given, weights=shares)
        for key, given in means.items()
        if key != winner
    }
    ranges = []
    for key, share in shares.items():
        lows = [(low, rival) for rival, found in rivals.items() if (low := found[key][0]) is not None]
        highs = [(high, rival) for rival, found in rivals.items() if (high := found[key][1]) is not None]
        low, low_rival = max(lows, key=lambda pair: pair[0], default=(None, ""))
        high, high_rival = min(highs, key=lambda pair: pair[0], default=(None, ""))
        ranges.append(WeightRange(key, share, low, low_rival, high, high_rival))
    return ranges


def _chance(ahead: Matrix, shares: Matrix) -> float | None:
    """The share of draws in which the gap is above 0; draws that lack one of the two responses do not count."""
    defined = np.isfinite(ahead)
    whole = float(shares[defined].sum())
    won = (ahead > 0) + 0.5 * (ahead == 0)
    return float(won[defined] @ shares[defined]) / whole if whole > 0 else None


def _error(without: Matrix, rounding: float) -> float | None:
    """The error of a gap, from the gaps without each reviewer in turn; None when one of those is undefined."""
    if len(without) < 2 or not np.isfinite(without).all():
        return None
    return math.sqrt(jackknife_error(without) ** 2 + rounding)


def _mean(values: Iterable[Fraction]) -> Fraction:
    several = list(values)
    return sum(several, Fraction()) / len(several)
