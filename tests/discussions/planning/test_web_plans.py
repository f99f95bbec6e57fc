"""The form on which a baseline or a change is planned: what is proposed, what differs, and that nothing is lost."""

import html
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from discussions.iterations.actions import StagePlan, open_next_stage
from discussions.models import Iteration
from discussions.planning.actions import edit_iteration
from tests.factories.iterations import (
    PROMPT,
    decide_on,
    figures,
    get_lead,
    import_games,
    make_baseline,
    make_change,
    make_stage,
    plan,
    protocol,
)
from tests.factories.pages import get_text
from tests.factories.people import make_admin, make_lead, moment
from tests.factories.transcripts import make_games_project
from workspace.core.refusals import NotAllowed

pytestmark = pytest.mark.django_db


TWO_PLACES = PROMPT.replace("Speak your mind.", "Whisper.").replace("Vote once", "Vote twice")


ONE_PLACE = PROMPT.replace("Be brief.", "Be very brief.")


MARKUP = "<b>Kept</b> words"


@pytest.fixture
def lead(client):
    project = make_games_project(slug="ours")
    found = make_lead(project=project)
    client.force_login(found)
    return found


@pytest.fixture
def stage(lead):
    return make_stage(project=lead.memberships.get().project, by=lead)


def address(stage, kind=""):
    return reverse("open_iteration", args=["ours", stage.number]) + (f"?kind={kind}" if kind else "")


def baseline(**changes):
    version = protocol().rubric_version
    given = {"rubric_version": version.pk, "evaluator_count": "2", "reveal": "never"}
    return {
        "do": "save",
        "name": "As it is",
        "prompt": PROMPT,
        "least_games": "3",
        "identification": "test",
        **given,
    } | changes


def change(reference, **changes):
    given = {"do": "save", "name": "Shorter", "change_note": "Be brief.", "compared_with": reference.pk}
    return given | {"prompt": ONE_PLACE, "target": "coherence", "least_games": "4"} | changes


def test_the_first_iteration_is_a_baseline_with_its_way_of_judging(client, stage):
    text = get_text(client.get(address(stage)))
    assert "Create a baseline" in text and "A change is compared with a baseline" in text
    answer = client.post(address(stage, "baseline"), baseline())
    made = Iteration.objects.get(kind="baseline")
    assert (answer.status_code, answer["Location"]) == (303, reverse("iteration", args=["ours", made.number]))
    assert (made.prompt, made.evaluator_count, made.reveal, made.identification) == (
        PROMPT,
        2,
        "never",
        "test",
    )


def test_a_change_without_a_baseline_is_a_baseline(client, stage):
    assert "Create a baseline" in get_text(client.get(address(stage, "change")))
    assert client.get(address(stage, "sideways")).status_code == 400


def test_everything_wrong_is_said_at_once_and_what_was_typed_stays(client, stage):
    given = baseline(name="", prompt="  ", evaluator_count="11", least_games="0")
    text = get_text(client.post(address(stage, "baseline"), given), 422)
    assert text.count('class="fault"') == 2
    text = get_text(client.post(address(stage, "baseline"), baseline(name="", prompt=" ")), 422)
    assert "Give the iteration a name." in text and "Paste the whole prompt" in text
    assert not Iteration.objects.filter(kind="baseline").exists()


def test_a_prompt_comes_as_a_file_and_shows_in_the_form(client, stage):
    file = SimpleUploadedFile("prompt.txt", b"\xef\xbb\xbfFrom a file.\r\nTwo lines.")
    text = get_text(client.post(address(stage, "baseline"), baseline(name="", prompt_file=file)), 422)
    assert "From a file. Two lines." in text
    file = SimpleUploadedFile("prompt.txt", b"From a file.\r\nTwo lines.")
    client.post(address(stage, "baseline"), baseline(prompt="", prompt_file=file))
    assert Iteration.objects.get(kind="baseline").prompt == "From a file.\nTwo lines."


