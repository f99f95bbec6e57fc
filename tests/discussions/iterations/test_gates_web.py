"""The gate of a stage: the row and what breaks it, costs, the statement, the gate and whoever goes through it."""

import re

import pytest
from django.urls import reverse

from discussions.iterations.actions import StagePlan, change_stage, open_next_stage, sign_stage
from discussions.models import Stage
from tests.factories.iterations import figures, get_lead, make_baseline, make_iteration, make_stage
from tests.factories.pages import get_text
from tests.factories.people import NOW, make_admin, make_lead, make_member, moment
from tests.factories.transcripts import make_games_project
from workspace.core.refusals import NotAllowed
from workspace.models import Event

pytestmark = pytest.mark.django_db


NEXT = {
    "name": "Stage 2",
    "goal": "Cheaper.",
    "streak_unit": "iteration",
    "engagement_rule": "average",
    "reason": "",
}


@pytest.fixture
def lead(client, project):
    found = make_lead(project=project)
    client.force_login(found)
    return found


@pytest.fixture
def stage(project, lead):
    return make_stage(project=project, by=lead)


def address(name, stage):
    return reverse(name, args=[stage.project.slug, stage.number])


def pass_gate(stage, count=3):
    """A baseline and changes that all succeed and are kept."""
    for number in range(count):
        make_iteration(
            stage=stage,
            games=[figures()] * 3,
            decision="keep" if number else "",
            minutes=2 * number + 1,
        )


def test_the_first_stage_is_opened_and_says_what_its_gate_asks(client, project, lead):
    place = reverse("open_stage", args=[project.slug])
    text = get_text(client.get(place))
    assert "3 successes in a row, each with 5 of 7 averages passing" in text and "above 70.0 %" in text
    answer = client.post(place, {key: NEXT[key] for key in NEXT if key != "reason"})
    made = Stage.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, address("stage", made))
    assert (made.name, made.goal, made.created_by) == ("Stage 2", "Cheaper.", lead)


def test_a_stage_that_cannot_be_keeps_what_was_typed(client, project, lead):
    place = reverse("open_stage", args=[project.slug])
    given = {"name": " ", "goal": "Kept words", "streak_unit": "iteration", "engagement_rule": "average"}
    text = get_text(client.post(place, given), 422)
    assert "Kept words" in text and 'class="fault"' in text
    assert not Stage.objects.exists()


def test_a_second_stage_goes_through_the_gate(client, project, stage):
    place = reverse("open_stage", args=[project.slug])
    assert "Stage 1 exists already" in get_text(client.get(place))
    given = {"name": "Kept name", "goal": "", "streak_unit": "game", "engagement_rule": "average"}
    text = get_text(client.post(place, given), 409)
    assert "Kept name" in text and "on the page of its gate" in text
    assert Stage.objects.count() == 1


def test_an_empty_stage_has_a_closed_gate_and_says_why(client, stage):
    text = get_text(client.get(address("stage_gate", stage)))
    assert "0 of 3 in a row: the gate is closed" in text and "What keeps it closed" in text
    assert "No iteration of this stage was opened for rating yet" in text
    assert "Fascinating. Entertainment in its own right" in text
    assert text.count("disabled") == 1


def test_every_step_says_what_breaks_the_row(client, stage):
    low = figures(coherence=10, strategic_depth=10, anti_repetition=10)
    make_iteration(stage=stage, games=[figures()] * 3)
    make_iteration(stage=stage, games=[low] * 3, decision="keep", minutes=3)
    make_iteration(
        stage=stage, games=[figures(cost=None), figures(cost=2.5), figures()], decision="revert", minutes=5
    )
    make_iteration(stage=stage, games=[figures(cost=None), figures(), figures()], minutes=7)
    text = get_text(client.get(address("stage_gate", stage)))
    assert "All games of iteration 4 are rated; it waits for a decision." in text
    assert "4 of 7 averages pass, 5 are needed" in text and "breaks the row" in text
    assert "Reverted, and therefore skipped: iteration 3" in text
    assert "the cost of game 10 is not reported" in text and "not certain yet" in text
    assert reverse("enter_figure", args=["ours", 10]) in text
    plain = " ".join(re.sub(r"<[^>]+>", " ", text).split())
    assert "The next stage continues with the prompt of the reference: iteration 2 ." in plain
    assert plain.count("prompt not kept") == 1


