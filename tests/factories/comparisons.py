"""Comparison sets in the states that tests need, reached through the real actions."""

import json
from collections.abc import Mapping, Sequence

from rubric.comparisons.actions import add_comparisons, add_reviewer, open_set
from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.core.response_order import labels
from rubric.models import Comparison, ComparisonSet, Review, Reviewer, RubricVersion
from rubric.models.comparisons import ELSEWHERE, PERSON
from rubric.reviews.actions import begin_review, record_submission
from rubric.reviews.core.answer_record import read_review
from tests.factories.people import NOW, make_lead, make_project
from tests.factories.replays import replayed
from tests.factories.versions import first
from workspace.models import Person

# The overalls of the decision record: 8.15, 8.10 and 6.00.
RECORD_SCORES = {
    1: {"accuracy": 9, "completeness": 8, "conciseness": 7, "clarity": 8},
    2: {"accuracy": 7, "completeness": 9, "conciseness": 9, "clarity": 8},
    3: {"accuracy": 6, "completeness": 6, "conciseness": 6, "clarity": 6},
}


def response_version() -> RubricVersion:
    """The newest published version of a response rubric, else the shipped one."""
    return RubricVersion.objects.newest("response") or first()


@replayed
def make_set(
    *,
    by: Person | None = None,
    questions: int = 1,
    responses: int = 3,
    mode: str = "rubric",
    has_second_round: bool = False,
    people_needed: int | None = None,
    people: Sequence[Person] = (),
    elsewhere: int = 0,
    authors: Mapping[int, str] | None = None,
    version: RubricVersion | None = None,
    name: str = "Answers about soup",
) -> ComparisonSet:
    """An open set with that many questions and reviewers; a lead of a new project opens it unless `by` is given."""
    by = by or make_lead(project=make_project())
    membership = by.memberships.filter(ended_at=None).first()
    project = membership.project if membership else make_project()
    made = open_set(
        project=project,
        name=name,
        version=version or response_version(),
        mode=mode,
        has_second_round=has_second_round,
        people_needed=people_needed,
        by=by,
        now=NOW,
    )
    add_comparisons(
        comparison_set=made,
        comparisons=[
            NewComparison(
                question=f"How do you make soup number {number}?",
                responses=[
                    NewResponse(text=f"Boil {'water and ' * at}stones.", author=(authors or {}).get(at, ""))
                    for at in range(1, responses + 1)
                ],
            )
            for number in range(1, questions + 1)
        ],
        by=by,
        now=NOW,
    )
    for person in people:
        add_reviewer(comparison_set=made, kind=PERSON, person=person, by=by, now=NOW)
    for number in range(1, elsewhere + 1):
        add_reviewer(comparison_set=made, kind=ELSEWHERE, name=f"Reader {number}", by=by, now=NOW)
    return made


@replayed
def review_with(
    *,
    comparison: Comparison,
    reviewer: Reviewer,
    scores: Mapping[int, Mapping[str, float]],
    round_number: int = 1,
    by: Person | None = None,
) -> Review:
    """A review that was submitted with these scores by number of the response; the key "holistic" is one of them."""
    by = by or comparison.created_by
    review = begin_review(comparison=comparison, reviewer=reviewer, round_number=round_number, by=by, now=NOW)
    given = {
        label: dict(scores[number])
        for label, number in zip(labels(len(review.order)), review.order, strict=True)
        if number in scores
    }
    record = read_review(_answer(given), labels(len(review.order)), comparison.set.rubric_version.to_record())
    record_submission(review=review, record=record, by=by, now=NOW)
    return review


def _answer(given: Mapping[str, Mapping[str, float]]) -> str:
    """An answer as a model would end it."""
    return "```json\n" + json.dumps({"evaluations": given}) + "\n```"
