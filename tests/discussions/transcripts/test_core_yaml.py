"""Games in YAML come in as the same JSON does; chats that parse as YAML stay chats."""

import json
from itertools import pairwise

import pytest
import yaml

from discussions.transcripts.core.readers.heads import read_head
from discussions.transcripts.core.readers.yaml_values import MOST_BYTES, as_json
from tests.factories.reading import read_transcripts
from tests.guards.layout import ROOT

GAME = """\
# One evening.
id: evening-1
winner: village
players:
- name: Ann
  role: SEER
- {name: Bea, role: MAFIA}
turns:
- day: 1
  agent: Ann
  utterance: |
    I say: Bea, # you lie.
    "No", 'never'.
- day: 1
  agent: Bea
  utterance: no
- {day: 1, agent: Ann, utterance: "12:30", thought: I hide it., vote: Bea}
"""
SAID = [(1, "Ann", "I say: Bea, # you lie.\n\"No\", 'never'."), (1, "Bea", "no"), (1, "Ann", "12:30")]
ROUNDS = """\
roles: {Ann: SEER, Bea: MAFIA}
rounds:
- day: 1
  messages: &all
  - speaker: Ann
    text: >-
      Good
      morning.
  - speaker: Bea
    text: 007
  whispers:
  - {speaker: Bea, text: SECRET}
- day: 2
  messages:
  - {speaker: Ann, text: yes}
"""
ROWS = "".join(
    f"- {{speaker: {name}, round: {day}, text: {text}}}\n"
    for day, name, text in ((1, "Ann", "off"), (1, "Bea", "2026-01-31"), (2, "Ann", "0x1F and 1_000"))
)
RECORDS = (
    ROWS.replace("- {", "---\n").replace("}", "").replace(", ", "\n")
    + "---\nspeaker: Bea\nround: 2\ntext: a\n"
)
FILES = [
    (GAME, SAID),
    (ROUNDS, [(1, "Ann", "Good morning."), (1, "Bea", "007"), (2, "Ann", "yes")]),
    (ROWS, [(1, "Ann", "off"), (1, "Bea", "2026-01-31"), (2, "Ann", "0x1F and 1_000")]),
    (RECORDS, [(1, "Ann", "off"), (1, "Bea", "2026-01-31"), (2, "Ann", "0x1F and 1_000"), (2, "Bea", "a")]),
    (GAME.replace("\n", "\r\n"), SAID),
    (GAME.replace("agent: Ann", "agent: &a Ann", 1).replace("agent: Ann", "agent: *a"), SAID),
]


def said_in(game):
    names = [player.name for player in game.record.players]
    return [(one.round, names[one.player - 1], one.text.strip()) for one in game.record.messages]


