"""Lines below texts that a sign, a colour or the margin sets apart: it is asked who could hear them."""

import json

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.readers.chat_labels import find_modes
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.reading import read_transcripts

NAMES = ("Ida", "Jon", "Kim")
SAID = [(NAMES[at % 3], f"Point {at} is mine and nobody takes it.") for at in range(12)]
THOUGHT = "They still believe me."
TO = (
    "{} @Kim",
    "{} (@Kim)",
    "{} -> Kim (private)",
    "{}, to Kim",
    "{} to Kim only",
    "{} 对Kim说",
    "{} PM",
    "{} » Kim",
)


def chat(below: dict[int, str]) -> bytes:
    lines = [
        part
        for at, (name, text) in enumerate(SAID)
        for part in (f"{name}: {text}", below.get(at, ""))
        if part
    ]
    return "\n".join(["=== Round 1 ===", *lines]).encode()


@pytest.mark.parametrize("places", [(4,), (4, 7)])
@pytest.mark.parametrize(
    "mark",
    ["* {}", "* {} *", "> {}", "… {}", "... {}", "- {}", "• {}", "+ {}", "// {}", "({})", "💤 {}", "~ {} ~"],
)
def test_a_last_line_that_a_sign_sets_apart_is_asked_about(mark, places):
    read = read_transcripts(chat(dict.fromkeys(places, mark.format(THOUGHT))), "chat.txt")
    assert ([fault.code for fault in read.faults], read.games) == (["unknown_columns"], [])


@pytest.mark.parametrize("mark", ["~{}~", "(({}))", "/{}/", "-- {} --", "= {} =", "*{}*", "【{}】", "[{}]"])
@pytest.mark.parametrize("form", ["[10:00] {}: {}", "{}: {}", '{{"round": 1, "player": "{}", "text": "{}"}}'])
def test_a_few_whole_texts_in_marks_are_asked_about_and_lists_are_not(mark, form):
    for hidden, games in ((THOUGHT, 0), ("Ida, Jon, Kim", 1)):
        said = [(name, mark.format(hidden) if at in (4, 7) else text) for at, (name, text) in enumerate(SAID)]
        read = read_transcripts("\n".join(form.format(*one) for one in said).encode(), "game")
        assert len(read.games) == games, read.faults


@pytest.mark.parametrize("code", ["2", "3", "90", "2;37", "38;5;240"])
@pytest.mark.parametrize("said", ["{}", "Jon: {}"])
def test_a_sentence_in_a_faint_colour_is_asked_about(code, said):
    thought = f"\x1b[{code}m{said.format(THOUGHT)}\x1b[0m"
    read = read_transcripts(chat({4: thought}), "chat.txt")
    assert ([fault.code for fault in read.faults], read.games) == (["unknown_columns"], [])
    bright = read_transcripts(chat({4: f"\x1b[{code}mand\x1b[0m \x1b[1mso it is.\x1b[0m"}), "chat.txt")
    assert len(bright.games) == 1


@pytest.mark.parametrize(
    "below",
    [
        "- Kim is fine for me.\n- Ida is not.",
        "There is this one thing:\n- nobody asked me yet.",
        "> Point 3 is mine.\nIt is not.",
        "**I vote for Kim today**",
        ":-)",
        "@Kim what do you say?",
        "<think>They still believe me.</think>",
        "❌ Kim was eliminated.",
    ],
)
def test_lists_quotes_and_what_others_read_are_no_such_lines(below):
    (game,) = read_transcripts(chat({4: below, 7: below}), "chat.txt").games
    texts = [message.text.split("\n")[0] for message in game.record.messages]
    assert texts == [text for _name, text in SAID]
    assert not any(THOUGHT in message.text for message in game.record.messages)


def test_a_night_in_other_words_hides_what_follows_until_a_day():
    lines = chat({2: "Night has fallen. Sleep well.", 5: "The day has come!"}).decode().split("\n")
    (game,) = read_transcripts("\n".join(lines[:-1]).encode(), "chat.txt").games
    public = [SAID[at][1] for at in (0, 1, 2, 6, 7, 8, 9, 10)]
    assert [message.text for message in game.record.messages] == public
    assert [entry.text for entry in game.private] == [SAID[at][1] for at in (3, 4, 5)]


