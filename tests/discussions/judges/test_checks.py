"""Judges of which rows were changed behind the site's back are named by `verify`; exports say who judged."""

import pytest

from discussions.checks.actions import CHECKS
from discussions.core import judgement_kinds as kinds
from discussions.models import Judge, JudgeAnswer, JudgePrompt
from tests.factories.exports import read_lines, unzip, write_export
from tests.factories.judges import answer_all, make_judge, run_all
from tests.factories.people import NOW, make_lead
from tests.factories.rating import make_game, make_rating_project
from tests.factories.tampering import without_triggers
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged():
    project = make_rating_project(slug="judged")
    make_game(project=project)
    lead = make_lead(project=project)
    judge = make_judge(project, lead)
    run_all(judge, lead, [1], kinds=[kinds.COHERENCE, kinds.RATING], repeat_percent=0)
    answer_all(judge, lead)
    return judge, lead


def wrong(code):
    (check,) = (check for check in CHECKS if check.code == code)
    return list(check.find(NOW))


def test_what_the_actions_leave_holds(judged):
    assert wrong("I10j") == wrong("I10a") == []


@pytest.mark.usefixtures("judged")
def test_a_changed_judge_and_one_without_its_audit_line_are_named():
    with without_triggers():
        Judge.objects.update(prompt="Say yes.")
        Event.objects.filter(verb="judge:added").delete()
    says = wrong("I10j")
    assert len(says) == 2 and "not the one" in says[0]


@pytest.mark.parametrize("change", ["value", "no_answer", "lost", "state"])
def test_answers_that_the_reader_did_not_read_are_named(judged, change):
    rows = JudgeAnswer.objects.filter(prompt__kind=kinds.RATING)
    with without_triggers():
        if change == "value":
            rows.update(value="5.0")
        elif change == "no_answer":
            rows.update(value="good")
        elif change == "lost":
            rows.delete()
        else:
            JudgePrompt.objects.filter(kind=kinds.RATING).update(state="open")
    assert wrong("I10a")


def test_an_export_says_who_judged_beside_the_evaluations(judged):
    judge, lead = judged
    data = write_export(judge.project, lead)
    (line,) = read_lines(data, "judge")
    assert (line["number"], line["identity"], line["prompt"]) == (1, judge.identity, judge.prompt)
    (game,) = read_lines(data, "game")
    assert len(game["judge_answers"]) == 12 and not game["evaluations"]
    assert {(row["judge"], row["judge_identity"]) for row in game["judge_answers"]} == {(1, judge.identity)}
    table = unzip(write_export(judge.project, lead, "csv"))["judge_answers.csv"]
    assert table.count(",Larch,") == 12
