"""The formats of public collections of games: what becomes of each part of a game, and what is left out."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from discussions.core.records import Elimination, GameRecord, Message, Player, Vote
from discussions.transcripts.core.formats import FORMATS, read_converted
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers import aiwolf, avalon_nlu, llmafia, werewolf_arena
from tests.factories.archives import zipped
from tests.factories.foreign_games import (
    AIWOLF_ROLES,
    aiwolf_entry,
    aiwolf_game,
    aiwolf_talk,
    avalon_game,
    llmafia_files,
    werewolf_arena_game,
    werewolf_arena_logs,
)
from tests.factories.native_games import native_game
from tests.factories.reading import read_transcripts

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / "shared" / "data"


def read(convert, value, source="game-1"):
    """The record (or None), the faults and the warnings of one foreign game."""
    notes = Notes("file.json", "", Limits(), source=source)
    record = read_converted(convert(value, notes), notes, {})
    return record, notes.faults, notes.warnings()


def read_well(convert, value, source="game-1"):
    """The record of a foreign game that has no fault."""
    record, faults, _ = read(convert, value, source)
    assert not faults
    return record


def as_bytes(value):
    """A value as the bytes of a JSON file."""
    return json.dumps(value).encode()


def test_a_game_of_werewolf_arena_is_read():
    assert read_well(werewolf_arena.to_native, werewolf_arena_game(), "session_1") == GameRecord(
        game_id="session_1",
        players=[
            Player("Ann", "VILLAGER", "Villager/model-a", is_alive=True),
            Player("Bea", "MAFIA", "Werewolf/model-b", is_alive=True),
            Player("Cid", "VILLAGER", "Doctor/model-a", is_alive=True),
            Player("Dan", "VILLAGER", "Seer/model-a", is_alive=True),
        ],
        messages=[
            Message(1, 1, "Nobody died, so the doctor was awake.", 1, turn=1),
            Message(2, 2, "Who is it then?", 1, turn=2),
            Message(3, 4, "I looked at Bea: she is a wolf.", 2, turn=3),
        ],
        # The polls during the debate are no votes; the last ballot of a round is.
        votes=[
            Vote(1, 1, 4), Vote(1, 2, 1), Vote(1, 3, 2), Vote(1, 4, 2),
            Vote(2, 2, 4), Vote(2, 3, 2), Vote(2, 4, 2),
        ],
        # In round 1 the doctor saved whom the wolves had chosen.
        eliminations=[Elimination(2, 1, "killed at night"), Elimination(2, 2, "voted out")],
        winner="Villagers",
    )  # fmt: skip


def test_a_session_folder_gives_one_game_with_its_name():
    game, logs = as_bytes(werewolf_arena_game()), as_bytes(werewolf_arena_logs())
    folder = {"game_logs.json": logs, "game_complete.json": game, "notes.txt": b"\xff"}
    assert werewolf_arena.recognises_files(list(folder))
    record = read_well(werewolf_arena.to_native_files, folder, "session_1")
    assert record == replace(read_well(werewolf_arena.to_native, werewolf_arena_game()), game_id="session_1")
    partial = {"game_logs.json": logs, "game_partial.json": game}
    assert read_well(werewolf_arena.to_native_files, partial, "session_1") == record
    assert len(read_well(werewolf_arena.to_native_files, {"game_logs.json": logs}).players) == 3
    assert not werewolf_arena.recognises_files(["other.json", "config.json"])
    _, faults, _ = read(werewolf_arena.to_native_files, {})
    assert [fault.code for fault in faults] == ["no_file"]


def test_a_game_of_werewolf_arena_is_called_by_its_folder_or_by_what_was_said():
    game = werewolf_arena_game()
    assert read_well(werewolf_arena.to_native, game, "session_1").game_id == "session_1"
    assert read_well(werewolf_arena.to_native, game, "many-3").game_id == "many-3"
    called = read_well(werewolf_arena.to_native, game, "game_complete").game_id
    assert called == read_well(werewolf_arena.to_native, game | {"session_id": "8"}, "").game_id
    assert re.fullmatch("game-[0-9a-f]{8}", called)
    other = werewolf_arena_game(rounds=game["rounds"][:1])
    assert read_well(werewolf_arena.to_native, other, "game_complete").game_id != called


def test_what_an_unfinished_game_says_is_told():
    game = werewolf_arena_game(error_message="Ann did not return a valid bid.", winner="")
    game["players"]["Ann"] |= {"role": "Hunter", "personality": "brave"}
    game["rounds"][1] |= {"exiled": None, "success": False}
    record, faults, warnings = read(werewolf_arena.to_native, game)
    assert not faults
    assert record.winner is None
    # The second round broke off before the exile, so its ballot was one of the polls.
    assert {vote.round for vote in record.votes} == {1}
    assert record.players[0] == Player("Ann", "Hunter", "Hunter/model-a/brave", is_alive=True)
    assert warnings[0].place == "file.json /error_message"
    assert warnings[0].message.startswith('The game stopped with an error: "Ann did not return a valid bid."')


def test_logs_alone_give_speech_and_votes():
    assert werewolf_arena.recognises(werewolf_arena_logs())
    assert read_well(werewolf_arena.to_native, werewolf_arena_logs(), "session_1") == GameRecord(
        game_id="session_1",
        players=[Player(name, is_alive=True) for name in ("Bea", "Ann", "Cid")],
        messages=[Message(1, 2, "Good morning.", 1, turn=1), Message(2, 1, "It is not.", 1, turn=2)],
        votes=[Vote(1, 2, 1), Vote(1, 1, 2), Vote(1, 3, 1)],
    )


def test_a_game_of_avalon_is_read():
    assert read_well(avalon_nlu.to_native, avalon_game(), "abc123") == GameRecord(
        game_id="abc123",
        players=[
            Player("player-1", "VILLAGER", "merlin", is_alive=True),
            Player("player-2", "MAFIA", "assassin", is_alive=True),
            Player("player-3", "VILLAGER", "servant-1", is_alive=True),
        ],
        messages=[
            Message(1, 1, "i take player-2 along", 1, turn=1),
            Message(2, 2, "why not me?", 2, turn=2),
            Message(3, 3, "you failed the quest", 2, turn=3),
        ],
        winner="good",
    )


def test_messages_of_avalon_are_in_the_order_of_their_numbers():
    game = avalon_game()
    expected = read_well(avalon_nlu.to_native, game)
    game["messages"] = dict(reversed(game["messages"].items()))
    assert read_well(avalon_nlu.to_native, game) == expected
    game["messages"]["x"] = game["messages"].pop("2")
    texts = [message.text for message in read_well(avalon_nlu.to_native, game).messages]
    assert texts == ["you failed the quest", "why not me?", "i take player-2 along"]
    game = avalon_game()
    game["users"]["3"]["role"] = "knight-1"
    game["messages"]["6"]["msg"] = "the assassin identified merlin, thus evil wins!"
    record = read_well(avalon_nlu.to_native, game)
    assert (record.players[2].role, record.winner) == ("knight-1", "evil")


def test_a_log_of_aiwolf_is_read():
    moment = "2025-06-15T15:06:41.500000+00:00"
    assert read_well(aiwolf.to_native, aiwolf_game()) == GameRecord(
        game_id="01ABC",
        players=[
            Player("Bea", "MAFIA", "WEREWOLF/team2", is_alive=True),
            Player("Ann", "VILLAGER", "SEER/team1", is_alive=True),
            Player("Cid", "VILLAGER", "POSSESSED/team3", is_alive=True),
        ],
        # The talk of day 1 was asked for by no request, so its time is not known.
        messages=[
            Message(1, 1, "Hello.", 1, turn=1, time=moment),
            Message(2, 2, " @Bea  hello.", 1, turn=2, time=moment),
            Message(3, 3, "I am the seer.", 2, turn=3),
        ],
        # Cid voted twice, since the first ballot was a tie.
        votes=[Vote(2, 2, 1, time=moment), Vote(2, 1, 2, time=moment), Vote(2, 3, 2, time=moment)],
        eliminations=[Elimination(2, 2, "voted out"), Elimination(2, 3, "killed at night")],
        winner="WEREWOLF",
    )


def test_a_log_that_ends_early_says_so_and_is_read():
    game = aiwolf_game() | {"win_side": "NONE"}
    game["agents"][0]["role"] = "VILLAGER"
    game["entries"] = [entry for entry in game["entries"] if "INITIALIZE" not in entry["request"]]
    game["entries"] += [
        {"agent": "", "request": '"TALK_PHASE"'},
        {"agent": "", "request_timestamp": 5},
        aiwolf_entry("Bea", "VOTE", 2, "nobody") | {"error": "no answer"},
        aiwolf_entry("Ann", "VOTE", 3, None) | {"response_timestamp": -1},
        aiwolf_entry("Ann", "TALK", 4, "x") | {"response_timestamp": 1_750_000_001},
        aiwolf_entry("Ann", "TALK", 5, "x") | {"response_timestamp": 10**17},
        aiwolf_entry(
            "Ann", "X", 5, talk_history=[aiwolf_talk(4, 0, "Ann", "x"), aiwolf_talk(5, 0, "Ann", "y")]
        ),
    ]
    record, faults, warnings = read(aiwolf.to_native, game)
    assert not faults
    assert record.winner is None
    # Nobody was told of the game, so the agents of the list cannot be told from each other.
    assert [(player.name, player.personality) for player in record.players] == list(AIWOLF_ROLES.items())
    assert [message.time for message in record.messages][-2:] == ["2025-06-15T15:06:41+00:00", None]
    assert {warning.code for warning in warnings} >= {"agent_error", "invalid_vote", "vote_without_target"}
    assert len(record.votes) == 3


LLMAFIA_GAME = GameRecord(
    game_id="0142",
    players=[
        Player("Ann", "VILLAGER", "human", is_alive=True),
        Player("Bea", "MAFIA", "human", is_alive=True),
        Player("Cid", "VILLAGER", "llm", is_alive=True),
        Player("Dan", "VILLAGER", "human", is_alive=True),
    ],
    # Cid's message came between the votes, so the day was not over yet.
    messages=[
        Message(1, 1, "Good evening: who are you?", 1, turn=1, time="20:00:01"),
        Message(2, 2, "Not the mafia.", 1, turn=2, time="20:00:05"),
        Message(3, 3, "I was too slow.", 1, turn=3, time="20:03:06"),
        Message(4, 3, "Dan is gone.\nHe was a good man.", 2, turn=4, time="20:05:00"),
    ],
    votes=[Vote(1, 1, 2, time="20:03:05"), Vote(1, 2, 4, time="20:03:09")],
    eliminations=[Elimination(1, 4, "voted out"), Elimination(1, 1, "killed at night")],
    winner="Mafia",
)


def test_a_folder_of_llmafia_is_read():
    assert llmafia.recognises_files(list(llmafia_files()))
    assert not llmafia.recognises_files(["config.json", "chat.txt"])
    assert read_well(llmafia.to_native_files, llmafia_files(), "0142") == LLMAFIA_GAME


def test_a_folder_without_a_configuration_has_players_by_name():
    named = [replace(player, personality=None) for player in LLMAFIA_GAME.players]
    files = llmafia_files(config=None)
    assert read_well(llmafia.to_native_files, files, "0142") == replace(LLMAFIA_GAME, players=named)
    del files["mafia_names.txt"]
    assert {player.role for player in read_well(llmafia.to_native_files, files, "0142").players} == {None}


def test_files_of_windows_read_the_same():
    files = {name: data.replace(b"\n", b"\r\n") for name, data in llmafia_files().items()}
    files["public_daytime_chat.txt"] = b"\xef\xbb\xbf" + files["public_daytime_chat.txt"]
    assert read_well(llmafia.to_native_files, files, "0142") == LLMAFIA_GAME


def test_newer_words_of_the_game_manager_are_known():
    chat = (
        "[10:00:00] Ann: Hello.\n[10:01:00] Game-Manager: Discussion phase has ended, now it's time to vote! Who?\n"
        "[10:02:00] Ann: And again.\n"
    )
    manager = (
        "[10:00:00] Game-Manager: Now it's Discussion Time for 2 minutes.\n"
        "[10:01:30] Game-Manager: Ann was eliminated. They were: Human\n"
    )
    files = llmafia_files(public_daytime_chat=chat, public_manager_chat=manager, who_wins="Humans win!\n")
    record = read_well(llmafia.to_native_files, files)
    assert [message.round for message in record.messages] == [1, 2]
    assert record.eliminations == [Elimination(1, 1, "voted out")]
    assert record.winner == "Humans"


@pytest.mark.parametrize(
    ("convert", "value", "place", "says"),
    [
        (
            werewolf_arena.to_native,
            werewolf_arena_game(rounds=[{"debate": [["Ann", "Hello."], ["Zoe", "Hello."]]}]),
            "file.json /rounds/0/debate/1/0",
            '"Zoe" is not among the players',
        ),
        (
            werewolf_arena.to_native_files,
            {"game_complete.json": as_bytes(werewolf_arena_game(players=[]))},
            "file.json game_complete.json /players",
            "should be an object",
        ),
        (
            avalon_nlu.to_native,
            avalon_game() | {"messages": {"4": {"player": "player-1", "quest": 1, "msg": 5}}},
            "file.json /messages/4/msg",
            '"message" should be text',
        ),
        (
            aiwolf.to_native,
            aiwolf_game()
            | {"entries": [aiwolf_entry("Ann", "X", 0, talk_history=[aiwolf_talk(0, 0, "Zoe", "x")])]},
            "file.json /entries/0/request/talk_history/0/agent",
            '"Zoe" is not among the players',
        ),
        (
            llmafia.to_native_files,
            llmafia_files(public_daytime_chat="[20:00:01] Ann: Hello.\n[20:00:02] Zoe: Hello.\n"),
            "file.json public_daytime_chat.txt line 2",
            '"Zoe" is not among the players',
        ),
        (
            llmafia.to_native_files,
            llmafia_files(public_daytime_chat="Hello.\n[20:00:02] Ann: Hello.\n"),
            "file.json public_daytime_chat.txt line 1",
            'should begin like "[14:05:00] Ann: "',
        ),
        (
            llmafia.to_native_files,
            llmafia_files() | {"who_wins.txt": b"Mafia\n\xff"},
            "file.json who_wins.txt line 2",
            "0xff is not UTF-8",
        ),
    ],
)
def test_a_fault_names_its_place_in_the_foreign_file(convert, value, place, says):
    record, faults, _ = read(convert, value)
    assert record is None
    assert faults[0].place == place
    assert says in faults[0].message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("native", native_game()),
        ("werewolf_arena", werewolf_arena_game()),
        ("werewolf_arena", werewolf_arena_logs()),
        ("avalon_nlu", avalon_game()),
        ("aiwolf", aiwolf_game()),
    ],
)
def test_each_format_knows_its_own_games_only(name, value):
    formats = [known for known in FORMATS if known.recognises]
    recognised = [known.name for known in formats if known.recognises(value)]
    # Lists of messages in rounds are widely spread: that reader comes after those that know a format.
    assert recognised in ([name], [name, "json_turns"])
    assert not any(known.recognises(wrong) for known in formats for wrong in (None, [], {}, 5, "", [5], [[]]))


@pytest.mark.parametrize(
    ("name", "files"),
    [
        (["llmafia"], llmafia_files()),
        (["werewolf_arena"], ["game_logs.json", "game_partial.json"]),
        ([], ["config.json", "game.json"]),
    ],
)
def test_each_format_knows_its_own_folders_only(name, files):
    formats = [known for known in FORMATS if known.recognises_files]
    assert [known.name for known in formats if known.recognises_files(list(files))] == name


def examples(name):
    """The code blocks of a format in public_formats.md, by the file's name before each ("" without one)."""
    text = Path(__file__).with_name("public_formats.md").read_text()
    part = re.split(r"^#+ ", text.partition(f"### `{name}`")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return {
        found[1] or "": found[2]
        for found in re.finditer(r"(?:`(\S+)`:\n\n)?```\w*\n(.*?)```", part, re.DOTALL)
    }


@pytest.mark.parametrize("module", [werewolf_arena, avalon_nlu, aiwolf, llmafia])
def test_its_example_comes_in(module):
    blocks = examples(module.__name__.rpartition(".")[2])
    if module is llmafia:
        files = {name: text.encode() for name, text in blocks.items()}
        assert module.recognises_files(list(files))
        record = read_well(module.to_native_files, files)
    else:
        value = json.loads(blocks[""])
        assert module.recognises(value)
        record = read_well(module.to_native, value)
    assert len(record.messages) >= 2 and record.winner and all(player.role for player in record.players)


def test_an_archive_of_folders_and_files_gives_a_game_of_each():
    session = {"game_complete.json": werewolf_arena_game(), "game_logs.json": werewolf_arena_logs()}
    files = {
        **{f"games/0142/{name}": data for name, data in llmafia_files().items()},
        **{f"logs/session_1/{name}": as_bytes(game) for name, game in session.items()},
        "abc123.json": as_bytes(avalon_game()),
        "aiwolf.json": as_bytes([aiwolf_game(), aiwolf_game() | {"game_id": "01ABD"}]),
        "games/0143/config.json": b"{}",
        "games/0143/public_daytime_chat.txt": b"[20:00:01] Ann: Hello.\n",
    }
    read = read_transcripts(zipped(files), "all.zip")
    called = [game.record.game_id for game in read.games]
    assert called == ["0142", "session_1", "abc123", "01ABC", "01ABD"]
    assert read.games[0].record == LLMAFIA_GAME
    assert read.refused_count == 1
    assert [fault.place for fault in read.faults] == ["all.zip: 0143 config.json"]


def test_a_person_can_name_a_format_that_is_wrong():
    for known in FORMATS:
        for data in (b"5", b"[5]", b"{}", as_bytes(native_game()), b"no JSON"):
            read = read_transcripts(data, "file.json", named=known)
            assert read.faults or known.name in ("native", "json_turns")


def real_folders():
    """The name of every real collection that is there, and its files as a zip archive."""
    for name in ("werewolf_arena", "llmafia", "avalon_nlu", "aiwolf"):
        paths = [path for path in sorted((REAL / name).rglob("*")) if path.is_file()]
        yield name, zipped({str(path.relative_to(REAL / name)): path.read_bytes() for path in paths})


@pytest.mark.skipif(not REAL.is_dir(), reason="the real transcripts are not here")
def test_real_games_equal_their_native_files():
    compared = []
    for name, archive in real_folders():
        read = read_transcripts(archive, f"{name}.zip")
        assert read.games and not read.fault_count and read.format == name
        for game in read.games:
            native = REAL / "native" / f"{name}-{game.record.game_id}.json"
            if native.is_file():
                compared.append(name)
                expected = read_transcripts(native.read_bytes(), native.name).games[0].record
                # The native files leave out who left the game and who won.
                assert replace(game.record, eliminations=[], winner=None) == expected
    assert Counter(compared) == {"werewolf_arena": 4, "llmafia": 4, "avalon_nlu": 4}
