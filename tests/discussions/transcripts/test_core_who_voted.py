"""Who votes for whom, and who has which role, however a log says it: read at once, or as it is proposed."""

import json
import random
from typing import Any

import pytest
from msgspec.structs import replace

from discussions.core.records import GameRecord
from discussions.transcripts.core.audience import SPEECH, VOTE
from discussions.transcripts.core.readers import heads
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.discussions.transcripts.test_core_who_heard import NAMES, SAYS, as_csv
from tests.factories.reading import read_transcripts

ROLES = dict(zip(NAMES, ["Villager", "Mafia", "Doctor", "Mafia", "Detective"], strict=True))
ROUNDS = (1, 2, 3)
CAST = [
    (number, name, "Ann" if name == NAMES[number] else NAMES[number]) for number in ROUNDS for name in NAMES
]
TALK = [
    (number, name, f"{SAYS[(number + at) % 3].format(NAMES[(at + 1) % 5])} ({number}.{at})")
    for number in ROUNDS
    for at, name in enumerate(NAMES)
]
PAIRS = (
    *(
        ("voter", "target"),
        ("player", "vote"),
        ("agent", "choice"),
        ("by", "candidate"),
        ("name", "voted_for"),
    ),
    *(("actor", "victim"), ("speaker", "ballot"), ("voter_id", "target_id"), ("source", "nominee")),
    *(("user", "pick"), ("player", "suspect"), ("voter", "votee"), ("player_name", "vote_target")),
)
TALKS = (
    *(("speaker", "text"), ("player", "message"), ("agent", "content"), ("name", "utterance")),
    *(("actor", "speech"), ("user", "msg"), ("from", "body")),
)
TYPES = (
    *(
        ("type", "speech", "vote"),
        ("event", "message", "vote"),
        ("kind", "talk", "ballot"),
        ("act", "SAY", "VOTE"),
    ),
    *(("event_type", "PlayerSpoke", "VoteCast"), ("type", "chat", "lynch_vote"), ("t", "m", "v")),
)
ROUND_KEYS = {
    "round": "{}",
    "day": "{}",
    "turn": "{}",
    "cycle": "{}",
    "d": "{}",
    "phase": "Day {} discussion",
}
Row = dict[str, Any]


def row_of(way: str, pair: tuple[str, str], talk: tuple[str, str], name: str, target: str) -> Row:
    """What a row of a vote says beside its round and its type."""
    voter, voted = pair
    speaker, text = talk
    return {
        "pair": {voter: name, voted: target},
        "abstention": {voter: name, voted: target if name != "Eva" else None},
        "inside": {"data": {voter: name, voted: target}},
        "act": {speaker: name, "action": {"type": "vote", voted: target}},
        "text": {speaker: name, text: target},
        "sentence": {speaker: name, text: f"I vote for {target}."},
        "answer": {speaker: name, text: json.dumps({"vote": target, "reason": "too quiet"})},
        "arrow": {text: f"{name} -> {target}"},
    }[way]


IN_ROUNDS = {
    "by player": lambda cast, _voter, _voted: dict(cast),
    "pairs": lambda cast, _voter, _voted: [list(one) for one in cast],
    "arrows": lambda cast, _voter, _voted: [f"{name} → {target}" for name, target in cast],
    "tally": lambda cast, _voter, _voted: {
        target: [name for name, voted in cast if voted == target] for _name, target in cast
    },
    "objects": lambda cast, voter, voted: [{voter: name, voted: target} for name, target in cast],
}


def in_rounds(way: str, pair: tuple[str, str], talk: tuple[str, str], key: str) -> Row:
    """A game of rounds with votes beside the messages of each."""
    rounds = []
    for number in ROUNDS:
        said = [dict(zip(talk, (name, text), strict=True)) for at, name, text in TALK if at == number]
        cast = [(name, target) for at, name, target in CAST if at == number]
        votes = IN_ROUNDS[way](cast, *pair)
        rounds.append({key: ROUND_KEYS[key].format(number), "messages": said, "votes": votes})
    return {"rounds": rounds}


def roles_of(way: str) -> Row:
    return {
        "objects": {"players": [{"name": name, "role": role} for name, role in ROLES.items()]},
        "by player": {"players": NAMES, "roles": ROLES},
        "of each": {"players": {name: {"role": role, "alive": True} for name, role in ROLES.items()}},
    }[way]


