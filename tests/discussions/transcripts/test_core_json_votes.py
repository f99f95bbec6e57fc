"""Votes beside the messages of a JSON game, in any form."""

import json

import pytest

from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from tests.factories.reading import read_transcripts

NAMES = ("Ann", "Bea", "Cid", "Dee")
CAST = [(1, "Ann", "Bea"), (1, "Bea", "Cid"), (1, "Dee", "Bea"), (2, "Bea", "Ann"), (2, "Ann", "Bea")]
BALLOTS = [(day, name, "Bea" if name == "Ann" else "Ann") for day in (1, 2) for name in NAMES[: 5 - day]]
SAID = [(day, name, f"{name} speaks on day {day} of the game.") for day in (1, 2) for name in NAMES]
BY_ROUND = {day: {voter: target for at, voter, target in CAST if at == day} for day in (1, 2)}


def listed(*keys):
    return [dict(zip(keys, vote, strict=True)) for vote in CAST]


VOTES = {
    "from and to": listed("round", "from", "to"),
    "by and for": listed("day", "by", "for"),
    "player and vote": listed("round", "player", "vote"),
    "voter and votee": listed("round", "voter", "votee"),
    "who and whom": listed("round", "who", "whom"),
    "by round": {str(day): votes for day, votes in BY_ROUND.items()},
    "a list of rounds": list(BY_ROUND.values()),
    "rounds with votes by voter": [{"round": day, "votes": votes} for day, votes in BY_ROUND.items()],
    "rounds with lists": [
        {"round": day, "votes": [{"from": voter, "to": target} for voter, target in votes.items()]}
        for day, votes in BY_ROUND.items()
    ],
}
SHELLS = {
    "native": {
        "gameId": "a",
        "players": [{"name": name} for name in NAMES],
        "messages": [{"roundNumber": day, "playerName": name, "message": text} for day, name, text in SAID],
    },
    "turns": {
        "id": "a",
        "turns": [{"round": day, "speaker": name, "text": text} for day, name, text in SAID],
    },
}
SHELLS["names of players"] = SHELLS["native"] | {"players": NAMES}


def cast(record):
    names = [player.name for player in record.players]
    return [(vote.round, names[vote.voter - 1], names[vote.target - 1]) for vote in record.votes]


@pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
@pytest.mark.parametrize("votes", VOTES.values(), ids=VOTES)
def test_votes_of_any_form_are_read(shell, votes):
    (game,) = read_transcripts(json.dumps(shell | {"votes": votes}).encode(), "a.json").games
    assert cast(game.record) == CAST
    assert len(game.record.messages) == len(SAID)


@pytest.mark.parametrize("votes", [[["Ann", "Bea"]], [{"round": 1, "yes": 3}]])
def test_what_is_no_vote_of_a_player_is_not_left_out_without_a_word(votes):
    read = read_transcripts(json.dumps(SHELLS["native"] | {"votes": votes}).encode(), "a.json")
    assert (read.games, bool(read.faults)) == ([], True)


def test_votes_by_target_may_name_some_for_whom_nobody_votes():
    days = [
        {
            "day": day,
            "discussion": [{"player": name, "message": text} for at, name, text in SAID if at == day],
            "votes": {"Ann": [], "Bea": ["Ann", "Dee"], "Cid": ["Bea"]},
        }
        for day in (1, 2)
    ]
    (game,) = read_transcripts(json.dumps({"rounds": days}).encode(), "a.json").games
    assert len(cast(game.record)) == 6


@pytest.mark.parametrize("votes", VOTES.values(), ids=VOTES)
def test_votes_beside_a_list_with_unknown_keys_are_proposed(votes):
    value = {"log": [{"day": day, "nick": name, "utt": text} for day, name, text in SAID], "ballots": votes}
    table = read_head(json.dumps(value).encode(), is_part=False)
    assert cast(read_first_game(table, propose_mapping(table), "a", "a", {}).record) == CAST


def test_votes_in_days_are_proposed_and_their_numbers_are_no_games():
    days = [
        {
            "no": day,
            "talk": [{"who": name, "line": text} for at, name, text in SAID if at == day],
            "ballots": [{"by": voter, "on": target} for at, voter, target in CAST if at == day],
        }
        for day in (1, 2)
    ]
    table = read_head(json.dumps({"match": "q", "days": days}).encode(), is_part=False)
    game = read_first_game(table, propose_mapping(table), "a", "a", {})
    assert (game.game_count, cast(game.record)) == (1, CAST)


