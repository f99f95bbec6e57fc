"""Several games in one JSON file, and rounds and channels of one: which they are is seen, or asked."""

import json

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.readers.columns import GAMES as SETTING
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from discussions.transcripts.core.readers.rows import find_restarts
from tests.factories.effort import count_calls
from tests.factories.reading import read_transcripts

NAMES = ("Ann", "Bea", "Cid", "Dee")


def talk(game, rounds=(1, 2), names=NAMES):
    """Round, name and text of what each says in each round."""
    return [
        (number, name, f"{name} says of game {game} in round {number}.")
        for number in rounds
        for name in names
    ]


def plain(row):
    return {"speaker": row[1], "text": row[2]}


def numbered(row):
    return {"day": row[0], **plain(row)}


def by_round(rows):
    return [[plain(row) for row in rows if row[0] == number] for number in sorted({row[0] for row in rows})]


def read(value):
    return read_transcripts(json.dumps(value).encode(), "log.json")


def told(game):
    players = [player.name for player in game.record.players]
    return [(row.round, players[row.player - 1], row.text) for row in game.record.messages]


GAMES = [talk(game) for game in "abc"]
SEVERAL = {
    "a list called matches": {"run": 1, "matches": [{"events": list(map(numbered, rows))} for rows in GAMES]},
    "objects under numbered keys": {f"m{at}": {"log": list(map(numbered, GAMES[at]))} for at in range(3)},
    "objects under ids": {f"3f{at}c-9": {"log": list(map(numbered, GAMES[at]))} for at in range(3)},
    "lists under numbered keys": {f"game_{at}": list(map(numbered, GAMES[at])) for at in range(3)},
    "lists in a list": [list(map(numbered, rows)) for rows in GAMES],
    "objects of a batch": {
        "batch": dict(zip("xyz", ({"days": by_round(rows)} for rows in GAMES), strict=True))
    },
    "runs of experiments": {
        "experiments": [
            {"model": "one", "runs": [{"log": list(map(numbered, rows))} for rows in GAMES[:2]]},
            {"model": "two", "runs": [{"log": list(map(numbered, GAMES[2]))}]},
        ]
    },
    "rounds without numbers": {
        "replays": [{"rounds": [{"messages": part} for part in by_round(rows)]} for rows in GAMES]
    },
    "rounds that begin again": {
        "items": [{"input": {"seed": 7}, "output": {"log": list(map(numbered, rows))}} for rows in GAMES]
    },
    "a list of objects with rounds": [
        {"rounds": [{"messages": part} for part in by_round(rows)]} for rows in GAMES
    ],
}
SEVERAL["objects of a batch"] = {
    "batch": {
        name: {"days": [{"talk": part} for part in by_round(rows)]}
        for name, rows in zip("xyz", GAMES, strict=True)
    }
}


@pytest.mark.parametrize("value", SEVERAL.values(), ids=SEVERAL)
def test_several_games_in_a_file_are_several(value):
    found = read(value)
    assert [told(game) for game in found.games] == GAMES
    assert [fault for fault in found.faults if not fault.is_warning] == []


SUB = [
    (day, turn, name, f"{name} on day {day}, turn {turn}.")
    for day in (1, 2)
    for turn in (1, 2)
    for name in NAMES
]
NESTED = {
    "rounds of each day": {
        "days": [
            {
                "day": day,
                "talk": [
                    {"round": turn, "speaker": name, "text": text}
                    for at, turn, name, text in SUB
                    if at == day
                ],
            }
            for day in (1, 2)
        ]
    },
    "lists of rounds of each day": {
        "days": [
            {
                "day": day,
                "rounds": [
                    {"round": turn, "messages": [plain(row[1:]) for row in SUB if row[:2] == (day, turn)]}
                    for turn in (1, 2)
                ],
            }
            for day in (1, 2)
        ]
    },
    "keys": {
        "log": {
            f"day{day}": {
                f"round{turn}": [plain(row[1:]) for row in SUB if row[:2] == (day, turn)] for turn in (1, 2)
            }
            for day in (1, 2)
        }
    },
    "named phases": {
        "phases": [
            {
                "name": f"Day {day}",
                "talk": [{"round": row[1], **plain(row[1:])} for row in SUB if row[0] == day],
            }
            for day in (1, 2)
        ]
    },
    "a list of cycles": [
        {"cycle": day, "talk": [{"round": row[1], **plain(row[1:])} for row in SUB if row[0] == day]}
        for day in (1, 2)
    ],
}


