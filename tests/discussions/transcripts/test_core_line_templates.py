"""Lines of any text, described once by templates."""

import json
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.readers import line_templates
from discussions.transcripts.core.readers.columns import SEPARATOR, MappingRecord, columns_hash, parse_mapping
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.line_templates import find_fault, fits, match_line, parse_templates
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.archives import zipped
from tests.factories.own_logs import SAID
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes

NAMES = ("Ann", "Bea", "Cid")


def recipe(*templates: str) -> list[MappingRecord]:
    return [parse_mapping(["separator=" + "\n".join(templates)])]


def read(text: str, *templates: str):
    own = [replace(one, is_own=True) for one in recipe(*templates)]
    (game,) = read_transcripts(text.encode(), "log.txt", own=own).games
    return game


def said(game) -> list[tuple[int, str, str]]:
    names = [player.name for player in game.record.players]
    return [(message.round, names[message.player - 1], message.text) for message in game.record.messages]


def votes(game) -> list[tuple[str, str]]:
    names = [player.name for player in game.record.players]
    return [
        (names[vote.voter - 1], names[vote.target - 1] if vote.target else "") for vote in game.record.votes
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("({}) ", ""),
        ("🗣️ 7. {} ", ""),
        ("[turn 3] [{}] ", ""),
        ("T4 / {} says '", "' (next: Dan)"),
        ("msg from={} body=", ""),
        ("【{}】", ""),
        ("9:{}:", ";"),
    ],
)
def test_a_template_reads_lines_of_any_shape(before, after):
    text = "\n".join(f"{before.format(name)}{words}{after}" for name, words in SAID)
    written = f"{before.replace('{}', '{player}')}{{text}}{after}"
    assert [one[1:] for one in said(read(text, written))] == SAID


def test_what_stands_between_two_fields_may_come_back_in_the_text():
    (template,) = parse_templates("{player}: {text} ({})")
    assert match_line(template, "Ann: well: I said (twice) no (sad)") == {
        "player": "Ann",
        "text": "well: I said (twice) no",
    }
    assert match_line(template, "Ann: well") is None


def test_of_several_templates_that_fit_the_one_with_most_signs_counts():
    lines = [f"- {name}: {words}" for name, words in SAID]
    text = "\n".join(["- Vote outcome: Ann", *lines, "- Last words: Bea: I was it."])
    game = read(text, "- {player}: {text}", "- Vote outcome: {}", "- Last words: {player}: {text}")
    assert [one[1:] for one in said(game)] == [*SAID, ("Bea", "I was it.")]


NIGHT = """\
12 players wait
<1|Ann> I slept well.
  and long
{Ann} I must not say it.
<1|Bea> You, Ann?
#wolves Bea > Ann is next.
Ann x Bea
Cid left
round over
<2|Bea> So it was me.
<2|Ann> It was.
Bea x Ann
"""
KINDS = (
    "<{}|{player}> {text...}",
    "{{player}} {thought}",
    "#wolves {player} > {private}",
    "{voter} x {target}",
    "{out} left",
    "{round} over",
)


def test_each_kind_of_line_has_its_template():
    game = read(NIGHT, *KINDS)
    assert said(game) == [
        (1, "Ann", "I slept well.\nand long"),
        (1, "Bea", "You, Ann?"),
        (2, "Bea", "So it was me."),
        (2, "Ann", "It was."),
    ]
    assert votes(game) == [("Ann", "Bea"), ("Bea", "Ann")]
    assert sorted((entry.kind, entry.text) for entry in game.private) == [
        ("talk", "Ann is next."),
        ("thought", "I must not say it."),
    ]
    assert [one.player for one in game.record.eliminations] == [3]


BELOW = """\
== Ann ==
THINK: Bea knows.
SAY: Good morning.
tokens: 12
== Bea ==
THINK: Ann lies.
SAY: Good morning, Ann.
== Ann ==
SAY: Who begins?
== Bea ==
SAY: You do.
"""


