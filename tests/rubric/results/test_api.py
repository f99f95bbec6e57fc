"""The survey before a result, by a program."""

import pytest

from rubric.models import Survey
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import make_lead, make_member, make_project
from tests.factories.reviewer_statistics import close
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


def test_a_result_opens_once_its_survey_is_answered():
    project = make_project(slug="here")
    person = make_member(project=project)
    made = make_set(by=make_lead(project=project), people=[person])
    review_with(
        comparison=made.comparisons.get(), reviewer=made.reviewers.get(), scores=RECORD_SCORES, by=person
    )
    close(made)
    program, path = program_of(person), f"projects/here/comparison-sets/{made.number}/comparisons/1/"
    assert program.get(f"{path}results/").json()["code"] == "survey_due"
    before = program.get(f"{path}survey/").json()
    assert (before["is_due"], before["responses"], Survey.objects.count()) == (True, [], 0)
    answer = {"do": "answer", "understood": 4, "named": before["criteria"][0]}
    assert program.post(f"{path}survey/", answer).json()["code"] == "survey_not_started"
    started = program.post(f"{path}survey/", {"do": "begin"}).json()
    assert [row["letter"] for row in started["responses"]] == ["A", "B"]
    assert program.post(f"{path}survey/", {"do": "answer"}).status_code == 422
    assert not program.post(f"{path}survey/", answer).json()["is_due"]
    assert program.get(f"{path}results/").json()["rankings"]
