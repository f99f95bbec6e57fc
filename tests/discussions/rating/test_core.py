"""The game as an evaluator sees it: no field for what is hidden, and look-alike names are told.

The present sitting of a person, and when a break is proposed.
"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.records import (
    Elimination,
    Evidence,
    GameRecord,
    Measurement,
    Message,
    MessageFinding,
    Player,
    ReferenceFinding,
    Vote,
)
from discussions.metrics.core.references.vote_record import find_named_round
from discussions.metrics.core.text import confusable, is_mixed, skeleton
from discussions.rating.core.concealed import conceal, select_visible_findings
from discussions.rating.core.sittings import BREAK, Sitting, break_due, find_sitting
from discussions.rating.core.visibility import Visibility

GAME = GameRecord(
    game_id="secret-id",
    players=[Player("Ann", "SEER", "bold"), Player("Bea", "MAFIA", "shy")],
    messages=[
        Message(1, 1, "I watch.", 1),
        Message(2, 2, "Ann voted for me in round 1.", 2),
        Message(3, 1, "Earlier you lied.", 2),
    ],
    votes=[Vote(1, 1, 2, "secret-reason")],
    eliminations=[Elimination(2, 2, "voted out")],
    prompt="secret-prompt",
    winner="secret-winner",
)


REFERENCES = [
    ReferenceFinding(
        2, 1, 0, 28, "Ann voted for me in round 1.", True, "p", "supported", Evidence("Round 1", [(1, 1, 2)])
    ),
    ReferenceFinding(
        3, 1, 0, 17, "Earlier you lied.", True, "p", "cannot_check", Evidence("Read", [], None, [2])
    ),
]


MEASURED = {
    "memory_accuracy": Measurement("memory_accuracy", 0, 2, references=REFERENCES),
    "coherence": Measurement("coherence", 1, 3, messages=[MessageFinding(1, False, "nothing")]),
    "role_consistency": Measurement(
        "role_consistency", 1, 3, messages=[MessageFinding(1, True, "secret-rule")]
    ),
    "anti_repetition": Measurement("anti_repetition", 1, 1),
}


NOTHING = Visibility(frozenset(), frozenset(), frozenset(), False, False, False, False, False, ())


ROLES = {"mafia": ["mafia"], "village": ["seer"]}


def in_words(record):
    return msgspec.json.encode(record).decode()


def test_the_concealed_game_holds_nothing_hidden():
    seen = conceal(GAME)
    text = in_words(seen)
    assert not [
        word for word in ("SEER", "MAFIA", "bold", "shy", "secret", "winner", "prompt") if word in text
    ]
    assert (seen.players[1].out_round, seen.players[0].message_count) == (2, 2)


def test_what_may_not_be_seen_is_left_out_of_what_is_shown():
    first = select_visible_findings(GAME, MEASURED, NOTHING, ROLES)
    assert first.parts is None
    assert first.findings == {}
    assert [(reference.check, reference.says, reference.hits) for reference in first.references] == [
        ("", "", [])
    ] * 2
    assert "secret" not in in_words(first.references)
    # Where to read up is no outcome of a check: it is told by the words of the sentence alone.
    assert [reference.players for reference in first.references] == [[], [2]]


def test_what_was_judged_is_shown():
    visibility = msgspec.structs.replace(
        NOTHING, checks=frozenset({"2.1"}), findings=frozenset({"coherence"}), roles=True
    )
    now = select_visible_findings(GAME, MEASURED, visibility, ROLES)
    assert [reference.check for reference in now.references] == ["supported", ""]
    assert now.references[0].hits == [(1, 1, 2)]
    assert list(now.findings) == ["coherence"]
    assert [(part.role, part.side) for part in now.parts] == [("SEER", "village"), ("MAFIA", "mafia")]


@pytest.mark.parametrize(
    ("text", "own", "spoken"),
    [
        ("Ann voted for Bea in round 1.", 3, 1),
        ("In Round two she was quiet.", 4, 2),
        ("On day 3 we slept.", 5, 3),
        ("She voted for Bea last round.", 3, 2),
        ("Earlier she lied.", 1, 0),
        ("A round of plums.", 2, 1),
    ],
)
def test_the_round_that_a_sentence_speaks_of(text, own, spoken):
    assert find_named_round(text, own) == spoken


@pytest.mark.parametrize(
    ("text", "offset", "spoken"),
    [("In round 0 she lied.", 1, 1), ("In round zero she lied.", 1, 1), ("In round 1 she lied.", -1, 0)],
)
def test_a_named_round_counts_as_the_lead_said_of_the_game(text, offset, spoken):
    assert find_named_round(text, 3, offset) == spoken
    assert find_named_round("In round 0 she lied.", 3) == 2, "no round of the file"


@pytest.mark.parametrize(
    ("names", "alike"),
    [
        (["Ann", "Bea"], [False, False]),
        (["Ann", "ANN"], [True, True]),
        (["Agent-I", "Agent-l", "Agent-X"], [True, True, False]),
        (["Ann", "\u0410nn"], [True, True]),
        (["Zo\u00eb", "Zoe"], [True, True]),
        (["An\u200bn", "Ann"], [True, True]),
        (["\u0418\u0440\u0438\u043d\u0430", "\u041e\u043b\u0435\u0433"], [False, False]),
    ],
)
def test_names_that_the_eye_takes_for_each_other(names, alike):
    assert confusable(names) == alike


def test_letters_of_two_scripts_in_one_name():
    assert is_mixed("\u0410nn")
    assert not is_mixed("\u0418\u0440\u0438\u043d\u0430")
    assert not is_mixed("Agent-7")


@given(st.text(max_size=30))
def test_a_skeleton_is_of_its_own_kind(name):
    assert skeleton(skeleton(name)) == skeleton(skeleton(skeleton(name)))
    assert skeleton(name) == skeleton(name.upper()) or not name.isascii()


NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def ago(*minutes):
    return [NOW - timedelta(minutes=minute) for minute in minutes]


def test_a_sitting_goes_back_to_the_last_break():
    found = find_sitting(ago(70, 61, 50, 41, 33, 24, 15, 6), NOW)
    # 61 and 50 minutes ago are eleven minutes apart: that was a break.
    assert found == Sitting(NOW - timedelta(minutes=50), NOW - timedelta(minutes=6))
    assert found.minutes == 44


def test_order_does_not_matter_and_the_future_is_not_read():
    times = ago(5, 12, 3)
    assert find_sitting(times, NOW) == find_sitting([*reversed(times), NOW + BREAK], NOW)


@pytest.mark.parametrize("minutes", [(), (10,), (11, 12, 13)])
def test_during_a_break_and_before_any_act_there_is_none(minutes):
    assert find_sitting(ago(*minutes), NOW) is None


def test_ten_minutes_are_a_break_and_a_second_less_is_none():
    last, began = NOW - timedelta(minutes=1), NOW - timedelta(minutes=11)
    assert find_sitting([began, last], NOW) == Sitting(last, last)
    assert find_sitting([began + timedelta(seconds=1), last], NOW).began_at == began + timedelta(seconds=1)


@pytest.mark.parametrize(
    ("minutes", "due"),
    [
        (0, 0),
        (4, 0),
        (49, 0),
        (50, 50),
        (54, 50),
        (55, 0),
        (99, 0),
        (100, 100),
        (104, 100),
        (105, 0),
        (151, 150),
    ],
)
def test_a_break_is_proposed_every_fifty_minutes_for_five(minutes, due):
    sitting = Sitting(NOW - timedelta(minutes=minutes), NOW)
    assert break_due(sitting) == due


def test_without_a_sitting_no_break_is_proposed():
    assert break_due(None) == 0


@given(st.lists(st.integers(0, 300)))
def test_no_two_neighbours_in_a_sitting_are_a_break_apart(minutes):
    times = ago(*minutes)
    found = find_sitting(times, NOW)
    if found is None:
        assert all(NOW - time >= BREAK for time in times)
        return
    inside = sorted(time for time in times if time >= found.began_at)
    assert inside
    assert all(later - earlier < BREAK for earlier, later in pairwise(inside))
    assert all(found.began_at - time >= BREAK for time in times if time < found.began_at)
