"""Every bad transcript of the list, with the sentence that a person sees; and that nothing ever raises."""

import copy

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.records import GameRecord
from discussions.transcripts.core.file_names import shown_name
from discussions.transcripts.core.formats import read_converted
from discussions.transcripts.core.notes import Limits, Notes
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes, native_game, native_message


def game_with(path: str, value: object) -> dict[str, object]:
    """A proper game with one value replaced; the path is a JSON pointer."""
    game = copy.deepcopy(native_game())
    *parents, last = path.strip("/").split("/")
    place = game
    for part in parents:
        place = place[int(part)] if isinstance(place, list) else place[part]
    place[int(last) if isinstance(place, list) else last] = value
    return game


FILES = [
    (b"", "empty", "The file is empty. Export it again"),
    (
        b"not JSON at all",
        "unknown_format",
        'The file holds text that begins with "not JSON at all", which is no',
    ),
    (b"[not JSON at all]", "syntax", "This is not JSON: a value was expected and 'not JSON at ' was found."),
    (b'{"a": 1}\n{"a": 2', "trailing", "put several games into one list"),
    (b'{"gameId": "x", "players": [],\n "messages": [,]}', "syntax", "This is not JSON"),
    (b"[1, 2", "truncated", "export it again."),
    (b"[1] 2", "trailing", "There is more text after the end"),
    (b"[1}", "syntax", "a comma or the end of the list"),
    (b"[" + b"[" * 64 + b"]" * 64 + b"]", "depth", "deeper than 64"),
    (b"[" + as_bytes(native_game()) + b', {"a": "\xff"}]', "encoding", "is not UTF-8 text."),
    (b"[" + as_bytes(native_game()) + b', {"a": "\x01"}]', "control_character", "U+0001"),
    (b"[" + as_bytes(native_game()) + b",]", "syntax", "There may be a comma too many before it."),
    (b"[" + as_bytes(native_game()) + b' {"a": 1}]', "syntax", "a comma or the end of the list"),
    (b"\xff\xfe[\0\0", "encoding", "is not text in the encoding utf-16"),
    ("{}".encode("utf-16-le"), "encoding", "The file is UTF-16"),
    ("Ann: hi".encode("utf-16-be"), "encoding", "The file is UTF-16"),
    (b"caf\xe9", "encoding", "is not UTF-8 text."),
    (b" \n\t", "empty", "The file is empty."),
    (b'"text"', "unknown_format", "The file holds text in JSON"),
    (b"[5, {}]", "unknown_format", "a JSON list that begins with a number"),
    (b'[{"rows": []}]', "unknown_format", "a JSON list that begins with an object with the keys rows"),
    (
        as_bytes(dict.fromkeys("abcdefghij", 1)),
        "unknown_format",
        "the keys a, b, c, d, e, f, g, h and 2 more",
    ),
    (as_bytes(native_game())[:300], "truncated", "The file was probably cut off; export it again."),
    (b"[" * 100_000, "depth", "Brackets are nested deeper than 64"),
    (b'{"gameId": "\xff"}', "encoding", "is not UTF-8 text. Save it again as UTF-8."),
    (b"\x89PNG\r\n\x1a\n", "not_text", "The file is a picture."),
    (b"%PDF-1.7", "not_text", "The file is a PDF document."),
    (b"SQLite format 3\0", "not_text", "The file is a database"),
    (b"PRAGMA foreign_keys=OFF;\nBEGIN", "not_text", "Export its table of messages as CSV"),
    (b"PAR1\x15", "not_text", "The file is Parquet."),
    (b"[]", "no_games", "The file is an empty list: it holds no games."),
    (b"5", "unknown_format", "The file holds a number in JSON, which is no transcript format we know."),
    (b"null", "unknown_format", "no transcript format we know"),
    (
        b'{"rows": []}',
        "unknown_format",
        "native (a JSON object with the keys gameId, players, messages and votes)",
    ),
    (as_bytes(native_game()) + b" x", "trailing", "put several games into one list"),
]


@pytest.mark.parametrize(("data", "code", "sentence"), FILES)
def test_a_file_that_cannot_be_read_is_refused_whole(data, code, sentence):
    read = read_transcripts(data, "game.json")
    assert read.games == []
    assert read.fault_count == len(read.faults) == 1
    assert read.faults[0].code == code
    assert sentence in read.faults[0].message
    assert read.faults[0].place.startswith("game.json")


