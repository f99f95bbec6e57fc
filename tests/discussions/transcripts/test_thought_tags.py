"""What a model wrote between tags of thoughts is kept apart, whichever reader met it; nobody at the table heard it."""

import json

import pytest

from benchmarks.calibration import fits
from discussions.transcripts.core.readers.agent_traces import COUNTED
from discussions.transcripts.core.thoughts import split_aside, split_thoughts
from tests.factories.reading import read_transcripts

CASES = [
    ("<think>I am the wolf.</think> Hello all.", "Hello all.", "I am the wolf."),
    ("I am the wolf.</think>\nHello all.", "Hello all.", "I am the wolf."),
    ("Hello all. <Reasoning>I am the wolf.</reasoning> Bye.", "Hello all.\nBye.", "I am the wolf."),
    ("Hello all. <scratchpad>I am the wolf.", "Hello all.", "I am the wolf."),
    ("<inner_monologue>A.</inner_monologue>Hi.<thinking>B.</thinking>", "Hi.", "A.\nB."),
    ("<plan>I am the wolf.</plan><say>Hello all.</say>", "Hello all.", "I am the wolf."),
    ("<strategy>\nI am the wolf.\n</strategy>\nHello <i>all</i>.", "Hello <i>all</i>.", "I am the wolf."),
    ("PLAN: I am the wolf.\nSAY: Hello all.", "Hello all.", "I am the wolf."),
    ('"🔒 THINK: I am the wolf. 📢 SAYS: Hello "all"."', 'Hello "all".', "I am the wolf."),
    ("THOUGHT: I am the wolf. SPEECH: Hello all.", "Hello all.", "I am the wolf."),
    ("THINK: Her last MESSAGE: odd. I kill her tonight.", "", "Her last MESSAGE: odd. I kill her tonight."),
    (
        "THINK: I am the wolf. SAYS: Hello. THINK: kill Bea.",
        "",
        "I am the wolf. SAYS: Hello. THINK: kill Bea.",
    ),
    ("THINK: what did Bea SAY yesterday?", "THINK: what did Bea SAY yesterday?", ""),
    ("Plan: we vote for Bea.\nBea: was quiet.", "Plan: we vote for Bea.\nBea: was quiet.", ""),
    ("Hidden: I am the wolf.\n**Aloud:** Hello all.", "Hello all.", "I am the wolf."),
    ("In my head: I am the wolf.\nOut loud: Hello all.", "Hello all.", "I am the wolf."),
    ("```plan\nI am the wolf.\n```\nHello all.", "Hello all.", "I am the wolf."),
    ("Hello all.\n~~~ inner thoughts\nI am the wolf.\n~~~", "Hello all.", "I am the wolf."),
    ("<|think|>I am the wolf.<|/think|>Hello all.", "Hello all.", "I am the wolf."),
    (
        "<|channel|>analysis<|message|>I am the wolf.<|end|><|start|>assistant<|channel|>final<|message|>Hello all.",
        "Hello all.",
        "I am the wolf.",
    ),
    ("See:\n```python\nwolf = 1\n```\nHello.", "See:\n```python\nwolf = 1\n```\nHello.", ""),
    ("1 < 2 and <b>bold</b>, I think.", "1 < 2 and <b>bold</b>, I think.", ""),
]


@pytest.mark.parametrize(("text", "said", "thought"), CASES)
def test_what_was_said_and_what_was_thought(text, said, thought):
    assert split_thoughts(text) == (said, thought)


@pytest.mark.parametrize(
    "frame",
    [
        "In my head: {}. Out loud: {}",
        "To myself: {} | Aloud: {}",
        "Inside: {} / Say: {}",
        "My mind: {}. Message: {}",
        "<|begin_of_thought|>{}<|end_of_thought|> <|begin_of_solution|>{}<|end_of_solution|>",
    ],
)
def test_what_follows_a_thought_in_its_line_is_said(frame):
    said, thought = split_thoughts(frame.format("I am it", "Hello all."))
    assert (said, thought.rstrip(".")) == ("Hello all.", "I am it")


