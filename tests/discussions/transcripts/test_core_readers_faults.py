"""Bad games in the formats of public collections: each has a fault or a warning, and nothing ever raises."""

import copy
import json

import pytest

from discussions.core.records import GameRecord
from discussions.transcripts.core.fields import join_marked
from discussions.transcripts.core.formats import read_converted
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers import aiwolf, avalon_nlu, llmafia, werewolf_arena
from tests.factories.foreign_games import (
    aiwolf_entry,
    aiwolf_game,
    aiwolf_talk,
    avalon_game,
    llmafia_files,
    werewolf_arena_game,
    werewolf_arena_logs,
)
from tests.factories.reading import read_transcripts
from tests.fuzz.mutating import SCRAPS

GONE = object()
LONG = "x" * 100_001
HUGE = 10**17


def changed(game, path, value):
    """A copy of the game with one value replaced or, by GONE, taken out; the path's parts are parted by "/"."""
    game = copy.deepcopy(game)
    *parents, last = path.split("/")
    place = game
    for part in parents:
        place = place[int(part)] if isinstance(place, list) else place[part]
    key = int(last) if isinstance(place, list) else last
    if value is GONE:
        del place[key]
    else:
        place[key] = value
    return game


def convert(to_native, value, limits=None):
    """The record (or None), the faults, and the codes of the warnings."""
    notes = Notes("file.json", "", limits or Limits(), source="game-1")
    record = read_converted(to_native(value, notes), notes, {"mafia": ["mafia"], "village": ["villager"]})
    assert (record is None) == bool(notes.fault_count)
    assert record is None or isinstance(record, GameRecord)
    assert all(
        fault.place.startswith("file.json") and fault.message.endswith((".", "?")) for fault in notes.faults
    )
    return record, notes.faults, {warning.code for warning in notes.warnings()}


def has_something_new(to_native, bad, good):
    """Whether the bad value has a fault, or a warning that the good one does not have."""
    _, faults, warnings = convert(to_native, bad)
    return bool(faults) or bool(warnings - convert(to_native, good)[2])


WEREWOLF_ARENA = [
    *(("players", value) for value in (GONE, None, [], {}, 5, "Ann", {"Ann": 5}, {"Ann": None})),
    *(("players/Ann", value) for value in (GONE, 5, [], "Ann")),
    *(("players/Ann/name", value) for value in (None, 5, "", "Zoe", "bea")),
    *(("players/Ann/role", value) for value in (GONE, None, 5, [], "Hunter")),
    *(("players/Ann/model", value) for value in (5, {}, "x" * 201)),
    *(("rounds", value) for value in (GONE, None, [], {}, 5, [None], [[]], [{}])),
    *(("rounds/0", value) for value in (None, 5, [], "round")),
    *(("rounds/0/debate", value) for value in ({}, 5, "Ann: hello", [5], [["Ann"]], [["Ann", ""]], [[[], {}]])),
    *(("rounds/0/debate/0/0", value) for value in (None, 5, "Zoe", ["Ann"])),
    *(("rounds/0/debate/0/1", value) for value in (None, 5, "", [], LONG, "a\u200bb")),
    *(("rounds/0/votes", value) for value in ({}, 5, [5], [[]], [{"Ann": "Zoe"}], [{"Zoe": "Ann"}], [{"Ann": None}])),
    *(("rounds/1/eliminated", value) for value in (5, "Zoe", [])),
    *(("rounds/1/exiled", value) for value in (5, "Zoe", {})),
    *(("winner", value) for value in (5, [])),
    *(("error_message", value) for value in (5, "It broke.")),
]  # fmt: skip

LOGS = [
    *(("0", value) for value in (None, 5, "x", [], {})),
    *(("0/bid", value) for value in (5, {}, "x")),
    *(("0/debate", value) for value in (GONE, None, [], {}, 5, [5], [[]], [["Ann"]], [["Ann", 5]], [["Ann", {}]])),
    *(("0/debate/0/0", value) for value in (None, 5, {}, "", "x" * 201)),
    *(("0/debate/0/1", value) for value in (5, [], "x", {"result": 5})),
    *(("0/debate/0/1/result", value) for value in (5, [], "x", {}, {"say": 5}, {"say": []}, {"say": LONG})),
    *(("0/votes", value) for value in (5, {}, [5], [{}], [[5]], [[[]]], [[{}]], [[{"player": 5}]])),
    *(("0/votes/1/0/voted_for", value) for value in (None, 5, "Zoe", [])),
]  # fmt: skip

