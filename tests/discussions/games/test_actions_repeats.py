"""What a lead corrects in a game: repeated messages are dropped, in a new game; how its texts count rounds."""

import json

import pytest
from django.db import transaction
from django.urls import reverse
from msgspec.structs import replace

from discussions.adjudication.pages import build_subject, load_evidence_source
from discussions.checks.games import GAME_CHECKS
from discussions.checks.iterations import ITERATION_CHECKS
from discussions.core.records import Measurement, Vote
from discussions.games.actions import drop_repeats, restore_game, set_round_offset, withdraw_game
from discussions.imports.actions.storing import Store, prepare
from discussions.models import (
    Evaluation,
    Game,
    GameText,
    Iteration,
    Measured,
    PrivateTrack,
    RoundOffset,
    Withdrawal,
)
from discussions.queries import newest_measured
from discussions.queue.actions import take_next_game
from discussions.rating.pages.items import build_marked_reference
from discussions.rating.pages.visible_evaluation import build_visible_evaluation
from discussions.rating.queries import load_state
from discussions.transcripts.core.reader import ReadTally
from discussions.verdicts.queries import load_verdict_preview
from rubric.models import RubricVersion
from tests.factories.iterations import make_baseline, make_stage
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead, make_member, make_project, moment
from tests.factories.rating import start
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import import_game, make_games_project, native_message, repeated_messages
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


def test_the_new_game_keeps_what_not_everybody_could_hear(lead):
    messages = repeated_messages()
    messages.append(native_message(10, messages[0]["playerName"], "I am it.", audience="nobody"))
    game = import_game(project=lead.memberships.get().project, by=lead, messages=messages, votes=[])
    track = PrivateTrack.objects.get(game=drop(game, lead))
    assert [(entry.after, entry.text) for entry in track.to_entries()] == [(6, "I am it.")]


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
    tally = ReadTally()
    with transaction.atomic():
        again.put([prepare(game, transcript.name) for game in games], tally, now=moment(10))
    assert (tally.taken_count, tally.not_taken, Game.objects.count()) == (1, [], 2)


def test_verify_finds_nothing_wrong_afterwards(lead, repeating):
    drop(repeating, lead)
    run_waiting_jobs()
    wrong = {check.code: list(check.find(moment(20))) for check in (*GAME_CHECKS, *ITERATION_CHECKS)}
    assert {code: sentences for code, sentences in wrong.items() if sentences} == {}


@pytest.fixture
def game(lead):
    """A game of two rounds in which round 1 of the texts is the file's round 2."""
    texts = ["Hello", "Ann voted for Cid in round 0.", "Since round 1 I am here."]
    messages = [
        native_message(turn, name, text, roundNumber=1 + (turn > 1))
        for turn, (name, text) in enumerate(zip(("Ann", "Bea", "Cid"), texts, strict=True), start=1)
    ]
    return import_game(project=lead.memberships.get().project, by=lead, messages=messages)


def fresh(game):
    return Game.objects.select_related("project", "iteration__rubric_version", "transcript", "text").get(
        pk=game.pk
    )


def say(game, offset, by, minute=9):
    made = set_round_offset(game=fresh(game), offset=offset, by=by, now=moment(minute))
    run_waiting_jobs()
    return made


def references(game):
    found = newest_measured(fresh(game)).findings.to_records()["memory_accuracy"]
    return [(item.message, item.is_counted, item.check, item.round) for item in found.references]


def test_the_game_is_measured_again_and_nothing_of_it_changes(lead, game):
    body = game.text.body
    assert references(game) == [(2, True, "close", 0), (3, True, "cannot_check", 1)]
    made = say(game, 1, lead)
    assert (made.number, made.offset, made.created_by) == (1, 1, lead)
    assert references(game) == [(2, True, "supported", 1)]
    assert fresh(game).text.body == body
    rows = Measured.objects.filter(game=game).order_by("pk")
    assert [row.round_offset_number for row in rows] == [0, 1]
    assert load_verdict_preview(fresh(game)).basis.measured.id == rows[1].pk
    event = Event.objects.order_by("-pk").first()
    assert (event.verb, event.object_id) == ("game:rounds_set", str(game.pk))
    assert json.loads(event.detail) == {"game": 1, "number": 1, "offset": 1}