def test_texts_below_a_name_have_templates_of_their_own_or_are_all_that_follows():
    game = read(BELOW, "== {player} ==", "THINK: {thought}", "SAY: {text}")
    assert [one[2] for one in said(game)] == ["Good morning.", "Good morning, Ann.", "Who begins?", "You do."]
    assert [entry.text for entry in game.private] == ["Bea knows.", "Ann lies."]
    text = "".join(f"== {name} ==\n\n{words}\n\nIt is late.\n" for name, words in SAID)
    assert [one[1:] for one in said(read(text, "== {player} =="))] == [
        (name, f"{words}\n\nIt is late.") for name, words in SAID
    ]


def test_what_leads_the_game_says_where_rounds_and_nights_begin():
    lines = [f"({name}) {words}" for name, words in SAID[:4]]
    night = ["(narrator) Night falls. Wolves, wake up.", "(Ann) Cid is next, Bea."]
    text = "\n".join(["(narrator) Day 1 begins.", *lines, *night, "(narrator) Day 2 begins.", *lines])
    game = read(text, "({player}) {text}")
    assert [one[0] for one in said(game)] == [1] * 4 + [2] * 4
    assert "narrator" not in [player.name for player in game.record.players]
    assert [entry.text for entry in game.private] == ["Cid is next, Bea."]


def test_lines_of_no_template_are_left_out_and_shown_but_begin_rounds_and_nights():
    lines = [f"({name}) {words}" for name, words in SAID[:4]]
    text = "\n".join(
        ["Loading ...", "=== Day 1 ===", *lines, "NIGHT PHASE", "(Ann) Cid is next.", "Day 2", *lines]
    )
    game = read(text, "({player}) {text}")
    assert [one[0] for one in said(game)] == [1] * 4 + [2] * 4
    assert [entry.text for entry in game.private] == ["Cid is next."]
    assert line_templates.read_lines(text.splitlines(), "({player}) {text}")[1] == ["Loading ..."]


def test_a_night_told_below_a_text_is_no_part_of_it_and_hides_what_follows():
    lines = [f"{name}: {words}" for name, words in SAID]
    game = read("\n".join([*lines, "Everyone, close your eyes.", "Ann: Cid is next."]), "{player}: {text...}")
    assert [one[1:] for one in said(game)] == SAID
    assert [entry.text for entry in game.private] == ["Cid is next."]


def test_words_of_a_template_and_after_names_may_say_who_could_hear_it():
    lines = [f"- {name} - {words}" for name, words in SAID]
    text = "\n".join([*lines, "- Ann (whispers to Bea) - Not now.", "[wolf chat] Cid - Tonight."])
    columns = recipe("- {player} - {text}", "[wolf chat] {player} - {text}")
    faults = read_transcripts(text.encode(), "a.txt", columns=columns).faults
    assert [fault.code for fault in faults] == ["unknown_columns"] * 2
    answers = {"wolf chat": "private", "a player's name": "private"}
    (game,) = read_transcripts(text.encode(), "a.txt", columns=[replace(columns[0], kinds=answers)]).games
    assert [one[1:] for one in said(game)] == SAID
    assert sorted(entry.text for entry in game.private) == ["Not now.", "Tonight."]


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("{player}: {speech}", 'There is no field "speech".'),
        ("{player}{text}", "needs something between any two fields"),
        ("{player} {player}: {text}", "each of which stands once"),
        ("{Player}: {text}", 'There is no field "Player".'),
        ("{time} {text}", "{player} and {text} among them"),
        ("{vote}", "{player} and {text} among them"),
        ("\n".join(f"{n} {{player}}: {{text}}" for n in range(21)), "at most 20"),
    ],
)
def test_a_wrong_template_is_refused_with_a_sentence(written, says):
    assert says in find_fault(written)
    assert line_templates.read_lines(["Ann: Hello"], written) == ([], [])


