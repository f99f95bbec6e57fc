"""One line of a verdict from one score: pass or fail, interval, and how far it is from turning."""

from fractions import Fraction

from discussions.core.flip import flip_of_phrases, flip_of_references, flip_of_share
from discussions.core.outcome import (
    DIVERSITY,
    MEMORY,
    PERCENT,
    RATING,
    REPETITION,
    Facts,
    Line,
    ManualCheck,
)
from discussions.core.records import Score
from rubric.core.intervals import wilson
from rubric.core.records import Criterion


def line_of_score(criterion: Criterion, score: Score, facts: Facts, manual_check: ManualCheck | None) -> Line:
    """The line of a metric in percent. A pending metric has neither pass nor score nor interval."""
    threshold = _threshold(criterion)
    check = manual_check if criterion.key == DIVERSITY else None
    share = None if score.is_pending else _share(score)
    passes = None if share is None else share >= threshold
    interval = (
        wilson(score.numerator, score.denominator) if passes is not None and score.is_applicable else None
    )
    could_turn = interval is not None and _holds(interval, threshold, passes=bool(passes))
    if check is not None and check.decides:
        passes, could_turn = check.passes, False
    return Line(
        key=criterion.key,
        label=criterion.label,
        scale=PERCENT,
        threshold=float(threshold),
        numerator=score.numerator,
        denominator=score.denominator,
        score=None if share is None else float(share),
        passes=passes,
        is_applicable=score.is_applicable,
        is_mandatory=criterion.is_mandatory,
        interval=interval,
        could_go_other_way=could_turn,
        flip=None if share is None else _flip(criterion.key, score, threshold, facts),
        manual_check=check,
    )


def line_of_rating(criterion: Criterion, rating: Fraction | None) -> Line:
    """The line of engagement, from 1 to 5; numerator and denominator are those of the mean rating."""
    threshold = _threshold(criterion)
    return Line(
        key=criterion.key,
        label=criterion.label,
        scale=RATING,
        threshold=float(threshold),
        numerator=0 if rating is None else rating.numerator,
        denominator=0 if rating is None else rating.denominator,
        score=None if rating is None else float(rating),
        passes=None if rating is None else rating >= threshold,
        is_mandatory=criterion.is_mandatory,
    )


def _flip(key: str, score: Score, threshold: Fraction, facts: Facts) -> int | None:
    if key == MEMORY:
        return flip_of_references(
            score.numerator, score.denominator, threshold, has_messages=facts.has_messages
        )
    if key == DIVERSITY or not score.is_applicable:
        return None
    if key == REPETITION:
        return flip_of_phrases(score.denominator, facts.repeated, facts.accepted, threshold)
    return flip_of_share(score.numerator, score.denominator, threshold)


def _share(score: Score) -> Fraction:
    if not score.is_applicable:
        return Fraction(100)
    return Fraction(100 * score.numerator, score.denominator) if score.denominator else Fraction(0)


def _holds(interval: tuple[float, float], threshold: Fraction, *, passes: bool) -> bool:
    low, high = interval
    return low < threshold if passes else high >= threshold


def _threshold(criterion: Criterion) -> Fraction:
    return Fraction(str(criterion.threshold or 0))
