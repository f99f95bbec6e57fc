"""Own JSON, chats and tables in which an unknown key says who could hear a message, or the game stands otherwise."""

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from typing import Any

import pytest
from msgspec.structs import replace

from discussions.core.records import GameRecord
from discussions.transcripts.core.audience import PRIVATE, SPEECH
from discussions.transcripts.core.readers.columns import read_recipe, write_recipe
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.own_logs import CANARY, SAID, lines
from tests.factories.reading import read_transcripts

NAMES = ["Ann", "Bea", "Cid"]
NAMED = "a player's name"
VOTES = [("Ann", "Bea"), ("Bea", "Cid")]


def secret(index: int) -> str:
    return f"{CANARY}, and that is thought {index}"


def twice(shape) -> list[dict[str, Any]]:
    """Before each message a private one; the shape takes who could hear it."""
    return [
        {"speaker": name, "text": text} | shape(hearers)
        for index, (name, said) in enumerate(SAID)
        for text, hearers in ((secret(index), [name]), (said, NAMES))
    ]


def whole(rows: list[Any], **around: Any) -> bytes:
    return json.dumps({"id": "g", "messages": rows} | around).encode()


def chat(rows: list[dict[str, Any]]) -> bytes:
    renamed = [
        {"role": "assistant", "name": row.pop("speaker"), "content": row.pop("text")} | row for row in rows
    ]
    return json.dumps({"messages": renamed}).encode()


SHAPES: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "flags": lambda hearers: {"heard": {name: name in hearers for name in NAMES}},
    "numbers": lambda hearers: {"visible_for": {name: int(name in hearers) for name in NAMES}},
    "unknown flags": lambda hearers: {"awake": {name: name in hearers for name in NAMES}},
    "unknown list": lambda hearers: {"ears": hearers},
    "list of flags": lambda hearers: {"ears": [name in hearers for name in NAMES]},
    "text or list": lambda hearers: {"ears": "*" if len(hearers) > 1 else hearers},
    "text or name": lambda hearers: {"ears": "*" if len(hearers) > 1 else hearers[0]},
    "all or nobody": lambda hearers: {"reaches": "all of us" if len(hearers) > 1 else []},
    "list of all or nobody": lambda hearers: {"reaches": ["*"] if len(hearers) > 1 else []},
    "flags or nobody": lambda hearers: {"ears": dict.fromkeys(NAMES, True) if len(hearers) > 1 else {}},
    "known ids": lambda hearers: {"private": [NAMES.index(hearers[0])] if len(hearers) == 1 else None},
    "known name": lambda hearers: {"private": hearers[0] if len(hearers) == 1 else None},
    "marks": lambda hearers: {"ears": "".join("x" if name in hearers else "-" for name in NAMES)},
    "ids or all": lambda hearers: {
        "lane": -1 if len(hearers) > 1 else [NAMES.index(name) for name in hearers]
    },
    "unknown channel": lambda hearers: {"channel": "open" if len(hearers) > 1 else "burrow"},
    "mask": lambda hearers: {"bits": sum(1 << NAMES.index(name) for name in hearers)},
    "objects": lambda hearers: {"delivered": [{"player": name, "at": 1} for name in hearers]},
    "known objects": lambda hearers: {"recipients": [{"name": name} for name in hearers]},
    "nested": lambda hearers: {"meta": {"route": {"ends": hearers}}},
    "beside": lambda hearers: {"to": {"names": hearers}},
    "kwargs": lambda hearers: {"extra": {"visibility": "all" if len(hearers) > 1 else "self"}},
}


TOLD_APART: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "level": lambda hearers: {"level": 0 if len(hearers) > 1 else 2},
    "two words": lambda hearers: {"voice": "full" if len(hearers) > 1 else "in petto"},
    "count": lambda hearers: {"who_heard": len(hearers) - 1},
    "state": lambda hearers: {"state": "posted" if len(hearers) > 1 else "dropped"},
    "flag": lambda hearers: {"meta": {"veiled": len(hearers) == 1}},
    "task": lambda hearers: {
        "job": "Mull it over now." if len(hearers) == 1 else "Turn to those who are here."
    },
}


