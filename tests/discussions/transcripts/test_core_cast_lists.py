"""Players listed beside the messages of a JSON game: their names by id, and their roles."""

import json
from itertools import islice

import pytest

from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from tests.factories.reading import read_transcripts

NAMES = ("Ann", "Bea", "Cid", "Dee")
IDS = {name: f"u-{name[0].lower()}" for name in NAMES}
SEATS = {name: at for at, name in enumerate(NAMES)}
OWN = {name: name for name in NAMES}
OTHER = dict(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))
SAID = [(day, name, f"Day {day}, and I trust {OTHER[name]}.") for day in (1, 2) for name in NAMES]
ROLES = dict(zip(NAMES, ("werewolf", "werewolf", "seer", "villager"), strict=True))


def read(beside, ids=OWN):
    messages = [{"round": day, "speaker": ids[name], "content": text} for day, name, text in SAID]
    (game,) = read_transcripts(json.dumps(beside | {"messages": messages}).encode(), "a.json").games
    names = [player.name for player in game.record.players]
    said = [(message.round, names[message.player - 1], message.text) for message in game.record.messages]
    return said, {player.name: player.role for player in game.record.players}


BY_ID = {own: name for name, own in IDS.items()}
CASTS = {
    **{
        key: {key: BY_ID} for key in ("cast", "players", "names", "agents", "speakers", "id_to_name", "seats")
    },
    "ids by name": {"cast": IDS},
    "settings": {"config": {"names": BY_ID}},
    "aliases": {"players": [{"seat_no": own, "alias": name} for name, own in IDS.items()]},
    "agents with names": {"agents": [{"agentId": own, "displayName": name} for name, own in IDS.items()]},
    "indexes": {"players": [{"index": own, "name": name} for name, own in IDS.items()]},
    "unknown words": {"personae": [{"ref": own, "label": name} for name, own in IDS.items()]},
}
NUMBERED = {
    "a list": {"players": NAMES},
    "names by number": {"agents": dict(enumerate(NAMES))},
    "indexes": {"players": [{"index": at, "name": name} for name, at in SEATS.items()]},
}


@pytest.mark.parametrize(
    ("beside", "ids"),
    [*((cast, IDS) for cast in CASTS.values()), *((cast, SEATS) for cast in NUMBERED.values())],
    ids=[*CASTS, *(f"numbers: {name}" for name in NUMBERED)],
)
def test_players_have_the_names_that_are_listed_for_their_ids(beside, ids):
    said, players = read(beside, ids)
    assert (said, players) == (SAID, dict.fromkeys(NAMES))


@pytest.mark.parametrize(
    ("beside", "ids", "expected"),
    [
        ({"cast": ROLES}, OWN, ROLES),
        ({"players": {"u-a": "wolf", "u-b": "seer", "u-c": "cop", "u-d": "witch"}}, IDS, None),
        ({"agents": {own: f"gpt-{at}" for at, own in enumerate(BY_ID)}}, IDS, None),
    ],
)
def test_what_is_no_name_renames_nobody(beside, ids, expected):
    _said, players = read(beside, ids)
    assert players == expected if expected else players.keys() == {*ids.values()}


@pytest.mark.parametrize("key", ["players", "aliases", "names", "seats"])
@pytest.mark.parametrize("case", [str, str.upper])
def test_whom_each_player_targets_is_no_name_of_theirs(key, case):
    ring = {name: case(other) for name, other in OTHER.items()}
    assert read({key: ring}, OWN)[0] == SAID


def test_names_by_id_of_too_many_are_not_looked_up():
    names = {f"u-{at}": f"Name{at}" for at in range(Limits().players + 1)}
    rows = [{"speaker": own, "text": f"I trust {names['u-1']}."} for own in ("u-1", "u-2", "u-3")]
    found = [
        read_transcripts(json.dumps({"names": part, "turns": rows}).encode(), "a.json").games[0]
        for part in (names, dict(islice(names.items(), 9)))
    ]
    assert [game.record.players[0].name for game in found] == ["u-1", "Name1"]


def test_an_alias_that_no_text_uses_is_no_name():
    ids = {name: f"P{at}" for name, at in SEATS.items()}
    rows = [{"round": 1, "speaker": ids[name], "content": f"I trust {ids[OTHER[name]]}."} for name in NAMES]
    players = [{"id": own, "alias": f"Agent_{name}"} for name, own in ids.items()]
    (game,) = read_transcripts(json.dumps({"players": players, "turns": rows}).encode(), "a.json").games
    assert [player.name for player in game.record.players] == [*ids.values()]


