"""The readers of people's own logs: rows, chats, logs of models; games that hold together, or faults with places."""

import json
from typing import Any
from zlib import crc32

from discussions.transcripts.core.notes import Limits
from discussions.transcripts.core.readers.columns import MappingRecord
from discussions.transcripts.core.readers.heads import read_head
from tests.factories.reading import read_transcripts
from tests.factories.text_formats import COLUMNS, FIELDS, TABLE, inspect_sample
from tests.fuzz.promises import check_sentences, check_storable, in_time, longer
from tests.fuzz.transcript import check_game

LIMITS = (
    Limits(),
    Limits(messages=5, players=2, votes=1, faults=3, message_characters=50, name_characters=5),
)
MAPPINGS = [MappingRecord(columns=COLUMNS, fields=FIELDS)]


def check(data: bytes, read: Any = read_transcripts) -> None:
    """Everything that holds of every file. Raises when it does not."""
    limits = LIMITS[crc32(data) % 4 == 0]
    found = in_time(lambda given: read(given, "log.txt", limits, columns=MAPPINGS), data)
    check_storable(found)
    assert found == read(data, "log.txt", limits, columns=MAPPINGS), "read twice, it says something else"
    assert len(found.faults) <= limits.faults and found.fault_count >= len(found.faults)
    check_sentences(*(fault.message for fault in found.faults))
    assert all(not fault.is_warning and fault.place.startswith("log.txt") for fault in found.faults)
    for game in found.games:
        check_sentences(*(warning.message for warning in game.warnings))
        check_game(game.record)
    _check_head(data)


def _check_head(data: bytes) -> None:
    """The beginning of a file of rows has names of columns that are told apart."""
    table = read_head(data, is_part=crc32(data) % 2 == 0)
    if table is not None:
        assert table.columns and len(set(table.columns)) == len(table.columns)


def check_long(data: bytes) -> None:
    """The same many times over is read in time."""
    for case in longer(data):
        in_time(lambda given: read_transcripts(given, "log.txt", columns=MAPPINGS), case)
        in_time(lambda given: read_head(given, is_part=True), case)


def seeds() -> list[bytes]:
    """A file of each format as it should be, and some that are not."""
    rows = [{"speaker": name, "content": "I agree.", "day": 1, "vote": "Ann"} for name in ("Ann", "Bea")]
    chat = [{"role": "assistant", "name": name, "content": "I agree."} for name in ("Ann", "Bea")]
    sample = inspect_sample()
    return [
        TABLE,
        TABLE.replace(b",", b";"),
        b'player,text,round,vote\nAnn,"a, b",Day 1,\nBea,"say ""no""\nhere",2,Ann\nAnn,,2,nobody\n',
        "\n".join(map(json.dumps, rows)).encode(),
        json.dumps(rows).encode(),
        b"Game: x\nPlayers:\n- Ann: SEER\n- Bea\n\nDay 1\n[10:00] Ann: a\nmore: x\n[10:01] Bea: b\nVote: Ann -> Bea",
        b"== Round 2 ==\nAnn: a\nBea: b\n\nAnn: c\nNight 2\nAnn: d\nEliminated: Bea (vote)\n",
        json.dumps({"id": "x", "players": [{"name": "Ann"}, {"name": "Bea"}], "turns": rows}).encode(),
        json.dumps(chat).encode(),
        json.dumps({"id": "x", "messages": chat, "metadata": {"roles": {"Ann": "SEER"}}}).encode(),
        json.dumps({"version": 2, "plan": {}, "eval": {}, "samples": [sample]}).encode(),
        json.dumps(sample | {"messages": []}).encode(),
        b"player,text\nAnn,\x93a\x94\n",
        b"0,status,1,SEER,ALIVE,t,Ann\n0,status,2,WEREWOLF,ALIVE,t\n0,talk,0,0,1,a\nb\n1,vote,1,2\n1,execute,2,X\n",
        b"",
    ]