def test_what_is_inside_is_said_where_nothing_else_is():
    assert split_thoughts("Inside: nothing to see.") == ("Inside: nothing to see.", "")


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * 30_000 + "</b>",
        "a" + " %%bbbbbbb" * 9_000 + "%",
        "a1" + "(" * 90_000,
        "THINK: " + "x. SAY: " * 9_000,
        "Plan: I wait.\n" * 9_000,
        "```a ~~~b " * 9_000,
        "Plan: " + "x. |" * 9_000,
    ],
)
def test_texts_of_any_marks_are_looked_at_in_linear_time(text):
    assert fits(lambda: (split_aside(text), split_thoughts(text)), 300)
    assert fits(lambda: COUNTED.sub("", "1" * 90_000 + "!"), 300)


ROWS = [
    {"game": "g", "round": 1, "player": "Ann", "text": "<think>CANARY, I am the wolf.</think> Hello all."},
    {"game": "g", "round": 1, "player": "Bea", "text": "<think>CANARY and no word.</think>"},
    {"game": "g", "round": 1, "player": "Bea", "text": "Good morning, Ann."},
]
NATIVE = {
    "id": "g",
    "players": [{"name": "Ann"}, {"name": "Bea"}],
    "messages": [{"round": row["round"], "player": row["player"], "text": row["text"]} for row in ROWS],
}
FILES = {
    "game.jsonl": "\n".join(map(json.dumps, ROWS)),
    "game.json": json.dumps(NATIVE),
    "game.txt": "\n".join(f"{row['player']}: {row['text']}" for row in ROWS),
}


@pytest.mark.parametrize("name", FILES)
def test_every_reader_keeps_thoughts_in_texts_apart(name):
    read = read_transcripts(FILES[name].encode(), name)
    (game,) = read.games
    assert [message.text for message in game.record.messages] == ["Hello all.", "Good morning, Ann."]
    assert [(entry.kind, entry.player, "CANARY" in entry.text) for entry in game.private] == [
        ("thought", 1, True),
        ("thought", 2, True),
    ]
    assert "not_public" in {warning.code for warning in game.warnings}


@pytest.mark.parametrize(
    "frame",
    [
        "/* {hidden} */ {said}",
        "~~{hidden}~~ {said}",
        "{said} ||{hidden}||",
        "<draft>{hidden}</draft> {said}",
        '{{"draft": "{hidden}", "say": "{said}"}}',
        "```\n{hidden}\n```\n{said}",
        "```draft\n{hidden}\n```\n{said}",
        "Speech: {said}\nThought: {hidden}",
        "Inner: {hidden}\nOuter: {said}",
        "## Plan\n{hidden}\n\n## Statement\n{said}",
        "**Plan**\n{hidden}\n\n**Said**\n{said}",
        "Hidden - {hidden}\nAloud - {said}",
        "Hidden: {hidden} | Aloud: {said}",
    ],
)
def test_what_stands_in_unknown_marks_in_many_texts_is_asked_about(frame):
    hidden, said = "I am the wolf here.", "Good morning to all."
    text = frame.format(hidden=hidden, said=said)
    assert split_aside(text) == (said, hidden)
    rows = [{"round": 1, "player": name, "text": text} for name in ("Ann", "Bea", "Ann", "Bea")]
    read = read_transcripts("\n".join(map(json.dumps, rows)).encode(), "game.jsonl")
    assert read.games == [] and {fault.code for fault in read.faults} == {"unknown_columns"}


@pytest.mark.parametrize(
    "text", ["```\nGood morning.\n```", "Votes:\n```\nAnn: 2\n```", "Reads:\nAnn: town\nBea: a wolf"]
)
def test_other_fences_and_labels_are_parts_of_texts(text):
    assert split_aside(text) == (text, "")


@pytest.mark.parametrize(
    "text",
    ["(to the wolves) It is Bea.", "/w Bea It is you.", "[wolf chat] It is Bea.", "(thought) It is Bea."],
)
def test_a_text_that_says_for_whom_it_is_is_hidden_whole(text):
    assert split_aside(text) == ("", text)
