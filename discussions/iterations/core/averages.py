"""The averages of an iteration with pass or fail, its cost, and the spread of scores within batches of games.

Source: the rubric's "Iteration Strategy" (calculate the metrics for all games, average the scores) and "Overall
Evaluation". Averages are compared with their thresholds as fractions, unrounded.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import sqrt

from msgspec import Struct

from discussions.core.outcome import ABOVE, AMBER, FEW_REFERENCES, LOW, UNREPORTED
from discussions.iterations.core.figures import (
    GameFigures,
    collect_scores,
    exact,
    find_weights,
    list_weights,
    mean_score,
    passes,
)
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.rule import Rules, get_cost_state, read_rules
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text import figure
from workspace.core.words import say, say_many
from workspace.display.core.number_lists import format_numbers
from workspace.statistics.means import exact_mean, pool_squares, student_t, weighted_error, weighted_mean

FEW_DF = 4


class Average(Struct, frozen=True):
    """The average of one criterion over the games of an iteration, by the rubric and for the diagnostics.

    A game to which the metric does not apply counts 100 in `value` and is left out of `second`. `value` averages
    `of_count` games, `second` averages `second_of_count` of them, and `by_rule_count` games count 100. `passed_count`
    games pass the criterion on their own, `few_count` of them on few references. `pending` names games whose figures
    are not known yet; while there are any, `passes` and `second_passes` are None. `interval` is the 95 % interval of
    `second`, from the spread between games.
    """

    key: str
    label: str
    threshold: float
    is_mandatory: bool
    value: float | None
    passes: bool | None
    of_count: int
    by_rule_count: int
    passed_count: int
    second: float | None
    second_passes: bool | None
    second_of_count: int
    pending: list[int]
    interval: tuple[float, float] | None = None
    few_count: int = 0

    @property
    def is_weak_only(self) -> bool:
        """Whether each game is not applicable or passes on few references, and at least one on few references."""
        return bool(self.passes) and self.few_count > 0 and self.few_count == self.second_of_count

    @property
    def is_by_rule_only(self) -> bool:
        """Whether it passes only because of games to which the metric does not apply."""
        return bool(self.passes) and self.by_rule_count > 0 and not self.second_passes

    @property
    def says(self) -> str:
        parts = [_describe_mean(self.of_count, len(self.pending))]
        if self.by_rule_count:
            by_rule = say("{by_rule_count} not applicable, counted as 100", by_rule_count=self.by_rule_count)
            parts.append(by_rule)
        if self.of_count:
            few = ""
            if self.few_count:
                few = say(
                    ", {few_count} of them on fewer than {few_references} references",
                    few_count=self.few_count,
                    few_references=FEW_REFERENCES,
                )
            counts = {"passed_count": self.passed_count, "of_count": self.of_count}
            parts.append(say("{passed_count} of {of_count} pass{few}", **counts, few=few))
        return "; ".join(parts)

    @property
    def second_says(self) -> str:
        mean = _describe_mean(self.second_of_count, len(self.pending))
        if left_out := self.of_count - self.second_of_count:
            mean += say("; left out: {left_out} to which the metric does not apply", left_out=left_out)
        return mean


class GamesCost(Struct, frozen=True):
    """What the games cost. `state` is the worst that occurs: above, amber, unreported, low.

    `amber` (which includes both bounds), `above`, `unreported` and `by_hand` name games. `mean_usd` is the mean of
    the reported costs.
    """

    state: str
    mean_usd: Decimal | None
    amber: list[int]
    above: list[int]
    unreported: list[int]
    by_hand: list[int]
    says: str


class Averages(Struct, frozen=True):
    """The averages of an iteration. `passes` is about quality only: enough averages pass, and all mandatory ones.

    `is_weighted`: games entered the queue with different chances, and weigh by them.
    """

    lines: list[Average]
    passes: bool | None
    passed_count: int
    missing: list[str]
    headline: str
    reasons: list[str]
    cost: GamesCost
    is_weighted: bool = False

    def line(self, key: str) -> Average:
        return {line.key: line for line in self.lines}[key]


def compute_averages(games: Sequence[GameFigures], rubric: RubricRecord) -> Averages:
    rules = read_rules(rubric)
    lines = [compute_average(criterion, games) for criterion in rubric.criteria]
    missing = [line.key for line in lines if line.passes is None]
    passed = sum(bool(line.passes) for line in lines)
    reasons = [] if missing else _reasons(lines, rules.needed)
    return Averages(
        lines=lines,
        passes=None if missing else not reasons,
        passed_count=passed,
        missing=missing,
        headline=_headline(lines, missing, reasons) + (say("; weighted") if find_weights(games) else ""),
        reasons=reasons,
        cost=compute_games_cost(games, rules),
        is_weighted=bool(find_weights(games)),
    )


def compute_average(criterion: Criterion, games: Sequence[GameFigures]) -> Average:
    key = criterion.key
    scale = METRICS[key].scale
    threshold = Fraction(str(criterion.threshold or 0))
    pending = [game.number for game in games if game.score(key) is None]
    known = [game for game in games if game.score(key) is not None]
    applicable = [game for game in known if game.applies(key)]
    value, second = mean_score(games, key), mean_score(games, key, with_by_rule=False)
    return Average(
        key=key,
        label=criterion.label,
        threshold=float(threshold),
        is_mandatory=criterion.is_mandatory,
        value=None if value is None else float(value),
        passes=None if pending or value is None else value >= threshold,
        of_count=len(known),
        by_rule_count=len(known) - len(applicable),
        passed_count=sum(bool(passes(game, criterion)) for game in known),
        second=None if second is None else float(second),
        second_passes=None if pending or second is None else second >= threshold,
        second_of_count=len(applicable),
        pending=pending,
        interval=compute_mean_interval(
            collect_scores(applicable, key),
            *(scale.low, scale.high, list_weights(games, key, with_by_rule=False)),
        ),
        few_count=sum(key in game.on_few_references for game in known),
    )


def compute_games_cost(games: Sequence[GameFigures], rules: Rules) -> GamesCost:
    states = {game.number: get_cost_state(game.cost_usd, rules) for game in games}
    named = {
        state: [number for number, found in states.items() if found == state]
        for state in (ABOVE, AMBER, UNREPORTED)
    }
    priced = [game for game in games if game.cost_usd is not None]
    weights = find_weights(priced)
    costs = [(game.cost_usd or Decimal(0), _weigh(weights, game)) for game in priced]
    total = sum((weight for _cost, weight in costs), Decimal(0))
    return GamesCost(
        state=next(
            (state for state in (ABOVE, AMBER, UNREPORTED) if named[state]), LOW if games else UNREPORTED
        ),
        mean_usd=sum((cost * weight for cost, weight in costs), Decimal(0)) / total if total else None,
        amber=named[AMBER],
        above=named[ABOVE],
        unreported=named[UNREPORTED],
        by_hand=[game.number for game in games if game.is_cost_by_hand],
        says=_cost_says(games, named, rules),
    )


def _weigh(weights: Mapping[float, Fraction], game: GameFigures) -> Decimal:
    weight = weights[game.entered] if weights else Fraction(1)
    return Decimal(weight.numerator) / weight.denominator


def _cost_says(games: Sequence[GameFigures], named: dict[str, list[int]], rules: Rules) -> str:
    if not games:
        return say("No games, so no cost.")
    limit, amber = figure(rules.limit, decimals=2), figure(rules.amber, decimals=2)
    says = {
        ABOVE: say("above {limit} dollars, which fails", limit=limit),
        AMBER: say("from {amber} to {limit} dollars, which is no success", amber=amber, limit=limit),
        UNREPORTED: say("without a reported cost"),
    }
    parts = [f"{format_numbers(named[state])} {text}" for state, text in says.items() if named[state]]
    sentence = "; ".join(parts) or say("every game below {amber} dollars", amber=amber)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _reasons(lines: list[Average], needed: int) -> list[str]:
    passed = sum(bool(line.passes) for line in lines)
    counts = {"passed": passed, "lines_count": len(lines), "needed": needed}
    short = [say("{passed} of {lines_count} averages pass, {needed} are needed", **counts)]
    return (short if passed < needed else []) + [
        say(
            "{metric} {average} < {threshold} on average",
            metric=line.label.lower(),
            average=figure(line.value or 0, line.threshold),
            threshold=figure(line.threshold),
        )
        for line in lines
        if line.is_mandatory and line.passes is False
    ]


def _headline(lines: list[Average], missing: list[str], reasons: list[str]) -> str:
    if missing:
        counts = {"missing_count": len(missing), "lines_count": len(lines)}
        return say("pending: {missing_count} of {lines_count} averages are not known yet", **counts)
    count = f"{sum(bool(line.passes) for line in lines)}/{len(lines)}"
    by_rule = sum(line.is_by_rule_only for line in lines)
    rule = say(", {count} not applicable", count=by_rule) if by_rule else ""
    return f"{count} FAIL{rule}: {'; '.join(reasons)}" if reasons else f"{count} PASS{rule}"


def _describe_mean(count: int, pending: int) -> str:
    if not count and not pending:
        return say("no game yet")
    if not count:
        return say_many("none of {n} game known yet", "none of {n} games known yet", pending)
    if not pending:
        return say_many("mean of {n} game", "mean of {n} games", count)
    return say_many(
        "mean of {count} of {n} game", "mean of {count} of {n} games", count + pending, count=count
    )


class Spread(Struct, frozen=True):
    """The pooled variance within batches and its degrees of freedom; None with 0 of them.

    A batch holds the games of one prompt. `batch_count` counts the batches with two games or more.
    """

    variance: float | None
    df: int
    batch_count: int

    @property
    def sd(self) -> float | None:
        return None if self.variance is None else sqrt(self.variance)

    @property
    def warning(self) -> str:
        if not self.df:
            return say("The spread between games is not known: no batch has two games.")
        if self.df >= FEW_DF:
            return ""
        return say(
            "SD from only {df} df: the spread between games rests on {game_count} games.",
            df=self.df,
            game_count=self.df + self.batch_count,
        )


def pooled_spread(batches: Iterable[Sequence[Fraction]]) -> Spread:
    """The sum of squares around each batch's own mean, divided by the number of games minus one for each batch."""
    squares, df, count = pool_squares(batches)
    return Spread(float(squares / df) if df else None, df, count)