@pytest.mark.parametrize(("body", "says"), [(b"\xff\xfe\x00", "not text in UTF-8"), (b" \n", "no text")])
def test_a_file_that_is_no_text_leaves_the_typed_prompt(client, stage, body, says):
    file = SimpleUploadedFile("prompt.txt", body)
    text = get_text(client.post(address(stage, "baseline"), baseline(prompt=MARKUP, prompt_file=file)), 422)
    assert says in text and MARKUP in text


def test_a_change_begins_with_the_reference_and_the_proposed_target(client, stage):
    made = make_baseline(
        stage=stage, games=[figures(coherence=40 + n, strategic_depth=70 + n) for n in range(3)]
    )
    text = get_text(client.get(address(stage)))
    assert "Next target: conversation coherence" in text and "regression to the mean" in text
    assert '<option value="coherence" selected>' in text and "Name your reasons." in text
    assert "Put the last 5 to 10 messages into the context" in text
    assert f'name="compared_with" value="{made.pk}"' in text


def test_the_prompt_of_a_change_is_played_further(client, stage):
    """Its plan fills the form, with the target of the address if there is one; the reference stays the same."""
    games = [figures(coherence=40 + n) for n in range(3)]
    made = make_baseline(stage=stage, games=games)
    played = make_change(stage=stage, games=games, target="role_consistency", prompt=ONE_PLACE, minutes=2)
    decide_on(iteration=played, choice="inconclusive")
    place = address(stage)
    text = get_text(client.get(f"{place}?again={played.number}"))
    assert "Be very brief." in text and '<option value="role_consistency" selected>' in text
    assert f'name="compared_with" value="{made.pk}"' in text
    text = get_text(client.get(f"{place}?again={played.number}&target=strategic_depth"))
    assert "Be very brief." in text and '<option value="strategic_depth" selected>' in text
    for other in (made.number, 99):
        plain = get_text(client.get(f"{place}?again={other}"))
        assert "Be very brief." not in plain and '<option value="coherence" selected>' in plain
    assert client.get(f"{place}?again=x").status_code == 400
    given = change(made, prompt=ONE_PLACE, target="strategic_depth")
    assert client.post(f"{place}?kind=change", given).status_code == 303
    assert Iteration.objects.latest("pk").prompt == played.prompt


def test_check_shows_the_hunks_and_stores_nothing(client, stage):
    made = make_baseline(stage=stage)
    text = get_text(client.post(address(stage, "change"), change(made, do="check")))
    assert "1 place differs from iteration 1" in text and "It is not saved yet" in text
    assert '<tr class="added">' in text and "very" in text
    assert "Why these belong together" not in text
    assert not Iteration.objects.filter(kind="change").exists()


def test_more_than_one_place_asks_a_question_that_must_be_answered(client, stage):
    made = make_baseline(stage=stage)
    for do in ("check", "save"):
        text = get_text(client.post(address(stage, "change"), change(made, do=do, prompt=TWO_PLACES)), 422)
        assert "2 places differ" in text and "Why these belong together" in text
    answered = change(made, prompt=TWO_PLACES, hunks_answer="They are one thought.")
    assert client.post(address(stage, "change"), answered).status_code == 303
    found = Iteration.objects.get(kind="change")
    assert (found.hunk_count, found.hunks_answer) == (2, "They are one thought.")


def test_an_answer_that_is_not_asked_for_any_more_is_kept_in_the_form(client, stage):
    made = make_baseline(stage=stage)
    given = change(made, do="check", hunks_answer="Kept answer")
    assert "Kept answer" in get_text(client.post(address(stage, "change"), given))


