"""The reader of recipe files: a recipe that is written as it was read, or a sentence."""

import json
from functools import partial
from typing import Any

from discussions.transcripts.core.readers.columns import MappingRecord, find_fault, read_recipe, write_recipe
from discussions.transcripts.core.readers.line_templates import is_template, read_lines
from tests.fuzz.promises import check_sentences, check_storable, in_time, longer

FULL = MappingRecord(
    ["line", "who", "note", "stage", "said"],
    {"player": "who", "text": "line|said", "type": "stage"},
    {"undertone": "thought", "dawn": "round"},
    {"P*": "Player*"},
    {
        "encoding": "gb18030",
        "list": "games.log",
        "rounds": "none",
        "separator": "[{time}] {player}: {text...} ({audience})\n{round} over",
    },
)
LINES = [
    *(
        "[10:05] Ann: Hello. (all)",
        "It is late.",
        "[10:06] Bea: You, Ann? (Ann)",
        "Night falls.",
        "",
        "round over",
    ),
    *("Ann: : : (", "[[[]]] {}: {} ({})", "(Ann) (Bea) " * 50, "Day 2", "1 over", "{player}: {text}"),
]


def check(data: bytes, read: Any = read_recipe) -> None:
    """Everything that holds of every file. Raises when it does not."""
    try:
        name, found = in_time(read, data)
    except ValueError as refused:
        check_sentences(str(refused))
        check_storable(str(refused))
        return
    check_storable([name, found])
    assert not find_fault(found)
    body = write_recipe(name, found)
    assert read(body) == (name, found), "written and read again, it is another"
    assert write_recipe(*read(body)) == body
    assert MappingRecord.of_written(found.columns, found.written) == found, "stored and loaded, it is another"
    separator = found.settings.get("separator", "")
    if is_template(separator):
        rows, unread = in_time(partial(read_lines, LINES), separator)
        assert len(rows) + len(unread) <= len(LINES)
        check_storable([[row for _number, row in rows], unread])


def check_long(data: bytes) -> None:
    """The same many times over is read in time."""
    for case in longer(data):
        try:
            in_time(read_recipe, case)
        except ValueError:
            continue


def seeds() -> list[bytes]:
    """Recipes as they should be, and some that are not."""
    full = json.loads(write_recipe("Nights", FULL))
    return [
        write_recipe("Nights", FULL),
        write_recipe("names", MappingRecord([], {}, aliases={"Mari": "Marisol"})),
        json.dumps(full | {"paths": {"player": ["a|b"], "text": ["is.x"]}}).encode(),
        json.dumps(full | {"kinds": {"also.x": "speech"}, "aliases": {"is.y": "z"}}).encode(),
        json.dumps(full | {"version": 2}).encode(),
        json.dumps(full | {"more": []}).encode(),
        b"{}",
        b"[]",
        b"",
    ]
