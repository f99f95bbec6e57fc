"""Texts of chats and logs as programs write them: encodings, Unicode forms, spaces, colours, notices."""

import json
import unicodedata
from io import BytesIO
from zipfile import ZipFile

import pytest

from discussions.transcripts.core.decoding import ENCODINGS, decode_text, propose_encodings, recode
from discussions.transcripts.core.formats import CHAT_TEXT
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.reader import ReadTally, plan_reading, read_games
from tests.factories.native_games import as_bytes, native_game
from tests.factories.reading import read_transcripts


def read(
    text: str | bytes, name: str = "a.txt", **options: object
) -> tuple[list[tuple[str, str]], list[str]]:
    """Name and text of each message of the only game, and the codes of its warnings or the faults."""
    data = text if isinstance(text, bytes) else text.encode()
    plan = plan_reading(data, name, ReadOptions(**options))
    tally, games = ReadTally.of(plan), []
    for outcome in read_games(plan):
        tally.add(outcome)
        games += [outcome.game] if outcome.game else []
    if not games:
        return [], [fault.code for fault in tally.faults]
    (game,) = games
    record = game.record
    said = [(record.players[message.player - 1].name, message.text) for message in record.messages]
    return said, [warning.code for warning in game.warnings]


TWO = [("Ann", "Good day, Bea"), ("Bea", "Good day, Ann")]


@pytest.mark.parametrize(
    "stamp",
    [
        "31/01/2026, 20:15 - ",
        "31.01.26, 20:15 - ",
        "1/31/26, 8:15\u202fPM - ",
        "1/31/26, 8:15\u00a0p.\u00a0m. - ",
        "[1/31/26, 8:15:07\u202fPM] ",
        "\u200e[31.01.26, 20:15:07] ",
        "2026-01-31, 20:15 - ",
        "2026/01/31 20:15 - ",
        "31-01-2026 20:15 - ",
        "31.01.2026 20.15 - ",
    ],
)
def test_forms_of_chat_programs_are_chats_with_times(stamp):
    text = f"{stamp}Messages are encrypted, nobody reads them\n{stamp}Ann: Good day, Bea\n{stamp}Bea: Good day, Ann\n"
    said, codes = read(text)
    assert said == TWO
    assert "no_time" not in codes


def test_a_notice_of_a_chat_program_is_no_part_of_a_text():
    stamp = "31/01/2026, 20:15 - "
    said, codes = read(f"{stamp}Ann: Good day, Bea\n{stamp}Cid left\n{stamp}Bea: Good day, Ann\nand more")
    assert said == [TWO[0], ("Bea", "Good day, Ann\nand more")]
    assert "notice" in codes


@pytest.mark.parametrize("space", "\u00a0\u2009\u202f\u3000")
def test_special_spaces_before_a_text_are_plain_and_those_in_it_stay(space):
    said, codes = read(f"[10:00]{space}Ann: Good{space}day\n[10:01]{space}Bea: Hello{space}\n[10:02] Ann: So")
    assert said == [("Ann", f"Good{space}day"), ("Bea", "Hello"), ("Ann", "So")]
    assert "signs_mended" in codes


def test_full_width_colons_begin_texts_only_where_most_lines_have_them():
    said, codes = read("小明：大家好\n小红：注意: 你好\n小明：我是村民")
    assert said == [("小明", "大家好"), ("小红", "注意: 你好"), ("小明", "我是村民")]
    said, _codes = read("Ann: one\nBea: two\nLater：three\nAnn: four")
    assert said == [("Ann", "one"), ("Bea", "two\nLater：three"), ("Ann", "four")]
    assert read("Ann: one\n内心：three\nBea: two\nAnn: four")[0] == []
    said, codes = read("［10:00］小明: 好\n【10:01】小红: 好")
    assert said == [("小明", "好"), ("小红", "好")]
    assert "signs_mended" in codes


def test_lines_that_begin_with_a_player_and_say_who_heard_them_are_hidden_or_asked_about():
    begin, end = (
        "林晓（狼人）：今天归票吧。",
        "周航（预言家）：分票。\n郑凯（平民）：我投周航。\n林晓（狼人）：过。",
    )
    for line in ("（郑凯心里想：我是守卫。）", "郑凯（平民）悄悄对林晓说：我是守卫。"):
        said, _codes = read(f"{begin}\n{line}\n{end}")
        assert len(said) == 4 and "守卫" not in str(said)
    unknown = f"{begin}\n郑凯（平民）对林晓嘀咕：我是守卫。\n周航（狼人）对林晓嘀咕：小心郑凯。\n{end}"
    found = read_transcripts(unknown.encode(), "a.txt")
    assert found.games == [] and found.faults


