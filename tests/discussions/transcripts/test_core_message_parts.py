"""What a message says in parts, and tables whose columns have odd names."""

import json

import pytest

from discussions.transcripts.core.readers.heads import propose_mapping, read_head
from tests.factories.own_logs import SAID


def propose(data):
    """The fields that are proposed, the texts, and the columns."""
    table = read_head(data if type(data) is bytes else json.dumps(data).encode(), is_part=False)
    fields = propose_mapping(table).fields
    text = table.columns.index(fields["text"])
    return fields, [row.cells[text] for row in table.rows], table.columns


PARTS = {
    "items": lambda text: {"items": [{"content_type": "text", "text": text}]},
    "blocks": lambda text: {"blocks": [{"block_type": "thinking", "text": "hm hm hm"}, {"text": text}]},
    "content": lambda text: {"content": {"parts": [{"text": "hm hm", "thought": True}, {"text": text}]}},
    "calls": lambda text: {
        "parts": [
            {"part_kind": "text", "content": text},
            {"part_kind": "tool-call", "args": {"vote": "Bea"}},
        ]
    },
}


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_what_is_around_the_parts_of_a_message_is_of_the_message(parts):
    rows = [{"name": name, "metadata": {"thread": "hall"}} | parts(text) for name, text in SAID]
    fields, said, columns = propose({"log": {"steps": rows}})
    assert "metadata.thread" in columns
    assert fields["player"] == "name"
    assert said == [text for _name, text in SAID]


def test_a_call_that_may_be_what_is_said_is_a_row():
    calls = [[{"part_kind": "tool-call", "args": {"say": text}}, {"text": "I lie."}] for _name, text in SAID]
    rows = [{"name": name, "parts": part} for (name, _text), part in zip(SAID, calls, strict=True)]
    _fields, _said, columns = propose({"log": {"steps": rows}})
    assert "args.say" in columns


def test_rooms_of_messages_in_parts_are_one_table():
    rooms = {
        room: [{"name": n, "blocks": [{"text": f"{t} {room}"}]} for n, t in SAID]
        for room in ("hall", "den/Ann")
    }
    _fields, _said, columns = propose({"store": rooms})
    assert "channel" in columns


def test_lists_of_listeners_say_who_heard():
    rows = [{"name": name, "content": text, "listeners": ["Ann", "Bea", "Cid"]} for name, text in SAID]
    fields, said, _columns = propose({"steps": rows})
    assert fields["audience"] == "listeners"
    assert said == [text for _name, text in SAID]


def test_a_column_may_be_called_by_a_number_sign():
    rows = [f"{at},1,{name},{json.dumps(text)}" for at, (name, text) in enumerate(SAID)]
    _fields, said, columns = propose("\n".join(["#,day,nick,aloud", *rows]).encode())
    assert columns == ["#", "day", "nick", "aloud"]
    assert said == [text for _name, text in SAID]


def test_messages_that_are_a_few_words_beside_texts_are_types():
    lines = [
        f'ts=2025-01-01T00:00:0{at % 10}Z msg=speech agent={n} text="{t}"' for at, (n, t) in enumerate(SAID)
    ]
    fields, _said, _columns = propose("\n".join(lines).encode())
    assert (fields["type"], fields["text"]) == ("msg", "text")
