"""Who heard a message, however a log says it: nothing that some or nobody heard is ever public."""

import csv
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.audience import PRIVATE, SPEECH
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.reading import read_transcripts

NAMES, WOLVES = ["Ann", "Bea", "Cid", "Dov", "Eva"], ["Bea", "Dov"]
CANARY, EVERYBODY, AUTHOR, SIDE = "CANARY", 0, 1, 2
SAYS = (
    "I think {} was far too quiet last night.",
    "Nobody should trust {} before we hear a reason.",
    "{} voted late and never said why.",
)
KEYS = "reaches ears secrecy tier lane circle zone mode level meta.k x9 сфера audience visibility to channel".split()
BESIDE: tuple[dict[str, list[str]], ...] = (
    {},
    {"type": ["speech"] * 3},
    {"action": ["speak"] * 3},
    {"event": ["message"] * 3},
    {"phase": ["discussion"] * 3},
    {"phase": ["day", "day", "night"]},
)


def hearers(who: int, author: str) -> list[str]:
    return [NAMES, [author], WOLVES][who]


# How a log says who heard a message: of all (0), of its author (1) and of a side (2).
WAYS: dict[str, Callable[[int, str], Any]] = {
    "list": hearers,
    "all or list": lambda who, author: hearers(who, author) if who else "all",
    "all, none or list": lambda who, author: ["all", None, WOLVES][who],
    "everyone, empty or list": lambda who, author: ["everyone", [], WOLVES][who],
    "all or none": lambda who, author: None if who else "all",
    "star": lambda who, author: hearers(who, author) if who else ["*"],
    "none or list": lambda who, author: hearers(who, author) if who else None,
    "ids": lambda who, author: [NAMES.index(name) for name in hearers(who, author)],
    "ids or -1": lambda who, author: [NAMES.index(name) for name in hearers(who, author)] if who else -1,
    "count": lambda who, author: len(hearers(who, author)),
    "commas": lambda who, author: ", ".join(hearers(who, author)),
    "flags": lambda who, author: {name: name in hearers(who, author) for name in NAMES},
    "marks": lambda who, author: "".join("-x"[name in hearers(who, author)] for name in NAMES),
    "yes or no": lambda who, author: "yn"[not who],
    "absent": lambda who, author: "hush" if who else None,
    "true": lambda who, author: True if who else None,
    **{
        " ".join(map(str, said)): lambda who, author, said=said: said[who]
        for said in (
            *((0, 1, 1), (1, 0, 0), (False, True, True), (True, False, False), (0, 1, 2), (2, 1, 0)),
            *(("open", "inner", "den"), ("loud", "soft", "soft"), ("A", "B", "C"), ("low", "high", "mid")),
            *(("both", "me", "red"), ("green", "grey", "black"), ("square", "head", "barn")),
        )
    },
}


def rows(key: str, way: Callable[[int, str], Any], beside: dict[str, list[str]]) -> list[dict[str, Any]]:
    found = []
    for number in (1, 2, 3):
        told = [(name, EVERYBODY) for name in NAMES] + [(name, SIDE) for name in WOLVES]
        told += [(name, AUTHOR) for at, name in enumerate(NAMES) if at % 2 == number % 2]
        for at, (name, who) in enumerate(sorted(told)):
            text = SAYS[(at + number) % 3].format(NAMES[at % 5])
            row = {"round": number, "speaker": name, "text": f"{CANARY} {text}" if who else text}
            said = {key: value for key, value in [(key, way(who, name))] if value is not None}
            around, dot, own = key.partition(".")
            said = {around: {own: said.get(key)}} if dot else said
            found.append(row | {name: values[who] for name, values in beside.items()} | said)
    return found