@pytest.mark.parametrize("name", TOLD_APART)
@pytest.mark.parametrize("form", [lines, whole, chat], ids=["lines", "object", "chat"])
@pytest.mark.parametrize(
    "beside", [{}, {"type": "speech"}, {"phase": "talk"}], ids=["alone", "type", "phase"]
)
def test_a_key_of_few_values_that_tells_apart_what_a_player_says_in_a_round_is_asked_about(
    name, form, beside
):
    told = twice(TOLD_APART[name])
    told += [row | {"text": f"{row['text']} Yes."} for row in told[:1] + told[1::2] * 2]
    rows = [row | beside | {"round": 1 + index % 12 // 6} for index, row in enumerate(told)]
    if "type" in beside and form is not chat:
        rows += [{"speaker": "Ann", "round": 2, "type": "vote", "target": "Bea"}]
    data = form(*rows) if form is lines else form(rows)
    assert {fault.code for fault in read_transcripts(data, "log.json").faults} == {"unknown_columns"}
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    assert len(find_questions(table, mapping)) == 2


@pytest.mark.parametrize("key", ["name", "description"])
@pytest.mark.parametrize("around", ["tasks_output", "outputs"])
def test_the_raw_outputs_of_tasks_are_proposed_and_asked_about_by_what_was_to_be_done(key, around):
    tasks = [
        {"description": "Day 1: do as you like.", "raw": row["text"], "agent": row["speaker"]}
        | {key: f"{'reflect' if row['text'].startswith(CANARY) else 'address those who are'} here"}
        for row in twice(lambda _hearers: {})
    ]
    data = json.dumps({"raw": "Over.", around: tasks}).encode()
    assert read_transcripts(data, "a.json").games == []
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    asked = [question.value for question in find_questions(table, mapping)]
    assert asked == ["address those who are here"]
    record = read_first_game(table, mapping, "a", "a", {}).record
    assert record is not None
    assert [message.text for message in record.messages] == [text for _name, text in SAID]


@pytest.mark.parametrize(("open_sign", "other"), [(0, 2), ("low", "high")])
def test_who_speaks_once_in_each_round_may_whisper_there_and_a_recipe_knows_it(open_sign, other):
    rows = [
        {"speaker": name, "round": n, "act": "speak", "text": f"{name} says {n}.", "veil": open_sign}
        for n in (1, 2, 3)
        for name in NAMES
    ]
    rows[4] |= {"text": secret(4), "veil": other}
    table = read_head(lines(*rows), is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    asked = [question.value for question in find_questions(table, mapping)]
    assert asked == ([f"veil: {open_sign}", f"veil: {other}"] if open_sign == 0 else [open_sign, other])
    kinds = {value.casefold(): PRIVATE if str(other) in value else SPEECH for value in asked}
    # In another file only one player has each value.
    others = [row for row in rows if row["speaker"] != "Bea"] + rows[4:5]
    (game,) = read_transcripts(lines(*others), "b.jsonl", columns=[replace(mapping, kinds=kinds)]).games
    assert len(game.record.messages) == len(rows) - len(NAMES)


@pytest.mark.parametrize(("key", "asks"), [("subround", False), ("talk_step", False), ("night_turn", True)])
def test_what_counts_within_a_round_says_nothing_of_who_heard_it(key, asks):
    told = twice(lambda hearers: {key: 1 if len(hearers) > 1 else 2})
    rows = [row | {"type": "speech", "round": 1 + at // 6} for at, row in enumerate(told)]
    for types, is_asked in ((["speech"], True), (["speech", "vote"], asks)):
        table = read_head(
            lines(*rows, *({"type": kind, "speaker": "Ann", "round": 2} for kind in types)), is_part=False
        )
        assert table is not None
        assert bool(find_questions(table, propose_mapping(table))) == is_asked


def test_a_key_with_few_words_that_come_back_may_be_a_type_of_rows():
    rows = [
        {"speaker": name, "text": said, "lane": "ab"[index % 2]} for index, (name, said) in enumerate(SAID)
    ]
    assert {fault.code for fault in read_transcripts(whole(rows), "log.json").faults} == {"unknown_columns"}
    rows = [row | {"lane": row["speaker"][0]} for row in rows]
    assert len(read_transcripts(whole(rows), "log.json").games) == 1


def test_a_text_that_is_nothing_but_a_vote_or_a_command_is_no_speech():
    talk = [{"speaker": name, "text": said, "round": 1} for name, said in SAID]
    acts = ["VOTE: Bea", "!lynch cid_", "##vote none", "!see Ann", "!votes"]
    others = [
        "Vote: all of you",
        "...sure Ann",
        "#fun",
        "!important",
        "#trust Ann",
        "/agree Bea",
        ".thanks Ann",
    ]
    rows = [{"speaker": "Ann", "round": at, "text": text} for at, text in enumerate([*acts, *others], 2)]
    (game,) = read_transcripts(lines(*talk, {"speaker": "cid_", "text": "Yes."}, *rows), "log.jsonl").games
    names = [player.name for player in game.record.players]
    votes = [(names[vote.voter - 1], names[vote.target - 1]) for vote in game.record.votes]
    assert votes == [("Ann", "Bea"), ("Ann", "cid_")]
    assert [message.text for message in game.record.messages[-7:]] == others
    assert len(game.record.messages) == len(talk) + 8


def test_lists_of_messages_within_an_object_beside_the_talk_are_asked_about():
    talk = [{"player": name, "text": said} for name, said in SAID]
    asked = {"note": "each alone", "answers": [{"player": "Ann", "text": secret(1)}]}
    data = json.dumps(
        {"rounds": [{"round": n, "discussion": talk[3 * n : 3 * n + 3], "exit_polls": asked} for n in (0, 1)]}
    )
    assert {fault.code for fault in read_transcripts(data.encode(), "log.json").faults} == {"unknown_columns"}


@pytest.mark.parametrize("key", ["confidence", "sentiment", "mood", "truncated", "trust_level"])
def test_how_something_is_said_is_left_out_without_a_question(key):
    values = (3, 5, 1, 5) if key == "confidence" else ("low", "high")
    rows = [
        row | {"round": 1, key: values[at % len(values)]} for at, row in enumerate(twice(lambda _hearers: {}))
    ]
    (game,) = read_transcripts(whole(rows), "log.json").games
    assert len(game.record.messages) == len(rows)


def test_lists_like_the_talk_beside_it_are_kept_apart_and_asked_about():
    talk = [{"wer": name, "was": said} for name, said in SAID]
    rounds = [
        {"tag": n, "platz": talk[3 * n : 3 * n + 3], "bau": [{"wer": "Bea", "was": secret(n)}]}
        for n in (0, 1)
    ]
    table = read_head(json.dumps({"spiel": "g", "tage": rounds}).encode(), is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    asked = [question.value for question in find_questions(table, mapping)]
    assert asked == ["platz", "bau"]
    kinds = {"platz": SPEECH, "bau": PRIVATE}
    first = read_first_game(table, replace(mapping, kinds=kinds), "f", "f", {})
    assert first.record is not None
    assert [len(first.record.messages), len(first.private)] == [6, 2]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("form", [lines, whole, chat], ids=["lines", "object", "chat"])
def test_a_key_that_may_say_who_heard_a_message_hides_it_or_is_asked_about(name, form):
    rows = twice(SHAPES[name])
    data = form(*rows) if form is lines else form(rows)
    read = read_transcripts(data, "log.json")
    codes = {fault.code for fault in read.faults if not fault.is_warning}
    assert codes == set() or (read.games == [] and codes == {"unknown_columns"})
    records: list[GameRecord | None] = [game.record for game in read.games]
    if codes:
        table = read_head(data, is_part=False)
        assert table is not None
        mapping = propose_mapping(table)
        asked = {question.value.casefold(): PRIVATE for question in find_questions(table, mapping)}
        records = [read_first_game(table, replace(mapping, kinds=asked | mapping.kinds), "f", "f", {}).record]
    assert CANARY not in str([record.messages for record in records if record])


def test_unknown_keys_of_seats_or_lists_are_proposed_with_a_question():
    seats = [{"rnd": 1, "src": at % 3, "dst": -1, "payload": said} for at, (_name, said) in enumerate(SAID)]
    ears = [{"mouth": name, "ears": "*", "words": said} for name, said in SAID]
    told = seats[0] | {"dst": 2, "payload": secret(1)}, ears[0] | {"ears": ["Cid"], "words": secret(1)}
    table = {
        "table": 5,
        "packets": [*seats, told[0]],
        "seats": {str(at): name for at, name in enumerate(NAMES)},
    }
    for data in (json.dumps(table).encode(), lines(*ears, told[1])):
        head = read_head(data, is_part=False)
        assert head is not None
        mapping = propose_mapping(head)
        asked = {one.value: PRIVATE for one in find_questions(head, mapping)}
        assert NAMED in asked
        kinds = asked | {"-1": SPEECH}
        record = read_first_game(head, replace(mapping, kinds=kinds), "f", "f", {}).record
        assert record is not None
        said = [(record.players[one.player - 1].name, one.text) for one in record.messages]
        assert said == SAID


def test_one_list_in_the_last_row_is_asked_about():
    rows = [{"speaker": name, "text": text} for name, text in SAID]
    read = read_transcripts(lines(*rows, rows[0] | {"text": "Psst.", "ears": ["Ann"]}), "log.jsonl")
    assert ({fault.code for fault in read.faults}, read.games) == ({"unknown_columns"}, [])


HONEST: dict[str, Callable[[int, str, str], dict[str, Any]]] = {
    "alive": lambda index, name, said: {"alive": NAMES},
    "fewer alive": lambda index, name, said: {"alive": NAMES[: 3 - (index > 2)]},
    "mentions": lambda index, name, said: {"people": [one for one in NAMES if one in said]},
    "reactions": lambda index, name, said: {"reactions": [{"user": NAMES[index % 3], "emoji": "+1"}]},
    "claims": lambda index, name, said: {"claims": {"Bea": "wolf"} if index % 2 else {}},
    "scores": lambda index, name, said: {"trust": dict.fromkeys(NAMES, index / 7)},
    "replies": lambda index, name, said: {"replies_to": NAMES[index % 3]},
}


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize("form", [whole, chat], ids=["object", "chat"])
def test_lists_of_players_that_say_something_else_are_not_asked_about(name, form):
    rows = [{"speaker": n, "text": t} | HONEST[name](i, n, t) for i, (n, t) in enumerate(SAID)]
    read = read_transcripts(form(rows), "log.json")
    assert [fault for fault in read.faults if not fault.is_warning] == []
    assert [message.text for message in read.games[0].record.messages] == [text for _name, text in SAID]


def keyed(shape: str) -> dict[str, Any]:
    """The messages in two rounds, under keys of this shape."""
    halves = enumerate((SAID[:3], SAID[3:]), start=1)
    return {shape.format(n): [{"speaker": who, "text": text} for who, text in half] for n, half in halves}


@pytest.mark.parametrize("shape", ["cycle_{}", "phase{}", "R{}", "stage-{}", "day{}_talk", "{}"])
@pytest.mark.parametrize("is_inner", [True, False])
def test_a_number_in_the_keys_of_one_level_is_the_round(shape, is_inner):
    talk = {"history": keyed(shape)} if is_inner else keyed(shape) | {"winner": "x"}
    (game,) = read_transcripts(json.dumps({"id": "g", "players": NAMES} | talk).encode(), "g.json").games
    assert [message.round for message in game.record.messages] == [1, 1, 1, 2, 2, 2]


def test_numbers_of_agents_are_no_rounds():
    (game,) = read_transcripts(json.dumps({"id": "g", "logs": keyed("agent_{}")}).encode(), "g.json").games
    assert {message.round for message in game.record.messages} == {1}


def told(*texts: str, **named: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts] + [
        {"role": "assistant", "name": name, "content": text} for name, text in named.items()
    ]


ANSWER = {"role": "assistant", "content": "I trust Bea."}
CONTEXTS = {
    "instructed": [{"role": "system", "content": "You are Ann."}, *told("Begin."), ANSWER],
    "told again": [*told("Begin.", "Go on."), ANSWER],
    "labels": [*told("[Round 1] Bea: Hello."), ANSWER],
    "addressed": [*told("Your turn: you are the wolf."), ANSWER],
    "beside names": told("You are the wolf, Bea.", Ann="Hello.", Bea="Good day."),
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_what_one_model_was_told_is_no_game(name):
    read = read_transcripts(json.dumps({"messages": CONTEXTS[name]}).encode(), "log.json")
    assert (read.games, {fault.code for fault in read.faults if not fault.is_warning}) == ([], {"no_names"})


def test_labels_of_a_chat_that_may_be_no_players_are_asked_about_unless_it_lists_them():
    messages = [{"role": "assistant", "name": name, "content": text} for name, text in SAID]
    messages.append({"role": "assistant", "name": "Wolves", "content": "Tonight Ann."})
    read = read_transcripts(json.dumps({"messages": messages}).encode(), "log.json")
    assert ({fault.code for fault in read.faults}, read.games) == ({"unknown_columns"}, [])
    listed = {"messages": messages, "players": [{"name": name} for name in (*NAMES, "Wolves")]}
    (game,) = read_transcripts(json.dumps(listed).encode(), "log.json").games
    assert len(game.record.messages) == len(SAID) + 1


def wide() -> bytes:
    rows = ["Round," + ",".join(f"{name}_{kind}" for name in NAMES for kind in ("speech", "scratchpad"))]
    for start in (0, 3):
        cells = [f'"{text}","{secret(start)}"' for _name, text in SAID[start : start + 3]]
        rows.append(f"{start // 3 + 1}," + ",".join(cells))
    return "\n".join(rows).encode()


def parts(text: str, thought: str) -> list[dict[str, str]]:
    return [{"type": "thinking", "thinking": thought}, {"type": "text", "text": text}]


def call(name: str, text: str) -> dict[str, str]:
    return {"name": name, "arguments": json.dumps({"text": text})}


def csv_of(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    out = StringIO()
    csv.writer(out).writerows([header, *rows])
    return out.getvalue().encode()


SHAPED = {
    "fenced": lines(
        *(
            {"player": n, "raw": f"```json\n{json.dumps({'private_reasoning': secret(i), 'statement': t})}\n```"}
            for i, (n, t) in enumerate(SAID)
        )
    ),
    "parts": lines(*({"player": n, "content": parts(t, secret(i))} for i, (n, t) in enumerate(SAID))),
    "calls": lines(
        *(
            {"agent": n, "content": None, "function_call": call(name, text)}
            for i, (n, t) in enumerate(SAID)
            for name, text in (("update_notes", secret(i)), ("speak_to_all", t))
        )
    ),
    "observers": lines(
        *({"event_id": i, "observer": who, "speaker": n, "text": t} for i, (n, t) in enumerate(SAID) for who in NAMES)
    ),
    "pairs": json.dumps({"id": "g", "rounds": [{"players": NAMES, "debate": SAID[:3]}, {"debate": SAID[3:]}]}).encode(),
    "seats": whole(
        [
            {"from_seat": NAMES.index(n) + 1, "to_seats": seats, "text": text}
            for i, (n, t) in enumerate(SAID)
            for seats, text in (([NAMES.index(n) + 1], secret(i)), ([1, 2, 3], t))
        ],
        players=[{"seat": seat, "name": name} for seat, name in enumerate(NAMES, 1)],
    ),
    "modules": lines(
        *(
            {"sent_from": n, "content": text, "cause_by": f"games.werewolf.{kind}"}
            for i, (n, t) in enumerate(SAID)
            for kind, text in (("reflect.Reflect", secret(i)), ("actions.Speak", t))
        )
    ),
    "comments": b"# run 7, all players\n# seed 3\nplayer\ttext\n" + "\n".join(map("\t".join, SAID)).encode(),
    "two tables": b"player,role,model\nAnn,SEER,x\nBea,TOWN,x\nCid,WOLF,x\n\nplayer;text\n".replace(b";", b",")
    + "\n".join(f'{n},"{t}"' for n, t in SAID).encode(),
    "wide": wide(),
    "titles": b"An evening;;;\n;;;\nRd.;Who?;Said aloud;Finger at\n"
    + "\n".join(f"{1 + i // 3};{n};{t};{NAMES[i % 2]}" for i, (n, t) in enumerate(SAID)).encode(),
    "a column each": csv_of(("day", "kind", *NAMES), (
        (f"{1 + i // 3}", "say", *(t if n == name else "" for name in NAMES)) for i, (n, t) in enumerate(SAID)
    )),
    "objects in cells": csv_of(("name", "inputs", "outputs"), (
        ("discuss", json.dumps({"player": n}), json.dumps({"speech": t, "thoughts": secret(i)}))
        for i, (n, t) in enumerate(SAID)
    )),
    "no value": csv_of(("sender", "recipient", "note", "body"), (
        row for i, (n, t) in enumerate(SAID) for row in ((n, "NULL", "x", t), (n, NAMES[i % 2], "", secret(i)))
    )),
    "name and sentence": json.dumps({"roles": dict.fromkeys(NAMES, "x"), "days": {
        f"day_{day}": {"night": {"wolves": [{"Cid": secret(1)}, {"Ann": secret(2)}]}, "talk": [{n: t} for n, t in said]}
        for day, said in enumerate((SAID[:3], SAID[3:]), 1)
    }}).encode(),
    "bars": ("id|day|author|text\n" + "\n".join(f"{i}|{1 + i // 3}|{n}|{t}" for i, (n, t) in enumerate(SAID))).encode(),
    "texts": json.dumps([f"{n}: {t}" for n, t in SAID]).encode(),
    "columns of values": json.dumps({
        key: {str(i): cell for i, cell in enumerate(cells)}
        for key, cells in (("who", [n for n, _t in SAID]), ("inwardly", [secret(i) for i in range(6)]),
                           ("spoken", [t for _n, t in SAID]))
    }).encode(),
    "constructors": json.dumps({"values": {"messages": [
        {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {"content": t, "name": n}} for n, t in SAID
    ]}}).encode(),
    "answers of steps": lines(*(
        {"event": "done", "task": "talk", "agent": {"role": n}, "output": {"raw": t, "tokens": i}}
        for i, (n, t) in enumerate(SAID)
    )),
}  # fmt: skip
QUESTIONS = {
    "seats": {NAMED: "private"},
    "no value": {NAMED: "private"},
    "answers of steps": {"done": "speech"},
}


@pytest.mark.parametrize("name", SHAPED)
def test_games_that_stand_otherwise_are_read_at_once_or_by_one_recipe(name):
    data = SHAPED[name]
    read = read_transcripts(data, "log.txt")
    if not read.games:
        assert {fault.code for fault in read.faults} == {"unknown_columns"}
        table = read_head(data, is_part=False)
        assert table is not None
        mapping = propose_mapping(table)
        answers = QUESTIONS.get(name, {})
        assert {question.value for question in find_questions(table, mapping)} == set(answers)
        recipe = read_recipe(write_recipe("log", replace(mapping, kinds=answers | mapping.kinds)))[1]
        read = read_transcripts(data, "log.txt", columns=[recipe])
    (game,) = read.games
    names = [player.name for player in game.record.players]
    assert sorted(names) == NAMES
    assert [(names[message.player - 1], message.text) for message in game.record.messages] == SAID


@pytest.mark.parametrize("second", ["player,text\nAnn,Psst.\n", "voter,target\nAnn,Bea\n"])
def test_several_tables_of_messages_or_votes_are_refused(second):
    first = "player,text\n" + "".join(f'{name},"{text}"\n' for name, text in SAID)
    (fault,) = read_transcripts(f"{first}\n{second}".encode(), "log.csv").faults
    assert fault.code == "several_tables"


def test_a_second_column_called_like_players_still_says_who_heard_a_row():
    rows = [("generation", "wolf_den_talk", n, secret(i)) for i, (n, _t) in enumerate(SAID[:2])]
    rows += [("generation", "speak_to_village", n, t) for n, t in SAID]
    data = csv_of(("type", "name", "metadata.player", "output"), rows)
    table = read_head(data, is_part=False)
    assert table is not None
    proposed = propose_mapping(table)
    assert (proposed.fields["type"], proposed.fields["player"]) == ("name", "metadata.player")
    # Somebody may keep the type that the file calls so.
    fields = proposed.fields | {"type": "type"}
    recipe = read_recipe(
        write_recipe("log", replace(proposed, fields=fields, kinds={"generation": "speech"}))
    )[1]
    read = read_transcripts(data, "log.csv", columns=[recipe])
    assert not any(CANARY in message.text for game in read.games for message in game.record.messages)


PHASED = [("day_chat", n, t) for n, t in SAID] + [("vote", n, target) for n, target in VOTES]
ROWS_OF_VOTES = {
    "type": lines(
        *({"player": name, "type": "speech", "text": text} for name, text in SAID),
        *({"player": voter, "type": "vote", "text": target} for voter, target in VOTES),
    ),
    "phase": csv_of(("phase", "speaker", "text"), [*PHASED, ("hanged", "Bea", "")]),
}


@pytest.mark.parametrize("name", ROWS_OF_VOTES)
def test_a_vote_may_have_its_target_as_text(name):
    (game,) = read_transcripts(ROWS_OF_VOTES[name], "log.txt").games
    names = [player.name for player in game.record.players]
    assert [(names[vote.voter - 1], names[vote.target - 1]) for vote in game.record.votes] == VOTES
    assert len(game.record.messages) == len(SAID)
    gone = [(names[one.player - 1], one.how) for one in game.record.eliminations]
    assert gone == ([("Bea", "hanged")] if name == "phase" else [])


def test_what_stands_around_messages_says_who_heard_them():
    heard = {"visibility": "werewolves", "messages": [{"speaker": "Cid", "text": secret(n)} for n in (1, 2)]}
    said = {"visibility": "public", "messages": [{"speaker": name, "text": text} for name, text in SAID]}
    (game,) = read_transcripts(
        json.dumps({"rounds": [{"number": 1, "phases": [heard, said]}]}).encode(), "g.json"
    ).games
    assert [message.text for message in game.record.messages] == [text for _name, text in SAID]
    assert [entry.text for entry in game.private] == [secret(1), secret(2)]


def test_messages_under_their_ids_are_read_and_rows_that_say_nothing_begin_rounds():
    turns = {f"turn_{index:02}": {"speaker": name, "text": text} for index, (name, text) in enumerate(SAID)}
    (game,) = read_transcripts(json.dumps({"id": "g", "turns": turns}).encode(), "g.json").games
    assert [message.text for message in game.record.messages] == [text for _name, text in SAID]
    rows: list[dict[str, Any]] = [{"type": "message", "player": name, "text": text} for name, text in SAID]
    rows[3:3] = [{"type": "DayStarted", "round": 2}]
    (game,) = read_transcripts(lines(*rows), "g.jsonl").games
    assert [message.round for message in game.record.messages] == [1, 1, 1, 2, 2, 2]


def test_the_name_of_a_span_is_no_player_beside_one():
    spans = [
        {"name": kind, "inputs": {"player": name, "day": 1}, "outputs": said}
        for at in range(3)
        for name, other in VOTES
        for kind, said in (("speak", {"statement": f"I doubt {other}, {at}."}), ("vote", {"target": other}))
    ]
    mapping = propose_mapping(read_head(json.dumps({"spans": spans}).encode(), is_part=False))
    assert mapping.fields["player"] == "inputs.player"


def test_flags_under_a_name_without_words_are_proposed_as_types():
    names = ("Ann", "Bea", "Cid")
    rows = [
        {"round": 1, "player": name, "text": f"{at}. Hello.", "1": at % 2}
        for name in names
        for at in range(4)
    ]
    mapping = propose_mapping(read_head("\n".join(map(json.dumps, rows)).encode(), is_part=False))
    assert mapping.fields["type"] == "1"


@pytest.mark.parametrize(("night", "day"), [("night", "day"), ("Night falls.", "The day begins.")])
def test_rows_of_nobody_say_where_nights_begin(night, day):
    plans = [
        {"event": "speech", "speaker": name, "text": f"{CANARY}: we take {other}."} for name, other in VOTES
    ]
    talk = [{"event": "speech", "speaker": name, "text": text} for name, text in SAID]
    ballots = [{"event": "vote", "speaker": name, "target": other} for name, other in VOTES]
    parts = [{"event": "cycle", "text": text} for text in (night, day)]
    rows = [row for part in (talk[:3], talk[3:]) for row in (parts[0], *plans, parts[1], *part, *ballots)]
    data = lines(*rows)
    head = read_head(data, is_part=False)
    assert head is not None
    game = read_first_game(head, propose_mapping(head), "f", "f", {})
    assert game.record is not None
    assert [(one.round, one.text) for one in game.record.messages] == [
        (1 + at // 3, text) for at, (_name, text) in enumerate(SAID)
    ]
    assert ([vote.round for vote in game.record.votes], len(game.private)) == ([1, 1, 2, 2], 4)
