"""A program that rates: it takes a game, sees what its person may see, judges, and submits."""

import pytest

from discussions.models import Reveal
from tests.factories.authorship import start_test
from tests.factories.people import make_lead, make_member
from tests.factories.rating import ANSWERS, make_game, make_rating_project
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    project = make_rating_project(slug="here")
    make_game(project=project)
    return program_of(make_member(project=project))


def taken(program):
    """The address of the evaluation that the program takes."""
    answer = program.post("projects/here/next/")
    assert answer.status_code == 200
    return f"evaluations/{answer.json()['evaluation']['id']}/"


def judge(program, address, *judgements):
    return program.post(f"{address}judgements/", {"judgements": list(judgements)})


def answer_all(program, address):
    """Judge what is missing until nothing is."""
    while missing := program.get(address).json()["missing"]:
        acts = [
            {
                "kind": one["kind"],
                "subject": one["subject"],
                "value": ANSWERS.get(one["kind"], one["values"][0]),
            }
            for one in missing
            if one["kind"] != "reveal"
        ] or [{**{name: missing[0][name] for name in ("kind", "subject")}, "value": "yes"}]
        answer = judge(program, address, *acts)
        assert answer.status_code == 200, answer.content


def test_a_program_takes_a_game_rates_it_and_submits(program):
    address = taken(program)
    work = program.get(address).json()
    assert work["messages"][0]["text"]
    assert work["roles"] is None
    assert {reference["check"] for reference in work["references"]} <= {""}
    early = program.post(f"{address}submit/")
    assert (early.status_code, early.json()["code"]) == (422, "missing")
    answer_all(program, address)
    work = program.get(address).json()
    assert len(work["roles"]) == len(work["players"])
    assert program.post(f"{address}submit/").json()["state"] == "submitted"
    assert program.get("evaluations/").json()["items"][0]["state"] == "submitted"
    assert program.post("projects/here/next/").json() == {"evaluation": None}


def test_what_is_judged_twice_needs_the_version_before(program):
    address = taken(program)
    first = {"kind": "question", "subject": "1", "value": "yes"}
    assert judge(program, address, first).json()["judgements"][0]["version"] == 1
    stale = judge(program, address, {**first, "value": "no"})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale")
    assert (stale.json()["more"]["stored"], stale.json()["more"]["yours"]) == ("yes", "no")
    assert judge(program, address, {**first, "value": "no", "version": 1}).status_code == 200
    undone = program.post(f"{address}undo/", {"kind": "question", "subject": "1"}).json()
    assert undone["judgements"][0]["value"] == "yes"


def test_of_judgements_that_are_sent_together_all_are_stored_or_none(program):
    address = taken(program)
    good = {"kind": "question", "subject": "1", "value": "yes"}
    answer = judge(program, address, good, {"kind": "question", "subject": "99", "value": "yes"})
    assert answer.status_code == 422
    assert program.get(address).json()["judgements"] == []
    assert judge(program, address, good, {**good, "subject": "2"}).status_code == 200


def test_labels_and_the_rating_reveal_the_checks_and_nothing_before_them(program):
    address = taken(program)
    work = program.get(address).json()
    counted = [row["subject"] for row in work["references"] if row["is_counted"]]
    answers = [{"kind": "reference", "subject": subject, "value": "accurate"} for subject in counted]
    assert judge(program, address, *answers).json()["revealed"] == []
    assert not any(row["check"] or row["says"] for row in program.get(address).json()["references"])
    answers = [{"kind": "question", "subject": str(n), "value": "yes"} for n in range(1, 6)]
    assert judge(program, address, *answers).json()["revealed"] == []
    said = judge(program, address, {"kind": "rating", "value": "4.0"}).json()
    assert said["revealed"] == sorted(f"reference:{subject}" for subject in counted)
    shown = {row["subject"]: row["check"] for row in program.get(address).json()["references"]}
    assert sorted(subject for subject, check in shown.items() if check) == sorted(counted)
    assert Reveal.objects.count() == len(counted) > 1


def test_a_game_is_given_back_and_taken_up_again(program):
    address = taken(program)
    assert program.post(f"{address}skip/", {"reason": " "}).status_code == 422
    assert program.post(f"{address}skip/", {"reason": "I know it"}).json()["state"] == "skipped"
    assert judge(program, address, {"kind": "question", "subject": "1", "value": "yes"}).status_code == 403
    assert program.post(f"{address}return/").json()["state"] == "draft"


def test_while_the_blind_test_is_open_there_is_no_transcript():
    evaluation = start_test()
    work = program_of(evaluation.evaluator).get(f"evaluations/{evaluation.pk}/").json()
    assert (work["messages"], work["votes"], work["references"]) == ([], [], [])
    assert len(work["test"]["agents"]) > 1
    assert work["missing"][0]["kind"] == "attribution"
    assert work["missing"][0]["values"][-1] == "cannot_tell"


def test_leads_do_not_rate():
    project = make_rating_project(slug="here")
    make_game(project=project)
    answer = program_of(make_lead(project=project)).post("projects/here/next/")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