def test_an_iteration_that_is_not_rated_waits_for_evaluators_first(client, stage):
    make_iteration(stage=stage, games=[figures()] * 3)
    make_iteration(stage=stage, games=[figures(), None, figures()], minutes=3)
    text = get_text(client.get(address("stage_gate", stage)))
    assert "Iteration 2 waits for evaluators: 1 of its 3 games is not rated." in text


def test_the_row_names_games_that_pass_with_little_to_count(client, stage):
    make_iteration(stage=stage, games=[figures()] * 3)
    assert "passes by rule or on fewer" not in get_text(client.get(address("stage_gate", stage)))
    make_iteration(stage=stage, games=[figures(memory_accuracy=None), figures(), figures()], minutes=3)
    text = get_text(client.get(address("stage_gate", stage)))
    said = "a metric is not applicable (counts as pass), passes on fewer than 5 references, or is open."
    assert f"In game 4, of those that count, {said}" in text


def test_the_statement_is_signed_once_and_quotes_what_five_means(client, stage, lead):
    place = address("sign_stage", stage)
    text = get_text(client.post(place, {"statement": "  "}), 422)
    assert "Say in a sentence" in text
    answer = client.post(place, {"statement": "The liars were a joy."})
    assert (answer.status_code, answer["Location"]) == (303, address("stage_gate", stage))
    text = get_text(client.get(address("stage_gate", stage)))
    assert "Signed by" in text and "The liars were a joy." in text and "Sign that they are" not in text


def test_who_signs_second_keeps_the_words_and_reads_the_first(client, stage, project):
    sign_stage(stage=stage, text="First words.", by=make_lead(project=project), now=NOW)
    text = get_text(client.post(address("sign_stage", stage), {"statement": "Second words."}), 403)
    assert "First words." in text and "Second words." in text and "that statement counts" in text
    assert Stage.objects.get().statement == "First words."


def test_a_lead_is_refused_at_a_closed_gate_and_nothing_typed_is_lost(client, stage):
    assert "Cheaper." in get_text(client.post(address("open_next_stage", stage), NEXT), 403)
    assert Stage.objects.count() == 1 and not Event.objects.filter(verb="stage:closed").exists()


def test_an_admin_opens_a_closed_gate_with_a_reason_that_stays(client, stage):
    admin = make_admin()
    client.force_login(admin)
    place = address("open_next_stage", stage)
    text = get_text(client.get(address("stage_gate", stage)))
    assert "Create it anyway" in text
    text = get_text(client.post(place, NEXT), 422)
    assert "Say why the next stage is created anyway" in text
    answer = client.post(place, NEXT | {"reason": "The budget ends."})
    made = Stage.objects.get(number=2)
    assert (answer.status_code, answer["Location"]) == (303, address("stage", made))
    text = get_text(client.get(address("stage_gate", stage)))
    assert "although the gate was closed" in text and "The budget ends." in text
    assert "What kept it closed" in text and "Open the next stage" not in text


def test_through_an_open_gate_a_lead_opens_the_next_stage(client, stage, lead):
    pass_gate(stage)
    sign_stage(stage=stage, text="A joy.", by=lead, now=NOW)
    text = get_text(client.get(address("stage_gate", stage)))
    assert "The gate to the next stage is open" in text and "3 of 3" in text and "80.0 %" in text
    assert client.post(address("open_next_stage", stage), NEXT).status_code == 303
    text = get_text(client.get(address("stage_gate", stage)))
    assert "Stage 2 was opened" in text and "the state of the gate" in text and "3 of 3" in text
    again = get_text(client.post(address("open_next_stage", stage), NEXT | {"goal": "Kept"}), 403)
    assert "closed; work continues in the next one" in again and "Kept" in again


