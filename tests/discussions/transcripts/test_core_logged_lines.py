"""Lines that programs print of what they hold: objects of Python, and pairs of a key and a value."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.transcripts.core.logged_lines import as_json_lines
from discussions.transcripts.core.readers.heads import propose_mapping, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.reading import read_transcripts

SAID = [
    ("Ann", 'Hi, Bea: say "it".'),
    ("Bea", "It's you, Ann."),
    ("Cid", "I don't know, Bea."),
    ("Ann", "Bea lies."),
]


def as_objects():
    yield "Player(name='Ann', role=<Role.WOLF: 'Wolf'>, alive=True)"
    for at, (name, text) in enumerate(SAID):
        number = 1 + at // 2
        yield f"Event(round={number}, kind='thought', actor={name!r}, text='CANARY', visible_to=[{name!r}])"
        yield f"Event(round={number}, kind='speech', actor={name!r}, text={text!r}, visible_to=None)"
        yield f"Event(round={number}, kind='vote', actor={name!r}, target='Bea', text=None, visible_to=None)"


def as_pairs():
    yield '2026-01-05T20:00:00Z [info     ] game_started  players=["Ann", "Bea", "Cid"] seed=7'
    for at, (name, text) in enumerate(SAID):
        head, quoted = f"2026-01-05T20:0{at}:00Z [info     ]", text.replace('"', '\\"')
        yield f'{head} thought  day={1 + at // 2} player={name} text="CANARY"'
        yield f'{head} speech   day={1 + at // 2} player={name} text="{quoted}"'
        yield f"{head} vote     day={1 + at // 2} player={name} target=Bea"


def as_headed():
    yield '2026-01-05 20:00:00,123 [GAME] {"event": "game_start", "seed": 7}'
    for at, (name, text) in enumerate(SAID):
        for event, told in (
            ("thought", {"text": "CANARY"}),
            ("speech", {"text": text}),
            ("vote", {"target": "Bea"}),
        ):
            row = {"event": event, "round": 1 + at // 2, "data": {"player": name, **told}}
            yield f"2026-01-05 20:0{at}:00,123 [GAME] {json.dumps(row, indent=2)}"


def test_an_object_below_a_head_is_on_the_line_of_its_head():
    data = (
        '12:00:01 INFO game.engine: {\n "a": 1\n}\nstray\n12:00:02 [GAME] {"a": 2}\n\n[GAME] {"event": "x"}'
    )
    assert as_json_lines(data.encode()).decode().split("\n") == [
        '{"time": "12:00:01", "event": "INFO game.engine", "a": 1}',
        "",
        "",
        '{"line": "stray"}',
        '{"time": "12:00:02", "event": "GAME", "a": 2}',
        "",
        '{"channel": "GAME", "event": "x"}',
    ]


@pytest.mark.parametrize("lines", [as_objects, as_pairs, as_headed])
def test_what_programs_print_is_proposed_right_and_read(lines):
    data = "\n".join(lines()).encode()
    assert {fault.code for fault in read_transcripts(data, "log.txt").faults} == {"unknown_columns"}
    table = read_head(data, is_part=False)
    mapping = propose_mapping(table)
    assert find_questions(table, mapping) == []
    (game,) = read_transcripts(data, "log.txt", columns=[mapping]).games
    names = [player.name for player in game.record.players]
    said = [(one.round, names[one.player - 1], one.text) for one in game.record.messages]
    assert said == [(1 + at // 2, name, text) for at, (name, text) in enumerate(SAID)]
    assert len(game.record.votes) == len(SAID)
    assert {entry.text for entry in game.private} == {"CANARY"}


@pytest.mark.parametrize(
    "text",
    [
        'Ann: {"a": 1}\nBea: {"b": 2}',
        '[Ann] {"a": 1}\n[Bea] {"b": 2}',
        "Ann: a=1 b=2",
        "Ann: see f(x=1)\nBea: x=2 y=3",
        "Event(text='x'",
        "plain\nwords",
    ],
)
def test_other_texts_stay_as_they_are(text):
    data = f"{text}\nAnn: Hello, Bea.\nBea: Hello, Ann.".encode()
    assert as_json_lines(data) == data


def test_lines_keep_their_numbers_and_other_encodings_stay():
    lines = ["k=1 v=2", "", "k=3 v=4", "stray", "k=5 v=6", "k=7 v=8", "k=9 v=ä"]
    rows = as_json_lines("\n".join(lines).encode()).decode().split("\n")
    assert (len(rows), rows[1], rows[3]) == (len(lines), "", '{"line": "stray"}')
    other = "\n".join(lines).encode("cp1252")
    assert as_json_lines(other) == other


@given(st.text(max_size=60), st.sampled_from(["Event(a={})", "t k=1 v={}", "Event(a={}, b=f({}))"]))
def test_no_line_raises(value, shape):
    line = shape.replace("{}", value)
    as_json_lines(f"{line}\nEvent(a=1)\nEvent(a=1)\nk=1 v=2\nk=1 v=2".encode())
    as_json_lines("\n".join(["Event(a=1)"] * 9 + [line]).encode())
    as_json_lines("\n".join(["k=1 v=2"] * 9 + [line]).encode())


def test_pairs_below_other_lines_are_rows():
    head = [f"loading part {at}" for at in range(4)]
    rows = [f'event=speak player={name} msg="{text}"' for name, text in SAID if '"' not in text]
    data = as_json_lines("\n".join([*head, *rows * 2]).encode())
    assert data.split(b"\n")[4] == b'{"event": "speak", "player": "Bea", "msg": "It\'s you, Ann."}'
    assert as_json_lines("\n".join([*head * 2, *rows]).encode()).startswith(b"loading")
