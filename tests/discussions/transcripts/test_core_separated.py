"""Texts of no known chat whose lines repeat a name, a sign and a text."""

import json

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.audience import PRIVATE
from discussions.transcripts.core.readers.columns import MappingRecord, parse_mapping
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions, read_signs
from discussions.transcripts.core.readers.separated import find_separators
from discussions.transcripts.core.readers.tables import cells_of
from tests.factories.own_logs import SAID
from tests.factories.reading import read_transcripts


def log(sign: str, before: str = "") -> bytes:
    return "\n".join(f"{before}{name}{sign}{text}" for name, text in SAID).encode()


@pytest.mark.parametrize("sign", [" | ", "|", "\t", " - ", " – ", " >> ", " => ", "::", " = ", ";", " ~ "])
def test_the_sign_is_found_and_waits_until_somebody_confirms_it(sign):
    data = log(sign)
    (fault,) = read_transcripts(data, "log.txt").faults
    assert fault.code == "unknown_columns" and "Is this the game?" in fault.message
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


@pytest.mark.parametrize("title", ["(aside)", "[thinking]", "*muses*"])
def test_lines_below_words_in_marks_go_on_with_no_text(title):
    (first, *_more) = lines = [f"{name} | {text}" for name, text in SAID]
    text = "\n".join([first, title, "CANARY, Cid.", "", *lines[1:], title, "CANARY, Ann.", ""]).encode()
    mapping = replace(parse_mapping(["separator=|"]), kinds={title.strip("()[]*"): "thought"})
    (game,) = read_transcripts(text, "log.txt", columns=[mapping]).games
    assert [message.text for message in game.record.messages] == [text for _name, text in SAID]
    kept = [(game.record.players[entry.player - 1].name, entry.text) for entry in game.private]
    assert kept == [("Ann", "CANARY, Cid."), ("Cid", "CANARY, Ann.")]


@pytest.mark.parametrize(
    "text",
    [
        "It was a dark night.\nThe wolves - all of them - were hungry.\nThe end - of the night - came.\nNobody knew.\n",
        "a = 1\nb = 2\nc = 3\nd = 4\n",
        "one\ntwo\nthree\nfour\nfive\n",
        "{'who': 'Ann', 'says': 'Hi.'}\nchecked: Bea is {'role': 'wolf'}\n{'who': 'Bea', 'says': 'Ho.'}\nthe end\n",
    ],
)
def test_other_texts_wait_until_somebody_says_how_their_lines_are_written(text):
    assert find_separators(text) == []
    (fault,) = read_transcripts(text.encode(), "a.txt").faults
    assert fault.code == "unknown_text" and " [{time}] {player}: {text}." in fault.message
    first_line = text.partition("\n")[0]
    assert [fault.code for fault in read_transcripts(first_line.encode(), "a.txt").faults] == [
        "unknown_format"
    ]


def test_a_recipe_of_a_list_or_of_names_reads_no_lines():
    recipe = MappingRecord([], {}, settings={"list": "games.log"})
    assert [fault.code for fault in read_transcripts(log(" | "), "a.txt", columns=[recipe]).faults] == [
        "unknown_columns"
    ]


def rows_of(data):
    """What each row would be read as, by the reading that is proposed."""
    assert {fault.code for fault in read_transcripts(data, "log.txt").faults} == {"unknown_columns"}
    table = read_head(data, is_part=False)
    mapping = propose_mapping(table)
    at = read_signs(table, mapping).at
    return mapping, [cells_of(row, at) for row in table.rows]


def test_a_verb_after_names_says_who_could_hear_and_is_no_name():
    data = "\n".join(f"{name} denkt: Ich bin der Wolf.\n{name} sagt: {text}" for name, text in SAID).encode()
    _mapping, rows = rows_of(data)
    assert {row["player"] for row in rows} == {name for name, _text in SAID}
    assert {(row["type"], row["text"].startswith("Ich bin")) for row in rows} == {
        ("denkt", True),
        ("sagt", False),
    }


@pytest.mark.parametrize("label", ["Wolves", "Wolf chat", "Plan", "Suspicions"])
def test_a_label_that_may_be_no_player_is_asked_about_and_its_answer_counts(label):
    talk = [f"{name}: {text}" for name, text in SAID]
    data = "\n".join([*talk[:2], f"{label}: We take Bea.", *talk[2:], f"{label}: And then Cid."]).encode()
    mapping, _rows = rows_of(data)
    assert [
        (asked.value, asked.count) for asked in find_questions(read_head(data, is_part=False), mapping)
    ] == [(label, 2)]
    answered = replace(mapping, kinds={label.casefold(): "private"})
    (game,) = read_transcripts(data, "log.txt", columns=[answered]).games
    names = [player.name for player in game.record.players]
    assert [(names[message.player - 1], message.text) for message in game.record.messages] == SAID
    assert label not in names
    answered = replace(mapping, kinds={label.casefold(): "speech"})
    (game,) = read_transcripts(data, "log.txt", columns=[answered]).games
    assert len(game.record.messages) == len(SAID) + 2
    rows = json.dumps([{"speaker": name, "text": text} for name, text in [*SAID, (label, "We take Bea.")]])
    assert [fault.code for fault in read_transcripts(rows.encode(), "log.json").faults] == ["unknown_columns"]


