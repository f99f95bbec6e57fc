"""What counts as done wrong: people's word before the rule's, the worst first, grouped by who spoke."""

import pytest

from discussions.adjudication.core.effective import Effective
from discussions.core.records import (
    Evidence,
    GameRecord,
    Measurement,
    Message,
    MessageFinding,
    PhraseFinding,
    Player,
    PlayerFinding,
    ReferenceFinding,
)
from discussions.history.core.weak_spots import (
    ExaminedGame,
    find_beliefs,
    find_spots,
    group_beliefs,
    group_neighbours,
    group_spots,
    join_phrases,
    list_neighbours,
    rank_spots,
)

PLAYERS = [
    Player("Ada", "MAFIA", "analytical"),
    Player("Bo", "VILLAGER", "Social"),
    Player("Cy", "VILLAGER", "moody"),
]
TEXTS = ["Hello.", "You said it before. I doubt it.", "I am the mafia.", "Bread is nice.", "As before."]


def reference(message, sentence=1, check="cannot_check", counted=True):
    evidence = Evidence("Bo voted for Cy.") if check == "close" else None
    return ReferenceFinding(
        message, sentence, 0, 5, f"text {message}.{sentence}", counted, "p", check, evidence
    )


def read(number=1, values=None, references=(), coherence=(), roles=(), phrases=(), players=()):
    record = GameRecord(
        "g", PLAYERS, [Message(at, (at - 1) % 3 + 1, text, 1) for at, text in enumerate(TEXTS, 1)]
    )
    measured = {
        "memory_accuracy": Measurement("memory_accuracy", 0, 0, references=list(references)),
        "coherence": Measurement("coherence", 0, 5, messages=list(coherence)),
        "role_consistency": Measurement("role_consistency", 0, 5, messages=list(roles)),
        "anti_repetition": Measurement("anti_repetition", 0, 5, phrases=list(phrases)),
        "personality_diversity": Measurement("personality_diversity", 0, 3, players=list(players)),
    }
    return ExaminedGame(number, record, measured, Effective(values or {}, frozenset()))


def said(spots):
    return [(spot.kind, spot.message, spot.why, spot.is_by_people) for spot in spots]


def test_labels_by_people_come_before_what_the_vote_record_does_not_bear_out():
    found = [
        reference(2),
        reference(2, 2, "close"),
        reference(3, 1, "close"),
        reference(5, 1, "close", False),
    ]
    game = read(
        references=found, values={"reference": {"2.1": "vague", "3.1": "accurate", "5.1": "inaccurate"}}
    )
    ranked = rank_spots(find_spots(game), "reference")
    assert said(ranked) == [
        ("reference", 5, "inaccurate", True),
        ("reference", 2, "vague", True),
        ("reference", 2, "close", False),
    ]
    assert [spot.text for spot in ranked] == ["text 5.1", "text 2.1", "text 2.2"]
    assert ranked[2].words == ("Bo voted for Cy.",)


def test_a_reference_that_people_deny_is_none():
    game = read(references=[reference(2, 1, "close")], values={"reference": {"2.1": "not_a_reference"}})
    assert find_spots(game) == []


def test_messages_follow_people_where_they_judged_and_the_rule_where_not():
    coherence = [
        MessageFinding(1, False, "first"),
        MessageFinding(2, True, "reply_link"),
        MessageFinding(3, False, "no_link"),
        MessageFinding(4, False, "no_link"),
    ]
    game = read(coherence=coherence, values={"coherence": {"2": "no", "3": "yes"}})
    assert said(rank_spots(find_spots(game), "coherence")) == [
        ("coherence", 2, "", True),
        ("coherence", 4, "no_link", False),
    ]


def test_of_role_consistency_what_betrays_the_own_side_comes_first():
    roles = [
        MessageFinding(1, False, "accuses_with_certainty"),
        MessageFinding(2, False, "unknown_side"),
        MessageFinding(3, True, "neutral"),
        MessageFinding(4, False, "confesses", ["I am the mafia"]),
    ]
    ranked = rank_spots(find_spots(read(roles=roles)), "role_consistency")
    assert [(spot.message, spot.words) for spot in ranked] == [(4, ("I am the mafia",)), (1, ())]


def test_phrases_that_people_accept_are_no_spots_and_the_most_used_comes_first():
    phrases = [
        PhraseFinding(1, "i think that", 2, [1, 4]),
        PhraseFinding(0, "let us see", 5, [1, 2, 3, 4, 5]),
        PhraseFinding(2, "in my view", 4, [2, 5]),
    ]
    game = read(phrases=phrases, values={"phrase": {"2|in my view": "acceptable"}})
    ranked = rank_spots(find_spots(game), "phrase")
    assert [(spot.text, spot.count, spot.speaker.agent) for spot in ranked] == [
        ("let us see", 5, ""),
        ("i think that", 2, "Ada"),
    ]


def test_overlapping_phrases_of_the_same_messages_are_one_wording():
    assert join_phrases(["c d e", "a b c", "b c d", "x y z"]) == ["a b c d e", "x y z"]
    assert join_phrases(["a a a", "a a b"]) == ["a a a b"]
    phrases = [PhraseFinding(1, "is the butler", 3, [1, 4]), PhraseFinding(1, "it is the", 3, [1, 4])]
    (spot,) = find_spots(read(phrases=[*phrases]))
    assert (spot.text, spot.count) == ("it is the butler", 3)


def test_groups_have_their_messages_and_those_with_the_most_spots_in_100_come_first():
    game = read(coherence=[MessageFinding(2, False, "no_link"), MessageFinding(4, False, "no_link")])
    groups = group_spots([game, read(2)], find_spots(game), "agent")
    assert [(group["name"], group["message_count"], sum(group["spot_counts"])) for group in groups] == [
        ("Ada", 4, 1),
        ("Bo", 4, 1),
        ("Cy", 2, 0),
    ]
    roles = group_spots([game], find_spots(game), "role")
    assert [(group["name"], group["rate"]) for group in roles] == [("MAFIA", 50.0), ("VILLAGER", 100 / 3)]


def test_personalities_are_spelled_as_the_version_has_them_and_others_as_the_file_has():
    players = [
        PlayerFinding(1, True, False, 2, 80.0),
        PlayerFinding(2, True, False, 1, 80.0),
        PlayerFinding(3, True, True, 1, 40.0),
    ]
    neighbours = list_neighbours([read(players=players), read(2, players=[PlayerFinding(1, False, False)])])
    grouped = group_neighbours(neighbours, ["Analytical", "Bold", "Social"])
    shown = ("personality", "player_count", "unique_count", "nearest")
    assert [tuple(row[name] for name in shown) for row in grouped] == [
        ("Analytical", 1, 0, [("Social", 1)]),
        ("Social", 1, 0, [("Analytical", 1)]),
        ("moody", 1, 1, [("Analytical", 1)]),
    ]
    assert [neighbour.speaker.agent for neighbour in neighbours] == ["Ada", "Bo", "Cy"]


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