@pytest.mark.parametrize(("text", "said"), FILES)
@pytest.mark.parametrize("name", ["game.yaml", "game.txt"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_yaml_is_read_by_its_content(text, said, name, encoding):
    (game,) = read_transcripts(text.encode(encoding), name).games
    assert said_in(game) == said
    assert not any("SECRET" in one.text for one in game.record.messages)


def test_last_words_in_a_step_of_their_own_and_secret_roles_are_read():
    text = """\
roles_secret: {1: SEER, 2: MAFIA}
days:
- day: 1
  steps:
  - deaths: []
  - speeches:
    - {actor: 1, content: I trust 2.}
    - {actor: 2, content: So do I.}
  - votes:
    - {actor: 1, target: 2}
  - speech: {actor: 2, content: Goodbye to you.}
- day: 2
  steps:
  - speeches:
    - {actor: 1, content: Good riddance.}
"""
    (game,) = read_transcripts(text.encode(), "game.yaml").games
    said = [
        (1, "1", "I trust 2."),
        (1, "2", "So do I."),
        (1, "2", "Goodbye to you."),
        (2, "1", "Good riddance."),
    ]
    assert said_in(game) == said
    assert [player.role for player in game.record.players] == ["SEER", "MAFIA"]


def test_for_whom_somebody_votes_is_no_text_of_a_player():
    rows = [("Ann", "satz: Ich sehe nichts."), ("Bea", "satz: Wer war es nun?"), ("Ann", "gegen: Bea")]
    text = "".join(f"- wer: {name}\n  art: ruf\n  {said}\n" for name, said in 2 * rows)
    assert read_head(text.encode(), is_part=False).columns == ["wer", "art", "satz", "gegen"]


def test_several_documents_are_several_games():
    read = read_transcripts(f"{GAME}---\n{GAME.replace('evening-1', 'evening-2')}".encode(), "games.yml")
    assert [game.record.game_id for game in read.games] == ["evening-1", "evening-2"]
    assert [said_in(game) for game in read.games] == [SAID, SAID]


@pytest.mark.parametrize("sample", ["native", "turns", "chat", "inspect", "trace"])
def test_a_sample_is_read_as_its_json(sample):
    value = json.loads((ROOT / "static" / "samples" / f"{sample}.json").read_bytes())
    written = yaml.safe_dump(value, allow_unicode=True, sort_keys=False)
    records = [
        read_transcripts(data, "a.json").games for data in (json.dumps(value).encode(), written.encode())
    ]
    assert records[0] and records[0] == records[1]


@pytest.mark.parametrize(
    "text",
    [
        "- Ann: Hello.\n- Bea: Hi, Ann.\n- Ann: Why?\n",
        "Day 1:\n- Ann: Hello.\n- Bea: Hi.\nDay 2:\n- Ann: Why?\n",
        "Players:\n- Name: Ann\n  Role: SEER\n- Name: Bea\n  Role: MAFIA\n\nAnn: I trust nobody.\nBea: So do I.\n",
        "Ann: Hello.\nBea: Hi.\n---\nAnn: Why?\nBea: So.\n---\nAnn: Hm?\nBea: No.\n---\nAnn: Ah.\nBea: Yes.\n",
        "Day 1:\n    Ann: Hello.\n    Bea: Hi.\nDay 2:\n    Ann: Why?\n",
        "notes:\n- [10:02] Ann: Hello.\n",
        '{"turns": [\n- 1]}',
    ],
)
def test_a_chat_stays_as_it_is(text):
    assert as_json(text.encode()) == text.encode()


def test_the_beginning_of_a_large_file_is_no_chat():
    data = (GAME + "- {day: 1, agent: Bea, utterance: Hello again.}\n" * 9_000).encode()
    assert read_head(data[:200_001], is_part=True) is None
    assert len([*read_head(data, is_part=False).rows]) == 9_003


BOMB = "- &a [lol, lol]\n" + "".join(
    f"- &{two} [{', '.join([f'*{one}'] * 9)}]\n" for one, two in pairwise("abcdefghi")
)
FAULTS = [
    (BOMB, "syntax", "line 7 ", "*f repeats nothing above it, or too much."),
    (GAME + "- &b {x: *b}\n", "syntax", "line 18 column 10", "*b repeats nothing above it"),
    (GAME + "- !!python/object:os.system {a: b}\n", "syntax", "line 18 column 3", "python/object:os.system is no tag"),
    (GAME + "- {[a]: b}\n", "syntax", "line 18 column 4", "Write the key as text."),
    (GAME + "- utterance: I: no\n", "syntax", "line 18 column 15", "mapping values are not allowed"),
    (GAME.replace("  agent", "\tagent"), "syntax", "line 10 column 1", "Indent by spaces alone"),
    (GAME.replace("never", "\x01"), "control_character", "line 13 column 12", "U+0001"),
    (GAME + "- " * 70 + "x\n", "depth", "line 18 ", "Brackets are nested deeper than 64"),
    (GAME.replace("  agent", "  day: 2\n  agent", 1), "duplicate_key", "line 10 column 3 /turns/0", '"day" appears'),
    (GAME.replace("day: 1", "day: .nan"), "not_finite", "/turns/0", "holds NaN"),
    (GAME + "#" * MOST_BYTES, "too_large", "line 1 ", "YAML of more than 4 MiB"),
    (GAME.encode().replace(b"never", b"caf\xe9"), "encoding", "line 13 column 15", "is not UTF-8 text"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "place", "sentence"), FAULTS)
def test_what_is_wrong_is_a_fault_with_its_place(text, code, place, sentence):
    read = read_transcripts(text if isinstance(text, bytes) else text.encode(), "game.yaml")
    assert read.games == []
    assert (read.faults[0].code, sentence in read.faults[0].message) == (code, True)
    assert place in read.faults[0].place