def test_colours_of_terminals_are_no_text():
    said, codes = read(
        "\x1b[1;33mAnn\x1b[0m: Good day, Bea\n\x1b[35mBea\x1b[0m: Good day, Ann\nAnn: \x1b[2Kso\n"
    )
    assert said == [*TWO, ("Ann", "so")]
    assert "colours" in codes


@pytest.mark.parametrize("sign", ["", "^[", "\\x1b", "\\033", "\\e", "\\u001b", "␛", "\ufffd"])
def test_colours_whose_first_sign_was_lost_are_left_out(sign):
    lines = (f"{sign}[1;33m{name}{sign}[0m: {text}\n" for name, text in [*TWO, TWO[0]])
    assert read("".join(lines))[0] == [*TWO, TWO[0]]
    plain = f"Ann: {sign}[0m] or [1m].\nBea: Good day, Ann\nAnn: So.\n"
    assert read(plain)[0][0] == ("Ann", f"{sign}[0m] or [1m].")


@pytest.mark.parametrize(
    "form",
    [
        "\x1b]0;a title\x1b\\{}: {}\n",
        "\x1b]2;a title\x07{}: {}\n",
        "\x1b]8;;http://a\x07{}\x1b]8;;\x07: {}\n",
        "\x1b(B{}: {}\x07\n",
        "\x1b[2K\r{}: {}\n",
        "\r\x1b[2K{}: {}\n",
        "\r{}: {}\n",
    ],
)
def test_what_else_programs_write_for_terminals_is_left_out(form):
    assert read("".join(form.format(name, text) for name, text in [*TWO, TWO[0]]))[0] == [*TWO, TWO[0]]


@pytest.mark.parametrize("form", ["{} ({})", "{} [{}]", "{} / {}", "{}/{}"])
def test_words_after_names_are_roles_only_where_they_name_roles(form):
    said = [("Ann", "Werewolf", "one"), ("Bea", "seer", "two"), ("Ann", "villager", "three")]
    text = "\n".join(f"{form.format(name, role)}: {text}" for name, role, text in said)
    (game,) = read_transcripts(text.encode(), "a.txt").games
    assert [(player.name, player.role) for player in game.record.players] == [
        ("Ann", "Werewolf"),
        ("Bea", "seer"),
    ]
    assert "role_differs" in [warning.code for warning in game.warnings]
    (game,) = read_transcripts(b"Ann (she): one\nBea (he): two\nAnn (she): three", "a.txt").games
    assert [(player.name, player.role) for player in game.record.players] == [
        ("Ann (she)", None),
        ("Bea (he)", None),
    ]


def test_a_heading_between_parts_is_no_text_and_what_is_private_below_it_is_left_out():
    said, codes = read(
        "=== Day Talk ===\nAnn: one\n=== Night Discussion ===\nBea: two\n=== Day Talk ===\nAnn: three"
    )
    assert said == [("Ann", "one"), ("Ann", "three")]
    assert {"section_line", "night_line"} <= set(codes)


def test_texts_come_in_one_unicode_form():
    name, text = "Zoë", "Größe, naïve, हिन्दी"
    game = native_game(
        players=[
            {"name": unicodedata.normalize("NFD", name), "role": "MAFIA"},
            {"name": "Ann", "role": "SEER"},
        ],
        messages=[
            {"turn": 1, "roundNumber": 1, "playerName": name, "message": unicodedata.normalize("NFD", text)},
            {"turn": 2, "roundNumber": 1, "playerName": "Ann", "message": f"Hello, {name}."},
        ],
        votes=[],
    )
    expected = [(name, unicodedata.normalize("NFC", text)), ("Ann", f"Hello, {name}.")]
    for is_ascii in (True, False):
        said, codes = read(json.dumps(game, ensure_ascii=is_ascii), "a.json")
        assert said == expected
        assert codes.count("normalised") == 1
    rows = [{"player": message["playerName"], "text": message["message"]} for message in game["messages"]]
    for is_ascii in (True, False):
        lines = "\n".join(json.dumps(row, ensure_ascii=is_ascii) for row in rows)
        assert read(lines, "a.jsonl")[0] == expected
        assert read(f"[{','.join(lines.splitlines())}]", "a.json")[1].count("normalised") == 1
    table = "player,text\n" + "".join(f'"{row["player"]}","{row["text"]}"\n' for row in rows)
    assert read(table, "a.csv")[0] == expected
    assert "normalised" not in read(unicodedata.normalize("NFC", table), "a.csv")[1]