def read(data: bytes, name: str) -> GameRecord:
    """The game at once, else as it is proposed, once the types are told."""
    games = read_transcripts(data, name).games
    if games:
        return games[0].record
    table = heads.read_head(data, is_part=False)
    assert table is not None
    mapping = heads.with_rounds(table, heads.propose_mapping(table))
    answers = {
        one.value.casefold(): VOTE if one.value == "v" else SPEECH for one in find_questions(table, mapping)
    }
    first = heads.read_first_game(table, replace(mapping, kinds=mapping.kinds | answers), "f", "f", {})
    assert first.record is not None, first.faults
    return first.record


def check(record: GameRecord, cast: list[tuple[int, str, str]]) -> None:
    names = [player.name for player in record.players]
    votes = [(vote.round, names[vote.voter - 1], names[vote.target - 1]) for vote in record.votes]
    assert sorted(votes) == sorted(cast)
    said = [(message.round, names[message.player - 1], message.text) for message in record.messages]
    assert sorted(said) == sorted(TALK)
    assert {player.name: player.role for player in record.players} == ROLES


@pytest.mark.parametrize(
    "way", ["pair", "abstention", "inside", "act", "text", "sentence", "answer", "arrow"]
)
@pytest.mark.parametrize("form", ["lines", "csv", "messages", "events"])
@pytest.mark.parametrize("drawn", range(2))
def test_rows_of_votes_of_any_form_are_read(way, form, drawn):
    draw = random.Random(f"{way} {form} {drawn}")
    pair, talk, (kind, speech, vote), key = (
        draw.choice(choices) for choices in (PAIRS, TALKS, TYPES, list(ROUND_KEYS))
    )
    said = [
        {key: ROUND_KEYS[key].format(number), kind: speech, talk[0]: name, talk[1]: text}
        for number, name, text in TALK
    ]
    rows = []
    for number in ROUNDS:
        own = ROUND_KEYS[key].format(number)
        cast = [row_of(way, pair, talk, name, target) for at, name, target in CAST if at == number]
        rows += [row for row in said if row[key] == own] + [{key: own, kind: vote} | row for row in cast]
    given = [{kind: "role_assigned", talk[0]: name, "role": role} for name, role in ROLES.items()]
    around = roles_of(draw.choice(["objects", "by player", "of each"]))
    data = {
        "lines": lambda: "\n".join(map(json.dumps, [*given, *rows])).encode(),
        "csv": lambda: as_csv([*given, *rows]),
        "messages": lambda: json.dumps({**around, "messages": rows}).encode(),
        "events": lambda: json.dumps({"events": [*given, *rows]}).encode(),
    }[form]()
    cast = [one for one in CAST if way != "abstention" or one[1] != "Eva"]
    check(read(data, "log.csv" if form == "csv" else "log.json"), cast)


@pytest.mark.parametrize("way", IN_ROUNDS)
@pytest.mark.parametrize("roles", ["objects", "by player", "of each"])
@pytest.mark.parametrize("drawn", range(2))
def test_votes_beside_the_messages_of_rounds_are_read(way, roles, drawn):
    draw = random.Random(f"{way} {roles} {drawn}")
    pair, talk, key = (draw.choice(choices) for choices in (PAIRS, TALKS, list(ROUND_KEYS)))
    game = roles_of(roles) | in_rounds(way, pair, talk, key)
    check(read(json.dumps(game).encode(), "log.json"), CAST)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("shell", ["messages", "events", "rounds"])
def test_votes_in_a_list_beside_those_of_messages_are_read(pair, shell):
    draw = random.Random(f"{pair} {shell}")
    key = draw.choice(["round", "day", "phase"])
    votes = [
        {key: ROUND_KEYS[key].format(number)} | dict(zip(pair, (name, target), strict=True))
        for number, name, target in CAST
    ]
    said = [
        {key: ROUND_KEYS[key].format(number), "speaker": name, "text": text} for number, name, text in TALK
    ]
    rounds = in_rounds("pairs", pair, ("speaker", "text"), key)["rounds"]
    talk = [{name: part for name, part in one.items() if name != "votes"} for one in rounds]
    game = roles_of("objects") | {"votes": votes, shell: talk if shell == "rounds" else said}
    check(read(json.dumps(game).encode(), "log.json"), CAST)


def test_a_vote_may_be_an_answer_in_a_cell_or_a_text():
    answer = json.dumps({"target": "Ann", "reason": "quiet"})
    rows = [{"round": 1, "agent": name, "content": f"{name} speaks here.", "vote": answer} for name in NAMES]
    record = read(as_csv(rows), "log.csv")
    assert {record.players[vote.target - 1].name for vote in record.votes} == {"Ann"}
    assert len(record.players) == len(NAMES)
