"""Re-plays of a reference and withdrawn games: the sides of a comparison grow or shrink, in looks."""

import pytest

from discussions.models import Game, Iteration, Slot
from discussions.planning.actions import edit_iteration, replay_reference
from tests.factories.iterations import (
    PROMPT,
    decide_on,
    figures,
    fill,
    fresh,
    get_lead,
    history,
    make_baseline,
    make_change,
    make_stage,
    plan,
    preview,
    withdraw,
)
from tests.factories.people import make_member, moment
from tests.faults.crowd import breaches
from workspace.core.refusals import NotAllowed, Unacceptable

pytestmark = pytest.mark.django_db


GOOD_PROMPT = "You play Mafia, and you play it well.\n"


@pytest.fixture
def stage():
    made = make_stage()
    make_baseline(stage=made, games=scored(60, 62, 64), evaluator_count=2, name="Baseline")
    return made


def scored(*values):
    return [None if value is None else figures(coherence=value) for value in values]


def play(stage, *values, minutes=5):
    return make_change(
        stage=stage, games=scored(*values), prompt=GOOD_PROMPT, target="coherence", minutes=minutes
    )


def play_again(iteration, *values, minutes=8):
    made = replay_reference(
        iteration=fresh(iteration), by=get_lead(fresh(iteration).stage), now=moment(minutes)
    )
    return fill(iteration=made, games=scored(*values), minutes=minutes)


def list_scores(games):
    return [game.figures.scores["coherence"] for game in games]


def get_baseline(stage):
    return Iteration.objects.filter(stage=stage).earliest("pk")


def test_both_sides_grow_and_each_new_set_of_scores_is_a_look(stage):
    first = play(stage, 66, 67, 68)
    decide_on(iteration=first, choice="inconclusive", minutes=6)
    again = play_again(get_baseline(stage), 58, 63, 65)
    second = play(stage, 70, 71, 72, minutes=10)
    found = preview(second)
    assert list_scores(found.basis.control) == [60, 62, 64, 58, 63, 65]
    assert list_scores(found.basis.change) == [66, 67, 68, 70, 71, 72]
    assert (found.basis.look, found.basis.earlier, found.basis.compared_with) == (
        2,
        [],
        get_baseline(stage).pk,
    )
    assert found.compared.metric("coherence").difference.control_count == 6
    decide_on(iteration=second, choice="keep", minutes=12)
    assert history(stage).reference.id == second.pk
    assert {code: said for code, said in breaches().items() if code not in ("I6", "I7v")} == {}
    assert again.kind == "baseline"


def test_it_has_the_prompt_and_the_rules_of_the_reference_and_is_none_itself(stage):
    baseline = get_baseline(stage)
    again = play_again(baseline, minutes=3)
    assert (again.replay_of_id, again.prompt, again.name) == (
        baseline.pk,
        baseline.prompt,
        "Baseline, played again",
    )
    judged = ("rubric_version_id", "evaluator_count", "reveal", "identification")
    assert [getattr(again, name) for name in judged] == [getattr(baseline, name) for name in judged]
    assert (history(stage).reference.id, history(stage).baseline.id) == (baseline.pk, baseline.pk)
    with pytest.raises(NotAllowed, match="its prompt and its way of judging cannot be changed") as refusal:
        edit_iteration(iteration=again, plan=plan(), by=get_lead(stage), now=moment(4))
    assert refusal.value.code == "replay"


def test_open_games_of_a_replay_are_not_counted_yet(stage):
    change = play(stage, 66, 67, 68)
    play_again(get_baseline(stage), 58, None, 65)
    assert list_scores(preview(change).basis.control) == [60, 62, 64, 58, 65]


def test_a_fresh_baseline_of_the_same_prompt_judged_otherwise_stays_apart(stage):
    make_baseline(stage=stage, games=scored(50, 50, 50), evaluator_count=1, minutes=3)
    change = play(stage, 66, 67, 68)
    assert list_scores(preview(change).basis.control) == [50, 50, 50]


def test_a_second_one_waits_until_the_first_has_its_games(stage):
    again = play_again(get_baseline(stage), minutes=3)
    for row in (get_baseline(stage), again):
        with pytest.raises(
            NotAllowed, match=f"Iteration {again.number} has this prompt and still takes games"
        ):
            play_again(row, minutes=4)
    fill(iteration=again, games=scored(60, 61, 62), minutes=5)
    third = play_again(again, minutes=6)
    assert (third.replay_of_id, third.name) == (get_baseline(stage).pk, "Baseline, played again")


def test_what_no_change_is_compared_with_is_not_played_again(stage):
    change = play(stage, 66, 67, 68)
    with pytest.raises(NotAllowed, match="games that play it again would not count"):
        play_again(change)
    decide_on(iteration=change, choice="keep", minutes=6)
    assert play_again(change, minutes=7).replay_of_id == change.pk