@pytest.mark.parametrize("value", NESTED.values(), ids=NESTED)
def test_rounds_that_begin_again_with_each_day_are_no_rounds_of_the_game(value):
    (game,) = read(value).games
    assert told(game) == [(day, name, text) for day, _turn, name, text in SUB]


PACK = talk("the pack alone", names=NAMES[:2])
SQUARE, LAIR = list(map(numbered, GAMES[0])), list(map(numbered, PACK))
CHANNELS = {
    "named by an unknown key": {
        "rooms": [{"room": "lair", "chat": LAIR}, {"room": "square", "chat": SQUARE}]
    },
    "a list": [{"room": "lair", "chat": LAIR}, {"room": "square", "chat": SQUARE}],
    "with a title": {
        "episodes": [{"label": "town hall", "turns": SQUARE}, {"label": "hideout", "turns": LAIR}]
    },
    "with members": {
        "groups": [{"members": NAMES, "messages": SQUARE}, {"members": NAMES[:2], "messages": LAIR}]
    },
    "unknown keys": {"a": SQUARE, "b": LAIR},
    "numbered keys": {"chat_0": SQUARE, "chat_1": LAIR},
    "lists": [SQUARE, LAIR],
    "with rounds inside": {
        name: {f"round_{at}": part for at, part in enumerate(by_round(rows), 1)}
        for name, rows in (("lair", PACK), ("square", GAMES[0]))
    },
    "in a log": {"log": [{"where": "square", "said": SQUARE}, {"where": "lair", "said": LAIR}]},
}


@pytest.mark.parametrize("value", CHANNELS.values(), ids=CHANNELS)
def test_parts_that_may_be_channels_of_one_game_wait(value):
    found = read(value)
    assert (found.games, {fault.code for fault in found.faults}) == ([], {"unknown_columns"})


@pytest.mark.parametrize(
    "value", [{"data": [{"talk": part} for part in by_round(GAMES[0])]}, {"0": SQUARE[:4], "1": SQUARE[4:]}]
)
def test_parts_that_may_be_rounds_or_games_wait(value):
    # Of {"0": ..., "1": ...} the rounds go on, so that they are of one game.
    found = read(value)
    assert bool(found.games) == ("0" in value)
    assert read_head(json.dumps(value).encode(), is_part=False) is not None


@pytest.mark.parametrize("is_object", [True, False])
def test_rounds_that_begin_again_in_one_list_are_one_game_or_several_as_a_person_says(is_object):
    rows = [numbered(row) for game in GAMES for row in game]
    data = json.dumps({"log": rows} if is_object else rows).encode()
    assert read_transcripts(data, "log.json").games == []
    table = read_head(data, is_part=False)
    mapping = propose_mapping(table)
    assert find_restarts(table, mapping) == [8, 16]
    for said, counts in (("one", [24]), ("several", [8, 8, 8])):
        own = replace(mapping, settings=mapping.settings | {SETTING: said})
        found = read_transcripts(data, "log.json", columns=[own])
        assert [len(game.record.messages) for game in found.games] == counts
    (fault,) = read_transcripts(data, "log.json", columns=[mapping]).faults
    assert (fault.place, fault.code) == ("log.json /log/8" if is_object else "log.json /8", "unknown_columns")


def test_games_whose_rounds_begin_at_zero_are_told_apart():
    rows = [{"round": row[0] - 1, **plain(row)} for game in GAMES for row in game]
    data = json.dumps(rows).encode()
    mapping = propose_mapping(read_head(data, is_part=False))
    assert find_restarts(read_head(data, is_part=False), mapping) == [8, 16]
    assert read_transcripts(data, "log.json").games == []


def test_votes_may_follow_all_messages():
    rows = [numbered(row) for row in GAMES[0]]
    rows += [{"day": day, "speaker": "Ann", "text": "", "vote": "Bea"} for day in (1, 2)]
    (game,) = read(rows).games
    assert (len(game.record.messages), [vote.round for vote in game.record.votes]) == (8, [1, 2])


def test_parts_of_one_game_are_no_games():
    parts = {"opening": [plain(row) for row in GAMES[0][:4]], "closing": [plain(row) for row in GAMES[0][4:]]}
    assert len(read({"game": parts}).games) < 2
    steps = {f"step_{at}": part for at, part in enumerate(by_round(GAMES[0]))}
    assert len(read({"simulation": steps}).games) < 2