def test_a_file_over_the_limit_is_refused_before_it_is_parsed():
    read = read_transcripts(b"[" * (65 * 1024 * 1024), "big.json")
    assert (
        read.faults[0].message
        == "The file has 65.0 MiB; at most 64 MiB are read. Split it into several files."
    )


LONG = "x" * 200_000


GAMES = [
    (
        game_with("/players", "Ann"),
        "wrong_type",
        "/players",
        '"players" should be a list, but text was found.',
    ),
    (
        game_with("/players/0", "Ann"),
        "wrong_type",
        "/players/0",
        "Entry 1 should be an object, but text was found.",
    ),
    (
        game_with("/players/0/name", 5),
        "wrong_type",
        "/players/0/name",
        '"name" should be text, but a number was found.',
    ),
    (game_with("/players/0/name", " "), "no_name", "/players/0/name", "The player has no name."),
    (game_with("/players/0/isAlive", 1), "wrong_type", "/players/0/isAlive", "should be true or false"),
    (game_with("/players", []), "no_players", "/players", "The game has no players."),
    (
        game_with("/players/1/name", "Ann"),
        "duplicate_player",
        "/players/1/name",
        'The player "Ann" is named twice.',
    ),
    (
        game_with("/players/1/name", "ANN"),
        "duplicate_player",
        "/players/1/name",
        'cannot be told apart from "Ann"',
    ),
    (
        game_with("/players/1/name", "An\u200bn"),
        "duplicate_player",
        "/players/1/name",
        "cannot be told apart",
    ),
    (
        game_with("/players/0/name", "x" * 201),
        "too_long",
        "/players/0/name",
        '"name" has 201 characters; at most 200',
    ),
    (
        game_with("/messages", []),
        "no_messages",
        "/messages",
        "The game has no messages, so there is nothing to measure.",
    ),
    (game_with("/messages", None), "no_messages", "/messages", "The game has no messages"),
    (
        game_with("/messages", {}),
        "wrong_type",
        "/messages",
        '"messages" should be a list, but an object was found.',
    ),
    (
        game_with("/messages/2", 7),
        "wrong_type",
        "/messages/2",
        "Entry 3 should be an object, but a number was found.",
    ),
    (game_with("/messages/2/message", ""), "no_text", "/messages/2/message", "The message has no text."),
    (game_with("/messages/2/message", " \n"), "no_text", "/messages/2/message", "The message has no text."),
    (game_with("/messages/2/message", None), "no_text", "/messages/2/message", "The message has no text."),
    (
        game_with("/messages/2/message", ["a"]),
        "wrong_type",
        "/messages/2/message",
        "should be text, but a list was found",
    ),
    (
        game_with("/messages/2/message", LONG),
        "too_long",
        "/messages/2/message",
        "has 200,000 characters; at most 100,000",
    ),
    (
        game_with("/messages/2/playerName", "Narrator"),
        "unknown_player",
        "/messages/2/playerName",
        '"Narrator" is not among the players of this game. Add the player, or correct the name.',
    ),
    (
        game_with("/messages/2/playerName", "cid"),
        "unknown_player",
        "/messages/2/playerName",
        'Did you mean "Cid"?',
    ),
    (
        game_with("/messages/2/playerName", None),
        "wrong_type",
        "/messages/2/playerName",
        "a player's name, but null",
    ),
    (
        game_with("/messages/2/roundNumber", "1"),
        "wrong_type",
        "/messages/2/roundNumber",
        "should be a whole number",
    ),
    (
        game_with("/messages/2/roundNumber", 1.0),
        "wrong_type",
        "/messages/2/roundNumber",
        "should be a whole number",
    ),
    (
        game_with("/messages/2/roundNumber", True),
        "wrong_type",
        "/messages/2/roundNumber",
        "but true or false was found",
    ),
    (
        game_with("/messages/2/roundNumber", -1),
        "out_of_range",
        "/messages/2/roundNumber",
        "is -1; a number from 0",
    ),
    (
        game_with("/messages/2/turn", 2**40),
        "out_of_range",
        "/messages/2/turn",
        "a number from 0 to 1,000,000,000",
    ),
    (
        game_with("/messages/2/inReplyToId", {}),
        "wrong_type",
        "/messages/2/inReplyToId",
        "a message's id or null",
    ),
    (
        game_with("/messages/2/timestamp", []),
        "wrong_type",
        "/messages/2/timestamp",
        "should be text, but a list",
    ),
    (game_with("/votes", {}), "wrong_type", "/votes", '"votes" should be a list'),
    (
        game_with("/votes/0/voterName", "Zoe"),
        "unknown_player",
        "/votes/0/voterName",
        '"Zoe" is not among the players',
    ),
    (
        game_with("/votes/0/targetName", "Zoe"),
        "unknown_player",
        "/votes/0/targetName",
        '"Zoe" is not among the players',
    ),
    (game_with("/votes/0/roundNumber", None), "no_round", "/votes/0", "The entry names no round."),
    (game_with("/gameId", ""), "no_game_id", "/gameId", "The game has no gameId."),
    (game_with("/gameId", " \n"), "no_game_id", "/gameId", "The game has no gameId."),
    (game_with("/gameId", ["a"]), "wrong_type", "/gameId", '"gameId" should be text, but a list was found.'),
    (game_with("/metadata", []), "wrong_type", "/metadata", '"metadata" should be an object'),
    (
        game_with("/metadata/cost", "free"),
        "wrong_type",
        "/metadata/cost",
        "a number of dollars or null, but text",
    ),
    (
        game_with("/metadata/cost/totalUsd", "1"),
        "wrong_type",
        "/metadata/cost",
        'The cost figure "totalusd" should be',
    ),
    (game_with("/metadata/cost/totalUsd", -1), "out_of_range", "/metadata/cost", "is -1; a number from 0"),
    (
        game_with("/metadata/cost/cacheHitRate", 101),
        "out_of_range",
        "/metadata/cost",
        "is 101; a number from 0 to 100",
    ),
    (
        game_with("/metadata/cost/inputTokens", 1.5),
        "wrong_type",
        "/metadata/cost",
        "a whole number, but 1.5 was found",
    ),
    (
        game_with("/game_id", "other"),
        "said_twice",
        "",
        '"gameId" is given twice, in two spellings that differ.',
    ),
]


