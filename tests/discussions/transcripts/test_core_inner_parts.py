"""A JSON file whose games are under other keys is read there; of one that holds only rows, the rows are named."""

import json

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.audience import NAMED as FOR_SOMEBODY
from discussions.transcripts.core.readers import inner_parts, json_games, json_turns
from discussions.transcripts.core.readers.heads import propose_mapping, read_head
from tests.factories.own_logs import SAID
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes, native_game

GAMES = [native_game(gameId="a"), native_game(gameId="b")]
ROWS = [{"who": "Ann", "said": "Good morning."}, {"who": "Bea", "said": "Who begins?"}]
CHAT = [{"role": "assistant", "name": "Ann", "content": "Hi."}, {"role": "user", "content": "Hi, Ann."}]
TURNS = [{"speaker": "Ann", "text": "a"}, {"speaker": "Bea", "text": "b"}]
ALONE = " Save this list alone as a file, and upload that file."
IF_MESSAGES = " If they are the messages, say so under “Is this the game?” of the import."


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"meta": {}, "records": ROWS}, 'The list under "records" holds rows.' + IF_MESSAGES),
        ({"odd": [{"n": 10**30, "x": "\ud800"}]}, 'The list under "odd" holds rows.' + IF_MESSAGES),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_the_part_that_could_be_read_is_named(value, says, indent):
    read = read_transcripts(json.dumps(value, indent=indent).encode(), "log.json")
    (fault,) = read.faults
    assert (read.games, fault.code, fault.place) == ([], "unknown_columns", "log.json")
    assert fault.message.startswith(f"The file holds an object with the keys {', '.join(value)}. {says}")
    assert fault.message.endswith(IF_MESSAGES)


@pytest.mark.parametrize(
    ("value", "ids", "place"),
    [
        ({"games": GAMES}, ["a", "b"], "/games/1"),
        ({"status": "ok", "data": {"count": 2, "runs": GAMES}}, ["a", "b"], "/data/runs/1"),
        ({"rows": ROWS, "deep": {"runs": GAMES}}, ["a", "b"], "/deep/runs/1"),
        ({"x": {"y": CHAT}}, ["log"], "/x/y"),
        ({"one": GAMES[0], "two": GAMES[1]}, ["a", "b"], "/two"),
        ({"games": [{"id": 1, "turns": TURNS}, {"id": 2, "turns": TURNS}]}, ["1", "2"], "/games/1"),
    ],
)
def test_games_inside_an_object_are_read(value, ids, place):
    read = read_transcripts(as_bytes(value), "log.json")
    assert [game.record.game_id for game in read.games] == ids, read.faults
    assert read.games[-1].place == f"log.json {place}"
    assert read.format in ("native", "openai_chat", "json_turns")


def test_a_faulty_game_inside_an_object_refuses_only_itself():
    read = read_transcripts(as_bytes({"games": [GAMES[0], GAMES[1] | {"players": []}]}), "log.json")
    assert [game.record.game_id for game in read.games] == ["a"]
    assert [fault.place for fault in read.faults] == ["log.json /games/1/players"]


def test_the_list_alone_is_read():
    found = read_transcripts(as_bytes(GAMES), "runs.json")
    assert [game.record.game_id for game in found.games] == ["a", "b"]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([{"id": "1", "calls": ROWS}, {"id": "2"}], 'The list under "calls" holds rows.' + IF_MESSAGES),
        ([[]], "Known are: "),
        ([{}], "Known are: "),
    ],
)
def test_of_a_list_the_first_object_is_searched(value, says):
    (fault,) = read_transcripts(json.dumps(value).encode(), "log.json").faults
    assert says in fault.message


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (
            {"id": "1", "calls": ROWS},
            ' with the keys id, calls. The list under "calls" holds rows.' + IF_MESSAGES,
        ),
        (
            {"id": "1", "calls": [{}]},
            " with the keys id, calls, which is no transcript format we know. Known",
        ),
    ],
)
def test_lines_of_an_unknown_format_are_no_broken_json(value, says):
    (fault,) = read_transcripts(b"\n".join([as_bytes(value)] * 3), "log.jsonl").faults
    assert fault.message.startswith("The file holds JSON lines that begin with an object" + says)
    assert fault.code == ("unknown_columns" if "holds rows" in says else "unknown_format")


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"numbers": [1, 2], "empty": [], "text": "x"},
        {"a": {"b": {"c": {"d": {"e": {"f": {"g": GAMES}}}}}}},
    ],
)
def test_without_such_a_part_the_formats_are_listed(value):
    (fault,) = read_transcripts(json.dumps(value, indent=1).encode(), "log.json").faults
    assert "which is no transcript format we know. Known are: inspect" in fault.message


