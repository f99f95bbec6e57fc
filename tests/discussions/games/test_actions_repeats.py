"""A lead drops the repeated messages of a game: a new game replaces it, and the first is withdrawn."""

import json

import pytest
from django.db import transaction

from discussions.checks.games import GAME_CHECKS
from discussions.checks.iterations import ITERATION_CHECKS
from discussions.games.actions import drop_repeats, restore_game, withdraw_game
from discussions.imports.actions.storing import Store, prepare
from discussions.models import Game, GameText, Iteration, Measured, Withdrawal
from tests.factories.iterations import make_baseline, make_stage
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead, make_member, make_project, moment
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import import_game, make_games_project, repeated_messages
from workspace.blob_store import load_bytes
from workspace.core.refusals import Conflict, NotAllowed
from workspace.core.words import decode_stored
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead():
    return make_lead(project=make_games_project(slug="ours"))


@pytest.fixture
def repeating(lead):
    return import_game(
        project=lead.memberships.get().project, by=lead, messages=repeated_messages(), votes=[]
    )


def drop(game, by):
    return drop_repeats(game=fresh(game), by=by, now=moment(9))


def fresh(game):
    return Game.objects.select_related("project", "iteration", "transcript", "text").get(pk=game.pk)


def test_a_new_game_stands_in_the_place_of_the_first(lead, repeating):
    before = GameText.objects.get(game=repeating).body
    made = drop(repeating, lead)
    run_waiting_jobs()
    first = fresh(repeating)
    assert (first.message_count, made.message_count, made.number) == (9, 6, first.number + 1)
    assert (made.transcript, made.iteration, made.source_id) == (
        first.transcript,
        first.iteration,
        first.source_id,
    )
    assert first.withdrawn_at == moment(9)
    assert first.withdrawn_reason == "Its repeated messages were dropped: game 2 replaces it."
    assert GameText.objects.get(game=first).body == before
    assert [message.position for message in fresh(made).text.to_record().messages] == [1, 2, 3, 4, 5, 6]
    assert Measured.objects.filter(game=made).exists()
    assert Withdrawal.objects.get().game == first


def test_the_new_game_is_marked_and_keeps_the_warnings_of_the_file(lead, repeating):
    made = drop(repeating, lead)
    warnings = decode_stored(made.warnings, list)
    assert [warning["code"] for warning in warnings] == ["repeats_dropped", "no_votes"]
    assert warnings[0]["message"] == ("A lead dropped repeated messages of game 1: 3. This game replaces it.")
    assert made.warning_count == 2


def test_the_audit_log_says_who_dropped_how_many(lead, repeating):
    made = drop(repeating, lead)
    events = list(Event.objects.order_by("-pk")[:2])
    assert [event.verb for event in events] == ["game:repeats_dropped", "game:withdrawn"]
    assert (events[0].object_id, events[0].by_id) == (str(made.pk), lead.pk)
    assert json.loads(events[0].detail) == {"game": 2, "first": 1, "messages": 3}


def test_what_cannot_be_dropped_is_refused_and_nothing_changes(lead, repeating):
    usual = import_game(project=repeating.project, by=lead)
    with pytest.raises(Conflict, match="no repeated messages"):
        drop(usual, lead)
    drop(repeating, lead)
    with pytest.raises(Conflict, match="is withdrawn"):
        drop(repeating, lead)
    restore_game(game=fresh(repeating), reason="Compare", by=lead, now=moment(10))
    with pytest.raises(Conflict, match="dropped before"):
        drop(repeating, lead)
    assert (Game.objects.count(), Withdrawal.objects.count()) == (3, 2)


def test_only_leads_of_the_project_drop(repeating):
    for somebody in (make_member(project=repeating.project), make_lead(project=make_project())):
        with pytest.raises(NotAllowed, match="team leads"):
            drop(repeating, somebody)
    assert Game.objects.count() == 1


def test_a_withdrawal_at_the_same_moment_undoes_the_whole_act(lead, repeating):
    stale = fresh(repeating)
    withdraw_game(game=fresh(repeating), reason="Cut short", by=lead, now=moment(8))
    with pytest.raises(Conflict, match="withdrew game 1 first"):
        drop_repeats(game=stale, by=lead, now=moment(9))
    assert Game.objects.count() == 1


def test_a_game_of_an_iteration_that_takes_games_is_followed_there(lead, repeating):
    baseline = make_baseline(stage=make_stage(project=repeating.project, by=lead))
    Game.objects.filter(pk=repeating.pk).update(iteration=baseline)
    assert drop(repeating, lead).iteration == baseline


def test_a_game_of_an_iteration_that_takes_no_more_games_goes_to_the_unsorted_ones(lead, repeating):
    stage = make_stage(project=repeating.project, by=lead)
    baseline = make_baseline(stage=stage)
    Game.objects.filter(pk=repeating.pk).update(iteration=baseline)
    opened = {"state": "rating", "opened_at": moment(3), "opened_by": lead}
    Iteration.objects.filter(pk=baseline.pk).update(**opened)
    made = drop(repeating, lead)
    assert made.iteration.is_unsorted
    assert fresh(repeating).iteration == baseline


def test_the_file_can_be_read_again_beside_the_new_game(lead, repeating):
    drop(repeating, lead)
    transcript = fresh(repeating).transcript
    again = Store(transcript=transcript, by=lead)
    games = read_transcripts(load_bytes(transcript.sha256), transcript.name).games
    with transaction.atomic():
        again.put([prepare(game, transcript.name) for game in games], now=moment(10))
    assert (again.intake.game_count, again.intake.faults, Game.objects.count()) == (1, [], 2)


def test_verify_finds_nothing_wrong_afterwards(lead, repeating):
    drop(repeating, lead)
    run_waiting_jobs()
    wrong = {check.code: list(check.find(moment(20))) for check in (*GAME_CHECKS, *ITERATION_CHECKS)}
    assert {code: sentences for code, sentences in wrong.items() if sentences} == {}
