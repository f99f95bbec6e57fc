"""The examples of docs/transcripts.md are read as the page says, and its table of names is the one of the code."""

import re
from pathlib import Path

import pytest

from discussions.transcripts.core.formats import FORMATS
from discussions.transcripts.core.readers.columns import SPELLINGS
from tests.factories.reading import read_transcripts

TEXT = (Path(__file__).parents[3] / "docs" / "transcripts.md").read_text(encoding="utf-8")
GAMES = {
    "csv": {"evening-1": 2, "evening-2": 2},
    "jsonl": {"evening-1": 2},
    "json_turns": {"evening-6": 2},
    "chat_text": {"evening-3": 3},
    "openai_chat": {"evening-4": 2},
    "inspect": {"evening-5-1": 2},
    "agent_traces": {"evening-7": 2},
}


def example(name):
    """The first example under the heading of a format."""
    section = TEXT.split(f"\n### {name}\n", 1)[1]
    return re.search(r"```\w*\n(.*?)```", section, re.DOTALL)[1]


@pytest.mark.parametrize("name", GAMES)
def test_the_example_is_read(name):
    read = read_transcripts(example(name).encode(), "file.txt")
    assert read.format == name
    assert read.faults == []
    assert {game.record.game_id: len(game.record.messages) for game in read.games} == GAMES[name]
    assert all(player.role for player in read.games[0].record.players) == (
        name not in ("jsonl", "agent_traces")
    )


def test_the_page_lists_every_format():
    cells = re.findall(r"^\| (`.*?) \|", TEXT.partition("\n## ")[0], re.MULTILINE)
    listed = set(re.findall(r"\w+", " ".join(cells)))
    differing = listed ^ {known.name for known in FORMATS}
    assert not differing, f"{differing}: the first table of docs/transcripts.md lists what FORMATS has"


def test_the_table_lists_every_known_name():
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| ([\w, ]+) \|$", TEXT, re.MULTILINE))
    assert {field: tuple(names.split(", ")) for field, names in rows.items()} == SPELLINGS