def test_a_title_in_any_language_is_a_round_or_is_asked_about():
    talk = [f"{name}: {text}" for name, text in SAID]
    one = "\n".join(["=== Gün 1 ===", *talk[:3], "=== Gün 2 ===", *talk[3:]])
    _mapping, rows = rows_of(one.encode())
    assert [row["round"] for row in rows] == ["1"] * 3 + ["2"] * (len(SAID) - 3)
    assert [row["text"] for row in rows] == [text for _name, text in SAID]
    two = one.replace("Gün 2", "Karanlık 2").encode()
    mapping, _rows = rows_of(two)
    asked = find_questions(read_head(two, is_part=False), mapping)
    assert {question.value for question in asked} == {"Gün", "Karanlık"}


def test_a_title_above_lines_with_names_and_times_is_no_text():
    posts = [f"{name}, [11.02.2026 19:10]\n{text}\n" for name, text in SAID]
    data = "\n".join(["Chat: Square\n", *posts, "Chat: Den\n", *posts]).encode()
    _mapping, rows = rows_of(data)
    assert [row["text"] for row in rows] == 2 * [text for _name, text in SAID]
    assert {row["phase"] for row in rows} == {"Chat: Square", "Chat: Den"}


def test_lines_of_several_cells_and_tables_under_headings_are_rows():
    data = "\n".join(
        f"R{at // 4 + 1} | {name} | PUB | {text}" for at, (name, text) in enumerate(SAID)
    ).encode()
    mapping, _rows = rows_of(data)
    assert {mapping.fields[field] for field in ("round", "player", "text")} == {"cell 1", "cell 2", "cell 4"}
    tables = [
        f"## Round {number}\n\n| Player | Says |\n|:--|:--|\n" + "".join(f"| {n} | {t} |\n" for n, t in SAID)
        for number in (1, 2)
    ]
    _mapping, rows = rows_of("\n".join(tables).encode())
    assert [row["round"] for row in rows] == ["1"] * len(SAID) + ["2"] * len(SAID)
    _mapping, rows = rows_of("\n".join(tables).replace("Round 2", "Night 2").encode())
    assert [row.get("phase") for row in rows] == [None] * len(SAID) + ["night"] * len(SAID)


@pytest.mark.parametrize("sign", [": ", " = "])
def test_keys_of_records_are_no_players_but_columns(sign):
    data = "\n\n".join(f"from{sign}{name}\nto{sign}Bea\nline{sign}{text}" for name, text in SAID).encode()
    assert [fault.code for fault in read_transcripts(data.title(), "a.txt").faults] == ["unknown_columns"]
    mapping, rows = rows_of(data)
    assert mapping.fields == {"player": "from", "audience": "to", "text": "line"}
    assert [(row["player"], row["text"]) for row in rows] == SAID


def test_what_stands_below_the_keys_of_records_is_their_text():
    parts = [
        f"## Part {at}: Plea\n- agent: {name}\n- words: {at}\n- refs: (none)\n\n[P{at}] {text}\n[Q{at}] So.\n"
        for at, (name, text) in enumerate(SAID)
    ]
    mapping, rows = rows_of("\n".join(["# Debate\n- topic: tea\n", *parts]).encode())
    assert mapping.fields == {"player": "agent", "text": "below"}
    said = [(name, f"[P{at}] {text}\n[Q{at}] So.") for at, (name, text) in enumerate(SAID)]
    assert [(row["player"], row["text"]) for row in rows] == said


def test_answers_that_come_back_are_no_fields():
    answers = ("Yes.", "No.", "Pass.", "I do not know, Ann.")
    text = "".join(
        f"Ann: {answer}\nBea: {answers[at // 2]}\nCid: {answers[-1]}\n" for at, answer in enumerate(answers)
    )
    assert len(read_transcripts(text.encode(), "a.txt").games) == 1


