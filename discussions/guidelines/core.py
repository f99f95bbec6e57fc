"""The practice item: a short invented exchange, and a question of each kind about it. Nothing of it is stored.

The texts are in `labels.py`. This module holds the questions, in the order of the steps of rating, and the right
answers.
"""

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from discussions.core import judgement_kinds as kinds
from discussions.core.outcome import DIVERSITY, ENGAGEMENT, MEMORY, REPETITION

ENOUGH, TOO_LOW = "enough", "too_low"
NOT_ACCEPTABLE = "not_acceptable"


class PracticeQuestion(Struct, frozen=True):
    """One question: its metric, the kind of its judgement, the right answer, and the answers as their buttons stand.

    `message` is the one that it is about, 0 for none.
    """

    metric: str
    kind: str
    right: str
    answers: tuple[str, ...] = (kinds.YES, kinds.NO)
    message: int = 0


LABELS = (kinds.ACCURATE, kinds.INACCURATE, kinds.VAGUE, kinds.NOT_A_REFERENCE)
FITS = (kinds.CONSISTENT, kinds.INCONSISTENT, kinds.NOT_ASSESSABLE)
QUESTIONS = (
    PracticeQuestion(ENGAGEMENT, kinds.RATING, ENOUGH, (TOO_LOW, ENOUGH)),
    PracticeQuestion(MEMORY, kinds.REFERENCE, kinds.INACCURATE, LABELS, message=3),
    PracticeQuestion(kinds.STRATEGIC_DEPTH, kinds.STRATEGIC_DEPTH, kinds.YES, message=2),
    PracticeQuestion(kinds.COHERENCE, kinds.COHERENCE, kinds.NO, message=4),
    PracticeQuestion(REPETITION, kinds.PHRASE, kinds.ACCEPTABLE, (kinds.ACCEPTABLE, NOT_ACCEPTABLE)),
    PracticeQuestion(DIVERSITY, kinds.IDENTIFY, kinds.YES),
    PracticeQuestion(kinds.ROLE_CONSISTENCY, kinds.ROLE_CONSISTENCY, kinds.CONSISTENT, FITS, message=1),
)


def keep_answers(given: Mapping[str, str]) -> dict[str, str]:
    """Metric -> answer, keeping only given answers that the questions allow."""
    return {
        question.metric: given[question.metric]
        for question in QUESTIONS
        if given.get(question.metric, "") in question.answers
    }


def too_low(least: Fraction) -> Fraction:
    """A rating below the least that the rubric allows, a point lower; at least 1."""
    return max(least - 1, Fraction(1))