def test_material_differences_are_five_points_and_a_third_unless_chosen(client, stage):
    made = make_baseline(stage=stage)
    given = {"material-coherence": "7.5", "material-engagement": ""}
    assert client.post(address(stage, "change"), change(made, **given)).status_code == 303
    found = Iteration.objects.get(kind="change")
    material = {"coherence": 7.5, "engagement": 0.3, "strategic_depth": 5.0}
    assert material.items() <= json.loads(found.material).items()
    assert (found.target, found.least_games, found.compared_with) == ("coherence", 4, made)
    plan = get_text(client.get(reverse("iteration", args=[stage.project.slug, found.number])))
    assert "Conversation coherence 7.5 points" in plan and "Engagement 0.3 points" in plan
    assert "Memory accuracy 5 points" in plan and "Memory accuracy 5 %" not in plan


def test_a_second_change_waits_until_the_first_is_decided(client, stage):
    made = make_baseline(stage=stage)
    waiting = make_change(stage=stage)
    text = get_text(client.get(address(stage, "change")))
    assert text.index("Iteration 2 is not decided yet") < text.index("What is changed")
    assert 'value="save" disabled' in text
    assert 'value="save" disabled' not in get_text(client.get(address(stage, "baseline")))
    text = get_text(client.post(address(stage, "change"), change(made, change_note=MARKUP)), 403)
    assert "Iteration 2 is not decided yet" in text and MARKUP in text
    decide_on(iteration=waiting, choice="revert")
    assert client.post(address(stage, "change"), change(made)).status_code == 303


def test_a_reference_that_moved_is_shown_and_the_form_kept(client, stage):
    first = make_baseline(stage=stage)
    second = make_baseline(stage=stage, minutes=2, name="Fresh control")
    text = get_text(client.post(address(stage, "change"), change(first, change_note=MARKUP)), 409)
    assert MARKUP in text and f'name="compared_with" value="{second.pk}"' in text


def test_a_plan_is_made_anew_while_no_game_is_there(client, stage):
    made = make_baseline(stage=stage)
    found = make_change(stage=stage, target="coherence", material={"coherence": 8})
    place = reverse("edit_iteration", args=["ours", found.number])
    text = get_text(client.get(place))
    assert 'value="8.0"' in text and '<option value="coherence" selected>' in text
    given = {key: value for key, value in change(made, name="Renamed").items() if key != "compared_with"}
    assert client.post(place, given).status_code == 303
    found.refresh_from_db()
    assert (found.name, found.prompt, found.least_games) == ("Renamed", ONE_PLACE, 4)
    import_games(iteration=found, games=[None])
    text = get_text(client.post(place, given | {"name": MARKUP}), 403)
    assert "Iteration 2 has games already" in text and MARKUP in text


def test_the_plan_of_a_baseline_is_made_anew_too(client, stage):
    found = make_baseline(stage=stage)
    place = reverse("edit_iteration", args=["ours", found.number])
    assert found.name in get_text(client.get(place))
    judged = {"rubric_version": found.rubric_version_id, "reveal": "never", "identification": "test"}
    given = {"do": "save", "name": "Other", "prompt": "Other words.", "least_games": "5", **judged}
    assert client.post(place, given | {"evaluator_count": "11"}).status_code == 422
    assert client.post(place, given | {"evaluator_count": "2"}).status_code == 303
    found.refresh_from_db()
    assert (found.name, found.prompt, found.least_games) == ("Other", "Other words.", 5)
    assert (found.evaluator_count, found.reveal, found.identification) == (2, "never", "test")
    assert 'value="2"' in get_text(client.get(place))
    assert client.get(reverse("edit_iteration", args=["ours", 0])).status_code == 403


def test_a_way_of_judging_that_a_change_took_over_is_final(client, stage):
    found = make_baseline(stage=stage)
    make_change(stage=stage)
    place = reverse("edit_iteration", args=["ours", found.number])
    text = get_text(client.get(place))
    assert "cannot change, because the changes of this baseline" in text and 'name="reveal"' not in text
    given = {"do": "save", "name": "Other", "prompt": "Other words.", "least_games": "3"}
    assert client.post(place, given).status_code == 303
    assert client.post(place, given | {"evaluator_count": "2"}).status_code == 400
    iteration = Iteration.objects.select_related("stage").get(pk=found.pk)
    with pytest.raises(NotAllowed, match="Iteration 2 is judged like iteration 1"):
        edit_iteration(
            iteration=iteration,
            plan=plan(prompt=PROMPT),
            protocol=protocol(),
            by=get_lead(stage),
            now=moment(9),
        )