def test_the_newest_word_counts_and_the_same_word_changes_nothing(lead, game):
    assert say(game, 0, lead) is None
    say(game, 1, lead)
    assert say(game, 1, lead, 10) is None
    say(game, 0, lead, 11)
    assert references(game) == [(2, True, "close", 0), (3, True, "cannot_check", 1)]
    assert list(RoundOffset.objects.values_list("number", "offset")) == [(1, 1), (2, 0)]
    assert Measured.objects.filter(game=game).count() == 3
    assert [line for check in GAME_CHECKS for line in check.find(moment(12))] == []


def test_a_sentence_that_people_mark_is_held_against_the_round_that_was_said(lead, game):
    """ "Since round 1 I am here." is of the file's round 2, for the evaluator and for the lead who settles."""
    say(game, 1, lead)
    measured = newest_measured(fresh(game))
    source = load_evidence_source(fresh(game), measured, measured.rubric_version)
    voted = replace(source.game, votes=[Vote(1, 1, 2), Vote(2, 1, 3)])
    unseen = replace(
        source, game=voted, measurements={"memory_accuracy": Measurement("memory_accuracy", 0, 0)}
    )
    assert build_subject(unseen, "missed", "3.1").votes.round == 2
    evaluator = make_member(project=game.project)
    taken = take_next_game(project=game.project, by=evaluator, now=moment(10))
    work = load_state(Evaluation.objects.with_work().get(pk=taken.pk))
    assert build_marked_reference(build_visible_evaluation(work), "3.1").round == 2


def test_only_leads_say_it_and_not_of_a_withdrawn_game(lead, game):
    for somebody in (make_member(project=game.project), make_lead(project=make_project())):
        with pytest.raises(NotAllowed, match="team leads"):
            say(game, 1, somebody)
    withdraw_game(game=fresh(game), reason="Cut short", by=lead, now=moment(9))
    with pytest.raises(Conflict, match="is withdrawn"):
        say(game, 1, lead)
    assert not RoundOffset.objects.exists()


def test_what_somebody_rates_keeps_its_rounds(lead):
    rated = start(project=lead.memberships.get().project).game
    with pytest.raises(Conflict, match="started to rate"):
        say(rated, 1, lead)


def test_version_1_0_takes_the_rounds_as_they_stand(lead, game):
    first = RubricVersion.objects.get(rubric__key="discussion", number="1.0")
    Iteration.objects.filter(pk=game.iteration_id).update(rubric_version=first)
    with pytest.raises(Conflict, match=r"Rubric version 1\.0 takes the numbers of rounds"):
        say(game, 1, lead)


def test_the_page_of_the_game_asks_how_its_texts_count(client, lead, game):
    client.force_login(lead)
    address = reverse("game", args=["ours", game.number])
    page = client.get(address).content.decode()
    assert 'id="game-rounds" open' in page and "Count the rounds like this" in page
    act = reverse("set_round_offset", args=["ours", game.number])
    assert client.post(act, {"offset": "2"}).status_code == 400
    assert client.post(act, {"offset": "1"})["Location"] == f"{address}#game-rounds"
    page = client.get(address).content.decode()
    assert lead.name in page and 'name="offset" value="1" checked' in " ".join(page.split())


def test_a_game_without_its_repeats_counts_its_rounds_alike(lead):
    project = lead.memberships.get().project
    repeating = import_game(project=project, by=lead, messages=repeated_messages(), votes=[])
    say(repeating, 1, lead)
    made = drop_repeats(game=fresh(repeating), by=lead, now=moment(10))
    run_waiting_jobs()
    assert newest_measured(fresh(made)).round_offset_number == 1
    assert [line for check in GAME_CHECKS for line in check.find(moment(12))] == []
