"""CSV that every reader reads alike, and no spreadsheet computes."""

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.csv_lines import csv_bytes, neutral

COLUMNS = ("name", "value")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)


def read(body):
    return list(csv.reader(io.StringIO(body.decode(), newline=""), strict=True))


def test_a_table_as_the_standard_has_it():
    rows = [
        ("plain", 1),
        ('with "quotes", and a comma', 2.5),
        ("two\r\nlines", None),
        ("", Decimal("1.890000")),
    ]
    assert csv_bytes(COLUMNS, rows) == (
        b'name,value\r\nplain,1\r\n"with ""quotes"", and a comma",2.5\r\n"two\r\nlines",\r\n,1.890000\r\n'
    )


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "\n=1", "|cmd", "%0A"],
)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(text):
    assert neutral(text) == f"'{text}"
    assert read(csv_bytes(COLUMNS, [(text, 1)]))[1] == [f"'{text}", "1"]


@pytest.mark.parametrize("text", ["", "Iteration 2", "a=b", "1-2", "'quoted'", "é ü 漢字"])
def test_other_text_stays_as_it_is(text):
    assert neutral(text) == text


def test_numbers_stay_numbers_and_truth_is_told_in_words():
    assert csv_bytes(COLUMNS, [(True, -3.25), (False, -1)]) == b"name,value\r\nyes,-3.25\r\nno,-1\r\n"
    assert csv_bytes(COLUMNS, [("x", 0.1 + 0.2)]).splitlines()[1] == b"x,0.30000000000000004"


def test_a_row_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="1 fields, the heading 2"):
        csv_bytes(COLUMNS, [("only one",)])


@given(st.lists(st.tuples(TEXT, TEXT), max_size=8))
def test_every_table_comes_back_with_no_cell_that_is_computed(rows):
    found = read(csv_bytes(COLUMNS, rows))
    assert found[0] == list(COLUMNS)
    assert found[1:] == [[neutral(cell) for cell in row] for row in rows]
    cells = [cell for row in found[1:] for cell in row]
    assert not [cell for cell in cells if cell.strip()[:1] in ("=", "+", "-", "@") and cell.strip()]