def test_rows_with_lists_in_them_stay_rows_and_a_single_row_without_objects_too():
    row = {"player": "Ann", "text": "Hi.", "extra": {"calls": [{"id": 1}]}}
    read = read_transcripts(b"\n".join([as_bytes(row)] * 2), "a.jsonl")
    assert read.format == "jsonl"
    read = read_transcripts(as_bytes({"player": "Ann", "text": "Hi.", "tags": ["x"]}), "a.jsonl")
    assert [game.record.messages[0].text for game in read.games] == ["Hi."]


def test_a_long_file_is_searched_for_a_bounded_time():
    value = {f"k{number}": {"list": [number]} for number in range(2_500)} | {"calls": [ROWS]}
    (fault,) = read_transcripts(json.dumps(value, indent=1).encode(), "log.json").faults
    assert "Known are: inspect" in fault.message


# Rows that are lists: names of columns beside them, in the first row, or nowhere.
TALK = [
    ["Ann", "Good morning, Bea."],
    ["Bea", "Cid is mafia, I think."],
    ["Ann", "Bea, why him?"],
    ["Bea", "He lied."],
]
NAMED = [["Ann", "Good morning, Bea.", 1], ["Bea", "Cid lied.", 2]]


@pytest.mark.parametrize(
    "value",
    [
        {"columns": ["speaker", "text", "round"], "data": NAMED},
        {"header": ["speaker", "text", "round"], "index": [0, 1], "rows": NAMED},
        [["speaker", "text", "round"], *NAMED],
        {"result": {"fields": ["speaker", "text", "round"], "records": NAMED}},
    ],
)
def test_a_table_of_lists_with_known_names_is_read_at_once(value):
    (game,) = read_transcripts(as_bytes(value), "a.json").games
    said = [(m.player, m.text, m.round) for m in game.record.messages]
    assert said == [(1, "Good morning, Bea.", 1), (2, "Cid lied.", 2)]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (TALK, "rows"),
        ({"id": "g1", "winner": "village", "log": TALK}, "log"),
        (
            {
                "games": [
                    {"id": "g1", "log": TALK},
                    {"id": "g2", "log": [[name, f"{text} So."] for name, text in TALK]},
                ]
            },
            "games.log",
        ),
        ({"columns": ["a", "b"], "data": TALK}, "data"),
    ],
)
def test_a_table_without_known_names_waits_and_a_recipe_reads_it(value, path):
    data = as_bytes(value)
    (fault,) = read_transcripts(data, "a.json").faults
    assert (fault.code, f'"{path}"' in fault.message) == ("unknown_columns", True)
    table = read_head(data, is_part=False)
    mapping = propose_mapping(table)
    read = read_transcripts(data, "a.json", columns=[mapping])
    assert [m.text for m in read.games[0].record.messages] == [text for _name, text in TALK]
    assert len(read.games) == (2 if path == "games.log" else 1)


@pytest.mark.parametrize(
    "rows", [[[1, 2], [3, 4]], [["Ann"], ["Bea"]], [["Ann", "Hi."], ["Bea"]], [["Ann", []], ["Bea", {}]]]
)
def test_other_lists_of_lists_are_no_table(rows):
    (fault,) = read_transcripts(as_bytes({"log": rows}), "a.json").faults
    assert fault.code == "unknown_format"


