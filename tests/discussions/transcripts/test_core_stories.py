"""Tables with one row for each player: what all of them were told is the game, what one or some were told is not."""

import csv
import json
from io import StringIO

import pytest

from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head

NAMES = ["Ida", "Jon", "Kim", "Lou", "Mia"]
SECRET = "Let us take Lou next, nobody looks at us."
# Who leaves after each round.
LEAVES = {1: "Kim", 2: "Lou"}


def story(owner: str, shape: str) -> list[str]:
    """What a player is told in three rounds, up to the round after which they leave; Ida and Jon also talk alone."""
    told, alive = [f"Good evening, {owner}. You are a guest.", f"{owner}: I alone know this."], list(NAMES)
    for number in (1, 2, 3):
        if owner in ("Ida", "Jon"):
            told.append(shape.format("Ida", f"{SECRET} {number}"))
        told += [shape.format(name, f"In round {number} I, {name}, am calm.") for name in alive]
        told += [f"{name} voted to banish {LEAVES.get(number, 'Jon')}" for name in alive]
        if LEAVES.get(number) == owner:
            return told
        alive = [name for name in alive if name != LEAVES.get(number)]
    return told


def table(as_json: bool, shape: str) -> bytes:
    file = StringIO()
    rows = csv.writer(file)
    rows.writerow(["", "game_num", "name", "killer", "view"])
    for number, name in enumerate(NAMES):
        told = story(name, shape)
        steps = {f"step {at}": {"seen": line, "cost": at} for at, line in enumerate(told)}
        rows.writerow([number, 4, name, name == "Ida", json.dumps(steps) if as_json else "\n".join(told)])
    return file.getvalue().encode()


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("shape", ['{}: "{}"', "[{}] {}"])
def test_what_all_players_were_told_is_said_in_public(as_json, shape):
    found = read_head(table(as_json, shape), is_part=False)
    assert found is not None
    record = read_first_game(found, propose_mapping(found), "a", "a", {}).record
    assert record is not None and record.game_id == "4"
    said = [(one.round, record.players[one.player - 1].name, one.text) for one in record.messages]
    rounds = {1: NAMES, 2: ["Ida", "Jon", "Lou", "Mia"], 3: ["Ida", "Jon", "Mia"]}
    assert said == [
        (number, name, f"In round {number} I, {name}, am calm.")
        for number, own in rounds.items()
        for name in own
    ]
    assert [(vote.round, vote.voter) for vote in record.votes][:5] == [(1, at) for at in range(1, 6)]
