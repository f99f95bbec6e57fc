"""PASS or FAIL of a game from its figures, its cost and the rubric version; pure, and the only place of the rule.

Source: the rubric's "Overall Evaluation". Shares are compared with their thresholds as integers, unrounded.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from discussions.core.composite import composite
from discussions.core.flip import flip_of_verdict
from discussions.core.identification import SIGNIFICANCE, Identified
from discussions.core.lines import line_of_rating, line_of_score
from discussions.core.metrics import METRICS
from discussions.core.outcome import (
    ABOVE,
    AMBER,
    LOW,
    UNREPORTED,
    Facts,
    Line,
    ManualCheck,
    Outcome,
    Reason,
    Recommendation,
)
from discussions.core.records import Score
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text_display import figure


class Rules(Struct, frozen=True):
    """The counts of the verdict in a rubric version: passes needed, and the two bounds of the cost in dollars."""

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
) -> Outcome:
    """The verdict on one game from its effective scores (metric -> score), the mean rating and the cost in dollars.

    `cost` None is "not reported" and neither passes nor fails. With a pending metric or no rating `passes` is None
    and `missing` says which; what is known is filled in all the same. Raises KeyError when a metric has no score.
    """
    rules = rules_of(rubric)
    lines = lines_of(rubric.criteria, scores, rating, manual_check=manual_check, facts=facts)
    missing = [line.key for line in lines if line.passes is None]
    quality = _quality_reasons(lines, rules.needed)
    reasons = [] if missing else quality + _cost_reasons(cost, rules)
    return Outcome(
        passes=None if missing else not reasons,
        headline=_headline(lines, missing, quality, reasons),
        lines=lines,
        passed_count=sum(bool(line.passes) for line in lines),
        needed_count=rules.needed,
        by_rule_count=sum(line.is_by_rule for line in lines),
        is_quality_pass=not missing and not quality,
        cost_usd=cost,
        cost_state=state_of_cost(cost, rules),
        cost_limit_usd=rules.limit,
        cost_amber_usd=rules.amber,
        reasons=reasons,
        missing=missing,
        flip_distance=None if missing else _turns(lines, rules, reasons),
        recommendations=_recommendations(rubric, lines),
        composite=_composite(rubric, lines),
    )


def lines_of(
    criteria: Iterable[Criterion],
    scores: Mapping[str, Score],
    rating: Fraction | None,
    *,
    manual_check: ManualCheck | None = None,
    facts: Facts | None = None,
) -> list[Line]:
    """The lines of these criteria, as `decide` has them; raises KeyError when a metric among them has no score."""
    return [
        line_of_rating(criterion, rating)
        if METRICS[criterion.key].is_rated
        else line_of_score(criterion, scores[criterion.key], facts or Facts(), manual_check)
        for criterion in criteria
    ]


def rules_of(rubric: RubricRecord) -> Rules:
    """The counts of the verdict as the version has them."""
    read = rubric.parameters
    return Rules(
        needed=int(read["pass_count"]),
        limit=Decimal(str(read["cost_limit_usd"])),
        amber=Decimal(str(read["cost_success_usd"])),
    )


def check_of(
    identification: tuple[int, int] | None, rubric: RubricRecord, *, decides: bool
) -> ManualCheck | None:
    """The manual check from (yes, asked) under the version's reading "five" or "half"; None when nobody was asked."""
    if identification is None:
        return None
    yes, asked = identification
    reading = rubric.parameters["identification_pass"]
    needed = -(-asked // 2) if reading == "half" else int(rubric.parameters["identification_pass_count"])
    return ManualCheck(yes, asked, needed, yes >= needed, decides)


def check_of_test(test: Identified, *, decides: bool) -> ManualCheck:
    """The blind test as the manual check of its metric: it passes when so many hits are improbable by guessing."""
    p = test.p
    return ManualCheck(
        test.hits, test.asked, test.needed, p < SIGNIFICANCE, decides, agents=test.agents, p=float(p)
    )


def state_of_cost(cost: Decimal | None, rules: Rules) -> str:
    """Where a cost stands: "low", "amber" (both bounds belong to it), "above", or "unreported"."""
    if cost is None:
        return UNREPORTED
    if cost > rules.limit:
        return ABOVE
    return AMBER if cost >= rules.amber else LOW


def _quality_reasons(lines: list[Line], needed: int) -> list[Reason]:
    reasons = []
    passed = sum(bool(line.passes) for line in lines)
    if passed < needed:
        reasons.append(Reason("metrics", f"{passed} of {len(lines)} metrics pass, {needed} are needed"))
    for line in lines:
        if line.is_mandatory and line.passes is False:
            shown = figure(Fraction(line.numerator, line.denominator or 1), line.threshold)
            reasons.append(
                Reason("mandatory", f"{line.key.replace('_', ' ')} {shown} < {figure(line.threshold)}")
            )
    return reasons


def _cost_reasons(cost: Decimal | None, rules: Rules) -> list[Reason]:
    if cost is None or state_of_cost(cost, rules) != ABOVE:
        return []
    shown = figure(cost, float(rules.limit), decimals=2)
    return [Reason("cost", f"cost {shown} > {figure(rules.limit, decimals=2)}")]


def _headline(lines: list[Line], missing: list[str], quality: list[Reason], reasons: list[Reason]) -> str:
    if missing:
        return f"pending: {len(missing)} of {len(lines)} are not known yet"
    count = f"{sum(bool(line.passes) for line in lines)}/{len(lines)}"
    by_rule = sum(line.is_by_rule for line in lines)
    rule = f", {by_rule} by rule" if by_rule else ""
    says = "; ".join(reason.says for reason in reasons)
    if not reasons:
        return f"{count} PASS{rule}"
    if not quality:
        return f"quality {count} PASS{rule}, blocked by {says}"
    return f"{count} FAIL{rule}: {says}"


def _turns(lines: list[Line], rules: Rules, reasons: list[Reason]) -> int | None:
    return flip_of_verdict(
        passing=[line.flip for line in lines if line.passes],
        failing=[line.flip for line in lines if line.passes is False],
        needed=rules.needed,
        is_open=all(reason.code == "metrics" for reason in reasons),
    )


def _recommendations(rubric: RubricRecord, lines: list[Line]) -> list[Recommendation]:
    found = [
        Recommendation(line.key, line.label, _shortfall(line), list(rubric.criterion(line.key).advice))
        for line in lines
        if line.passes is False
    ]
    return sorted(found, key=lambda each: -each.shortfall)


def _shortfall(line: Line) -> float:
    if line.score is None:
        return 0.0
    return max(0.0, (line.threshold - line.score) / METRICS[line.key].scale.span)


def _composite(rubric: RubricRecord, lines: list[Line]) -> float | None:
    parts = []
    for line in lines:
        share: Fraction | None = None
        if line.score is not None and line.denominator:
            scale = METRICS[line.key].scale
            share = scale.share(scale.value(line.numerator, line.denominator))
        parts.append((rubric.criterion(line.key).weight, share, line.is_applicable))
    return composite(parts)
