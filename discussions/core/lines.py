"""One line of a verdict from one score: pass or fail, interval, and how far it is from turning."""

from fractions import Fraction

from discussions.core.metrics import METRICS, PERCENT, Metric
from discussions.core.outcome import Facts, Line, ManualCheck
from discussions.core.records import Score
from rubric.core.intervals import wilson
from rubric.core.records import Criterion


def line_of_score(criterion: Criterion, score: Score, facts: Facts, manual_check: ManualCheck | None) -> Line:
    """The line of a measured metric. A pending one has neither pass nor score, only a share has an interval."""
    metric = METRICS[criterion.key]
    threshold = _threshold(criterion)
    check = manual_check if metric.has_manual_check else None
    value = None if score.is_pending else _value(score, metric)
    passes = None if value is None else value >= threshold
    interval = None
    if passes is not None and score.is_applicable and metric.scale == PERCENT:
        interval = wilson(score.numerator, score.denominator)
    could_turn = interval is not None and _holds(interval, threshold, passes=bool(passes))
    if check is not None and check.decides:
        passes, could_turn = check.passes, False
    return Line(
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
        could_go_other_way=could_turn,
        flip=None if value is None else metric.flip(score, threshold, facts),
        manual_check=check,
    )


def line_of_rating(criterion: Criterion, rating: Fraction | None) -> Line:
    """The line of a metric that people alone give; numerator and denominator are those of the mean rating."""
    threshold = _threshold(criterion)
    return Line(
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


def _value(score: Score, metric: Metric) -> Fraction:
    if not score.is_applicable:
        return Fraction(metric.scale.high)
    return metric.scale.value(score.numerator, score.denominator) if score.denominator else Fraction(0)


def _holds(interval: tuple[float, float], threshold: Fraction, *, passes: bool) -> bool:
    low, high = interval
    return low < threshold if passes else high >= threshold


def _threshold(criterion: Criterion) -> Fraction:
    return Fraction(str(criterion.threshold or 0))