def test_lists_under_numbers_are_proposed_together():
    value = {str(at): [plain(row) for row in rows] for at, rows in enumerate(GAMES)}
    table = read_head(json.dumps(value).encode(), is_part=False)
    mapping = propose_mapping(table)
    assert (table.settings, mapping.fields["game"]) == ({"list": "*"}, "game")
    found = read_transcripts(json.dumps(value).encode(), "log.json", columns=[mapping])
    assert [len(game.record.messages) for game in found.games] == [8, 8, 8]


@pytest.mark.parametrize(
    "votes",
    [
        {"round_1": {"Ann": "Bea", "Bea": "Ann"}},
        {"1": [{"voter": "Ann", "target": "Bea"}, {"voter": "Bea", "target": "Ann"}]},
    ],
)
def test_votes_of_rounds_beside_the_messages_are_read(votes):
    for key in ("votes", "ballots"):
        (game,) = read({"transcript": list(map(numbered, GAMES[0])), key: votes}).games
        assert [(vote.round, vote.voter, vote.target) for vote in game.record.votes] == [(1, 1, 2), (1, 2, 1)]


def test_whom_votes_are_for_is_seen_by_what_an_unknown_key_holds():
    rows = [{"kind": "talk", **numbered(row)} for row in GAMES[0]]
    rows += [{"kind": "ballot", "day": 2, "speaker": "Ann", "pick": "Bea"}]
    (game,) = read({"seed": 5, "events": rows}).games
    assert [(vote.round, vote.voter, vote.target) for vote in game.record.votes] == [(2, 1, 2)]


def test_rows_of_which_some_hold_messages_are_no_games():
    rows = [{"step": at, "kind": "bid", "agent": name} for at, name in enumerate(NAMES * 3)]
    rows += [{"step": 12, "kind": "chosen", "picked": SQUARE[:4]}]
    assert read(rows).games == []


def test_lists_under_a_key_that_may_hide_are_asked_about():
    value = {"game": 7, "own_eyes_only": [[plain(row) for row in GAMES[0]], [plain(row) for row in GAMES[1]]]}
    table = read_head(json.dumps(value).encode(), is_part=False)
    assert [question.value for question in find_questions(table, propose_mapping(table))] == ["own_eyes_only"]


KILL = [{"speaker": name, "text": f"{name} wants to kill Dee."} for name in NAMES[:2]]


@pytest.mark.parametrize(
    "value",
    [
        {
            "rounds": [{"messages": by_round(GAMES[0])[0]}],
            "wolf_chat": [{"title": "Round 1", "messages": KILL}],
        },
        {"messages": SQUARE, "wolf_chat": [{**row, "phase": "Day 1"} for row in KILL]},
        [{"name": "town", "messages": SQUARE}, {"name": "wolves", "messages": KILL}],
    ],
    ids=["titles", "phases", "names"],
)
def test_what_is_hidden_stays_so_whatever_is_said_inside(value):
    assert "kill" not in str([told(game) for game in read(value).games])


@pytest.mark.parametrize("key", ["wolf_chat_{}", "night_{}"])
def test_numbered_keys_that_hide_hide_in_proposals(key):
    value = {key.format(at): KILL for at in (1, 2)}
    mapping = propose_mapping(read_head(json.dumps(value).encode(), is_part=False))
    assert read_transcripts(json.dumps(value).encode(), "log.json", columns=[mapping]).games == []


def test_a_round_of_many_digits_is_a_fault():
    value = {"log": [{**plain(row), "round": "1" * 5_000} for row in GAMES[0]]}
    assert "wrong_type" in {fault.code for fault in read(value).faults}


def test_names_of_keys_with_signs_are_read():
    chats = [{"id": name, "messages": [{**plain(GAMES[0][0]), "ti|me": 1}] * 2} for name in "xy"]
    assert [len(game.record.messages) for game in read(chats).games] == [2, 2]


def grown(rows):
    """Each round with its number, its messages, and all messages until then."""
    parts = by_round(rows)
    return [
        {"round": at, "messages": part, "history": [row for own in parts[:at] for row in own]}
        for at, part in enumerate(parts, start=1)
    ]


