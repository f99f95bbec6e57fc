"""Votes beside the messages of a JSON game, in any form."""

import json

import pytest

from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from tests.factories.reading import read_transcripts

NAMES = ("Ann", "Bea", "Cid", "Dee")
CAST = [(1, "Ann", "Bea"), (1, "Bea", "Cid"), (1, "Dee", "Bea"), (2, "Bea", "Ann"), (2, "Ann", "Bea")]
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
