"""A small rubric version and scores to decide verdicts on, checkable by hand."""

from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from discussions.core.outcome import Outcome
from discussions.core.verdict import decide
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


class Share(Struct, frozen=True):
    """A score as metrics give it."""

    numerator: int
    denominator: int
    is_applicable: bool = True
    is_pending: bool = False


APPENDIX = {
    "memory_accuracy": Share(17, 20),
    "strategic_depth": Share(34, 50),
    "coherence": Share(37, 50),
    "role_consistency": Share(38, 50),
    "personality_diversity": Share(6, 10),
    "anti_repetition": Share(92, 100),
}
PASSING = {key: Share(100, 100) for key in list(THRESHOLDS)[:6]}


def with_failing(*keys: str, **others: Share) -> dict[str, Share]:
    """Scores that all pass but for those named, which are at 0."""
    return PASSING | {key: Share(0, 100) for key in keys} | others


def verdict(
    scores: dict[str, Share], rating: str | None = "3.5", cost: str | None = "1.20", **more: object
) -> Outcome:
    """The outcome under the small rubric version."""
    return decide(
        scores,
        None if rating is None else Fraction(rating),
        None if cost is None else Decimal(cost),
        RUBRIC,
        **more,  # type: ignore[arg-type]
    )
