"""What was not said at a message, worked out by hand."""

from discussions.core.records import Elimination, GameRecord, Message, Player, PrivateEntry, Vote
from discussions.core.unsaid import Ballot, Whisper, list_unsaid

PLAYERS = [Player("Ann", "MAFIA"), Player("Bea", "SEER"), Player("Cid")]
RECORD = GameRecord(
    game_id="g",
    players=PLAYERS,
    messages=[
        Message(position=1, player=1, text="One.", round=1),
        Message(position=2, player=2, text="Two.", round=1),
        Message(position=3, player=1, text="Three.", round=2),
        Message(position=4, player=3, text="Four.", round=2),
    ],
    votes=[Vote(1, 1, 2), Vote(1, 2, 3), Vote(1, 3, 2), Vote(3, 1, 3)],
    eliminations=[Elimination(1, 2, "vote")],
)


def entry(after, player, kind, text="x", **more):
    return PrivateEntry(after=after, player=player, text=text, kind=kind, **more)


def test_a_thought_belongs_to_the_next_message_of_its_author():
    entries = [entry(0, 1, "thought", "a"), entry(1, 1, "thought", "b"), entry(2, 1, "thought", "c")]
    unsaid = list_unsaid(RECORD, entries)
    assert {position: said.thoughts for position, said in unsaid.items()} == {
        1: ["a"],
        2: [],
        3: ["b", "c"],
        4: [],
    }
    assert [position for position, said in unsaid.items() if said.is_any] == [1, 3]


def test_a_thought_right_after_the_last_message_of_its_author_belongs_to_it():
    entries = [entry(4, 3, "thought", "d"), entry(3, 1, "thought", "e", round=2), entry(4, 1, "thought", "f")]
    unsaid = list_unsaid(RECORD, entries)
    assert [unsaid[position].thoughts for position in (1, 3, 4)] == [[], ["e"], ["d"]]
    assert [whisper.text for whisper in unsaid[4].whispers] == ["f"]


def test_the_vote_is_that_of_the_round_else_of_the_next_with_how_it_went():
    unsaid = list_unsaid(RECORD, [entry(0, 1, "vote", "easy", round=1)])
    assert unsaid[1].ballots == [Ballot(1, "Bea", "easy", 2, 3, has_left=True, role="SEER")]
    assert unsaid[2].ballots == [Ballot(1, "Cid", "", 1, 3, has_left=False, role="")]
    assert unsaid[3].ballots == [Ballot(3, "Cid", "", 1, 1, has_left=False, role="")]
    assert unsaid[4].ballots == []
    assert unsaid[1].is_any
    assert not unsaid[2].is_any


def test_what_some_heard_stands_once_at_its_place_and_in_its_round():
    attack = Whisper("Ann", [], "attack", "attack → Bea", 2)
    before = Whisper("Bea", ["Ann"], "", "psst")
    lost = Whisper("", [], "", "investigate: Cid")
    late = Whisper("Cid", [], "", "too late", 3)
    hint = Whisper("Bea", ["Cid"], "", "hint", 1)
    unsaid = list_unsaid(
        RECORD,
        [
            entry(0, 2, "talk", "psst", to=[1]),
            entry(2, 2, "talk", "hint", to=[3], round=1),
            entry(2, 1, "talk", "attack → Bea", channel="attack", round=2),
            entry(2, 0, "thought", "investigate: Cid"),
            entry(4, 3, "thought", "too late", round=3),
        ],
    )
    assert [(said.before, said.whispers) for said in unsaid.values()] == [
        ([before], []),
        ([], [hint, lost]),
        ([attack], []),
        ([], [late]),
    ]


def test_a_game_without_a_private_track_has_nothing_to_open():
    assert list_unsaid(RECORD, []) == {}