@pytest.mark.parametrize(
    "keys",
    [("messages", "history"), ("history",), ("messages", "record")],
    ids=["both", "the record alone", "the record in other words"],
)
def test_a_record_of_the_whole_talk_in_each_round_is_read_once(keys):
    rows = talk("a", (1, 2, 3))
    parts = grown(rows)
    for part in parts:
        part["record"] = [{"name": row["speaker"], "content": row["text"]} for row in part["history"]]
    (game,) = read({"rounds": [{key: part[key] for key in ("round", *keys)} for part in parts]}).games
    assert told(game) == rows


WINDOW = [
    {"step": at, "history": [numbered(row) for row in talk("a")[max(0, at - 3) : at + 1]]} for at in range(8)
]


@pytest.mark.parametrize(
    "value",
    [
        {"id": "a", "steps": WINDOW},
        WINDOW,
        {"id": "a", "rounds": [{"round": at, "turns": WINDOW[4 * at - 1]["history"]} for at in (1, 2)]},
    ],
)
def test_the_last_turns_at_each_step_are_one_game(value):
    (game,) = read(value).games
    assert told(game) == talk("a")


def test_of_steps_of_several_games_each_names_its_game():
    steps = [{**step, "game_id": game} for game in "ab" for step in WINDOW]
    assert [fault.code for fault in read(steps).faults] == ["unknown_columns"]
    data = json.dumps(steps).encode()
    mapping = propose_mapping(read_head(data, is_part=False))
    games = read_transcripts(data, "log.json", columns=[mapping]).games
    assert [told(game) for game in games] == [talk("a"), talk("a")]


PASSES = [[("Ann", "I pass."), ("Bea", f"I doubt Ann, {at}."), ("Ann", "I pass.")] for at in range(4)]


def spoken(said):
    return [{"speaker": name, "text": text} for name, text in said]


@pytest.mark.parametrize("key", ["messages", "chat"])
def test_what_is_said_at_the_end_and_at_the_beginning_of_rounds_is_said_twice(key):
    (game,) = read(
        {"id": "a", "rounds": [{"round": at + 1, key: spoken(PASSES[at])} for at in range(4)]}
    ).games
    assert [(number, text) for number, _name, text in told(game)] == [
        (at + 1, text) for at in range(4) for _name, text in PASSES[at]
    ]


def test_games_that_begin_and_end_alike_are_several_and_without_ids_they_wait():
    games = [{"id": f"g{at}", "messages": spoken(said)} for at, said in enumerate(PASSES)]
    assert [len(game.record.messages) for game in read({"games": games}).games] == [3] * 4
    assert read([{"messages": game["messages"]} for game in games]).games == []


@pytest.mark.parametrize("change", ["a whisper", "a gap"])
def test_steps_that_do_not_repeat_each_other_whole_wait(change):
    steps = [dict(step) for step in WINDOW]
    if change == "a gap":
        del steps[3:7]
    else:
        steps[5]["history"] = [
            steps[5]["history"][0],
            {"speaker": "Cid", "text": "PSST"},
            *steps[5]["history"][1:],
        ]
    assert read({"id": "a", "steps": steps}).games == []


def test_windows_of_any_rows_are_read_once():
    steps = [
        {"at": at, "state": {"tail": [numbered(row) for row in talk("a")[max(0, at - 2) : at + 1]]}}
        for at in range(8)
    ]
    data = json.dumps([{"topic": "x"}, *steps]).encode()
    mapping = propose_mapping(read_head(data, is_part=False))
    (game,) = read_transcripts(data, "log.json", columns=[mapping]).games
    assert (mapping.settings, told(game)) == ({"list": "state.tail"}, talk("a"))


@pytest.mark.parametrize(
    "thoughts",
    [
        {"thoughts": {"Ann": "It is me.", "Bea": "Is it Ann?"}},
        {"reasoning": {"Ann": {"thought": "It is me."}, "Bea": {"thought": "Is it Ann?"}}},
        {"agent": "Ann", "thought": "It is me."},
    ],
)
def test_what_players_think_beside_the_messages_of_a_round_is_kept_apart(thoughts):
    rounds = [{"round": at, "turns": by_round(talk("a"))[at - 1], **thoughts} for at in (1, 2)]
    (game,) = read({"id": "a", "rounds": rounds}).games
    assert told(game) == talk("a")
    assert {entry.text for entry in game.private} >= {"It is me."}
    assert {entry.kind for entry in game.private} == {"thought"}


def as_lines(number):
    return [f"{name}: {text}" for at, name, text in talk("a") if at == number]


