"""Calibration rounds of comparison sets, reached through the real actions."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from rubric.calibration.actions import SetRoundPlan, open_round
from rubric.calibration.core import Key
from rubric.human_reviewers.actions import take_next_review
from rubric.models import CalibrationRound, ComparisonSet, Review
from tests.factories.human_reviewers import fresh, submitted
from tests.factories.people import NOW
from workspace.models import Person

# The agreed marks of a comparison with three responses, each as a whole.
AGREED = {"1": {"holistic": "8"}, "2": {"holistic": "7"}, "3": {"holistic": "6"}}


def make_set_round(
    made: ComparisonSet,
    *,
    comparisons: Sequence[int] = (1,),
    marks: Mapping[int, Key] | None = None,
    now: datetime = NOW,
    **given: object,
) -> CalibrationRound:
    """An open round of the set with agreed marks for each of its comparisons, by who opened the set."""
    marks = dict.fromkeys(comparisons, AGREED) if marks is None else marks
    plan = SetRoundPlan(name="Before the first", comparisons=comparisons, marks=marks, **given)
    return open_round(comparison_set=made, plan=plan, by=made.created_by, now=now)


def take(made: ComparisonSet, person: Person) -> Review | None:
    """What the person is given next, as its page fetches it."""
    taken = take_next_review(comparison_set=ComparisonSet.objects.get(pk=made.pk), by=person, now=NOW)
    return fresh(taken, person) if taken else None


def review_next(made: ComparisonSet, person: Person, whole: Sequence[int] = (8, 7, 6)) -> Review:
    """The next review of the person, submitted with these marks as a whole."""
    taken = take(made, person)
    assert taken is not None
    return submitted(taken, whole=whole)