def as_csv(said: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    columns = [*dict.fromkeys(key for row in said for key in row)]
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    for row in said:
        writer.writerow(
            {key: json.dumps(part) if type(part) in (list, dict) else part for key, part in row.items()}
        )
    return out.getvalue().encode()


def in_rounds(said: list[dict[str, Any]]) -> bytes:
    numbers = dict.fromkeys(row["round"] for row in said)
    return json.dumps(
        {
            "rounds": [
                {"round": number, "messages": [row for row in said if row["round"] == number]}
                for number in numbers
            ]
        }
    ).encode()


def as_chat(said: list[dict[str, Any]]) -> bytes:
    named = [
        {"role": "assistant", "name": row.pop("speaker"), "content": row.pop("text")} | row for row in said
    ]
    return json.dumps({"messages": named}).encode()


FORMS: tuple[Callable[[list[dict[str, Any]]], bytes], ...] = (
    lambda said: "\n".join(map(json.dumps, said)).encode(),
    lambda said: json.dumps({"game_id": "g", "players": NAMES, "messages": said}).encode(),
    in_rounds,
    as_csv,
    as_chat,
)


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("form", FORMS, ids=["lines", "messages", "rounds", "csv", "chat"])
def test_what_not_everybody_heard_is_hidden_or_asked_about(name, form):
    draw = random.Random(f"{name} {FORMS.index(form)}")
    data = form(rows(draw.choice(KEYS), WAYS[name], draw.choice(BESIDE)))
    read = read_transcripts(data, "log.csv" if form is as_csv else "log.json")
    records = [game.record for game in read.games]
    if not records:
        table = read_head(data, is_part=False)
        assert table is not None
        mapping = propose_mapping(table)
        asked = find_questions(table, mapping)
        answers = {one.value.casefold(): PRIVATE if CANARY in one.example else SPEECH for one in asked}
        first = read_first_game(table, replace(mapping, kinds=answers | mapping.kinds), "f", "f", {}).record
        assert first is not None
        records = [first]
    texts = [message.text for record in records for message in record.messages]
    assert len(texts) == 3 * len(NAMES) and CANARY not in str(texts)


MARKED = {
    "before": ("{name}: {text}", "{name}: ({mark}) {text}"),
    "before all": ("{name}: (square) {text}", "{name}: ({mark}) {text}"),
    "after": ("{name}: {text}", "{name}: {text} [{mark}]"),
    "at": ("{name}: {text}", "{name}@{mark}: {text}"),
    "slash": ("{name}: {text}", "{name}/{mark}: {text}"),
    "angles": ("<{name}> {text}", "<{name}@{mark}> {text}"),
    "emphasis": ("**{name}**: {text}", "**{name}** _({mark})_: {text}"),
    "room": ("{name}: {text}", "{mark}: {name}: {text}"),
    "rooms": ("square: {name}: {text}", "{mark}: {name}: {text}"),
    "command": ("{name}: {text}", "/{mark} {name}: {text}"),
    "paths": ("square/{name}: {text}", "{mark}/{name}: {text}"),
    "bar": ("{name}: {text}", "| {name}: {text}"),
    "indented": ("{name}: {text}", "\t{name}: {text}"),
    "item": ("{name}: {text}", "- {name}: {text}"),
    "number": ("1 {name}: {text}", "2 {name}: {text}"),
    "boxed number": ("[1] {name}: {text}", "[2] {name}: {text}"),
    "sign": ("{name}: {text}", "{name}; {text}"),
    "operator": ("<{name}> {text}", "<@{name}> {text}"),
    "label": ("{name}: {text}", "{name}: {mark}: {text}"),
    "hash": ("{name}: {text}", "{name}: {text} #{mark}"),
    "picture": ("{name}: {text}", "{name}: {text} 🤐"),
    "quotes": ('{name}: "{text}"', "{name}: '{text}'"),
}


def read_log(data: bytes) -> list[str]:
    """The public texts, once what hides texts is answered."""
    read = read_transcripts(data, "log.txt")
    if read.games:
        return [message.text for game in read.games for message in game.record.messages]
    table = read_head(data, is_part=False, is_any_text=True)
    assert table is not None
    mapping = propose_mapping(table)
    answers = {
        one.value.casefold(): PRIVATE for one in find_questions(table, mapping) if CANARY in one.example
    }
    first = read_first_game(table, replace(mapping, kinds=answers | mapping.kinds), "f", "f", {}).record
    assert first is not None
    return [message.text for message in first.messages]


@pytest.mark.parametrize("form", MARKED)
@pytest.mark.parametrize(
    ("mark", "clock"),
    [("burrow", ""), ("back room", "[10:05:00] "), ("тайник", ""), ("inner", "[10:05:00] ")],
)
def test_words_beside_names_or_texts_of_a_chat_are_asked_about(form, mark, clock):
    said = rows("reaches", lambda _who, _author: None, {})
    written = [
        f"{clock}{MARKED[form][CANARY in row['text']]}".format(
            name=row["speaker"], text=row["text"], mark=mark
        )
        for row in said
    ]
    texts = read_log("\n".join(written).encode())
    assert texts and CANARY not in str(texts)


@pytest.mark.parametrize(
    "title",
    [
        *(
            "[burrow]",
            "{burrow}",
            "=== burrow ===",
            "```burrow",
            "burrow",
            "The Burrow",
            "-> burrow",
            "<burrow>",
        ),
        *("... burrow ...", "<h2>burrow</h2>", "[burrow, 10:30]", "Burrow\n------", "They go to the burrow."),
        *("BEGIN BURROW", "🌒 burrow", "@burrow", "/burrow", "INT. BURROW - DUSK"),
    ],
)
@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_title_alone_divides_a_chat_with_blank_lines_or_without(title, blank):
    said = rows("reaches", lambda _who, _author: None, {})
    parts = []
    for number in (1, 2, 3):
        own = [row for row in said if row["round"] == number]
        talk, hidden = (
            "\n".join(
                f"{row['speaker']}: {row['text']}" for row in own if (CANARY in row["text"]) == is_hidden
            )
            for is_hidden in (False, True)
        )
        parts.append(f"Day {number}\n{talk}\n{blank}{title}\n{blank}{hidden}\n")
    texts = read_log("\n".join(parts).encode())
    assert texts and CANARY not in str(texts)


def test_a_word_below_what_it_hides_does_not_hide_the_next_line_alone():
    said = [f"{name}: {SAYS[at % 3].format(name)}" for at, name in enumerate(NAMES)]
    hidden = [f"Bea: {CANARY}, nobody knows.", "(aside)"]
    lines = [part for day in (1, 2, 3) for part in (f"Day {day}", *said[:3], *hidden, *said[3:])]
    assert CANARY not in str(
        [one.record for one in read_transcripts("\n".join(lines).encode(), "log.txt").games]
    )


def test_lone_titles_between_messages_are_asked_about_where_texts_are_sentences():
    said = [f"{name}: {SAYS[at % 3].format(name)}" for at, name in enumerate(NAMES)] * 2
    hidden = [f"{name}: {CANARY}, we take Cid tonight." for name in WOLVES]
    texts = read_log("\n".join([*said, "the burrow", *hidden, "the square", *said]).encode())
    assert texts and CANARY not in str(texts)


@pytest.mark.parametrize("below", ["lol", "ok then", "That is all.", "Bea", "The village gathers."])
def test_a_brief_line_below_a_text_is_not_asked_about(below):
    said = [f"{name}: {SAYS[(at + len(name)) % 3].format(NAMES[at - 4])}" for at, name in enumerate(NAMES)]
    talk = "\n".join(["Day 1", *said, below, *said[::-1]])
    assert len(read_transcripts(talk.encode(), "log.txt").games) == 1


@pytest.mark.parametrize(
    "said",
    [
        *("{} 😂", '"{}"', "...{}", "{} #really", "My view: {}", "@Bea {}", "(sighs) {}", "{}\nThat is all."),
        *("{} (I think)", "WAIT! {}", "{}\nBea", "- {}"),
    ],
)
def test_what_a_few_texts_begin_or_end_with_is_not_asked_about(said):
    pairs = list(zip(NAMES, [*NAMES[1:], "Ann"], strict=True))
    texts = [(name, SAYS[(at + len(other)) % 3].format(other)) for at in range(3) for name, other in pairs]
    lines = [
        f"{name}: {(said if at in (3, 9) else '{}').format(text)}" for at, (name, text) in enumerate(texts)
    ]
    assert len(read_transcripts("\n".join(["Day 1", *lines]).encode(), "log.txt").games) == 1