@pytest.mark.parametrize(("game", "code", "pointer", "sentence"), GAMES)
def test_a_game_with_a_fault_is_refused_whole_with_its_place_and_remedy(game, code, pointer, sentence):
    read = read_transcripts(as_bytes(game), "game.json")
    assert read.games == []
    assert read.refused_count == 1
    first = read.faults[0]
    assert (first.code, first.place) == (code, f"game.json {pointer}".rstrip())
    assert sentence in first.message
    # A player who is refused is then missing wherever they speak: those faults follow, and nothing else does.
    assert {fault.code for fault in read.faults[1:]} <= {"unknown_player"}
    assert read.fault_count == len(read.faults)


def test_too_many_messages_and_players_are_refused_with_the_limit_named():
    limits = Limits(messages=5, players=2)
    read = read_transcripts(as_bytes(native_game()), "game.json", limits)
    assert '"players" has 3 entries; at most 2 are read.' in read.faults[0].message
    assert '"messages" has 6 entries; at most 5 are read.' in read.faults[1].message


def test_every_fault_of_a_file_is_listed_and_the_other_games_come_in():
    bad = game_with("/messages/0/message", "")
    bad["messages"][1]["playerName"] = "Nobody"
    bad["votes"][0]["voterName"] = "Noone"
    read = read_transcripts(as_bytes([native_game(), bad, 5, native_game(gameId="last")]), "games.json")
    assert [game.record.game_id for game in read.games] == ["game-1", "last"]
    assert [fault.place for fault in read.faults] == [
        "games.json /1/messages/0/message",
        "games.json /1/messages/1/playerName",
        "games.json /1/votes/0/voterName",
        "games.json /2",
    ]
    assert read.refused_count == 2


def test_duplicate_keys_and_bad_numbers_refuse_only_their_own_game():
    good = as_bytes(native_game()).decode()
    double = good.replace('"gameId": "game-1"', '"gameId": "two", "gameId": "three"')
    endless = good.replace("1.25", "1e400").replace("game-1", "four")
    read = read_transcripts(f"[{good},\n{double},\n{endless}]".encode(), "games.json")
    assert [game.record.game_id for game in read.games] == ["game-1"]
    assert read.faults[0].place == "games.json line 2 column 19 /1"
    assert 'The key "gameId" appears twice' in read.faults[0].message
    assert read.faults[1].place.startswith("games.json line 3 column")
    assert read.faults[1].code == "not_finite"