def test_a_recipe_of_few_signs_takes_no_other_chat():
    chat = "\n".join(f"{name}: {words}" for name, words in SAID) + "\nAnn (thinks): I lie."
    columns = recipe("{player}: {text}")
    assert read_transcripts(chat.encode(), "a.txt", columns=columns).format == "chat_text"
    assert not fits(Decoded(b"one\ntwo\nAnn: a\nBea: a\nCid: a"), "{player}: {text}")
    # What a person says of this very file is obeyed.
    templates = recipe("{player} (thinks): {thought}", "{player}: {text}")
    read = read_transcripts(chat.encode(), "a.txt", own=[replace(templates[0], is_own=True)])
    assert (read.format, [one[1:] for one in said(read.games[0])]) == ("separated", SAID)
    assert [entry.text for entry in read.games[0].private] == ["I lie."]


@pytest.mark.parametrize("written", ["{player}, {text}", '"{player}": "{text}"{}', "{player},{text}"])
def test_a_recipe_of_one_text_takes_no_file_of_another_format(written):
    rows = [{"player": name, "text": text, "audience": "wolves"} for name, text in SAID]
    lines = [f"{name},wolves,{text}" for name, text in SAID]
    for data in (
        as_bytes(rows),
        "\n".join(map(json.dumps, rows)).encode(),
        "\n".join(["player,audience,text", *lines]).encode(),
    ):
        assert not any(
            game.record.messages for game in read_transcripts(data, "a", columns=recipe(written)).games
        )


def test_of_several_recipes_that_which_has_most_words_reads_a_text():
    text = "\n".join(f"[ACTION] {name}: SPEAK: {words}" for name, words in SAID)
    columns = [
        *recipe("{player}: {text}"),
        *recipe("[ACTION] {player}: SPEAK: {text}"),
        *recipe("[{}] {player}: {text}"),
    ]
    (game,) = read_transcripts(text.encode(), "a.txt", columns=columns).games
    assert [one[1:] for one in said(game)] == SAID


@pytest.mark.parametrize("below", ["💭 I am the wolf.", "(thinking: I lie)", "[wolf chat] Ann: Cid is next."])
def test_what_is_hidden_below_an_open_text_is_no_part_of_it(below):
    text = "\n".join(f"|{name}| {words}\nIt is late.\n{below}" for name, words in SAID)
    game = read(text, "|{player}| {text...}")
    assert [one[1:] for one in said(game)] == [(name, f"{words}\nIt is late.") for name, words in SAID]


@pytest.mark.parametrize(
    "below",
    [
        "💭 I am it.\nI kill Bea.",
        "[thinking]\nI lie.",
        "Thinking: I lie.",
        "Ann (thinks): I lie.",
        "THOUGHT: I lie.",
    ],
)
def test_below_what_is_hidden_nothing_goes_on(below):
    text = "\n".join(f"|{name}| {words}\n{below}" for name, words in SAID)
    assert [one[1:] for one in said(read(text, "|{player}| {text...}"))] == SAID


def test_a_text_for_one_player_is_asked_about():
    lines = [
        *(f"|{name}| {words}" for name, words in SAID),
        "|Ann| [to Bea] psst",
        "|Ann| (to be honest) No.",
    ]
    own = [replace(recipe("|{player}| {text}")[0], is_own=True)]
    (fault,) = read_transcripts("\n".join(lines).encode(), "a.txt", own=own).faults
    assert fault.code == "unknown_columns" and "names a player it is for" in fault.message


@pytest.mark.parametrize(
    ("written", "line", "last"),
    [
        ("[{}] ({player}) {text}", "[town] ({}) {}", "[wolf chat] (Ann) kill Bea"),
        ("{player} | {text}", "{} | {}", "Ann | wolves | kill Bea"),
        (
            "{}'p': '{player}', 't': '{text}'{}",
            "{{'p': '{}', 't': '{}'}}",
            "{'p': 'Ann', 't': 'x', 'audience': 'w'}",
        ),
    ],
)
def test_a_recipe_of_another_file_takes_none_that_says_who_could_hear(written, line, last):
    lines = [line.format(name, words) for name, words in SAID]
    plain = "\n".join(lines)
    assert fits(Decoded(plain.encode()), written)
    assert not fits(Decoded(f"{plain}\n{last}".encode()), written)