AVALON = [
    *(("users", value) for value in (GONE, None, {}, [], 5, "x", {"1": 5}, {"1": {}}, {"1": None}, {"1": []})),
    *(("users/1", value) for value in (GONE, 5, [], "player-1", {})),
    *(("users/1/name", value) for value in (GONE, None, 5, "", [], "player-2", "system", "x" * 201)),
    *(("users/1/role", value) for value in (GONE, None, 5, [], "", "knight")),
    *(("messages", value) for value in (GONE, None, {}, [], 5, "x", {"1": 5}, {"1": {}}, {"x" * 5000: None})),
    *(("messages/2", value) for value in (5, [], "x", {})),
    *(("messages/2/player", value) for value in (GONE, None, 5, "", "player-9", [])),
    *(("messages/2/msg", value) for value in (GONE, None, 5, "", [], LONG)),
    *(("messages/2/quest", value) for value in (GONE, None, "1", -1, HUGE, 1.5, [], 9)),
]  # fmt: skip

AIWOLF = [
    *(("game_id", value) for value in (GONE, None, "", [], {}, True, "x" * 201)),
    *(("win_side", value) for value in (5, [], {})),
    *(("agents", value) for value in (5, {}, "x", [5], ["team2"])),
    *(("agents/0/name", value) for value in (5, [], "x" * 201)),
    *(("entries", value) for value in (GONE, None, [], {}, 5, "x", [5], [None], [{}], [{"request": 5}])),
    *(("entries/3", value) for value in (5, [], "x", None)),
    *(("entries/3/error", value) for value in (5, "no answer", [])),
    *(("entries/7/request", value) for value in (
        5, [], "", "{", "5", "[]", "null", '{"a": 1, "a": 2}', "[" * 70 + "]" * 70, '{"a": NaN}', '{"a": "\ud800"}',
        '{"request": 5}', '{"request": "X", "info": 5}', '{"request": "X", "talk_history": 5}',
        '{"request": "X", "talk_history": [5]}', '{"request": "X", "talk_history": [{}]}',
        '{"request": "X", "talk_history": [{"day": 0, "idx": 1}]}', '{"request": "X", "talk_history": [{"day": "0"}]}',
        '{"request": "X", "talk_history": [{"day": 0, "idx": 7, "agent": "Zoe", "text": "x"}]}',
        '{"request": "X", "talk_history": [{"day": 0, "idx": 7, "agent": [], "text": "x"}]}',
        '{"request": "X", "talk_history": [{"day": 99999999999, "idx": 7, "agent": "Ann", "text": "x"}]}',
        '{"request": "X", "talk_history": [{"day": -5, "idx": 7, "agent": "Ann", "text": "x"}]}',
        '{"request": "X", "talk_history": [{"day": 0, "idx": 7, "agent": "Ann", "text": 5}]}',
        '{"request": "X", "info": {"role_map": 5}}', '{"request": "X", "info": {"role_map": []}}',
        '{"request": "X", "info": {"status_map": []}}', '{"request": "X", "info": {"status_map": {"Zoe": 1}}}',
        '{"request": "X", "info": {"day": 2, "executed_agent": "Zoe"}}',
        '{"request": "X", "info": {"executed_agent": "Ann"}}', '{"request": "X", "info": {"attacked_agent": 5}}',
        '{"request": "VOTE", "info": {}}', '{"request": "VOTE", "info": {"day": "2"}}',
    )),
    *(("entries/11/agent", value) for value in (GONE, None, 5, "Zoe", [])),
    *(("entries/14/response", value) for value in (GONE, None, "", 5, [], "Zoe", "nobody")),
]  # fmt: skip

CHAT = "[20:00:01] Ann: Hello.\n"
LLMAFIA = [
    *({"config": text} for text in (
        "", "{", "5", "[]", "{}", '{"players": 5}', '{"players": []}', '{"players": [5]}', '{"players": [{}]}',
        '{"players": [{"name": 5}]}', '{"players": [{"name": "Ann"}, {"name": "Ann"}]}', '{"a": 1, "a": 2}',
        '{"players": [{"name": "Ann"}, {"name": "Bea"}, {"name": "Cid"}, {"name": "Dan"}]}', '{"players": null}',
        '{"players": [{"name": "Ann", "is_mafia": "no"}]}', '{"players": [{"name": "Ann", "is_llm": 1}]}',
    )),
    *({"config": None, "player_names": text} for text in (None, "", "Ann", "Ann\nAnn\nBea\nCid\nDan", "x" * 201)),
    {"config": None, "mafia_names": None},
    *({"public_daytime_chat": text} for text in (
        None, "", "\n", "Hello.", "[20:00] Ann: Hello.\n", "[20:00:01] Zoe: Hello.\n", "[20:00:01] Ann: \n",
        "[20:00:01] : Hello.\n", CHAT, CHAT + "[20:00:02] Ann: " + LONG, CHAT + "[20:00:02] Ann: a\0b\n",
        CHAT + "[20:00:02] ann: Hello.\n", CHAT + f"[20:00:02] {'x' * 300}: Hello.\n",
        CHAT + "[20:00:03] Game-Manager: Zoe voted for Ann\n", CHAT + "[20:00:03] Game-Manager: Ann voted for Zoe\n",
        CHAT + "[20:00:03] Game-Manager: Ann voted for \n", "x\n" + CHAT * 2, CHAT + "[20:00:02] Ann: a\u202eb\n",
    )),
    *({"public_manager_chat": text} for text in (
        "Now it is day.\n", "[20:00:00] Game-Manager: Zoe was voted out. Their role was mafia\n",
        "[20:00:00] Game-Manager: Ann, Bea was eliminated. They were: Human\n",
    )),
    *({"who_wins": text} for text in (LONG, "a\0b", "a\u200bb wins!")),
]  # fmt: skip