@pytest.mark.parametrize(
    "value",
    [
        {"id": "a", "rounds": [{"round": at, "messages": as_lines(at)} for at in (1, 2)]},
        [{"day": at, "discussion": as_lines(at), "winner": None} for at in (1, 2)],
        {f"round_{at}": as_lines(at) for at in (1, 2)},
    ],
)
def test_texts_that_begin_with_who_speaks_are_messages_of_their_round(value):
    (game,) = read(value).games
    assert told(game) == talk("a")


def test_other_lists_of_texts_in_a_round_are_none():
    rounds = [
        {"round": at, "turns": by_round(talk("a"))[at - 1], "rules": ["Note: be kind", "Hint: lie"]}
        for at in (1, 2)
    ]
    secret = [{**one, "wolf_chat": ["Ann: It is me.", "Bea: And me."]} for one in rounds]
    (game,) = read({"id": "a", "rounds": secret}).games
    assert told(game) == talk("a")
    assert "It is me." not in [message.text for message in game.record.messages]


def test_an_object_with_many_keys_is_looked_through_once():
    def cost(count):
        value = {"log": {f"k{at}x": [plain((1, "Ann", f"Text {at}."))] for at in range(count)}, "x": 1}
        return count_calls(lambda: read(value))

    assert cost(800) < 3 * cost(400)


def test_lists_of_messages_one_a_line_are_games():
    lines = "\n".join(json.dumps(list(map(numbered, rows))) for rows in GAMES)
    assert list(map(told, read_transcripts(lines.encode(), "games.jsonl").games)) == GAMES


def test_of_a_record_only_the_messages_beside_it_are_left_out():
    """A player's name in a vote, and the same words in another round, repeat nothing."""
    log = [
        {"player": name, "text": text}
        for name, text in (("Ann", "Hi"), ("Bea", "Yes"), ("Ann", "Hi"), ("Bea", "Ok"))
    ]
    votes = [{"voter": "Ann", "target": "Bea", "reason": "Hi"}]
    rounds = [
        {"round": at, "votes": votes, "log": log[:count]} for at, count in enumerate((1, 3, 4), start=1)
    ]
    (game,) = read({"rounds": rounds}).games
    assert [(row[0], row[2]) for row in told(game)] == [(1, "Hi"), (2, "Yes"), (2, "Hi"), (3, "Ok")]


@pytest.mark.parametrize("key", ["prompt", "seer", "elimination", "result"])
def test_an_object_beside_messages_is_none_unless_its_key_says_so(key):
    talk_of = [{"player": "Ann", "text": "Hello."}, {"player": "Bea", "text": "Hi."}]
    (game,) = read({"rounds": [{"messages": talk_of, key: {"player": "Ann", "text": "CANARY"}}]}).games
    assert [row[2] for row in told(game)] == ["Hello.", "Hi."]


def test_a_time_of_many_digits_is_only_a_text():
    said = [{"player": "Ann", "text": "Hi.", "time": 10**400}, {"player": "Bea", "text": "Ho.", "time": 3}]
    assert not read([{"name": name, "messages": said} for name in ("town", "wolf")]).games