def test_what_is_said_of_an_archive_is_said_of_none_of_its_files():
    lines = "\n".join(f"(10:0{n}) {name}: {words}" for n, (name, words) in enumerate(SAID))
    own = [replace(recipe("({player}) {text}")[0], is_own=True)]
    data = zipped({"b.txt": f"{lines}\n(10:09) Ann (thinks): I lie.".encode()})
    (game,) = read_transcripts(data, "all.zip", own=own).games
    assert [one[1:] for one in said(game)] == SAID
    assert [entry.text for entry in game.private] == ["I lie."]


def test_a_recipe_with_an_encoding_that_does_not_fit_raises_nothing():
    mapping = replace(
        recipe("({player}) {text}")[0], settings={"encoding": "utf-16", SEPARATOR: "({player}) {text}"}
    )
    data = "\n".join([*(f"({name}) {words}" for name, words in SAID), "café"]).encode("cp1252")
    for more in (b"", b" "):
        read = read_transcripts(data + more, "a.txt", columns=[mapping])
        assert bool(read.games) != bool(read.fault_count)


def test_long_private_texts_and_reasons_of_votes_stay_what_they_are():
    lines = [f"{name} ~ {words}" for name, words in SAID]
    long = "kill Bea tonight " * 40
    text = "\n".join(
        [*lines, f"Ann ~ whisper ~ {long}", "Ann votes Bea - Reason: it is her", "Bea votes Ann - Reason: no"]
    )
    game = read(
        text,
        "{player} ~ {text}",
        "{player} ~ whisper ~ {private}",
        "{voter} votes {target} - Reason: {thought}",
    )
    assert [one[1:] for one in said(game)] == SAID
    assert votes(game) == [("Ann", "Bea"), ("Bea", "Ann")]
    assert long.strip() in [entry.text for entry in game.private]


def test_an_open_text_below_a_name_and_lines_without_fields():
    text = "".join(f"== {name} ==\nTHINK: CANARY\nSAY: {words}\nmore of it\n-----\n" for name, words in SAID)
    game = read(text, "== {player} ==", "THINK: {thought}", "SAY: {text...}", "-----")
    assert [one[1:] for one in said(game)] == [(name, f"{words}\nmore of it") for name, words in SAID]
    text = "".join(f"== {name} ==\n{words}\nmore\n" for name, words in SAID)
    assert [one[1:] for one in said(read(text, "== {player} ==", "{text...}"))] == [
        (name, f"{words}\nmore") for name, words in SAID
    ]


def test_only_the_most_frequent_shapes_are_tried_as_templates(monkeypatch):
    """By the number of looks at lines, not by a clock."""
    looks = []
    monkeypatch.setattr(line_templates, "match_line", lambda one, line: looks.append(line))
    shapes = ["".join(marks) for marks in product(("[{}]", "({})", "<{}>", "【{}】"), repeat=3)]
    lines = [
        shape.format("x", name, f"{n}a") + words for shape in shapes for n, (name, words) in enumerate(SAID)
    ]
    line_templates.propose_templates(lines)
    assert 0 < len(looks) <= 5 * len(lines) < len(shapes) * len(lines)


def test_of_two_recipes_with_the_same_sign_the_one_that_fits_is_taken():
    text = "\n".join(f"{name} | {words}" for name, words in SAID).encode()
    others = [MappingRecord(["a", "b"], {"player": "a", "text": "b"}, settings={SEPARATOR: "|"})]
    assert read_transcripts(text, "a.txt", columns=[*others, parse_mapping(["separator=|"])]).games


def test_two_recipes_of_lines_have_the_same_columns_and_are_still_two():
    first, second = (
        dict(one[0].settings) for one in (recipe("({player}) {text}"), recipe("<{player}> {text}"))
    )
    assert columns_hash(["a"], first) != columns_hash(["a"], second) != columns_hash(["a"])
    assert columns_hash(["a"], {SEPARATOR: "|"}) == columns_hash(["a"])


def test_what_stands_behind_templates_on_the_command_line_is_refused():
    with pytest.raises(ValueError, match="Write separator= last"):
        parse_mapping(["separator={player} ~ {text},rounds=none"])


