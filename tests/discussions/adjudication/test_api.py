"""A lead's program that decides on what evaluators differ about."""

import pytest

from discussions.adjudication.queries import handle_of
from discussions.models import Adjudication
from tests.factories.adjudication import TIE, make_differing
from tests.factories.people import make_lead, make_member
from tests.factories.tokens import program_of
from workspace.models import Event

pytestmark = pytest.mark.django_db


def test_a_tie_is_read_without_names_and_decided_once():
    game = make_differing(slug="here")
    lead = make_lead(project=game.project)
    program, path = program_of(lead), f"projects/here/games/{game.number}/disagreements/"
    answer = program.get(path)
    names = game.evaluations.values_list("evaluator__name", flat=True)
    assert not [name for name in names if name in answer.content.decode()]
    tie = next(row for row in answer.json()["items"] if (row["kind"], row["subject"]) == TIE)
    assert (tie["is_tie"], tie["decided"]) == (True, None)
    given = {"kind": TIE[0], "subject": TIE[1], "reason": "It answers", "sides_sha256": tie["sides_sha256"]}
    assert program.post(path, {**given, "side": "Z"}).json()["field"] == "choice"
    stale = program.post(path, {**given, "side": "A", "sides_sha256": "0" * 64})
    assert (stale.status_code, Adjudication.objects.count()) == (409, 0)
    done = program.post(path, {**given, "side": "A"}).json()["items"]
    decided = next(row for row in done if (row["kind"], row["subject"]) == TIE)
    assert (decided["is_tie"], decided["decided"]) == (False, tie["sides"][0]["value"])


def test_names_are_shown_to_whom_they_were_asked_for_and_the_log_keeps_that():
    game = make_differing(slug="here")
    lead, other = make_lead(project=game.project), make_lead(project=game.project)
    program, path = program_of(lead), f"projects/here/games/{game.number}/"
    hidden = program.get(f"{path}evaluations/").json()["items"]
    assert [(row["letter"], row["evaluator"], row["state"]) for row in hidden] == [
        ("A", "", "submitted"),
        ("B", "", "submitted"),
    ]
    shown = program.post(f"{path}names/").json()["items"]
    names = {handle_of(row.pk): row.evaluator.name for row in game.evaluations.select_related("evaluator")}
    assert [row["evaluator"] for row in shown] == [names[row["id"]] for row in hidden]
    assert program.get(f"{path}evaluations/").json()["items"] == shown
    assert program_of(other).get(f"{path}evaluations/").json()["items"] == hidden
    program.post(f"{path}names/")
    assert list(Event.objects.filter(verb="names:shown").values_list("by", flat=True)) == [lead.pk]


def test_ties_go_to_a_third_evaluator_who_is_told_nothing_of_the_answers():
    game = make_differing(slug="here")
    lead, third = make_lead(project=game.project), make_member(project=game.project)
    path = f"projects/here/games/{game.number}/"
    sent = {"person": third.pk, "ties": [{"kind": TIE[0], "subject": TIE[1]}]}
    assert program_of(lead).post(f"{path}third-evaluator/", sent).status_code == 200
    assert (
        program_of(lead).post(f"{path}third-evaluator/", {**sent, "person": lead.pk}).json()["field"]
        == "person"
    )
    program = program_of(third)
    (tie,) = program.get("mine/ties/").json()["items"]
    assert (tie["kind"], tie["values"], tie["game"]) == ("coherence", ["yes", "no"], game.number)
    assert sorted(tie) == ["game", "id", "kind", "message", "project", "speaker", "text", "values"]
    assert program.post("mine/ties/", {"id": tie["id"], "value": "perhaps"}).json()["field"] == "value"
    assert program.post("mine/ties/", {"id": tie["id"], "value": "no"}).json()["items"] == []
    assert Adjudication.objects.get().value == "no"