@pytest.mark.parametrize(
    "form", ["**{} (to: {}) - {}**: {}", "{} (to {}) | {}: {}", "[{} (für: {}) - {}] {}"]
)
def test_messages_that_list_who_heard_them_are_public_if_all_who_play_did(form):
    names = ["Ann", "Bea", "Cid", "Dan", "Eve"]
    said = [("Moderator", names, "It is now night time."), ("Ann", names[:2], "SECRET: Eve first.")]
    said += [("Bea", names[:2], "SECRET: fine."), ("Moderator", names[:2], "Ann has voted to kill Eve.")]
    said += [("Moderator", names[:4], "It is now day time. Eve has been killed.")]
    said += [(name, names[:4], f"I am {name} and I say so.") for name in names[:4]]
    for name, target in (("Ann", "Cid"), ("Bea", "Cid"), ("Cid", "Ann"), ("Dan", "Cid")):
        said += [(name, names[:4], target), ("Moderator", names[:4], f"{name} has voted to kill {target}.")]
    said += [
        ("Moderator", ["Ann", "Bea", "Dan"], "It is now night time."),
        ("Ann", names[:2], "SECRET: Dan."),
    ]
    said += [("Moderator", ["Ann", "Bea", "Dan"], "It is now day time.")]
    said += [(name, ["Ann", "Bea", "Dan"], f"I am still {name}.") for name in ("Dan", "Ann", "Bea")]
    roles = dict(zip(names, ("WOLF", "WOLF", "SEER", "VILLAGER", "VILLAGER"), strict=True))
    lines = [form.format(name, ", ".join(to), roles.get(name, "MODERATOR"), text) for name, to, text in said]
    table = read_head("\n\n".join(lines).encode(), is_part=False)
    assert table is not None
    game = read_first_game(table, propose_mapping(table), "log.txt", "log", {})
    assert game.record is not None
    talk = [(1, f"I am {name} and I say so.") for name in names[:4]]
    talk += [(2, f"I am still {name}.") for name in ("Dan", "Ann", "Bea")]
    assert [(one.round, one.text) for one in game.record.messages] == talk
    votes = [(names[one.voter - 1], names[one.target - 1]) for one in game.record.votes]
    assert votes == [("Ann", "Cid"), ("Bea", "Cid"), ("Cid", "Ann"), ("Dan", "Cid")]
    assert all("SECRET" in entry.text for entry in game.private) and len(game.private) == 3
    assert {player.role for player in game.record.players} >= {"WOLF", "SEER"}


STAMPED = "[12/03/25, 19:{n}:00] {name}: {said}"
IRC = "19:{n} <{name}> {said}"
ABOVE = "[12-Mar-25 07:{n} PM] {name}\n{said}\n"
BANNER = f"{'=' * 30}\nGuild: Games\nChannel: {{}}\n{'=' * 30}\n\n"


@pytest.mark.parametrize(
    ("shape", "above", "between", "asked"),
    [
        (STAMPED, "Chat export: Village\n", "\nChat export: Wolves only\n", []),
        (STAMPED, "", "Group: Moonlight\n", ["Group: Moonlight"]),
        (
            STAMPED,
            "[12/03/25, 18:01:00] Bea: Go on, Ann.\n" * 900,
            "Group: Moonlight\n",
            ["Group: Moonlight"],
        ),
        (STAMPED, "", "\nThe cellar\n\n", ["The cellar"]),
        (STAMPED, "", "THE CELLAR\n", ["THE CELLAR"]),
        (STAMPED, "", "> Moonlight\n", ["Moonlight"]),
        ("<{name}> {said}", "", "\nThe cellar\n\n", ["The cellar"]),
        ("<{name}> {said}", "", "# Moon\n", ["Moon"]),
        ("<{name}> {said}", "", "Down in the cellar:\n", ["Down in the cellar:"]),
        ("{name}: {said}", "", "\nThe cellar\n\n", ["The cellar"]),
        (STAMPED, "", "Gruppe: Nachtwölfe\n", ["Gruppe: Nachtwölfe"]),
        (IRC, "*** Now talking in #town\n", "*** Now talking in #den\n", ["den"]),
        (IRC, "--- Log opened #town\n", "--- Log opened #den\n", ["den"]),
        (IRC, '19:01 *** Ann created "Town"\n', '19:02 *** Ann created "Moon"\n', ["Moon"]),
        ("{name}  7:{n} PM\n{said}\n", "#town\n", "#moon\n", ["#moon"]),
        (ABOVE, BANNER.format("town"), BANNER.format("moon"), ["moon"]),
        (ABOVE, BANNER.format("town"), BANNER.format("wolves"), []),
        (ABOVE, "", "Moonlight\n\n", ["Moonlight"]),
    ],
)
def test_a_line_that_opens_another_room_divides_a_chat(shape, above, between, asked):
    def told(said):
        return "\n".join(
            shape.format(n=10 + at, name=name, said=text) for at, (name, text) in enumerate(said)
        )

    secret = told([("Ann", "CANARY is mine."), ("Bea", "So be it.")])
    data = f"{above}{told(SAID)}\n{between}{secret}\n".encode()
    read = read_transcripts(data, "log.txt")
    assert [fault.code for fault in read.faults if not fault.is_warning] == ["unknown_columns"]
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    assert [question.value for question in find_questions(table, mapping)] == asked
    kinds = dict.fromkeys(map(str.casefold, asked), PRIVATE) | mapping.kinds
    game = read_first_game(table, replace(mapping, kinds=kinds), "log.txt", "log", {}).record
    assert game and [message.text for message in game.messages][-len(SAID) :] == [
        text for _name, text in SAID
    ]