TABLES = {
    "gb18030": "player,text\n小明,大家好我是村民\n小红,小明为什么不说话",
    "big5": "player,text\n小明,大家好我是村民，我覺得他是狼人\n小紅,小明為什麼不說話",
    "shift_jis": "player,text\nアン,おはようございます、私は村人です\nベア,そうですか",
    "euc-kr": "player,text\n안,좋은 아침입니다 저는 시민입니다\n베,그런가요",
    "windows-1251": "player,text\nАня,Доброе утро, я мирный житель\nБея,Да",
    "windows-1250": "player,text\nŽofie,Dobré ráno. Příliš žluťoučký kůň\nŘehoř,Ano",
    "windows-1254": "player,text\nAyşe,Günaydın köylüyüm\nIşık,Öyle mi",
    "utf-16le": "player,text\nAnn,Good day\nBea,Hello",
}


@pytest.mark.parametrize("name", TABLES)
def test_an_encoding_is_proposed_and_read_when_it_is_named(name):
    text = TABLES[name].replace("утро, я", "утро. Я")
    data = text.encode(ENCODINGS[name])
    assert read(data, "a.csv") == ([], ["unknown_columns"])
    proposed = propose_encodings(data)
    assert proposed[0][0] == name
    assert 1 <= len(proposed) <= 3
    expected = [tuple(line.split(",")) for line in text.splitlines()[1:]]
    assert read(data, "a.csv", encoding=name)[0] == expected
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", data)
    assert read(packed.getvalue(), "a.zip", encoding=name)[0] == expected


def test_a_mark_of_utf_16_is_certain_and_a_wrong_name_is_a_fault():
    assert read(as_bytes(native_game()).decode().encode("utf-16"), "a.json")[0][0][0] == "Ann"
    assert read("player,text\nAnn,é".encode("cp1252"), "a.csv", encoding="shift_jis") == ([], ["encoding"])
    assert recode(b"abc", "") == b"abc"


@pytest.mark.parametrize("text", ["it’s “é”", "Größe: ça va", "Zoë – naïve", "mañana, ¿sí?", "blåbærgrød"])
def test_few_accents_and_quotes_are_windows_1252(text):
    found = decode_text(f"Ann: {text}, so it is".encode("cp1252"))
    assert found is not None
    assert [code for code, _count in found.warnings] == ["windows_1252"]


def test_a_field_of_a_table_may_be_as_long_as_a_message():
    table = f"player,text\nAnn,{'word ' * 19_999}\nBea,{'word ' * 19_999}\nAnn,so"
    said, _codes = read(table, "a.csv")
    assert [len(text) for _name, text in said] == [99_995, 99_995, 2]


def test_a_format_that_a_person_names_is_obeyed():
    text = "player,text\nAnn: hello\nBea: hello"
    assert read(text, "a.csv", named=CHAT_TEXT)[0] == [("Ann", "hello"), ("Bea", "hello")]


@pytest.mark.parametrize("name", ["README.docx", "readme.PDF", "Licence.xlsx", "x/README.pptx"])
def test_notes_of_office_programs_are_left_out_and_other_documents_refused_as_such(name):
    document, packed = BytesIO(), BytesIO()
    with ZipFile(document, "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
    with ZipFile(packed, "w") as archive:
        archive.writestr("one.json", as_bytes(native_game()))
        archive.writestr(name, document.getvalue())
    assert read(packed.getvalue(), "a.zip")[0][0][0] == "Ann"
    with ZipFile(packed, "a") as archive:
        archive.writestr("report.docx", document.getvalue())
    found = read_transcripts(packed.getvalue(), "a.zip")
    assert [(fault.code, fault.is_warning) for fault in found.faults] == [
        ("left_out", True),
        ("office_document", True),
    ]
    assert len(found.games) == 1


def test_documents_alone_are_refused_as_such_whatever_program_wrote_them():
    document, packed = BytesIO(), BytesIO()
    with ZipFile(document, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", "<x/>")
    with ZipFile(packed, "w") as archive:
        for name in ("games.odt", "more.ods"):
            archive.writestr(name, document.getvalue())
    found = read_transcripts(packed.getvalue(), "a.zip")
    assert [(fault.code, fault.is_warning) for fault in found.faults] == [("office_document", False)] * 2


@pytest.mark.parametrize("sign", [",", "\t"])
def test_a_first_text_that_is_longer_than_what_is_looked_at_is_read_in_a_table(sign):
    long = "A long tale. " * 3000 + "\n\n" + 'He said ""go"". ' * 3000
    text = f'player{sign}text\nAnn{sign}"{long}"\nBea{sign}Good day.\n'
    assert [name for name, _text in read(text, "a.csv")[0]] == ["Ann", "Bea"]
