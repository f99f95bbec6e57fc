"""Looks at one pair: its games add up over iterations, three looks are the most, and nothing gets stuck."""

from math import sqrt

import pytest

from discussions.comparison.actions import record_decision
from discussions.models import Decision, Game, Measured, Slot
from discussions.planning.actions import edit_iteration
from discussions.transcripts.actions import Upload, cancel_import, import_files
from tests.factories.iterations import (
    decide_on,
    figures,
    fresh,
    get_lead,
    history,
    make_baseline,
    make_change,
    make_iteration,
    make_stage,
    plan,
    preview,
    rate_games,
    record_figures,
)
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import moment
from tests.factories.transcripts import as_bytes, native_game
from tests.faults.crowd import breaches
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.jobs.actions import run_job

pytestmark = pytest.mark.django_db


PROMPT = "You play Mafia, and you play it well.\n"


@pytest.fixture
def stage():
    made = make_stage()
    make_iteration(stage=made, games=[figures(coherence=score) for score in (60, 62, 64)])
    return made


def broken():
    """What `manage.py verify` would name; but verdicts, which `rate_games` writes without what evaluators said."""
    return {code: said for code, said in breaches().items() if code not in ("I6", "I7v")}


def play(stage, *scores, minutes=5, **given):
    """Another iteration of the same prompt against the same reference."""
    games = [None if score is None else figures(coherence=score) for score in scores]
    return make_iteration(
        stage=stage, games=games, prompt=PROMPT, target="coherence", minutes=minutes, **given
    )


def look_again(iteration, score, minutes):
    game = Game.objects.filter(iteration=iteration).order_by("number").first()
    record_figures(game=game, given=figures(coherence=score), minutes=minutes)


def list_scores(games):
    return [game.figures.scores["coherence"] for game in games]


def test_games_of_one_prompt_against_one_reference_add_up(stage):
    first = play(stage, 66, 67, 68)
    assert (
        preview(first).basis.look,
        preview(first).compared.metric("coherence").difference.change_count,
    ) == (
        1,
        3,
    )
    decide_on(iteration=first, choice="inconclusive", minutes=6)
    second = play(stage, 70, 71, 72, minutes=10)
    found = preview(second)
    assert list_scores(found.basis.change) == [66, 67, 68, 70, 71, 72]
    assert found.basis.earlier == []
    metric = found.compared.metric("coherence")
    assert (found.basis.look, metric.difference.change_count, metric.difference.control_count) == (2, 6, 3)
    # Squares 8 and 28 with 2 and 5 df, three games against six.
    assert metric.difference.error.size == pytest.approx(sqrt(36 / 7 * (1 / 3 + 1 / 6)))
    assert list_scores(preview(first).basis.change) == [66, 67, 68]
    decide_on(iteration=second, choice="keep", minutes=12)
    assert history(stage).reference.id == second.pk
    assert broken() == {}


def test_games_that_were_never_rated_are_not_waited_for_in_another_iteration(stage):
    decide_on(iteration=play(stage, 66, None, 68), choice="inconclusive", minutes=6)
    second = play(stage, 70, 71, 72, minutes=10)
    assert list_scores(preview(second).basis.change) == [66, 68, 70, 71, 72]
    assert preview(second).basis.pending == []


def test_games_of_another_prompt_stay_apart_and_a_fresh_baseline_counts_with_the_old_one(stage):
    other = make_iteration(stage=stage, games=[figures()] * 3, decision="keep", minutes=5)
    decide_on(iteration=play(stage, 66, 67, 68, minutes=8), choice="revert", minutes=9)
    make_baseline(stage=stage, games=[figures()] * 3, minutes=10)
    second = play(stage, 70, 71, 72, minutes=12)
    assert second.compared_with_id != other.pk
    assert list_scores(preview(second).basis.change) == [70, 71, 72]
    assert [len(batch) for batch in preview(second).basis.earlier] == [3, 3]
    assert list_scores(preview(second).basis.control) == [80, 80, 80, 60, 62, 64]
    assert preview(second).basis.look == 1


def test_what_nobody_knows_anything_of_is_no_look(stage):
    change = play(stage, None, None, None)
    assert decide_on(iteration=change, choice="inconclusive", minutes=6).look == 1
    rate_games(iteration=change, games=[figures()] * 3, minutes=7)
    assert preview(change).basis.look == 1
    assert decide_on(iteration=change, choice="inconclusive", minutes=8).look == 1
    again = play(stage, None, None, None, minutes=9)
    assert preview(again).basis.look == 1
    rate_games(iteration=again, games=[figures()] * 3, minutes=10)
    assert preview(again).basis.look == 2