def test_an_open_gate_names_the_change_that_is_not_decided_yet(client, stage, lead):
    pass_gate(stage)
    sign_stage(stage=stage, text="A joy.", by=lead, now=NOW)
    assert "not decided yet" not in get_text(client.get(address("stage_gate", stage)))
    change = make_iteration(stage=stage, games=[figures()] * 3, minutes=20)
    answer = client.get(address("stage_gate", stage))
    assert f"Iteration {change.number} is not decided yet" in get_text(answer)
    assert reverse("compare_iterations", args=[stage.project.slug, change.number]) in answer.content.decode()
    assert client.post(address("open_next_stage", stage), NEXT).status_code == 303
    assert "not decided yet" not in get_text(client.get(address("stage_gate", stage)))


def test_evaluators_know_of_no_stage(client, stage, project):
    client.force_login(make_member(project=project))
    assert client.get(address("stage_gate", stage)).status_code == 404
    assert client.post(address("sign_stage", stage), {"statement": "x"}).status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_the_gate_asks_as_often_however_long_the_stage_is(client, stage, count, django_assert_num_queries):
    pass_gate(stage, count)
    client.get(address("stage_gate", stage))
    with django_assert_num_queries(13):
        client.get(address("stage_gate", stage))


GIVEN = {
    "name": "Lively",
    "goal": "<i>Watched</i> to the end",
    "streak_unit": "game",
    "engagement_rule": "every_game",
}


TEXTS = {"name": "Lively", "goal": "Watched to the end"}


PLACE = "/projects/ours/stages/1/edit/"


@pytest.fixture
def ruled(client):
    project = make_games_project(slug="ours")
    lead = make_lead(project=project)
    client.force_login(lead)
    return make_stage(project=project, by=lead)


def rules():
    return Stage.objects.values_list("name", "streak_unit", "engagement_rule").get(number=1)


def test_everything_can_be_changed_while_nothing_was_counted(client, ruled):
    gate = reverse("stage_gate", args=["ours", 1])
    assert f'<a href="{PLACE}">Edit the stage</a>' in get_text(client.get(gate))
    make_baseline(stage=ruled)
    assert "Stage 1" in get_text(client.get(PLACE))
    answer = client.post(PLACE, GIVEN)
    assert (answer.status_code, answer["Location"], rules()) == (303, gate, ("Lively", "game", "every_game"))
    assert "A success is counted in single games, with the rating needed in every game." in get_text(
        client.get(gate)
    )
    client.post(PLACE, GIVEN)
    assert Event.objects.filter(verb="stage:changed").count() == 1


def test_rules_that_an_iteration_was_opened_under_are_final_and_the_page_says_so(client, ruled):
    make_baseline(stage=ruled, games=[figures()] * 3)
    assert 'name="streak_unit"' not in get_text(client.get(PLACE))
    assert client.post(PLACE, TEXTS).status_code == 303
    assert rules() == ("Lively", "iteration", "average")
    assert client.post(PLACE, GIVEN).status_code == 400
    with pytest.raises(NotAllowed, match="Iteration 1 was opened"):
        change_stage(
            stage=ruled, plan=StagePlan("Other", streak_unit="game"), by=get_lead(ruled), now=moment(9)
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
def test_what_cannot_be_is_said_and_everything_typed_stays(client, ruled, changes, says):
    text = get_text(client.post(PLACE, GIVEN | changes), 422)
    assert says in text and ("<i>Watched</i>" in text or "goal" in changes)
    assert rules()[0] == "Stage 1"


def test_a_closed_stage_stays_as_it_is(client, ruled):
    open_next_stage(stage=ruled, plan=StagePlan("Stage 2"), by=make_admin(), reason="On.", now=moment(5))
    assert client.get(PLACE).status_code == 403
    assert client.post(PLACE, GIVEN).status_code == 403
    assert "Edit the stage" not in get_text(client.get(reverse("stage_gate", args=["ours", 1])))


def test_the_form_asks_as_often_whatever_stands(client, ruled, django_assert_num_queries):
    client.get(PLACE)
    with django_assert_num_queries(7):
        client.get(PLACE)
    make_baseline(stage=ruled, games=[figures()] * 3)
    with django_assert_num_queries(7):
        client.get(PLACE)