@pytest.mark.parametrize("count", [1, 4])
def test_the_form_asks_as_often_however_long_the_stage_is(client, stage, count, django_assert_num_queries):
    make_baseline(stage=stage, games=[figures()] * 3)
    for number in range(1, count):
        made = make_change(stage=stage, games=[figures()] * 3, minutes=2 * number + 1)
        decide_on(iteration=made, choice="keep", minutes=2 * number + 2)
    client.get(address(stage))
    with django_assert_num_queries(16):
        client.get(address(stage))


def get_told(client, stage, kind, data=None):
    """The text of the region on the form of a new iteration."""
    client.force_login(get_lead(stage))
    address = reverse("open_iteration", args=[stage.project.slug, stage.number]) + f"?kind={kind}"
    answer = client.post(address, data) if data else client.get(address)
    body = answer.content.decode()
    region = re.search(r'id="plan-games".*?</details>', body, re.DOTALL)[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", region)).split())


def test_a_first_baseline_takes_the_usual_spread(client):
    told = get_told(client, make_stage(), "baseline")
    assert (
        "3 against 3 finds a gain of 10 points in memory accuracy one time in twenty; 9 against 9 one in two."
        in told
    )
    assert "This project has too few games to know how much they differ" in told
    assert "Engagement 0.6 points one time in twenty one time in two as is usual" in told


def test_a_change_takes_the_projects_own_spread_of_the_target(client):
    stage = make_stage()
    scores = (56, 63, 70, 77, 84)
    make_baseline(stage=stage, games=[figures(strategic_depth=score) for score in scores])
    data = {"prompt": PROMPT, "target": "strategic_depth", "least_games": "3", "do": "check"}
    told = get_told(client, stage, "change", data)
    # Squares 490 with 4 df: an SD of 11.1. It is the lowest, and picked by these games: 3 % at 3, 23 % at 6.
    assert "3 against 3 finds a gain of 11 points in strategic depth one time in twenty; 9 against 9" in told
    assert "It was picked as the lowest: with the reference run again first it is one in twenty." in told
    assert "By so much, 11 points, games of this project under one prompt usually differ." in told
    assert "Memory accuracy 10 points" in told and "Strategic depth 11 points" in told
    again = get_told(client, stage, "change", data | {"least_games": "6"})
    assert "6 against 6 finds a gain of 11 points in strategic depth one time in four; 18 against 18" in again


def test_a_fresh_baseline_tells_the_metric_that_would_be_the_next_target(client):
    stage = make_stage()
    make_baseline(stage=stage, games=[figures(coherence=score) for score in (20, 30, 40, 50, 60)])
    told = get_told(client, stage, "baseline")
    assert (
        "finds a gain of 16 points in conversation coherence one time in twenty; 9 against 9 one in two"
        in told
    )


def test_games_of_an_earlier_stage_count_too(client):
    first = make_stage()
    make_baseline(stage=first, games=[figures(memory_accuracy=score) for score in (86, 88, 90, 92, 94)])
    second = open_next_stage(
        stage=first,
        plan=StagePlan(name="Stage 2"),
        by=make_admin(),
        now=moment(90),
        reason="The next step begins.",
    )
    told = get_told(client, second, "baseline")
    # Squares 40 with 4 df: an SD of 3.2.
    assert "3 against 3 finds a gain of 3 points in memory accuracy" in told


def test_what_is_no_number_is_refused_beside_the_usual_sentence(client):
    data = {"prompt": PROMPT, "least_games": "many", "do": "check"}
    assert "3 against 3 finds a gain of 10 points" in get_told(client, make_stage(), "baseline", data)
