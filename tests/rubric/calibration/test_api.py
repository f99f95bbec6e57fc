"""A lead's program that calibrates the reviewers of a set and sets its share of hidden repeats."""

import pytest

from rubric.models import ComparisonSet
from tests.factories.human_reviewers import list_reviewers, make_review_set
from tests.factories.response_calibration import review_next
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


def test_a_round_of_a_set_from_its_opening_to_its_end():
    made = make_review_set(questions=2, mode="holistic")
    program = program_of(made.created_by)
    path = f"projects/{made.project.slug}/comparison-sets/{made.number}/calibrations/"
    given = {"name": "First", "comparisons": [1], "mark_within": 1.5, "marks": "1.1: 8\n1.2: 7\n1.3: 6"}
    wrong = program.post(path, given | {"marks": "1.1: eleven"})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "marks")
    assert program.post(path, given | {"marks": ""}).json()["code"] == "no_consensus"
    opened = program.post(path, given | {"notes": [{"comparison": 1, "note": "It invents a date."}]}).json()
    assert (opened["number"], opened["mark_within"]) == (1, 1.5)
    (asked,) = opened["comparisons"]
    assert (asked["note"], asked["responses"][0]) == ("It invents a date.", ["1", "Holistic 8"])
    [person] = list_reviewers(made)
    review_next(made, person, whole=(1, 2, 3))
    (row,) = program.get(f"{path}1/").json()["people"]
    assert (row["name"], row["done"], row["passes"], row["waiver"]) == (person.name, 1, False, "")
    let = program.post(f"{path}1/reviewers/{row['reviewer']}/let-review/", {"reason": "We talked"}).json()
    assert let["people"][0]["waiver"] == "We talked"
    assert program.post(f"{path}1/close/").json()["closed_at"]
    (listed,) = program.get(path).json()["items"]
    assert (listed["comparison_count"], bool(listed["closed_at"])) == (1, True)


def test_the_share_of_hidden_repeats_is_set_and_told_to_leads_alone():
    made = make_review_set(questions=2, mode="holistic")
    lead, path = program_of(made.created_by), f"projects/{made.project.slug}/comparison-sets/{made.number}/"
    assert lead.post(f"{path}repeats/", {"repeat_percent": 51}).json()["field"] == "repeat_percent"
    assert lead.post(f"{path}repeats/", {"repeat_percent": 10}).json()["repeat_percent"] == 10
    assert ComparisonSet.objects.get(pk=made.pk).repeat_percent == 10
    reviewer = program_of(list_reviewers(made)[0])
    assert reviewer.get(f"{path}calibrations/").status_code == 403