def test_more_than_a_thousand_faults_are_counted():
    messages = [native_message(number, "Ann", "") for number in range(1_500)]
    read = read_transcripts(as_bytes([native_game(messages=messages), 1, 2]), "games.json")
    assert len(read.faults) == 1_000
    assert read.fault_count == 1_502


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\games\\a.json", "a.json"),
        ("a\0b\r\n.json", "a␀b\ufffd\ufffd.json"),
        ("a\u202ejson.exe", "a\ufffdjson.exe"),
        ("", "file"),
        ("x" * 300 + ".json", "x" * 150 + "…" + "x" * 44 + ".json"),
    ],
)
def test_file_names_are_made_harmless(name, shown):
    assert shown_name(name) == shown


scraps = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["Ann", "Bea", 1, "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


PATHS = (
    "/gameId", "/players", "/messages", "/votes", "/metadata", "/metadata/cost", "/metadata/cost/cacheHitRate",
    "/eliminations", "/players/0", "/players/1/name", "/players/1/role", "/messages/0", "/messages/3/inReplyToId",
    "/messages/3/id", "/messages/3/playerName", "/messages/3/roundNumber", "/votes/1", "/votes/1/targetName", "/winner",
)  # fmt: skip


def put(place, parts, value):
    """Set the value at a path, where earlier changes have left that path in place."""
    part, *rest = parts
    key = int(part) if isinstance(place, list) and part.isdigit() and len(place) > int(part) else part
    if not isinstance(place, dict) and not isinstance(key, int):
        return
    if not rest:
        place[key] = value
    elif isinstance(place, list) or key in place:
        put(place[key], rest, value)


@given(st.lists(st.tuples(st.sampled_from(PATHS), scraps), min_size=1, max_size=3))
def test_no_value_anywhere_raises_and_what_comes_in_is_a_proper_record(changes):
    game = copy.deepcopy(native_game())
    for path, value in changes:
        put(game, path.strip("/").split("/"), value)
    read = read_transcripts(as_bytes(game), "game.json")
    assert bool(read.games) != bool(read.faults)
    for found in read.games:
        body = msgspec.json.encode(found.record)
        assert msgspec.json.decode(body, type=GameRecord) == found.record


@given(scraps)
def test_no_json_raises(value):
    read = read_transcripts(as_bytes(value), "game.json")
    assert read.faults


@given(st.binary(max_size=100), st.text(max_size=20))
def test_no_bytes_and_no_names_raise(data, name):
    read_transcripts(data, name)


def test_faults_of_a_converted_game_are_told_at_the_place_in_the_foreign_file():
    notes = Notes("talks.json", "/4", Limits())
    notes.fault("shape", "/rounds/9", "A round has no list of talks. Correct the file.")
    notes.translate("/messages/1", "/rounds/0/talks/7")
    notes.translate("/messages/2", "line 12")
    notes.translate("/messages/3/playerName", "/rounds/1/speaker")
    game = game_with("/messages/1/message", "")
    game["messages"][2]["message"] = 5
    game["messages"][3]["playerName"] = "Nobody"
    game["votes"] = {}
    assert read_converted(game, notes, {}) is None
    assert [fault.place for fault in notes.faults] == [
        "talks.json /4/rounds/9",
        "talks.json /4/rounds/0/talks/7",
        "talks.json /4 line 12",
        "talks.json /4/rounds/1/speaker",
        "talks.json /4",
    ]


def test_warnings_of_a_converter_have_its_own_sentence_and_place():
    notes = Notes("talks.json", "", Limits())
    for number in range(3):
        notes.warn("hidden", f"/talks/{number}", "whisper", says="Talks as {what}: {count}.")
    notes.translate("/votes", "/ballots")
    assert read_converted(native_game(votes=[]), notes, {}).game_id == "game-1"
    assert [(warning.place, warning.message) for warning in notes.warnings()] == [
        ("talks.json /talks/0", "Talks as whisper: 3."),
        ("talks.json /ballots", "The file has no votes: memory references cannot be checked against them."),
    ]


def test_a_converter_that_gives_up_without_a_word_is_a_fault_all_the_same():
    notes = Notes("talks.json", "", Limits())
    assert read_converted(None, notes, {}) is None
    assert (notes.fault_count, notes.faults[0].code) == (1, "shape")
