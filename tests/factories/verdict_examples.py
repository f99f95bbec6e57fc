"""A small rubric version and scores to decide verdicts on, checkable by hand."""

from decimal import Decimal
from fractions import Fraction

from discussions.core.outcome import Outcome
from discussions.core.records import Score
from discussions.verdicts.core.rule import decide
from rubric.core.records import Criterion, RubricRecord

THRESHOLDS = {
    "memory_accuracy": 80,
    "strategic_depth": 60,
    "coherence": 70,
    "role_consistency": 80,
    "personality_diversity": 50,
    "anti_repetition": 90,
    "engagement": 3.0,
}


RUBRIC = RubricRecord(
    name="Discussion",
    version="1.0",
    kind="discussion",
    criteria=[
        Criterion(
            key=key,
            label=key.replace("_", " ").capitalize(),
            description="",
            weight=1 / 7,
            threshold=threshold,
            is_mandatory=key == "engagement",
            advice=[f"work on {key.replace('_', ' ')}"],
        )
        for key, threshold in THRESHOLDS.items()
    ],
    parameters={
        "pass_count": 5,
        "cost_limit_usd": 3.0,
        "cost_success_usd": 2.0,
        "identification_pass": "five",
        "identification_pass_count": 5,
    },
    lists={},
)


def share(numerator: int, denominator: int, *, is_applicable: bool = True, is_pending: bool = False) -> Score:
    """A score as metrics give it; what it is a score of does not matter here."""
    return Score("", numerator, denominator, is_applicable=is_applicable, is_pending=is_pending)


APPENDIX = {
    "memory_accuracy": share(17, 20),
    "strategic_depth": share(34, 50),
    "coherence": share(37, 50),
    "role_consistency": share(38, 50),
    "personality_diversity": share(6, 10),
    "anti_repetition": share(92, 100),
}


PASSING = {key: share(100, 100) for key in list(THRESHOLDS)[:6]}


def with_failing(*keys: str, **others: Score) -> dict[str, Score]:
    """Scores that all pass but for those named, which are at 0."""
    return PASSING | {key: share(0, 100) for key in keys} | others


def verdict(
    scores: dict[str, Score], rating: str | None = "3.5", cost: str | None = "1.20", **more: object
) -> Outcome:
    """The outcome under the small rubric version."""
    return decide(
        scores,
        None if rating is None else Fraction(rating),
        None if cost is None else Decimal(cost),
        RUBRIC,
        **more,  # type: ignore[arg-type]
    )
