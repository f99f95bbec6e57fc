"""Tables, names and files of exports, without a database."""

import io
import json
import zipfile
from datetime import UTC, datetime

import pytest
from msgspec import Raw

from workspace.exports.core.choices import (
    ExportSubject,
    assign_pseudonyms,
    get_file_name,
    name_people,
    parse_subject,
)
from workspace.exports.core.files import CsvFile, HuggingFaceFile, JsonLinesFile, ParquetFile
from workspace.exports.core.tables import (
    INTEGER,
    MOMENT,
    NUMBER,
    TEXT,
    YES_NO,
    ExportTable,
    column,
    describe_tables,
    get_kind,
)

THINGS = ExportTable(
    "things",
    "A row for each thing.",
    (
        column("number", INTEGER, "which"),
        column("text", TEXT, "what it says"),
        column("share", NUMBER, "how much"),
        column("is_new", YES_NO, "whether it is new"),
        column("made_at", MOMENT, "when", "at"),
        column("length", INTEGER, "characters", lambda item: len(item["text"])),
    ),
)
OTHERS = ExportTable("others", "Nothing is in it.", (column("number", INTEGER, "which"),))
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ITEMS = [
    {
        "kind": "thing",
        "number": 1,
        "text": '=cmd|"x"!A1',
        "share": 0.5,
        "is_new": True,
        "at": AT,
        "body": Raw(b'{"b": 1,  "a":"\xc3\xa4"}'),
    },
    {
        "kind": "thing",
        "number": 2,
        "text": "Zoë, said\nso",
        "share": None,
        "is_new": None,
        "at": None,
        "body": Raw(b"null"),
    },
]


def rows_of(item):
    yield "things", item


def written(file_class, items=ITEMS, **given):
    out = io.BytesIO()
    file = file_class(out, (THINGS, OTHERS), rows_of, io.BytesIO, **given)
    for item in items:
        file.add(item)
    file.close(lambda: None)
    return out.getvalue()


def unzipped(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("", ExportSubject("project")),
        ("project", ExportSubject("project")),
        ("game:7", ExportSubject("game", 7)),
        ("set:12", ExportSubject("set", 12)),
        ("game:0", None),
        ("game:", None),
        ("game:-1", None),
        ("game:٣", None),
        ("game:9999999999", None),
        ("person:1", None),
        ("../x", None),
    ],
)
def test_what_a_subject_can_be(text, subject):
    assert parse_subject(text) == subject


def test_files_are_named_after_what_they_hold():
    assert get_file_name("mafia", "project", "csv") == "mafia.csv.zip"
    assert get_file_name("mafia", str(ExportSubject("game", 7)), "jsonl") == "mafia-game-7.jsonl"


def test_people_with_one_name_are_told_apart():
    people = [(1, "Ann", "a@x.org"), (2, "Ann", "b@x.org"), (3, "Bea", "c@x.org")]
    assert name_people(people) == {1: "Ann (a@x.org)", 2: "Ann (b@x.org)", 3: "Bea"}


def test_pseudonyms_are_stable_under_a_seed_and_name_everybody_once():
    groups = {"Evaluator": [3, 5], "Reviewer": [5, ("outside", 1)], "Lead": [3, 5, 9]}
    assigned = assign_pseudonyms(groups, "a seed")
    assert assigned == assign_pseudonyms(groups, "a seed")
    assert {assigned[3], assigned[5]} == {"Evaluator 1", "Evaluator 2"}
    assert (assigned["outside", 1], assigned[9]) == ("Reviewer 1", "Lead 1")
    many = {"Evaluator": range(40)}
    orders = {tuple(sorted(many["Evaluator"], key=assign_pseudonyms(many, seed).get)) for seed in ("a", "b")}
    assert len(orders) == 2


def test_json_that_is_stored_is_passed_through_byte_for_byte():
    out = io.BytesIO()
    file = JsonLinesFile(out)
    for item in ITEMS:
        file.add(item)
    file.close(lambda: None)
    first, second = out.getvalue().splitlines()
    assert b'"body":{"b": 1,  "a":"\xc3\xa4"}' in first
    assert json.loads(second) == {
        "kind": "thing", "number": 2, "text": "Zoë, said\nso", "share": None, "is_new": None, "at": None, "body": None,
    }  # fmt: skip
    assert get_kind(ITEMS[0]) == "thing"


def test_csv_neutralises_formulas_and_has_a_file_for_every_table():
    files = unzipped(written(CsvFile, has_byte_order_mark=False))
    assert files["things.csv"].decode() == (
        "number,text,share,is_new,made_at,length\r\n"
        '1,"\'=cmd|""x""!A1",0.5,yes,2026-03-02T09:00:00+00:00,11\r\n'
        '2,"Zoë, said\nso",,,,12\r\n'
    )
    assert files["others.csv"] == b"number\r\n"


def test_csv_begins_with_a_byte_order_mark_on_request():
    files = unzipped(written(CsvFile, has_byte_order_mark=True))
    assert files and all(text.startswith(b"\xef\xbb\xbf") for text in files.values())


@pytest.mark.parametrize(
    ("file_class", "given"), [(CsvFile, {"has_byte_order_mark": False}), (HuggingFaceFile, {"title": "T"})]
)
def test_the_same_rows_make_the_same_bytes(file_class, given):
    assert written(file_class, **given) == written(file_class, **given)


def test_a_data_set_has_its_rows_and_a_card_of_the_tables_with_rows():
    files = unzipped(written(HuggingFaceFile, title='Soup: "the" project'))
    assert set(files) == {"README.md", "data/things.jsonl"}
    rows = [json.loads(line) for line in files["data/things.jsonl"].splitlines()]
    assert rows[0] == {
        "number": 1, "text": '=cmd|"x"!A1', "share": 0.5, "is_new": True, "made_at": "2026-03-02T09:00:00+00:00",
        "length": 11,
    }  # fmt: skip
    assert rows[1]["made_at"] is None
    _nothing, front, card = files["README.md"].decode().split("---\n", 2)
    assert 'pretty_name: "Soup: \\"the\\" project"\n' in front
    assert "- config_name: things\n  data_files: data/things.jsonl\n  default: true\n" in front
    assert "  - name: share\n    dtype: float64\n" in front
    assert "num_examples: 2\n" in front
    assert "| `made_at` | moment | when |" in card
    assert "others" not in front + card


def test_a_data_set_without_rows_is_a_card_alone():
    files = unzipped(written(HuggingFaceFile, items=[], title="Nothing"))
    assert files["README.md"].startswith(b'---\npretty_name: "Nothing"\n---\n')
    assert set(files) == {"README.md"}


def test_parquet_keeps_the_kinds_of_columns():
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is optional (requirements-parquet.txt)")
    files = unzipped(written(ParquetFile))
    table = parquet.read_table(io.BytesIO(files["things.parquet"]))
    kinds = [str(field.type) for field in table.schema]
    assert kinds == ["int64", "string", "double", "bool", "timestamp[us, tz=UTC]", "int64"]
    assert table.to_pylist()[0]["made_at"] == AT
    assert table.to_pylist()[1] == {
        "number": 2, "text": "Zoë, said\nso", "share": None, "is_new": None, "made_at": None, "length": 12,
    }  # fmt: skip
    assert parquet.read_table(io.BytesIO(files["others.parquet"])).num_rows == 0


def test_tables_are_described_a_line_for_each_column():
    assert describe_tables([OTHERS]) == (
        "### others\n\nNothing is in it.\n\n| column | kind | holds |\n|---|---|---|\n| `number` | integer | which |\n"
    )