def compute_mean_interval(
    scores: Sequence[Fraction], lowest: float, highest: float, weights: Sequence[Fraction] = ()
) -> tuple[float, float] | None:
    """The 95 % interval of the mean of games, from how much the games themselves differ; clipped to the scale.

    mean +/- t(.975, n - 1) s / sqrt(n). None with fewer than two games, or when all have one score. Messages of a game
    are not independent, so an interval over messages would be far too narrow. With `weights`, by `weighted_error`.
    """
    if weights:
        mean, known = weighted_mean(scores, weights), weighted_error(scores, weights)
        if mean is None or known is None:
            return None
        half = student_t(known[1]) * known[0]
        return max(lowest, float(mean) - half), min(highest, float(mean) + half)
    found = pooled_spread([scores])
    centre = exact_mean(scores)
    if centre is None or not found.sd:
        return None
    half = student_t(found.df) * found.sd / sqrt(len(scores))
    return max(lowest, float(centre) - half), min(highest, float(centre) + half)


class CacheRate(Struct, frozen=True):
    """The cache hit rate over the games of the row, from 0 to 1, weighted by input tokens if those are known.

    `rate` is None while a game of the row has none (`missing` names them); `unweighted` games count with the mean of
    the known weights. `passes` asks for more than `percent`.
    """

    rate: float | None
    percent: float
    passes: bool | None
    missing: list[int]
    unweighted: list[int]
    by_hand: list[int]
    says: str


