"""A stage that is open is given another name and goal, and other rules until an iteration was counted by them."""

import pytest
from django.urls import reverse

from discussions.iterations.actions import StagePlan, change_stage, open_next_stage
from discussions.models import Stage
from tests.factories.iterations import figures, get_lead, make_baseline, make_stage
from tests.factories.pages import get_text
from tests.factories.people import make_admin, make_lead, moment
from tests.factories.transcripts import make_games_project
from workspace.core.refusals import NotAllowed
from workspace.models import Event

pytestmark = pytest.mark.django_db


GIVEN = {
    "name": "Lively",
    "goal": "<i>Watched</i> to the end",
    "streak_unit": "game",
    "engagement_rule": "every_game",
}


TEXTS = {"name": "Lively", "goal": "Watched to the end"}


PLACE = "/projects/ours/stages/1/edit/"


@pytest.fixture
def stage(client):
    project = make_games_project(slug="ours")
    lead = make_lead(project=project)
    client.force_login(lead)
    return make_stage(project=project, by=lead)


def rules():
    return Stage.objects.values_list("name", "streak_unit", "engagement_rule").get(number=1)


def test_everything_can_be_changed_while_nothing_was_counted(client, stage):
    gate = reverse("stage_gate", args=["ours", 1])
    assert f'<a href="{PLACE}">Edit the stage</a>' in get_text(client.get(gate))
    make_baseline(stage=stage)
    assert "Stage 1" in get_text(client.get(PLACE))
    answer = client.post(PLACE, GIVEN)
    assert (answer.status_code, answer["Location"], rules()) == (303, gate, ("Lively", "game", "every_game"))
    assert "A success is counted in single games, with the rating needed in every game." in get_text(
        client.get(gate)
    )
    client.post(PLACE, GIVEN)
    assert Event.objects.filter(verb="stage:changed").count() == 1


def test_rules_that_an_iteration_was_opened_under_are_final_and_the_page_says_so(client, stage):
    make_baseline(stage=stage, games=[figures()] * 3)
    assert 'name="streak_unit"' not in get_text(client.get(PLACE))
    assert client.post(PLACE, TEXTS).status_code == 303
    assert rules() == ("Lively", "iteration", "average")
    assert client.post(PLACE, GIVEN).status_code == 400
    with pytest.raises(NotAllowed, match="Iteration 1 was opened"):
        change_stage(
            stage=stage, plan=StagePlan("Other", streak_unit="game"), by=get_lead(stage), now=moment(9)
        )
    assert rules() == ("Lively", "iteration", "average")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": " "}, "required"),
        ({"name": "x" * 201}, "at most 200 characters"),
        ({"goal": "x" * 2001}, "at most 2,000 characters"),
        ({"streak_unit": "week"}, "valid choice"),
    ],
)
def test_what_cannot_be_is_said_and_everything_typed_stays(client, stage, changes, says):
    text = get_text(client.post(PLACE, GIVEN | changes), 422)
    assert says in text and ("<i>Watched</i>" in text or "goal" in changes)
    assert rules()[0] == "Stage 1"


def test_a_closed_stage_stays_as_it_is(client, stage):
    open_next_stage(stage=stage, plan=StagePlan("Stage 2"), by=make_admin(), reason="On.", now=moment(5))
    assert client.get(PLACE).status_code == 403
    assert client.post(PLACE, GIVEN).status_code == 403
    assert "Edit the stage" not in get_text(client.get(reverse("stage_gate", args=["ours", 1])))


def test_the_form_asks_as_often_whatever_stands(client, stage, django_assert_num_queries):
    client.get(PLACE)
    with django_assert_num_queries(7):
        client.get(PLACE)
    make_baseline(stage=stage, games=[figures()] * 3)
    with django_assert_num_queries(7):
        client.get(PLACE)