def test_a_comma_may_stand_in_a_template_on_the_command_line():
    mapping = parse_mapping(["player=player,text=text,separator={player}, who says: {text}"])
    assert mapping.settings == {SEPARATOR: "{player}, who says: {text}"}
    assert set(mapping.fields) == {"player", "text"}


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("[2026-01-02 10:11:12] ({}) {}", "[{time}] ({player}) {text}"),
        ("[Day 1] <{}> - {}", "[{round}] <{player}> - {text}"),
        ("[public] 【{}】{}", "[{type}] 【{player}】{text}"),
        ("[{}]{}", "[{player}]{text}"),
        ("[{} | Round 2 | agree]\n{}", "[{player} | {round} | {type}]"),
        ("[{} -> Bea | yes] {}", "[{player} -> {audience} | {type}] {text}"),
    ],
)
def test_brackets_before_texts_are_proposed_as_templates(line, written):
    text = "\n".join(line.format(name, words) for name, words in SAID)
    assert line_templates.propose_templates(text.splitlines())[0][0] == written


def test_a_text_of_brackets_waits_and_is_read_as_proposed():
    lines = [f"[2026-01-02 10:11:{n:02}] ({name}) {words}" for n, (name, words) in enumerate(SAID)]
    data = "\n".join(lines).encode()
    assert [fault.code for fault in read_transcripts(data, "a.txt").faults] == ["unknown_columns"]
    mapping = propose_mapping(read_head(data, is_part=False))
    (game,) = read_transcripts(data, "a.txt", columns=[mapping]).games
    assert [one[1:] for one in said(game)] == SAID


BEFORE = ("", "{time} ", "[{time}] ", "#{turn} ", "T{turn}| ", "[{round}] ", "◆ ", "log: ")
AROUND = ("({player})", "<{player}>", "{player} »", "@{player} ::", "{player} [Seat {}] -", "« {player} »")
AFTER = (" {text}", " '{text}'", " {text} (to {audience})", ' "{text}" #{id}')
VALUES = {"time": "10:0{}", "turn": "{}", "round": "Day {}", "audience": "all", "id": "m{}", "": "4"}


@pytest.mark.parametrize("seed", range(40))
def test_what_a_template_writes_it_reads_back(seed):
    pick = Random(seed)
    public = pick.choice(BEFORE) + pick.choice(AROUND) + pick.choice(AFTER)
    private = "~ {player} thinks ~ {thought}"
    lines, truth, thoughts = list[str](), [], []
    for n in range(pick.randint(6, 14)):
        name, words = pick.choice(SAID)[0] if n > 2 else NAMES[n], f"{pick.choice(SAID)[1]} ({n}): {n} » all"
        number = 1 + n // 5
        template = private if n > 2 and pick.random() < 0.3 else public
        values = {"player": name, "text": words, "thought": words} | {
            field: shape.format(number if field == "round" else n % 10) for field, shape in VALUES.items()
        }
        for field, value in values.items():
            template = template.replace(f"{{{field}}}", value)
        lines.append(template)
        if "thinks ~" in template:
            thoughts.append(words)
        else:
            truth.append((number if "{round}" in public else 1, name, words))
    game = read("\n".join(lines), public, private)
    assert said(game) == truth
    assert [entry.text for entry in game.private] == thoughts


@pytest.mark.parametrize("before", ["[{}] {}", "[msg] {} » {}"])
@pytest.mark.parametrize("sign", ["💭", "[thought]", "(thinking)", "[wolf chat]", "🐺", "🤫", "👻"])
def test_a_lone_text_that_says_it_is_hidden_is_no_speech_in_a_proposal(before, sign):
    lines = [before.format(name, words) for name, words in SAID]
    table = read_head("\n".join([*lines, before.format("Ann", f"{sign} CANARY")]).encode(), is_part=False)
    mapping = propose_mapping(table)
    unclear = {one.value.casefold(): "private" for one in find_questions(table, mapping)}
    game = read_first_game(table, replace(mapping, kinds=unclear), "a", "a", {})
    assert [message.text for message in game.record.messages] == [words for _name, words in SAID]
