"""The demo's stage: five iterations with a story, the same every time."""

from itertools import pairwise

import msgspec
import pytest

from discussions.comparison.queries import decision_preview
from discussions.demo.actions.scene import FOLDER
from discussions.gates.queries import compute_stage_gate
from discussions.iterations.core.averages import compute_averages
from discussions.iterations.queries import load_history, load_rubric
from discussions.models import Decision, ManualFigure, Slot, Stage
from discussions.transcripts.core.reader import read_transcripts
from tests.factories.demo import fill

FILES = sorted((FOLDER / "transcripts").glob("iteration-*.json"))


GAMES = [game for file in FILES for game in msgspec.json.decode(file.read_bytes())]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["gameId"])
def test_a_game_of_the_stage_is_short_and_has_no_fault(game):
    played = game | {"timestamp": "2026-03-01T18:00:00Z"}
    read = read_transcripts(msgspec.json.encode([played]), "stage.json")
    record = read.games[0].record
    assert not read.fault_count
    assert 10 <= len(record.messages) <= 14
    assert 5 <= len(record.players) <= 6
    speakers = [message.player for message in record.messages]
    assert all(speaker != following for speaker, following in pairwise(speakers))
    assert len({message.text for message in record.messages}) == len(record.messages)


def test_no_two_games_of_the_stage_are_the_same():
    texts = [tuple(message["message"] for message in game["messages"]) for game in GAMES]
    assert len(set(texts)) == len(GAMES) == 15


@pytest.mark.django_db
@pytest.mark.slow
def test_the_stage_tells_of_every_kind_of_decision():
    fill()
    stage = Stage.objects.get()
    history = load_history(stage)
    made = [
        (iteration.number, iteration.kind, iteration.decision.choice if iteration.decision else "")
        for iteration in history.iterations
    ]
    assert made == [
        (1, "baseline", ""),
        (2, "change", "keep"),
        (3, "change", "revert"),
        (4, "change", "inconclusive"),
        (5, "change", ""),
    ]
    assert history.reference is not None
    assert history.reference.number == 2
    answers = [decision_preview(history, iteration.id) for iteration in history.iterations[1:4]]
    assert [answer.compared.answer for answer in answers] == [
        "improved",
        "cannot tell yet",
        "cannot tell yet",
    ]
    picked = answers[1].compared.metric("anti_repetition").difference
    assert (round(picked.raw, 1), round(picked.rebound, 1)) == (15.1, 1.7)
    proposed = [
        msgspec.json.decode(decision.proposal)["proposal"] for decision in Decision.objects.order_by("pk")
    ]
    assert proposed == ["keep", "inconclusive", "inconclusive"]
    assert [iteration.hunk_count for iteration in history.iterations] == [0, 1, 1, 1, 1]
    by_hand = ManualFigure.objects.get()
    assert by_hand.reason
    told = [compute_averages(iteration.figures, load_rubric(iteration)) for iteration in history.iterations]
    assert [iteration.passes for iteration in told] == [False, True, False, True, None]
    assert told[1].cost.by_hand == [by_hand.game.number]
    door = compute_stage_gate(stage, history)
    assert (door.is_open, door.streak.count, door.streak.reverted) == (False, 2, [3])
    assert door.cache.missing == [17]
    assert Slot.objects.filter(evaluator=None, game__iteration__number=5).count() == 3
