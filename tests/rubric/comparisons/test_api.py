"""A pipeline that fills a comparison set, has a model review, and reads the results."""

import json

import pytest

from rubric.comparisons.actions import add_reviewer, close_set
from rubric.models import Comparison, ComparisonSet, Review
from rubric.models.comparisons import MODEL
from tests.factories.comparisons import make_set, response_version
from tests.factories.model_reviewers import answer_text
from tests.factories.people import NOW, make_lead, make_member, make_project
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db
SETS = "projects/here/comparison-sets/"


@pytest.fixture
def lead():
    return make_lead(project=make_project(slug="here"))


def lines_of(*keys, responses=("Boil stones.", "Boil water.")):
    """A file of comparisons."""
    texts = [{"id": str(number), "text": text} for number, text in enumerate(responses, start=1)]
    rows = [{"id": key, "question": f"How is {key} made?", "responses": texts} for key in keys]
    return "\n".join(json.dumps(row) for row in rows).encode()


def opened(program):
    """The address of a new set."""
    version = response_version()
    given = {"name": "Soup", "rubric": version.rubric.key, "version": version.number, "mode": "rubric"}
    answer = program.post(SETS, given)
    assert answer.status_code == 201, answer.content
    return f"{SETS}{answer.json()['number']}/"


def test_a_pipeline_opens_a_set_and_brings_comparisons_once(lead):
    program = program_of(lead)
    address = opened(program)
    assert program.post(f"{address}lines/", lines_of("soup", "stew")).json()["comparisons"] == 2
    again = program.post(f"{address}lines/", lines_of("soup", "stew")).json()
    assert (again["comparisons"], again["known"]) == (0, 2)
    listed = program.get(address).json()
    assert [row["key"] for row in listed["comparisons"]] == ["soup", "stew"]
    assert program.get(SETS).json()["items"][0]["comparison_count"] == 2


def test_every_fault_of_the_lines_is_told_and_nothing_comes_in(lead):
    program = program_of(lead)
    address = opened(program)
    answer = program.post(f"{address}lines/", lines_of("soup") + b"\n{}\nnonsense")
    said = answer.json()
    assert (answer.status_code, Comparison.objects.count()) == (422, 0)
    assert {fault["line"] for fault in said["more"]["faults"]} == {2, 3}
    assert said["detail"].startswith("Line 2: ")


def test_a_models_raw_answer_is_read_and_its_result_shown(lead):
    program = program_of(lead)
    found = make_set(by=lead, responses=2)
    model = add_reviewer(comparison_set=found, kind=MODEL, name="one-model", by=lead, now=NOW)
    address = f"{SETS}{found.number}/"
    pair = f"{address}comparisons/1/reviewers/{model.pk}/"
    prompt = program.post(f"{pair}prompt/").json()["prompts"][0]
    assert "Boil" in prompt["text"]
    sent = {"text": answer_text(2, A={"accuracy": 9, "completeness": 9, "conciseness": 9, "clarity": 9})}
    assert program.post(f"{pair}answer/", {**sent, "part": "other"}).status_code == 422
    assert program.post(f"{pair}answer/", sent).status_code == 200
    assert Review.objects.get().state == "submitted"
    assert program.post(f"{pair}answer/", sent).status_code == 409
    shown = program.get(f"{address}comparisons/1/results/").json()["rankings"][0]
    assert [row["place"] for row in shown["ranks"]] == [1, 2]
    assert shown["ranks"][0]["mean"] == 9
    whole = program.get(f"{address}results/").json()
    assert (whole["comparison_count"], whole["reviewer_count"]) == (1, 1)


def test_a_reviewer_sees_no_result_before_the_set_is_closed(lead):
    person = make_member(project=lead.memberships.get().project)
    found = make_set(by=lead, people=[person])
    program = program_of(person)
    address = f"{SETS}{found.number}/"
    assert program.get(address).status_code == 403
    assert program.get(f"{address}results/").status_code == 403
    close_set(comparison_set=ComparisonSet.objects.get(), by=lead, now=NOW)
    assert program.get(f"{address}results/").status_code == 200


def test_reviewers_come_and_go_and_a_set_is_closed_and_opened_again(lead):
    program, member = program_of(lead), make_member(project=lead.memberships.get().project)
    address = opened(program)
    person = program.post(f"{address}reviewers/", {"kind": "person", "person": member.email.upper()})
    assert (person.status_code, person.json()["name"]) == (201, member.name)
    unknown = program.post(f"{address}reviewers/", {"kind": "person", "person": "nobody@example.org"})
    assert (unknown.status_code, unknown.json()["field"]) == (422, "person")
    model = program.post(f"{address}reviewers/", {"kind": "model", "name": "M", "model": "m-1"}).json()
    assert [row["kind"] for row in program.get(address).json()["reviewers"]] == ["person", "model"]
    assert program.post(f"{address}reviewers/{model['id']}/end/").json()["id"] == model["id"]
    assert program.post(f"{address}reviewers/{model['id']}/end/").status_code == 409
    assert program.post(f"{address}close/").status_code == 200
    assert program.post(f"{address}close/").json()["code"] == "set_closed"
    assert program.post(f"{address}reopen/").status_code == 200