NOT_OPENED = ("Ann_survey.txt", "public_nighttime_chat.txt")

VALUES = [
    *((werewolf_arena.to_native, werewolf_arena_game(), *bad) for bad in WEREWOLF_ARENA),
    *((werewolf_arena.to_native, werewolf_arena_logs(), *bad) for bad in LOGS),
    *((avalon_nlu.to_native, avalon_game(), *bad) for bad in AVALON),
    *((aiwolf.to_native, aiwolf_game(), *bad) for bad in AIWOLF),
]


def test_each_format_has_its_bad_games():
    assert min(map(len, (WEREWOLF_ARENA, LOGS, AVALON, AIWOLF, LLMAFIA))) >= 40


@pytest.mark.parametrize(
    ("to_native", "good", "path", "value"),
    VALUES,
    ids=lambda part: repr(part)[:40] if isinstance(part, str | int) else None,
)
def test_a_bad_value_is_told(to_native, good, path, value):
    assert has_something_new(to_native, changed(good, path, value), good)


@pytest.mark.parametrize("changes", LLMAFIA, ids=lambda changes: repr(changes)[:60])
def test_a_bad_file_is_told(changes):
    assert has_something_new(llmafia.to_native_files, llmafia_files(**changes), llmafia_files())


@pytest.mark.parametrize(
    "name", [name for name in llmafia_files() if name not in ("Ann_survey.txt", "public_nighttime_chat.txt")]
)
def test_a_file_that_is_no_text_is_told_when_it_is_read(name):
    files = llmafia_files() | {name: b"\xff\xfe\0x"}
    if name in ("player_names.txt", "mafia_names.txt"):
        del files["config.json"]
    _, faults, _ = convert(llmafia.to_native_files, files)
    assert any(fault.code == "encoding" and name in fault.place for fault in faults)


def paths(value, before=""):
    """The path of every part of a value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield f"{before}{key}"
        yield from paths(value[key], f"{before}{key}/")


@pytest.mark.parametrize(
    ("to_native", "good"),
    [
        (werewolf_arena.to_native, werewolf_arena_game()),
        (werewolf_arena.to_native, werewolf_arena_logs()),
        (avalon_nlu.to_native, avalon_game()),
        (aiwolf.to_native, aiwolf_game()),
    ],
    ids=["werewolf_arena", "logs", "avalon_nlu", "aiwolf"],
)
def test_nothing_raises_whatever_is_put_anywhere(to_native, good):
    for value in (*SCRAPS, good):
        convert(to_native, value)
    for path in paths(good):
        for value in (GONE, None, 5, "x", [], {}, [[]], HUGE, True):
            convert(to_native, changed(good, path, value))


def test_nothing_raises_inside_of_a_request():
    good = json.loads(aiwolf_entry("Ann", "VOTE", 1, talk_history=[aiwolf_talk(0, 0, "Ann", "x")])["request"])
    for path in paths(good):
        for value in (GONE, *SCRAPS):
            entry = aiwolf_entry("Ann", "VOTE", 1) | {"request": json.dumps(changed(good, path, value))}
            convert(aiwolf.to_native, aiwolf_game() | {"entries": [entry]})


def test_too_much_is_told_once():
    limits = Limits(messages=1, players=2, votes=1, faults=3)
    for to_native, good in (
        (werewolf_arena.to_native, werewolf_arena_game()),
        (werewolf_arena.to_native, werewolf_arena_logs()),
        (avalon_nlu.to_native, avalon_game()),
        (aiwolf.to_native, aiwolf_game()),
        (llmafia.to_native_files, llmafia_files()),
    ):
        record, faults, _ = convert(to_native, good, limits)
        assert record is None
        assert "too_many" in {fault.code for fault in faults}
        assert len(faults) <= 3


@pytest.mark.parametrize("kind", [{}, []])
def test_a_type_that_is_no_text_breaks_nothing(kind):
    said = {
        "id": "1",
        "type": kind,
        "timestamp": "2026-01-01T10:00:00",
        "content": "Hi.",
        "author": {"name": "Ann"},
    }
    discord = {"guild": {"name": "g"}, "channel": {"name": "c"}, "messages": [said]}
    assert not read_transcripts(json.dumps(discord).encode(), "x.json").games
    assert join_marked([{"text": "a", "type": kind}]) == ""