def test_three_looks_are_the_most_also_after_a_fresh_baseline_of_the_same_prompt(stage):
    for minutes in (5, 15, 25):
        change = play(stage, 66, 67, 60 + minutes, minutes=minutes)
        decide_on(iteration=change, choice="inconclusive", minutes=minutes + 1)
        make_baseline(stage=stage, games=scored(61, 62, 63), evaluator_count=2, minutes=minutes + 2)
    with pytest.raises(Unacceptable, check=lambda refusal: refusal.code == "too_many_looks"):
        play(stage, 70, minutes=35)


def test_evaluators_are_given_games_of_both_sides_and_told_of_none(stage, client):
    change = play(stage, None, None, None)
    again = play_again(get_baseline(stage), None, None, None)
    person = make_member(project=stage.project)
    free = set(Slot.objects.free_for(person).values_list("game__iteration", flat=True))
    assert {change.pk, again.pk} <= free
    client.force_login(person)
    answer = client.post(f"/projects/{stage.project.slug}/next/", follow=True)
    body = answer.content.decode().lower()
    assert answer.status_code == 200
    for told in (
        f"iteration {change.number}",
        f"iteration {again.number}",
        change.name,
        "played again",
        "re-play",
    ):
        assert told.lower() not in body, told


def test_a_lead_presses_the_button_on_both_pages(stage, client):
    change = play(stage, 66, 67, 68)
    client.force_login(get_lead(stage))
    slug, place = stage.project.slug, f"/projects/{stage.project.slug}/iterations"
    first = get_baseline(stage).number
    for page in (f"{place}/{change.number}/", f"{place}/{change.number}/compare/", f"{place}/{first}/"):
        body = client.get(page).content.decode()
        assert f'action="{place}/{first}/again/"' in body and "Run the reference again" in body, page
    answer = client.post(f"{place}/{first}/again/")
    assert answer["Location"] == f"/projects/{slug}/iterations/{first + 2}/"
    body = client.get(answer["Location"]).content.decode()
    assert "re-play" in body and "the games of both count together" in body
    assert "Run the reference again" not in body, "its games are added here"
    refused = client.post(f"{place}/{first}/again/")
    assert refused.status_code == 403
    assert "still takes games. Add the games there." in refused.content.decode()
    assert "plays the reference again" in client.get(f"/projects/{slug}/stages/1/").content.decode()


@pytest.fixture
def change():
    stage = make_stage()
    make_baseline(stage=stage, games=scored(60, 62, 64, 61), minutes=1)
    return make_change(stage=stage, games=scored(66, 67, 68, 40), target="engagement", minutes=5)


def take_out(number, minutes):
    return withdraw(game=Game.objects.get(number=number), minutes=minutes)


def read_basis(change):
    return preview(change).basis


def test_a_withdrawal_after_figures_are_known_is_a_look_of_its_own(change):
    assert read_basis(change).look == 1
    take_out(8, 7)
    basis = read_basis(change)
    assert (basis.look, [game.figures.number for game in basis.change_out]) == (2, [8])
    take_out(7, 8)
    assert read_basis(change).look == 3
    assert decide_on(iteration=change, choice="inconclusive", minutes=9).look == 3
    assert read_basis(change).look == 3
    assert {code: said for code, said in breaches().items() if code not in ("I6", "I7v")} == {}


def test_a_set_of_scores_that_was_decided_on_is_not_counted_twice(change):
    decide_on(iteration=change, choice="inconclusive", minutes=6)
    take_out(8, 7)
    assert decide_on(iteration=change, choice="inconclusive", minutes=8).look == 2
    assert read_basis(change).look == 2


def test_what_nobody_knew_anything_of_is_withdrawn_without_a_look():
    stage = make_stage()
    make_baseline(stage=stage, games=scored(60, 62, 64, 61), minutes=1)
    take_out(4, 2)
    change = make_change(stage=stage, games=scored(66, 67, 68, None), minutes=5)
    take_out(8, 7)
    basis = read_basis(change)
    assert (basis.look, basis.control_out, basis.change_out) == (1, [], [])
    take_out(3, 8)
    assert (read_basis(change).look, len(read_basis(change).control_out)) == (2, 1)


def test_the_answer_is_shown_with_and_without(change, client):
    take_out(8, 7)
    found = preview(change).compared
    assert (found.withdrawn, found.answer_with) == ([8], preview(change).with_withdrawn.answer)
    client.force_login(get_lead(change.stage))
    place = f"/projects/{change.project.slug}/iterations/{change.number}"
    for page in ("compare", "decide"):
        body = " ".join(client.get(f"{place}/{page}/").content.decode().split())
        assert "With game 8, withdrawn after its figures were known: Engagement: 4.0 against 4.0." in body
        assert "A withdrawal counts as a look." in body


def test_too_few_games_are_not_kept(change):
    for number, minutes in ((8, 7), (7, 8)):
        take_out(number, minutes)
    with pytest.raises(
        NotAllowed, match="has 2 games that count and needs 3, so it cannot be kept"
    ) as refusal:
        decide_on(iteration=change, choice="keep", minutes=9)
    assert refusal.value.code == "too_few"
    assert decide_on(iteration=change, choice="revert", minutes=10).choice == "revert"
    assert change.prompt != PROMPT