def test_each_of_several_games_has_the_roles_that_stand_beside_its_rows():
    games = [
        {
            "gameId": number,
            "playerRoles": {"Ann": role, "Bea": "villager"},
            "days": [
                {
                    "turns": [
                        {"playerName": name, "spokenText": f"I am {name} of {number}."}
                        for name in ("Ann", "Bea")
                    ]
                }
            ],
        }
        for number, role in (("a", "seer"), ("b", "wolf"))
    ]
    data = "\n".join(map(json.dumps, games)).encode()
    table = read_head(data, is_part=False)
    read = read_transcripts(data, "a.jsonl", columns=[propose_mapping(table)]).games
    assert [[player.role for player in game.record.players] for game in read] == [
        ["seer", "villager"],
        ["wolf", "villager"],
    ]


def test_the_id_of_games_in_a_list_may_be_a_list():
    said = [{"player": "Ann", "text": "Hi, Bea."}, {"player": "Bea", "text": "Hi, Ann."}]
    read = read_transcripts(json.dumps([{"gameId": [1], "messages": said}] * 2).encode(), "log.json")
    assert [len(game.record.messages) for game in read.games] == [4]


@pytest.mark.parametrize("is_list", [True, False])
def test_messages_of_several_games_in_one_list_are_not_one_game(is_list):
    rows = [
        {"game": f"g{number}", "speaker": name, "text": "Hi."} for number in (1, 2) for name in ("Ann", "Bea")
    ]
    table = [["game", "speaker", "text"], *([*row.values()] for row in rows)]
    data = as_bytes({"data": table if is_list else rows})
    (fault,) = read_transcripts(data, "a.json").faults
    assert fault.code == "unknown_columns"
    mapping = propose_mapping(read_head(data, is_part=False))
    read = read_transcripts(data, "a.json", columns=[mapping])
    assert [len(game.record.messages) for game in read.games] == [2, 2]


def proposed(rows, suffix=b"\n"):
    table = read_head(suffix.join(map(as_bytes, rows)), is_part=False)
    return propose_mapping(table)


@pytest.mark.parametrize(
    ("hidden", "heard"),
    [("T", "S"), (True, False), ("/seats/{name}/notes/-", "/table/-"), ("game.mind", "game.square")],
)
def test_an_unknown_code_or_flag_that_tells_rows_apart_is_asked_about(hidden, heard):
    rows = [
        {
            "who": name,
            "day_no": number,
            "mark": str(mark).format(name=name) if type(mark) is str else mark,
            "said": text,
        }
        for number, (name, text) in enumerate(SAID)
        for mark in (hidden, heard)
    ]
    assert proposed(rows).fields["type"] == "mark"