PARTS = by_round(talk("one", rounds=(1, 2, 3)))
NIGHT = {"night": 1, "messages": [plain((1, "Ann", "CANARY, we two alone."))] * 2}
ROUNDS = {
    "titles": [{"title": f"Day {at}", "messages": part} for at, part in enumerate(PARTS, 1)],
    "titles under other keys": [{"titel": f"Tag {at}", "chat": part} for at, part in enumerate(PARTS, 1)],
    "ids": [{"id": f"day-{at}", "messages": part} for at, part in enumerate(PARTS, 1)],
    "keys of other languages": [{"jour": at, "messages": part} for at, part in enumerate(PARTS, 1)],
    "signs": [{"title": f"第{at}天", "messages": part} for at, part in enumerate(PARTS, 1)],
    "a late winner": [
        {"day": at, "messages": part, "winner": "town" if at == 3 else None}
        for at, part in enumerate(PARTS, 1)
    ],
    "who is left": [
        {"round": at, "players": NAMES[at // 3 :], "messages": part} for at, part in enumerate(PARTS, 1)
    ],
    "nights": [NIGHT, *({"day": at, "messages": part} for at, part in enumerate(PARTS, 1))],
}


@pytest.mark.parametrize("is_list", [True, False])
@pytest.mark.parametrize("parts", ROUNDS.values(), ids=ROUNDS)
def test_a_list_of_rounds_is_one_game(parts, is_list):
    text = json.dumps(parts) if is_list else "\n".join(map(json.dumps, parts))
    (game,) = read_transcripts(text.encode(), "log.json").games
    assert told(game) == talk("one", rounds=(1, 2, 3))
    assert (game.record.winner == "town") == any(part.get("winner") for part in parts)


SCENES = [{"scenes": [{"messages": part[:2]}, {"messages": part[2:]}]} for part in PARTS]


def test_scenes_of_acts_are_rounds_of_one_game_and_of_other_parts_wait():
    (game,) = read({"id": "q", "acts": SCENES}).games
    assert told(game) == talk("one", rounds=(1, 2, 3))
    found = read({"id": "q", "sections": SCENES})
    assert (found.games, {fault.code for fault in found.faults}) == ([], {"unknown_columns"})


MAY_BE = {
    "nothing": [{"messages": part} for part in PARTS],
    "a date": [{"date": f"2026-02-1{at}", "messages": part} for at, part in enumerate(PARTS)],
    "a winner in the last": [{"messages": part} for part in PARTS[:2]]
    + [{"messages": PARTS[2], "winner": "town"}],
}


@pytest.mark.parametrize("parts", MAY_BE.values(), ids=MAY_BE)
def test_objects_with_the_same_players_and_nothing_beside_wait(parts):
    data = "\n".join(map(json.dumps, parts)).encode()
    found = read_transcripts(data, "log.jsonl")
    assert (found.games, {fault.code for fault in found.faults}) == ([], {"unknown_columns"})
    mapping = propose_mapping(read_head(data, is_part=False))
    assert mapping.fields.items() >= {"game": "game", "player": "speaker", "text": "text"}.items()


OTHERS = [[plain((1, f"{name}{at}", text)) for _number, name, text in GAMES[at]] for at in range(3)]


@pytest.mark.parametrize(
    "beside",
    [
        {"id": "a8"},
        {"game_id": 4},
        {"players": NAMES},
        {"title": "Game 4"},
        {"seed": 7},
        {"winner": "town"},
        None,
    ],
)
def test_objects_that_say_that_they_are_games_are_games(beside):
    parts = [{**(beside or {}), "messages": OTHERS[at] if beside is None else PARTS[at]} for at in range(3)]
    for at, part in enumerate(parts):
        part |= {key: f"{part[key]}{at}" for key in {"id", "game_id"} & part.keys()}
    assert len(read(parts).games) == 3


@pytest.mark.parametrize("is_list", [True, False])
@pytest.mark.parametrize(
    ("beside", "count"),
    [
        ([{"gameId": f"day {at}"} for at in (1, 2, 3)], 3),
        ([{"round": at, "players": [*{row["speaker"] for row in OTHERS[at]}]} for at in range(3)], 3),
        ([{"title": f"Day {at}", "seed": at} for at in (1, 2, 3)], 0),
        ([{"title": f"Day {at}", "seed": 1} for at in (1, 2, 3)], 1),
    ],
)
def test_parts_called_rounds_are_games_or_wait_where_they_say_so(beside, count, is_list):
    talks = OTHERS if "players" in beside[0] else PARTS
    parts = [own | {"messages": part} for own, part in zip(beside, talks, strict=True)]
    text = json.dumps(parts) if is_list else "\n".join(map(json.dumps, parts))
    found = read_transcripts(text.encode(), "log.json")
    assert len(found.games) == count
    assert {fault.code for fault in found.faults} == (set() if count else {"unknown_columns"})


UNREAD = {
    "chats": lambda row: {"role": "assistant", "name": row["speaker"], "content": row["text"]},
    "unknown keys": lambda row: {"who": row["speaker"], "line": row["text"]},
}


@pytest.mark.parametrize("written", UNREAD.values(), ids=UNREAD)
@pytest.mark.parametrize("beside", [{"day": "{}"}, {"title": "Day {}"}, {"id": "day-{}"}])
def test_rounds_in_a_list_that_wait_are_proposed_as_one_game(written, beside):
    parts = [
        {key: said.format(at) for key, said in beside.items()} | {"messages": list(map(written, part))}
        for at, part in enumerate(PARTS, 1)
    ]
    data = json.dumps(parts).encode()
    assert read_transcripts(data, "log.json").games == []
    table = read_head(data, is_part=False)
    game = read_first_game(table, propose_mapping(table), "a", "a", {})
    assert (game.game_count, told(game)) == (1, talk("one", rounds=(1, 2, 3)))
