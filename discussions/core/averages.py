"""What the games of an iteration come to together: averages with pass or fail, and the cost.

Source: the rubric's "Iteration Strategy" (calculate the metrics for all games, average the scores) and "Overall
Evaluation". Averages are compared with their thresholds as fractions, unrounded.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from discussions.core.game_figures import GameFigures, numbered, passes, scores_of
from discussions.core.metrics import METRICS
from discussions.core.outcome import ABOVE, AMBER, LOW, UNREPORTED
from discussions.core.spread import interval_of_mean
from discussions.core.verdict import Rules, rules_of, state_of_cost
from rubric.core.records import Criterion, RubricRecord
from workspace.core.means import exact_mean
from workspace.core.text_display import figure


class Average(Struct, frozen=True):
    """The average of one criterion over the games of an iteration, as the rubric has it and at second look.

    A game to which the metric does not apply counts 100 in `value` and is left out of `second`. `of_count` games make
    up `value`, `second_of_count` of them `second`, `by_rule_count` are the 100s; `passed_count` games pass the
    criterion on their own. `pending` names games that are not known yet; while there are any, `passes` and
    `second_passes` are None. `interval` is that of `second` (95 %), from how much the games differ.
    """

    key: str
    label: str
    scale: str
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

    @property
    def is_by_rule_only(self) -> bool:
        """Whether it passes only because of games to which the metric does not apply."""
        return bool(self.passes) and self.by_rule_count > 0 and not self.second_passes

    @property
    def could_go_other_way(self) -> bool:
        """Whether other games under the same prompt could well have passed where these fail, or the other way round."""
        return self.interval is not None and self.interval[0] < self.threshold <= self.interval[1]

    @property
    def says(self) -> str:
        """What the rubric's average is a mean of, and how many games pass."""
        parts = [_mean_of(self.of_count, len(self.pending))]
        if self.by_rule_count:
            parts.append(f"{self.by_rule_count} by rule as 100, since the metric does not apply")
        if self.of_count:
            parts.append(f"{self.passed_count} of {self.of_count} pass")
        return "; ".join(parts)

    @property
    def second_says(self) -> str:
        """What the second look is a mean of."""
        left_out = self.of_count - self.second_of_count
        rest = f"; left out: {left_out} to which the metric does not apply" if left_out else ""
        return _mean_of(self.second_of_count, len(self.pending)) + rest


class CostOfGames(Struct, frozen=True):
    """What the games cost. `state` is the worst there is: above, amber, unreported, low.

    `amber` (both bounds belong to it), `above`, `unreported` and `by_hand` name games. `mean_usd` is that of the
    reported ones.
    """

    state: str
    total_usd: Decimal | None
    mean_usd: Decimal | None
    highest_usd: Decimal | None
    amber: list[int]
    above: list[int]
    unreported: list[int]
    by_hand: list[int]
    says: str


class Averages(Struct, frozen=True):
    """The averages of an iteration. `passes` is the quality alone: enough of them, and all mandatory ones."""

    lines: list[Average]
    passes: bool | None
    passed_count: int
    needed_count: int
    missing: list[str]
    headline: str
    reasons: list[str]
    cost: CostOfGames

    def line(self, key: str) -> Average:
        """The average of that criterion; raises KeyError when the rubric has none."""
        for line in self.lines:
            if line.key == key:
                return line
        raise KeyError(key)


def averages_of(games: Sequence[GameFigures], rubric: RubricRecord) -> Averages:
    """The averages of these games under that rubric version; without games everything is missing."""
    rules = rules_of(rubric)
    lines = [average_of(criterion, games) for criterion in rubric.criteria]
    missing = [line.key for line in lines if line.passes is None]
    passed = sum(bool(line.passes) for line in lines)
    reasons = [] if missing else _reasons(lines, rules.needed)
    return Averages(
        lines=lines,
        passes=None if missing else not reasons,
        passed_count=passed,
        needed_count=rules.needed,
        missing=missing,
        headline=_headline(lines, missing, reasons),
        reasons=reasons,
        cost=cost_of_games(games, rules),
    )


def average_of(criterion: Criterion, games: Sequence[GameFigures]) -> Average:
    """The average of one criterion."""
    key = criterion.key
    scale = METRICS[key].scale
    threshold = Fraction(str(criterion.threshold or 0))
    pending = [game.number for game in games if game.score(key) is None]
    known = [game for game in games if game.score(key) is not None]
    applicable = [game for game in known if game.applies(key)]
    value, second = exact_mean(scores_of(known, key)), exact_mean(scores_of(applicable, key))
    return Average(
        key=key,
        label=criterion.label,
        scale=scale.key,
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
        interval=interval_of_mean(scores_of(applicable, key), scale.low, scale.high),
    )


def cost_of_games(games: Sequence[GameFigures], rules: Rules) -> CostOfGames:
    """What the games cost, and which of them cost too much or report nothing."""
    states = {game.number: state_of_cost(game.cost_usd, rules) for game in games}
    named = {
        state: [number for number, found in states.items() if found == state]
        for state in (ABOVE, AMBER, UNREPORTED)
    }
    costs = [game.cost_usd for game in games if game.cost_usd is not None]
    return CostOfGames(
        state=next(
            (state for state in (ABOVE, AMBER, UNREPORTED) if named[state]), LOW if games else UNREPORTED
        ),
        total_usd=sum(costs, Decimal(0)) if costs else None,
        mean_usd=sum(costs, Decimal(0)) / len(costs) if costs else None,
        highest_usd=max(costs, default=None),
        amber=named[AMBER],
        above=named[ABOVE],
        unreported=named[UNREPORTED],
        by_hand=[game.number for game in games if game.is_cost_by_hand],
        says=_cost_says(games, named, rules),
    )


def _cost_says(games: Sequence[GameFigures], named: dict[str, list[int]], rules: Rules) -> str:
    if not games:
        return "No game, no cost."
    limit, amber = figure(rules.limit, decimals=2), figure(rules.amber, decimals=2)
    parts = [
        f"{numbered(numbers)} {said}"
        for numbers, said in (
            (named[ABOVE], f"above {limit} dollars, which fails"),
            (named[AMBER], f"from {amber} to {limit} dollars, which is no success"),
            (named[UNREPORTED], "without a reported cost"),
        )
        if numbers
    ]
    said = "; ".join(parts) or f"every game below {amber} dollars"
    return f"{said[0].upper()}{said[1:]}."


def _reasons(lines: list[Average], needed: int) -> list[str]:
    passed = sum(bool(line.passes) for line in lines)
    short = [f"{passed} of {len(lines)} averages pass, {needed} are needed"] if passed < needed else []
    return short + [
        f"{line.label.lower()} {figure(line.value or 0, line.threshold)} < {figure(line.threshold)} on average"
        for line in lines
        if line.is_mandatory and line.passes is False
    ]


def _headline(lines: list[Average], missing: list[str], reasons: list[str]) -> str:
    if missing:
        return f"pending: {len(missing)} of {len(lines)} averages are not known yet"
    count = f"{sum(bool(line.passes) for line in lines)}/{len(lines)}"
    by_rule = sum(line.is_by_rule_only for line in lines)
    rule = f", {by_rule} by rule" if by_rule else ""
    return f"{count} FAIL{rule}: {'; '.join(reasons)}" if reasons else f"{count} PASS{rule}"


def _mean_of(count: int, pending: int) -> str:
    if not count:
        return "no game yet" if not pending else f"none of {pending} games known yet"
    of = f" of {count + pending}" if pending else ""
    return f"mean of {count}{of} game{'' if count + pending == 1 else 's'}"