def test_values_under_their_types_are_read_and_a_path_is_no_player():
    rows = [
        {
            "name": f"projects/p/lines/{at}",
            "fields": {
                "uid": {"stringValue": name},
                "n": {"integerValue": at // 6},
                "x": {"stringValue": f"{text} {at}"},
            },
            "onlyFor": {"arrayValue": {"values": [{"stringValue": "Ann"}] if at % 2 else []}},
        }
        for at, (name, text) in enumerate(SAID * 3)
    ]
    fields = proposed(rows).fields
    assert {fields["player"], fields["text"], fields["round"]} == {"fields.uid", "fields.x", "fields.n"}
    assert "onlyFor" in read_head(b"\n".join(map(as_bytes, rows)), is_part=False).columns


def test_rows_that_hold_lists_are_proposed_and_read_as_rows():
    rows = [
        {
            "name": "turn",
            "attributes": {"agent.name": name, "said": text},
            "events": [{"name": "llm", "text": "I am it."}],
        }
        for name, text in SAID
    ]
    data = b"\n".join(json.dumps(row, indent=1).encode() for row in rows)
    table = read_head(data, is_part=False)
    mapping = propose_mapping(table)
    assert (mapping.settings["list"], mapping.fields["player"]) == ("*", "attributes.agent.name")
    (game,) = read_transcripts(data, "spans.json", columns=[mapping]).games
    assert [message.text for message in game.record.messages] == [text for _name, text in SAID]


def test_a_round_may_be_written_in_its_first_row_alone():
    said = "\n".join(f"{'' if at % 3 else at // 3 + 1};{name};{text}" for at, (name, text) in enumerate(SAID))
    table = read_head(f"Runde;Person;Gesagt\n{said}\n".encode(), is_part=False)
    assert propose_mapping(table).fields["round"] == "Runde"


@pytest.mark.parametrize(("key", "is_read"), [("log", True), ("mafia_chat", False), ("memory", False)])
def test_the_only_list_of_lines_is_read_as_a_text_unless_its_key_hides_it(key, is_read):
    lines = [
        "=== Day 1 ===",
        "Ann: Hello, Bea.",
        "Bea: Hello, Ann.",
        "Cid: I slept.",
        "Ann: Not me.",
        "Bea: Nor I.",
    ]
    read = read_transcripts(
        as_bytes({"games": [{"winner": "town", key: lines}], "summary": {"rate": 1.0}}), "b.json"
    )
    assert [len(game.record.messages) for game in read.games] == ([5] if is_read else [])
    two = [{key: lines}, {key: lines}]
    assert not read_transcripts(as_bytes({"games": two}), "b.json").games


def test_an_inner_game_has_the_votes_of_its_rounds_and_rounds_that_are_called_otherwise():
    ids = {"Ann": 1, "Bea": 2, "Cid": 3}
    talk = [
        {
            "nr": at,
            "player_id": ids[name],
            "content": text,
            "speech_round": 1 + at // 3,
            "mean": [0.6, 0.8][at % 2],
        }
        for at, (name, text) in enumerate(SAID)
    ]
    rounds = [
        {
            "voting_round": number,
            "votes": [{"voter_id": one, "voted_for": 1 + one % 3} for one in ids.values()],
            "vote_counts": {"1": 1, "2": 1, "3": 1},
        }
        for number in (1, 2)
    ]
    cast = [{"player_id": one, "role": "wolf" if one == 2 else "villager"} for one in ids.values()]
    data = as_bytes(
        {"record": {"game_id": "g", "players": cast, "process": {"talk": talk, "voting": rounds}}}
    )
    mapping = propose_mapping(read_head(data, is_part=False))
    assert mapping.fields["round"] == "round|speech_round"
    (game,) = read_transcripts(data, "a.json").games
    assert [(one.round, one.text) for one in game.record.messages] == [
        (1 + at // 3, text) for at, (_name, text) in enumerate(SAID)
    ]
    assert [(vote.round, vote.voter, vote.target) for vote in game.record.votes] == [
        (number, one, 1 + one % 3) for number in (1, 2) for one in ids.values()
    ]
    assert [player.role for player in game.record.players] == ["villager", "wolf", "villager"]


def test_lines_of_what_each_player_saw_are_no_game():
    seen = {"messages": [{"speaker": name, "content": f"{name} is here."} for name in ("Ann", "Bea", "Cid")]}
    rows = [{"game_id": "g", "round": 1, "agent": name, "seen": seen} for name in ("Ann", "Bea")]
    assert not read_transcripts(b"\n".join(map(as_bytes, rows)), "x.jsonl").games


def test_a_large_file_of_rows_is_not_read_whole_to_look_for_a_log(monkeypatch):
    def refuse(data: bytes, **_options: bool) -> None:
        raise AssertionError(f"{len(data)} bytes at once")

    monkeypatch.setattr(inner_parts, "read_json", refuse)
    rows = b'{"player": "Ann", "text": "Hi."}\n' * 9
    large = b'{"log": ["Ann: Hi."]}\n' + b" " * 4 * 1024 * 1024
    assert [inner_parts.take_lines(data) for data in (rows, large)] == [rows, large]


def test_lists_of_one_length_in_an_object_or_in_each_line_are_rows():
    names, texts = map(list, zip(*SAID, strict=True))
    lists = {"speakers": names, "messages": texts, "thoughts": [f"{name} hides it" for name in names]}
    brief = {key: part[:2] for key, part in lists.items()}
    data = "\n".join(map(json.dumps, [lists, brief]))
    first, second = read_transcripts(data.encode(), "a.jsonl").games
    assert [one.text for one in first.record.messages] == texts
    assert [one.text for one in second.record.messages] == texts[:2]
    assert [(one.kind, one.text) for one in second.private] == [
        ("thought", said) for said in brief["thoughts"]
    ]
    # The beginning of a large file is read in the same way.
    table = read_head(data.encode() + b'\n{"spea', is_part=True)
    assert propose_mapping(table).fields == {
        "player": "speaker",
        "text": "message",
        "thought": "thought",
        "game": "game",
    }
    # With a list of another length nobody knows what belongs together; no name comes back in a list of players.
    for odd in (lists | {"messages": texts[:5]}, {"players": names[:3], "messages": texts[:3]}):
        assert read_transcripts(f"{data}\n{json.dumps(odd)}".encode(), "a.jsonl").games == []


def test_where_no_known_column_names_anybody_an_unknown_one_is_proposed():
    rows = [{"NAME": "", "COLORNAME": name, "MESSAGE": said} for name, said in SAID]
    read = read_transcripts(json.dumps({"ChatMessages": rows}).encode(), "a.json")
    assert (read.games, [fault.code for fault in read.faults]) == ([], ["unknown_columns"])
    table = read_head(json.dumps({"ChatMessages": rows}).encode(), is_part=False)
    mapping = propose_mapping(table)
    assert mapping.fields == {"player": "COLORNAME", "text": "MESSAGE"}
    (game,) = read_transcripts(json.dumps({"ChatMessages": rows}).encode(), "a.json", columns=[mapping]).games
    assert [player.name for player in game.record.players] == ["Ann", "Bea", "Cid"]
    # With no other column nobody is to be found.
    nobody = [{"NAME": "", "MESSAGE": said} for _name, said in SAID]
    read = read_transcripts(json.dumps({"ChatMessages": nobody}).encode(), "a.json")
    assert "no_players" in {fault.code for fault in read.faults}


def test_of_a_large_list_only_the_beginning_says_whether_it_is_a_game(monkeypatch):
    looked = []
    monkeypatch.setattr(json_games, "game_id", looked.append)
    assert not json_turns.recognises({"log": [{"who": "Ann", "said": str(at)} for at in range(9_000)]})
    assert len(looked) < 1_000


def test_turns_of_sender_receiver_and_text_wait_and_what_the_environment_tells_is_no_message():
    turns = [
        [
            ["Environment", "Ann", "You are the spy."],
            ["Bea", "Environment", "did nothing"],
            [name, "Environment", f'said: "{said}"'],
        ]
        for name, said in SAID
    ]
    data = json.dumps({"tag": "x", "messages": turns}).encode()
    read = read_transcripts(data, "a.json")
    assert (read.games, [fault.code for fault in read.faults]) == ([], ["unknown_columns"])
    mapping = propose_mapping(read_head(data, is_part=False))
    answered = replace(mapping, kinds={FOR_SOMEBODY: "speech"})
    (game,) = read_transcripts(data, "a.json", columns=[answered]).games
    assert [one.text for one in game.record.messages] == [said for _name, said in SAID]
    assert {player.name for player in game.record.players} == {"Ann", "Bea", "Cid"}
    # Pairs in lists may be rounds, which would be lost.
    rounds = [[[name, said] for name, said in SAID]] * 2
    assert read_transcripts(json.dumps({"rounds": rounds}).encode(), "a.json").games == []


@pytest.mark.parametrize(
    ("column", "numbers", "player"),
    [("B4", "010101", "B4"), ("B4", "000111", None), ("hidden", "010101", None)],
)
def test_two_numbers_that_change_with_each_text_are_proposed_as_the_speakers(column, numbers, player):
    rows = "".join(f'"{said}",{number}\n' for (_name, said), number in zip(SAID, numbers, strict=True))
    mapping = propose_mapping(read_head(f"Unit,{column}\n{rows}".encode(), is_part=False))
    assert (mapping.fields["text"], mapping.fields.get("player")) == ("Unit", player)