def test_a_prompt_that_was_looked_at_three_times_is_not_opened_again(stage):
    change = play(stage, 66, 67, 68)
    for look in (1, 2, 3):
        assert decide_on(iteration=change, choice="inconclusive", minutes=5 + look).look == look
        look_again(change, 70 + look, 5.5 + look)
    with pytest.raises(Unacceptable, match="compared with the reference 3 times already") as refusal:
        play(stage, 70, 71, 72, minutes=20)
    assert (refusal.value.field, refusal.value.code) == ("prompt", "too_many_looks")
    other = make_change(stage=stage, minutes=21)
    with pytest.raises(Unacceptable, check=lambda refusal: refusal.code == "too_many_looks"):
        edit_iteration(iteration=other, plan=plan(prompt=PROMPT), by=get_lead(stage), now=moment(22))


def test_what_would_be_a_fourth_look_is_taken_back_without_one_and_never_kept(stage):
    first = play(stage, 66, 67, 68)
    for minutes in (6, 7):
        decide_on(iteration=first, choice="inconclusive", minutes=minutes)
        look_again(first, 80 + minutes, minutes + 0.5)
    second = play(stage, 70, 71, 72, minutes=10)
    assert decide_on(iteration=first, choice="inconclusive", minutes=12).look == 3
    assert preview(second).basis.look == 4
    with pytest.raises(NotAllowed, match="compared 3 times already"):
        decide_on(iteration=second, choice="keep", minutes=13)
    made = decide_on(iteration=second, choice="inconclusive", minutes=14)
    assert (made.look, made.proposal) == (4, "null")
    with pytest.raises(NotAllowed, match="compared 3 times already"):
        decide_on(iteration=second, choice="revert", minutes=15)
    assert broken() == {}
    assert make_change(stage=stage, minutes=16).state == "importing"


def test_whoever_did_not_see_a_decision_does_not_supersede_it(stage):
    change = play(stage, 66, 67, 68)
    shown = preview(change).basis_sha256
    decide_on(iteration=change, choice="keep", minutes=6)
    between = preview(change).basis_sha256
    decide_on(iteration=change, choice="inconclusive", minutes=7)
    for stale in (shown, between):
        with pytest.raises(Conflict, match="Somebody decided on this since the page was shown") as refusal:
            record_decision(
                iteration=change,
                choice="revert",
                reason="No.",
                basis_sha256=stale,
                by=get_lead(stage),
                now=moment(8),
            )
        assert refusal.value.code == "decided_first"
    assert Decision.objects.count() == 2


def test_nothing_is_dropped_while_its_games_are_on_their_way(stage):
    change = make_change(stage=stage, minutes=5)
    lead = get_lead(stage)
    (made,) = import_files(
        project=stage.project,
        files=[Upload("late.json", as_bytes(native_game(gameId="late")))],
        by=lead,
        now=moment(6),
        iteration=change,
    ).imported
    with pytest.raises(NotAllowed, match="1 upload is still being read") as refusal:
        decide_on(iteration=change, choice="revert", minutes=7)
    assert refusal.value.code == "reading"
    assert fresh(change).state == "importing"
    cancel_import(transcript=made.transcript, by=lead, now=moment(8))
    decide_on(iteration=change, choice="revert", minutes=9)
    run_waiting_jobs(now=moment(10))
    assert not Game.objects.filter(iteration=change).exists()


def test_games_of_an_iteration_that_was_dropped_have_no_places(stage):
    change = make_change(stage=stage, minutes=5)
    (made,) = import_files(
        project=stage.project,
        files=[Upload("late.json", as_bytes(native_game(gameId="late")))],
        by=get_lead(stage),
        now=moment(6),
        iteration=change,
    ).imported
    run_job(job=made.transcript.job_id, clock=lambda: moment(6))
    decide_on(iteration=change, choice="revert", minutes=7)
    run_waiting_jobs(now=moment(9))
    assert Measured.objects.filter(game__iteration=change).exists()
    assert not fresh(change).has_slots
    assert not Slot.objects.filter(game__iteration=change).exists()
