"""The pass rule: PASS or FAIL of a game from its scores, its cost and the rubric version.

Source: the rubric's "Overall Evaluation". Shares are compared with their thresholds as exact fractions, unrounded.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.authorship_test import AuthorshipResult
from discussions.core.outcome import (
    ABOVE,
    AMBER,
    LOW,
    UNREPORTED,
    Facts,
    ManualCheck,
    Outcome,
    OutcomeLine,
    PeopleShare,
    Reason,
    Recommendation,
)
from discussions.core.records import Score
from discussions.metrics.core.metric import PERCENT, RATING, Metric
from discussions.metrics.core.registry import METRICS
from rubric.core.records import Criterion, RubricRecord
from workspace.core.canonical import canonical_bytes
from workspace.core.text import figure
from workspace.core.words import say, say_many
from workspace.statistics.means import wilson

NO_SHARES: Mapping[str, PeopleShare] = {}
_OUTCOME: Any = msgspec.json.Decoder(Outcome)


class Rules(Struct, frozen=True):
    needed: int
    limit: Decimal
    amber: Decimal


def decide(
    scores: Mapping[str, Score],
    rating: Fraction | None,
    cost: Decimal | None,
    rubric: RubricRecord,
    *,
    manual_check: ManualCheck | None = None,
    facts: Facts | None = None,
    people: Mapping[str, PeopleShare] = NO_SHARES,
) -> Outcome:
    """The verdict on one game from its effective scores (metric -> score), the mean rating and the cost in dollars.

    `people` are people's estimates, by metric, of the metrics that the version scores by them.

    A `cost` of None means "not reported"; it neither passes nor fails. If a metric is pending or the rating is missing,
    `passes` is None, and `missing` says which. Known values are filled in nevertheless. Raises KeyError when a metric
    has no score.
    """
    rules = read_rules(rubric)
    lines = build_lines(
        rubric.criteria, scores, rating, manual_check=manual_check, facts=facts, people=people
    )
    missing = [line.key for line in lines if line.passes is None]
    quality = _quality_reasons(lines, rules.needed)
    reasons = [] if missing else quality + _cost_reasons(cost, rules)
    outcome = Outcome(
        passes=None if missing else not reasons,
        headline="",
        lines=lines,
        passed_count=sum(bool(line.passes) for line in lines),
        needed_count=rules.needed,
        by_rule_count=sum(line.is_by_rule for line in lines),
        is_quality_pass=not missing and not quality,
        cost_usd=cost,
        cost_state=get_cost_state(cost, rules),
        cost_limit_usd=rules.limit,
        cost_amber_usd=rules.amber,
        reasons=reasons,
        missing=missing,
        flip_distance=None if missing else _find_flip(lines, rules.needed, reasons),
        recommendations=_recommend(rubric, [line for line in lines if line.passes is False]),
        composite=_composite(rubric, lines),
    )
    outcome = replace(outcome, open=find_open(outcome))
    return replace(outcome, headline=_say_open(outcome) or _headline(outcome, quality))


def _find_flip(lines: list[OutcomeLine], needed: int, reasons: list[Reason]) -> int | None:
    return verdict_flip_distance(
        passing=[line.flip for line in lines if line.passes],
        failing=[line.flip for line in lines if line.passes is False],
        needed=needed,
        is_open=all(reason.code == "metrics" for reason in reasons),
    )


def find_open(outcome: Outcome) -> list[str]:
    """The open metrics, if the verdict depends on which side of their thresholds they end."""
    keys = [line.key for line in outcome.lines if line.is_open]
    sides = {passes_with(outcome, dict.fromkeys(keys, side)) for side in (True, False)}
    return keys if len(sides) > 1 and not outcome.missing else []


def passes_with(outcome: Outcome, changed: Mapping[str, bool]) -> bool:
    """Whether the game would pass if these metrics passed or failed as given, and the others as they do."""
    passes = {line.key: changed.get(line.key, bool(line.passes)) for line in outcome.lines}
    return (
        sum(passes.values()) >= outcome.needed_count
        and all(passes[line.key] for line in outcome.lines if line.is_mandatory)
        and outcome.cost_state != ABOVE
    )


def find_automatic_failure(scores: Mapping[str, Score], cost: Decimal | None, rubric: RubricRecord) -> str:
    """Why the verdict is FAIL on automatic scores even if all pending judgements turn out best; empty if it is not.

    The FAIL is not certain: people may override the findings behind the automatic scores, and so reach PASS.
    """
    best = {
        key: replace(score, numerator=1, denominator=1, is_pending=False) if score.is_pending else score
        for key, score in scores.items()
    }
    outcome = decide(best, Fraction(RATING.high), cost, rubric)
    return "" if outcome.passes else "; ".join(reason.says for reason in outcome.reasons)


def build_lines(
    criteria: Iterable[Criterion],
    scores: Mapping[str, Score],
    rating: Fraction | None,
    *,
    manual_check: ManualCheck | None = None,
    facts: Facts | None = None,
    people: Mapping[str, PeopleShare] = NO_SHARES,
) -> list[OutcomeLine]:
    """The lines of these criteria; raises KeyError when a metric has no score."""
    return [
        build_rating_line(criterion, rating)
        if METRICS[criterion.key].is_rated
        else add_people(
            build_score_line(criterion, scores[criterion.key], facts or Facts(), manual_check),
            people.get(criterion.key),
        )
        for criterion in criteria
    ]


def read_rules(rubric: RubricRecord) -> Rules:
    parameters = rubric.parameters
    return Rules(
        needed=int(parameters["pass_count"]),
        limit=Decimal(str(parameters["cost_limit_usd"])),
        amber=Decimal(str(parameters["cost_success_usd"])),
    )


def check_identification(
    identification: tuple[int, int] | None, rubric: RubricRecord, *, decides: bool
) -> ManualCheck | None:
    """The manual check from (yes, asked) under the version's reading "five" or "half"; None when nobody was asked."""
    if identification is None:
        return None
    yes, asked = identification
    reading = rubric.parameters["identification_pass"]
    needed = -(-asked // 2) if reading == "half" else int(rubric.parameters["identification_pass_count"])
    return ManualCheck(yes, asked, needed, yes >= needed, decides)


def check_test(test: AuthorshipResult, *, decides: bool) -> ManualCheck:
    return ManualCheck(
        test.hits,
        test.asked,
        test.needed,
        test.passes,
        decides,
        agents=test.agents,
        p=float(test.p),
        is_by_agent=test.identified > 0,
    )


def get_cost_state(cost: Decimal | None, rules: Rules) -> str:
    if cost is None:
        return UNREPORTED
    if cost > rules.limit:
        return ABOVE
    return AMBER if cost >= rules.amber else LOW


def _quality_reasons(lines: list[OutcomeLine], needed: int) -> list[Reason]:
    reasons = []
    passed = sum(bool(line.passes) for line in lines)
    if passed < needed:
        says = say(
            "{passed} of {lines_count} metrics pass, {needed} are needed",
            passed=passed,
            lines_count=len(lines),
            needed=needed,
        )
        reasons.append(Reason("metrics", says))
    for line in lines:
        if line.is_mandatory and line.passes is False:
            shown = figure(Fraction(line.numerator, line.denominator or 1), line.threshold)
            reasons.append(
                Reason("mandatory", f"{line.key.replace('_', ' ')} {shown} < {figure(line.threshold)}")
            )
    return reasons


def say_again(outcome: Outcome) -> Outcome:
    lines = outcome.lines
    costs = [reason for reason in outcome.reasons if reason.code == "cost"]
    quality = [] if outcome.missing else _quality_reasons(lines, outcome.needed_count)
    outcome = replace(outcome, reasons=quality + costs)
    return replace(outcome, headline=_headline(outcome, quality))


def read_outcome(recorded: str) -> Outcome:
    """A recorded outcome: figures are as recorded, words are today's, in the reader's language."""
    return say_again(_OUTCOME.decode(recorded))


def is_same_outcome(recorded: str, computed: Outcome) -> bool:
    """Whether both are the same except for their words, which depend on language and version."""
    return _without_words(recorded) == _without_words(canonical_bytes(computed).decode())


def _without_words(outcome: str) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.json.decode(outcome)
    return fields | {"headline": "", "reasons": [reason["code"] for reason in fields["reasons"]]}


def _cost_reasons(cost: Decimal | None, rules: Rules) -> list[Reason]:
    if cost is None or get_cost_state(cost, rules) != ABOVE:
        return []
    shown = figure(cost, float(rules.limit), decimals=2)
    return [Reason("cost", say("cost {cost} > {limit}", cost=shown, limit=figure(rules.limit, decimals=2)))]


def _headline(outcome: Outcome, quality: list[Reason]) -> str:
    lines, reasons = outcome.lines, outcome.reasons
    if outcome.missing:
        return say(
            "pending: {missing_count} of {lines_count} are not known yet",
            missing_count=len(outcome.missing),
            lines_count=len(lines),
        )
    count = f"{sum(bool(line.passes) for line in lines)}/{len(lines)}"
    by_rule = sum(line.is_by_rule for line in lines)
    rule = say(", {count} not applicable", count=by_rule) if by_rule else ""
    says = "; ".join(reason.says for reason in reasons)
    if outcome.open:
        labels = ", ".join(outcome.line(key).label for key in outcome.open)
        rule += say(", open: {labels}", labels=labels)
    if not reasons:
        return f"{count} PASS{rule}"
    if not quality:
        return say("quality {count} PASS{rule}, blocked by {says}", count=count, rule=rule, says=says)
    return f"{count} FAIL{rule}: {says}"


def _say_open(outcome: Outcome) -> str:
    """The headline while the verdict hangs on open metrics; "" where it does not. A recorded one has the other."""
    if not outcome.open:
        return ""
    others = [line for line in outcome.lines if line.key not in outcome.open]
    return say_many(
        "open: {labels} decides, {passed} of the other {others} pass",
        "open: {labels} decide, {passed} of the other {others} pass",
        len(outcome.open),
        labels=", ".join(outcome.line(key).label for key in outcome.open),
        passed=sum(bool(line.passes) for line in others),
        others=len(others),
    )


def find_rating_flip(outcome: Outcome, raters: int) -> int | None:
    """How many half points of the rating, over all raters, would flip a known verdict; None if none would."""
    rated = next((line for line in outcome.lines if METRICS[line.key].is_rated), None)
    if rated is None or not rated.denominator:
        return None
    others = [line for line in outcome.lines if line.key != rated.key]
    passed = sum(bool(line.passes) for line in others) + (not rated.passes)
    is_mandatory_met = all(line.passes for line in others if line.is_mandatory)
    is_met = is_mandatory_met and (not rated.passes or not rated.is_mandatory)
    passes = passed >= outcome.needed_count and is_met and outcome.cost_state != ABOVE
    if passes == outcome.passes:
        return None
    rating = Fraction(rated.numerator, rated.denominator)
    return rating_flip_steps(rating, Fraction(str(rated.threshold)), raters)


def find_ways(outcome: Outcome, raters: int) -> list[tuple[int, int]]:
    """The ways to turn a known verdict, as judgements and half points of the rating over all raters.

    Judgements alone and the rating alone, where each is enough; both together only where neither is; [] if nothing is.
    """
    if outcome.passes is None or outcome.cost_state == ABOVE:
        return []
    alone, steps = outcome.flip_distance, find_rating_flip(outcome, raters)
    if alone is None:
        alone = _count_judgements(outcome, None)
    ways = ([] if alone is None else [(alone, 0)]) + ([] if steps is None else [(0, steps)])
    rated = next((line for line in outcome.lines if METRICS[line.key].is_rated), None)
    if ways or rated is None or not rated.denominator or rated.passes is not outcome.passes:
        return ways
    rating = Fraction(rated.numerator, rated.denominator)
    steps = rating_flip_steps(rating, Fraction(str(rated.threshold)), raters)
    count = _count_judgements(outcome, rated)
    return [] if steps is None or count is None else [(count, steps)]


def _count_judgements(outcome: Outcome, turned: OutcomeLine | None) -> int | None:
    """The fewest judgements that turn a verdict once this line is on the other side; None if none do."""
    lines = [line for line in outcome.lines if line.passes is outcome.passes and line is not turned]
    must = [line.flip for line in lines if line.is_mandatory]
    spare = outcome.passed_count - outcome.needed_count
    if outcome.passes:
        enough = spare + 1 - (turned is not None)
        return _cheapest([_cheapest([line.flip for line in lines], enough), *must], 1)
    may = [line.flip for line in lines if not line.is_mandatory]
    left = max(0, -spare - (turned is not None) - len(must))
    found = _cheapest(must, len(must)), _cheapest(may, left)
    return None if found[0] is None or found[1] is None else found[0] + found[1]


def _recommend(rubric: RubricRecord, failed: list[OutcomeLine]) -> list[Recommendation]:
    recommendations = []
    for line in failed:
        missed = 0.0 if line.score is None else (line.threshold - line.score) / METRICS[line.key].scale.span
        advice = list(rubric.criterion(line.key).advice)
        recommendations.append(Recommendation(line.key, line.label, max(0.0, missed), advice))
    return sorted(recommendations, key=lambda recommendation: -recommendation.shortfall)


def _composite(rubric: RubricRecord, lines: list[OutcomeLine]) -> float | None:
    """The weighted mean, 0 to 100, of where scores lie on their scales: a figure for sorting that no verdict uses.

    Lines that are not applicable are left out, and the other weights are rescaled. None while an applicable line has
    no score, or when no line with a weight applies.
    """
    total, weights = Fraction(0), Fraction(0)
    for line in lines:
        if not line.is_applicable:
            continue
        if line.score is None or not line.denominator:
            return None
        scale, weight = METRICS[line.key].scale, Fraction(str(rubric.criterion(line.key).weight))
        total += weight * scale.share(scale.value(line.numerator, line.denominator))
        weights += weight
    return float(total / weights) if weights else None


def build_score_line(
    criterion: Criterion, score: Score, facts: Facts, manual_check: ManualCheck | None
) -> OutcomeLine:
    """The line of a measured metric. A pending metric has no score; only shares have an interval."""
    metric = METRICS[criterion.key]
    threshold = _threshold(criterion)
    check = manual_check if metric.has_manual_check else None
    value = None if score.is_pending else _exact_score(score, metric)
    passes = None if value is None else value >= threshold
    interval = None
    if passes is not None and score.is_applicable and metric.scale == PERCENT and metric.has_interval:
        interval = wilson(score.numerator, score.denominator)
    if check is not None and check.decides:
        passes = check.passes
    return OutcomeLine(
        key=criterion.key,
        label=criterion.label,
        scale=metric.scale.key,
        threshold=float(threshold),
        numerator=score.numerator,
        denominator=score.denominator,
        score=None if value is None else float(value),
        passes=passes,
        is_applicable=score.is_applicable,
        is_mandatory=criterion.is_mandatory,
        interval=interval,
        flip=None if value is None else metric.flip(score, threshold, facts),
        manual_check=check,
    )


def add_people(line: OutcomeLine, people: PeopleShare | None) -> OutcomeLine:
    """The line with people's estimate, which takes the place of the counted score where it counts."""
    if people is None or line.score is None:
        return line
    if not people.counts:
        return replace(line, people=people)
    share = Fraction(people.numerator, people.denominator)
    return replace(
        line,
        numerator=people.numerator,
        denominator=people.denominator,
        score=people.share,
        passes=100 * share >= Fraction(str(line.threshold)),
        interval=(people.low, people.high),
        flip=people.flip,
        people=people,
    )


def build_rating_line(criterion: Criterion, rating: Fraction | None) -> OutcomeLine:
    threshold = _threshold(criterion)
    return OutcomeLine(
        key=criterion.key,
        label=criterion.label,
        scale=METRICS[criterion.key].scale.key,
        threshold=float(threshold),
        numerator=0 if rating is None else rating.numerator,
        denominator=0 if rating is None else rating.denominator,
        score=None if rating is None else float(rating),
        passes=None if rating is None else rating >= threshold,
        is_mandatory=criterion.is_mandatory,
    )


def _exact_score(score: Score, metric: Metric) -> Fraction:
    if not score.is_applicable:
        return Fraction(metric.scale.high)
    return metric.scale.value(score.numerator, score.denominator) if score.denominator else Fraction(0)


def add_binomial_flags(outcome: Outcome) -> Outcome:
    """The outcome as in bases before format 3: an interval for every share, and whether it contains the threshold."""
    return replace(outcome, lines=[_add_binomial_flag(line) for line in outcome.lines])


def _add_binomial_flag(line: OutcomeLine) -> OutcomeLine:
    if line.score is None or not line.is_applicable or METRICS[line.key].scale != PERCENT:
        return line
    interval = wilson(line.numerator, line.denominator)
    if interval is None:
        return line
    turns = interval[0] < line.threshold if line.passes else interval[1] >= line.threshold
    return replace(line, interval=interval, could_go_other_way=turns and not line.is_decided_by_hand)


def _threshold(criterion: Criterion) -> Fraction:
    return Fraction(str(criterion.threshold or 0))


def verdict_flip_distance(
    *, passing: Iterable[int | None], failing: Iterable[int | None], needed: int, is_open: bool
) -> int | None:
    """The smallest number of judgements that would change the verdict.

    `passing` and `failing` are the flip distances of the metrics that pass and fail (None: no judgement changes the
    metric). Metrics share no judgements, so distances add up. `is_open` is false when the rating or the cost decides:
    then no judgement changes a FAIL, and the result is None.
    """
    passing, failing = list(passing), list(failing)
    if not is_open:
        return None
    if len(passing) >= needed:
        return _cheapest(passing, len(passing) - needed + 1)
    return _cheapest(failing, needed - len(passing))


def _cheapest(distances: list[int | None], how_many: int) -> int | None:
    known = sorted(distance for distance in distances if distance is not None)
    return sum(known[:how_many]) if len(known) >= how_many else None


HALF_POINTS = 2


def rating_flip_steps(rating: Fraction, threshold: Fraction, raters: int) -> int | None:
    """How many half points, over all raters together, would bring their mean rating across the threshold.

    None if no ratings of the scale would do so. A mean equal to the threshold passes.
    """
    now = HALF_POINTS * raters * rating
    least = ceil(HALF_POINTS * raters * threshold)
    if rating >= threshold:
        steps = int(now) - least + 1
        return steps if now - steps >= HALF_POINTS * raters * RATING.low else None
    return least - int(now) if least <= HALF_POINTS * raters * RATING.high else None