def compute_cache_rate(games: Sequence[GameFigures], rubric: RubricRecord) -> CacheRate:
    percent = Fraction(str(rubric.parameters["cache_hit_percent"]))
    missing = [game.number for game in games if game.cache_hit_rate is None]
    weights = [game.input_tokens for game in games if game.input_tokens is not None]
    usual = Fraction(sum(weights), len(weights)) if sum(weights) else Fraction(1)
    total = hit = Fraction()
    chances = find_weights(games)
    for game in games:
        weight = usual if game.input_tokens is None or not sum(weights) else Fraction(game.input_tokens)
        weight *= chances.get(game.entered, Fraction(1))
        total += weight
        hit += weight * exact(game.cache_hit_rate or 0)
    rate = None if missing or not games else hit / total
    return CacheRate(
        rate=None if rate is None else float(rate),
        percent=float(percent),
        passes=None if rate is None else rate * 100 > percent,
        missing=missing,
        unweighted=[game.number for game in games if game.input_tokens is None] if weights else [],
        by_hand=[game.number for game in games if game.is_cache_by_hand],
        says=_cache_says(games, missing, rate, percent, weights=weights),
    )


def _cache_says(
    games: Sequence[GameFigures],
    missing: list[int],
    rate: Fraction | None,
    percent: Fraction,
    *,
    weights: list[int],
) -> str:
    if not games:
        return say("The cache hit rate is not known: no iteration succeeds yet.")
    if rate is None:
        numbers = format_numbers(missing)
        return say(
            "The cache hit rate of {numbers} is not reported; enter it with a reason.", numbers=numbers
        )
    how = say("each game alike, since no input tokens are known")
    if sum(weights):
        how = say("weighted by input tokens")
        if len(weights) < len(games):
            bare = format_numbers([game.number for game in games if game.input_tokens is None])
            how += say(" (of {bare} none are known: the mean of the others stands in)", bare=bare)
    needs = say(" It must be above {percent}\u00a0%.", percent=figure(percent))
    return say(
        "The cache hit rate {over} is {shown}\u00a0%, {how}.{needs}",
        over=say("over {numbers}", numbers=format_numbers([game.number for game in games])),
        shown=figure(rate * 100, float(percent)),
        how=how,
        needs="" if rate * 100 > percent else needs,
    )