def by_role():
    found = {}
    for name, role in ROLES.items():
        found.setdefault(role, []).append(name)
    return found


ROLES_OF = {
    "by role": by_role(),
    "one name for a role": {role: names if len(names) > 1 else names[0] for role, names in by_role().items()},
    "objects": [{"player": name, "role": role} for name, role in ROLES.items()],
    "pairs": [[name, role] for name, role in ROLES.items()],
    "pairs with the role first": [[role, name] for name, role in ROLES.items()],
    "names in lower case": {name.lower(): role for name, role in ROLES.items()},
    "objects by name": {name: {"role": role, "team": "town"} for name, role in ROLES.items()},
}


@pytest.mark.parametrize("beside", [{}, {"players": NAMES}, {"cast": BY_ID}], ids=["alone", "names", "ids"])
@pytest.mark.parametrize("roles", ROLES_OF.values(), ids=ROLES_OF)
def test_roles_of_every_form_are_read(roles, beside):
    ids = IDS if "cast" in beside else OWN
    assert read(beside | {"roles": roles}, ids)[1] == ROLES
    assert read(beside | {"metadata": {"roles": roles}}, ids)[1] == ROLES


@pytest.mark.parametrize("key", ["true_role", "secretRole", "hiddenRole"])
@pytest.mark.parametrize("around", ["players", "agents"])
def test_roles_of_listed_players_have_any_key(around, key):
    listed = [{"agentId": at, "displayName": name, key: ROLES[name]} for name, at in SEATS.items()]
    assert read({around: listed}, SEATS)[1] == read({around: listed}, OWN)[1] == ROLES


CASTS_WITH_ROLES = {
    "within another object": {"setup": {"assignments": ROLES}},
    "under an unknown key": {"folk": [{"name": name, "role": role} for name, role in ROLES.items()]},
    "in another language": {"elenco": [{"nombre": name, "papel": role} for name, role in ROLES.items()]},
    "behind names": {"players": [f"{name} ({role})" for name, role in ROLES.items()]},
    "by ids": {"personae": [{"ref": IDS[name], "label": name, "rolle": ROLES[name]} for name in NAMES]},
}


@pytest.mark.parametrize("beside", CASTS_WITH_ROLES.values(), ids=CASTS_WITH_ROLES)
def test_roles_of_casts_of_every_kind_are_read(beside):
    ids = IDS if "personae" in beside else OWN
    assert read(beside, ids) == (SAID, ROLES)
    rows = [{"day": day, "nick": ids[name], "utt": text} for day, name, text in SAID]
    table = read_head(json.dumps(beside | {"script": rows}).encode(), is_part=False)
    record = read_first_game(table, propose_mapping(table), "a", "a", {}).record
    assert {player.name: player.role for player in record.players} == ROLES


def test_messages_and_votes_by_the_seats_of_listed_players_are_proposed():
    players = [{"seat": 10 + at, "name": name, "role": ROLES[name]} for name, at in SEATS.items()]
    said = [{"seat": 10 + SEATS[name], "text": text, "round": day} for day, name, text in SAID]
    votes = [{"round": 1, "voter": 10 + SEATS[name], "target": 10 + SEATS[OTHER[name]]} for name in NAMES]
    game = {"id": "a", "players": players, "messages": said, "votes": votes}
    table = read_head(json.dumps(game).encode(), is_part=False)
    record = read_first_game(table, propose_mapping(table), "a", "a", {}).record
    names = [player.name for player in record.players]
    assert [(names[one.player - 1], one.text) for one in record.messages] == [one[1:] for one in SAID]
    assert {names[one.voter - 1]: names[one.target - 1] for one in record.votes} == OTHER


def test_lists_of_what_players_did_to_others_give_no_roles():
    acts = [{"by": name, "to": OTHER[name], "role": "seer"} for name in NAMES]
    assert read({"acts": acts}, OWN)[1] == dict.fromkeys(NAMES)


@pytest.mark.parametrize("roles", [{"werewolf": 2, "seer": 1}, ["werewolf", "seer"], {}])
def test_counts_of_roles_are_no_players(roles):
    assert read({"roles": roles}, OWN)[1] == dict.fromkeys(NAMES)