@pytest.mark.parametrize(
    ("closed", "opened"),
    [("Secret channel: Jon, Kim", "Public channel"), ("Jon and Kim whisper to each other", "All talk")],
)
def test_a_title_of_those_who_whisper_hides_what_follows_in_the_proposal(closed, opened):
    lines = chat({}).decode().split("\n")[1:]
    data = "\n".join([closed, *lines[:2], opened, *lines[2:6], closed, *lines[6:8], opened, *lines[8:]])
    assert read_transcripts(data.encode(), "chat.txt").games == []
    table = read_head(data.encode(), is_part=False)
    assert table is not None
    game = read_first_game(table, propose_mapping(table), "chat.txt", "chat", {})
    assert game.record is not None
    public = [text for at, (_name, text) in enumerate(SAID) if at not in (0, 1, 6, 7)]
    assert [message.text for message in game.record.messages] == public


@pytest.mark.parametrize(
    "form", ["{}~", "{}*", "{}'", "{} (t)", "{}.t", "{}💭", "*{}", "*{}*", "({})", "<{}>", *TO]
)
@pytest.mark.parametrize("is_rows", [True, False])
def test_names_with_a_sign_beside_the_same_names_are_asked_about(form, is_rows):
    said = [*SAID, *((form.format(name), THOUGHT) for name in NAMES[:2])]
    rows = "\n".join(json.dumps({"round": 1, "player": name, "text": text}) for name, text in said)
    text = rows if is_rows else "\n".join(f"[10:00] {name}: {text}" for name, text in said)
    read = read_transcripts(text.encode(), "game.jsonl" if is_rows else "chat.txt")
    assert not any(THOUGHT in message.text for game in read.games for message in game.record.messages)
    table = None if read.games else read_head(text.encode(), is_part=False)
    assert table is None or find_questions(table, propose_mapping(table))


@pytest.mark.parametrize(
    "names",
    [
        ("Jo-Ann", "Ann", "Anna", "Anna B"),
        ("o1", "o1-mini", "gpt-4o", "gpt-4o-mini"),
        ("J.Smith", "Smith", "K.Smith", "St. Smith"),
        ("Wolf!", "Cat!", "Player 1", "Player"),
        ("1", "-1", "李", "李雷"),
        ("Ann", "Ann (Werewolf)", "Bea", "Cid"),
        ("Ann", "Lee", "Ann Lee", "Ann-Lee"),
    ],
)
def test_other_names_that_share_a_part_are_names(names):
    assert find_modes(names) == frozenset()


@pytest.mark.parametrize("name", ["t:Jon", "Jon:t", "Jon|", "inner Jon", "thought/Jon"])
def test_one_line_inside_a_text_that_names_who_speaks_is_asked_about(name):
    read = read_transcripts(chat({4: f"{name}: {THOUGHT}"}), "chat.txt")
    assert not any(THOUGHT in message.text for game in read.games for message in game.record.messages)
    (game,) = read_transcripts(chat({4: "My view of Jon: odd.", 7: "re: Jon is odd"}), "chat.txt").games
    assert len(game.record.messages) == len(SAID)


@pytest.mark.parametrize("others", [("IDA", "JON", "KIM"), ("KIM",), ("T-Ida",)])
@pytest.mark.parametrize(
    "form", ["{}: {}", "[10:00] {}: {}", "[{}] {}", '{{"round": 1, "player": "{}", "text": "{}"}}']
)
def test_names_in_capitals_or_with_a_letter_beside_the_same_names_are_asked_about(form, others):
    said = [*SAID, *((name, THOUGHT) for name in others), *SAID[:3]]
    data = "\n".join(form.format(*one) for one in said).encode()
    assert read_transcripts(data, "chat.txt").games == []
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    (asked,) = find_questions(table, mapping)
    for kind, count in (("speech", len(said)), ("thought", len(said) - len(others))):
        answered = replace(mapping, kinds={asked.value.casefold(): kind})
        game = read_first_game(table, answered, "chat.txt", "chat", {})
        assert game.record is not None and len(game.record.messages) == count
        assert {player.name for player in game.record.players} == {*NAMES}


@pytest.mark.parametrize(
    ("others", "is_open"),
    [
        (["[whisper] Ida: CANARY."], True),
        (["Moderator: That is all."], True),
        (["[agora] Ida: Hello.", "[agora] Jon: Hello."], False),
        (["[agora] Ida: Hello."], False),
        (["Ida: Hello.", "Jon: Hello."], False),
    ],
)
def test_an_unknown_word_before_most_texts_is_asked_about_unless_all_players_have_it(others, is_open):
    lines = [f"[mull] {name}: {said}" for name, said in SAID]
    read = read_transcripts("\n".join([*lines, *others]).encode(), "chat.txt")
    texts = [message.text for game in read.games for message in game.record.messages]
    assert texts == ([said for _name, said in SAID] if is_open else [])
    assert [fault.code for fault in read.faults] == ([] if is_open else ["unknown_columns"])
