"""Texts of no known chat whose lines repeat a name, a sign and a text."""

import pytest

from discussions.transcripts.core.readers.columns import MappingRecord, parse_mapping
from discussions.transcripts.core.readers.heads import propose_mapping, read_head
from discussions.transcripts.core.readers.separated import find_separators
from tests.factories.own_logs import SAID
from tests.factories.reading import read_transcripts


def log(sign: str, before: str = "") -> bytes:
    return "\n".join(f"{before}{name}{sign}{text}" for name, text in SAID).encode()


@pytest.mark.parametrize("sign", [" | ", "|", "\t", " - ", " – ", " >> ", " => ", "::", " = ", ";", " ~ "])
def test_the_sign_is_found_and_waits_until_somebody_confirms_it(sign):
    data = log(sign)
    (fault,) = read_transcripts(data, "log.txt").faults
    assert fault.code == "unknown_columns" and "separator=" in fault.message
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    assert mapping.settings["separator"].strip() == sign.strip()
    (game,) = read_transcripts(data, "log.txt", columns=[mapping]).games
    names = [player.name for player in game.record.players]
    assert [(names[message.player - 1], message.text) for message in game.record.messages] == SAID
    # Another sign is another question.
    other = log(" ->  " if sign.strip() != "->" else "|")
    assert [fault.code for fault in read_transcripts(other, "log.txt", columns=[mapping]).faults] == [
        "unknown_columns"
    ]


def test_times_are_kept_and_lines_without_the_sign_continue_a_text():
    data = log(" | ", "[20:15] ").replace(b"Bea and Cid.", b"Bea and Cid.\nIt is late.")
    mapping = parse_mapping(["separator=|"])
    (game,) = read_transcripts(data, "log.txt", columns=[mapping]).games
    first = game.record.messages[0]
    assert (first.text, first.time) == ("Good morning, Bea and Cid.\nIt is late.", "20:15")


@pytest.mark.parametrize(
    "text",
    [
        "It was a dark night.\nThe wolves - all of them - were hungry.\nThe end - of the night - came.\nNobody knew.\n",
        "a = 1\nb = 2\nc = 3\nd = 4\n",
        "one\ntwo\nthree\nfour\nfive\n",
    ],
)
def test_other_texts_are_refused(text):
    assert find_separators(text) == []
    assert [fault.code for fault in read_transcripts(text.encode(), "a.txt").faults] == ["unknown_format"]


def test_a_recipe_of_a_list_or_of_names_reads_no_lines():
    recipe = MappingRecord([], {}, settings={"list": "games.log"})
    assert [fault.code for fault in read_transcripts(log(" | "), "a.txt", columns=[recipe]).faults] == [
        "unknown_columns"
    ]