TALK = [{"lap": day, "fighter": name, "shout": text} for day, name, text in SAID]
PICKS = [{"lap": day, "fighter": voter, "pick": target} for day, voter, target in BALLOTS]
WITHOUT_WORDS = {
    "rows": [*TALK, *PICKS],
    "nested": [
        *TALK,
        *({"lap": one["lap"], "fighter": one["fighter"], "out": {"pick": one["pick"]}} for one in PICKS),
    ],
    "known": {
        "id": "a",
        "messages": [
            *({"round": one["lap"], "player": one["fighter"], "text": one["shout"]} for one in TALK),
            *({"round": one["lap"], "player": one["fighter"], "mark": one["pick"]} for one in PICKS),
        ],
    },
    "a list beside": {"export": {"entries": TALK, "picks": PICKS, "cast": [{"fighter": "Ann", "job": "x"}]}},
    "under an id": {"export": {"3f2a5510c0-77aa-4bd1-9c01-0011aa22bb10": {"entries": TALK, "picks": PICKS}}},
    "under keys of rounds": {
        "days": {
            f"day_{day}": {
                "talk": [{"nick": one["fighter"], "utt": one["shout"]} for one in TALK if one["lap"] == day],
                "votes": [
                    {"nick": one["fighter"], "gegen": one["pick"]} for one in PICKS if one["lap"] == day
                ],
            }
            for day in (1, 2)
        }
    },
    "of a hand": [
        *({"ev": "speech", "lap": one["lap"], "by": one["fighter"], "shout": one["shout"]} for one in TALK),
        *(
            {"ev": "ballot", "lap": one["lap"], "hand": one["fighter"], "against": one["pick"]}
            for one in PICKS
        ),
    ],
}


@pytest.mark.parametrize("value", WITHOUT_WORDS.values(), ids=WITHOUT_WORDS)
def test_rows_without_texts_that_name_players_are_proposed_as_votes(value):
    data = json.dumps(value).encode()
    assert {fault.code for fault in read_transcripts(data, "a.json").faults} == {"unknown_columns"}
    table = read_head(data, is_part=False)
    record = read_first_game(table, propose_mapping(table), "a", "a", {}).record
    assert (cast(record), len(record.messages)) == (BALLOTS, len(SAID))


@pytest.mark.parametrize("talk", [[], [*TALK]])
def test_lists_beside_picks_may_be_empty(talk):
    assert not read_transcripts(
        json.dumps({"talk": talk, "messages": [], "picks": [*PICKS]}).encode(), "a.json"
    ).games


@pytest.mark.parametrize(
    "more", [PICKS[:1], [{"lap": 1, "fighter": "Ann", "shout": "Bea, you?", "pick": "Cid"}]]
)
def test_rows_of_acts_at_night_and_names_beside_texts_are_no_votes_by_their_shape(more):
    table = read_head(json.dumps([*TALK, *PICKS, *more]).encode(), is_part=False)
    assert not {"vote", "target"} & propose_mapping(table).fields.keys()


@pytest.mark.parametrize("key", ["votes", "eliminations"])
def test_lists_with_what_is_said_while_players_vote_or_leave_are_messages(key):
    text = "I leave you, friends, good luck."
    spoken = {"speaker": "Ann", "text": text}
    votes = [{"voter": "Ann", "target": "Bea"}, {"voter": "Bea", "target": "Ann"}]
    entries = [spoken] if key == "eliminations" else [{"attempt": 1, "votes": votes, "defence": [spoken]}]
    rounds = [
        {"round": 1, "messages": [{"speaker": name, "text": said} for day, name, said in SAID if day == 1]}
        | {key: entries}
    ]
    (game,) = read_transcripts(json.dumps({"id": "a", "rounds": rounds}).encode(), "a.json").games
    assert [message.text for message in game.record.messages] == [
        *(said for _day, _name, said in SAID[:4]),
        text,
    ]
    assert cast(game.record) == ([(1, "Ann", "Bea"), (1, "Bea", "Ann")] if key == "votes" else [])
