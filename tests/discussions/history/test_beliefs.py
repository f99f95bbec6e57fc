"""Rates of honest, bluff and mistaken, worked out by hand."""

import pytest

from discussions.core.records import GameRecord, Message, Player
from discussions.history.core.weak_spots import find_beliefs, group_beliefs

RECORD = GameRecord(
    game_id="g",
    players=[Player("Ann", "MAFIA"), Player("Bea", "SEER")],
    messages=[
        Message(position=1, player=1, text="I saw it. It was Bea.", round=1),
        Message(position=2, player=2, text="It was Ann, I checked.", round=1),
        Message(position=3, player=1, text="Nobody believes that.", round=1),
        Message(position=4, player=1, text="Trust me, all of you.", round=1),
    ],
)


def test_a_statement_counts_once_by_the_label_of_most_evaluators():
    labels = [
        *[(7, "1.2", label) for label in ("bluff", "bluff", "honest")],
        *[(7, "2.1", label) for label in ("honest", "mistaken")],
        (7, "3.1", "cannot_tell"),
        (7, "4.1", "honest"),
        (8, "1.1", "honest"),
    ]
    found = find_beliefs({7: RECORD}, labels)
    assert [(belief.message, belief.text, belief.label) for belief in found] == [
        (1, "It was Bea.", "bluff"),
        (2, "It was Ann, I checked.", ""),
        (3, "Nobody believes that.", ""),
        (4, "Trust me, all of you.", "honest"),
    ]
    ((name, rates),) = group_beliefs(found, "role")
    assert name == "MAFIA"
    assert [(rate["label"], rate["count"], rate["of"], rate["percent"]) for rate in rates] == [
        ("honest", 1, 2, 50),
        ("bluff", 1, 2, 50),
        ("mistaken", 0, 2, 0),
    ]


def test_the_interval_of_a_rate_is_wilsons():
    labels = [(1, f"{number}.1", "bluff" if number < 3 else "honest") for number in (1, 3, 4)]
    ((_name, rates),) = group_beliefs(find_beliefs({1: RECORD}, labels), "agent")
    # 1 of 3: (1/3 + z2/6) / (1 + z2/3) = 0.4270 less and more 0.3655, z2 = 3.8415
    assert (rates[1]["low"], rates[1]["high"]) == pytest.approx((6.15, 79.23), abs=0.01)
