"""Untrusted text is shown for what it is, and a figure never looks like it is on the other side.

CSV that every reader reads alike, and no spreadsheet computes.

Numbers as people write them in one line.

Where bars, thresholds and intervals stand.

Where dots, brackets and lines of figures with intervals stand.

Small multiples and arms, every coordinate worked out by hand.

Which tables become cards on a narrow screen, and what their cells are labelled.
"""

import csv
import io
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.core.text import Piece, badge, figure, pieces
from workspace.display.core.charts import (
    DotRow,
    IntervalRow,
    compute_track_position,
    dot_plot,
    interval_plot,
    scatter,
    share_bar,
    symmetric,
    ticks,
)
from workspace.display.core.csv_lines import csv_bytes, neutral
from workspace.display.core.multiples import (
    BOTTOM,
    HEIGHT,
    TOP,
    Arm,
    Axis,
    Point,
    arms,
    compute_scale,
    level,
)
from workspace.display.core.number_lists import MOST, numbers_in, write_numbers


def test_plain_text_of_any_script_is_one_piece() -> None:
    for text in ["I vote for Bravo.", "Ich wähle Björn", "我投票给他", "שלום", "مرحبا بك", "line\nline\tend"]:
        assert pieces(text) == [Piece(text)]


def test_spans_are_marked_and_half_open() -> None:
    assert pieces("abcdef", [(1, 3)]) == [Piece("a"), Piece("bc", is_marked=True), Piece("def")]


def test_spans_that_overlap_or_leave_the_text_are_cut() -> None:
    assert pieces("abc", [(0, 2), (1, 9)]) == [Piece("ab", is_marked=True), Piece("c", is_marked=True)]
    assert pieces("abc", [(5, 9)]) == [Piece("abc")]


@pytest.mark.parametrize(
    "character",
    [
        "\u202e",
        "\u2066",
        "\u200b",
        "\u200f",
        "\ufeff",
        "\x00",
        "\x07",
        "\xa0",
        "\u3164",
        "\U000e0041",
        "\ufe0f",
        "\u2028",
        "\ue000",
    ],
)
def test_hidden_characters_are_named(character: str) -> None:
    first, second, third = pieces(f"a{character}b")
    assert (first.text, third.text) == ("a", "b")
    assert second.text == badge(character)
    assert second.title


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\r\ntwo", "one\r\ntwo"),
        ("one\rtwo\r", "one⟨U+000D⟩two⟨U+000D⟩"),
        ("one\r\r\n", "one⟨U+000D ×2⟩\n"),
    ],
)
def test_only_a_carriage_return_that_ends_a_line_with_a_line_feed_is_plain(text: str, shown: str) -> None:
    assert "".join(piece.text for piece in pieces(text)) == shown


def test_the_same_hidden_character_in_a_row_is_one_badge() -> None:
    assert [piece.text for piece in pieces("a" + "\u202e" * 100_000)] == ["a", "⟨U+202E ×100000⟩"]


def test_a_hidden_character_inside_a_span_is_marked_too() -> None:
    assert [piece.is_marked for piece in pieces("a\u202eb", [(0, 3)])] == [True, True, True]


@pytest.mark.parametrize(
    "text",
    ["👩\u200d💻", "❤\ufe0f", "👩\u200d❤\ufe0f\u200d👨", "می\u200cخواهم", "क\u094d\u200dष", "1\ufe0f\u20e3"],
)
def test_joiners_where_a_script_or_a_picture_needs_them_stay(text: str) -> None:
    assert "".join(piece.text for piece in pieces(text)) == text
    assert not any(piece.title for piece in pieces(text))


def test_long_runs_of_marks_are_clipped() -> None:
    shown = "".join(piece.text for piece in pieces("a" + "\u0301" * 500 + "b"))
    assert shown == "a" + "\u0301" * 8 + "…b"


def test_a_figure_never_rounds_across_its_threshold() -> None:
    assert figure(79.96, 80) == "79.96"
    assert figure(80, 80) == "80.0"
    assert figure(80.04, 80) == "80.04"
    assert figure(Fraction(200, 3), 60) == "66.7"
    assert figure(Fraction(7999999, 100000), 80) == "79.99999"
    assert figure(2.999, 3, decimals=2) == "2.999"
    assert figure(85.123) == "85.1"


def test_a_figure_rounds_halves_up_as_scores_of_responses_do() -> None:
    assert [figure(value) for value in (81.25, 3.25, 3.75, Fraction(1250, 16))] == [
        "81.3",
        "3.3",
        "3.8",
        "78.1",
    ]
    assert figure(Fraction(5625, 100)) == "56.3"
    assert [figure(value) for value in (-0.25, -0.75, 0.05)] == ["-0.3", "-0.8", "0.1"]
    assert [figure(value, decimals=0) for value in (2.5, -2.5, -0.4)] == ["3", "-3", "0"]


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


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3, 5-7", [3, 5, 6, 7]),
        ("5-7, 3", [3, 5, 6, 7]),
        ("3 5 7", [3, 5, 7]),
        ("3;5 ;\n7", [3, 5, 7]),
        ("5 - 7", [5, 6, 7]),
        ("5\u20137", [5, 6, 7]),
        ("3, 3, 2-4", [2, 3, 4]),
        ("12-12", [12]),
        (" , ", []),
        ("", []),
    ],
)
def test_a_line_names_numbers_each_once_and_in_order(text, numbers):
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("3, x", "x"),
        ("7-5", "7-5"),
        ("1-501", "1-501"),
        ("-3", "-3"),
        ("3-", "3-"),
        ("1.5", "1.5"),
        ("1-500, 501", "501"),
    ],
)
def test_what_is_no_number_is_named(text, part):
    with pytest.raises(ValueError, match=f"^{part}$"):
        numbers_in(text)


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([7], "7"), ([3, 6, 5, 3], "3,5-6"), (range(1, 41), "1-40")]
)
def test_numbers_are_written_as_they_are_read(numbers, text):
    assert write_numbers(numbers) == text
    assert numbers_in(text) == sorted(set(numbers))


def test_five_hundred_are_the_most():
    assert len(numbers_in(f"1-{MOST}")) == MOST


@given(st.floats(-1e6, 1e6), st.floats(-100, 100), st.floats(-100, 100))
def test_nothing_stands_outside_the_track(value: float, minimum: float, maximum: float) -> None:
    assert 0 <= compute_track_position(value, minimum, maximum) <= 100


def test_equal_values_are_dots_above_each_other_around_the_middle() -> None:
    chart = dot_plot([DotRow("A", [4.0, 4.0, 10.0], 6.0, "6.00", low=3.0, high=9.0)], minimum=1, maximum=10)
    [(_row, dots, mean_x, interval)] = chart.rows
    assert dots == "M33.33 6.75h0M33.33 9.25h0M100 8h0"
    assert (mean_x, interval) == (55.56, "M22.22 5V11M22.22 8H88.89M88.89 5V11")
    assert chart.grid.startswith("M11.11 0V16") and chart.grid.count("M") == 8


def test_a_hundred_equal_dots_stay_inside_the_track() -> None:
    [(_row, dots, mean_x, interval)] = dot_plot(
        [DotRow("A", [5.0] * 100, None, "")], minimum=1, maximum=10
    ).rows
    heights = [float(part.split()[1].removesuffix("h0")) for part in dots.split("M")[1:]]
    assert (min(heights), max(heights)) == (1.5, 14.5)
    assert (mean_x, interval) == (None, "")


def test_points_on_one_spot_are_drawn_once_and_larger() -> None:
    found = scatter([(1, 1), (10, 10), (10, 10), *[(1, 10)] * 4], minimum=1, maximum=10)
    assert found == {"single": "M0 100h0", "few": "M100 0h0", "many": "M0 0h0"}


def test_parts_of_a_bar_fill_it_and_neighbours_differ_by_pattern() -> None:
    parts = share_bar([("A", "62 %", 0.62), ("B", "38 %", 0.38), ("C", "0 %", 0.0)])
    assert [(segment.x, segment.width, segment.kind) for segment in parts] == [
        (0, 62, 0),
        (62, 38, 1),
        (100, 0, 2),
    ]
    assert parts[0].stripes == "" and parts[1].stripes.startswith("M64.0 1V15")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_parts_never_leave_the_bar(raw: list[float]) -> None:
    total = sum(raw) or 1
    parts = share_bar([("x", "", value / total) for value in raw])
    assert len(parts) == len(raw)
    for part in parts:
        assert -0.01 <= part.x <= 100.01 and part.x + part.width <= 100.05


def test_a_row_on_its_scale():
    row = IntervalRow("Ann", 0.5, "+0.50", low=0.0, high=1.0, other=-1.0)
    chart = interval_plot([row, IntervalRow("Bob", None, "")], minimum=-1, maximum=1, reference=0)
    (_ann, *first), (_bob, *second) = chart.rows
    assert first == ["M75.0 8h0", "M50.0 5V11M50.0 8H100.0M100.0 5V11", "M0.0 2V14", ""]
    assert second == ["", "", "", ""]
    assert chart.reference == "M50.0 0V16"
    assert (chart.first, chart.last, chart.reference_text) == ("−1", "1", "0")


def test_ticks_are_round_and_few():
    assert ticks(0, 1) == [0.2, 0.4, 0.6000000000000001, 0.8]
    assert ticks(-1, 1) == [-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75]
    assert ticks(1, 10) == [2.0, 4.0, 6.0, 8.0]
    assert ticks(0, 0.7) and all(0 < tick < 0.7 for tick in ticks(0, 0.7))


def test_a_symmetric_scale_holds_everything():
    rows = [IntervalRow("Ann", -0.4, "", low=-1.3, high=0.5), IntervalRow("Bob", None, "")]
    low, high = symmetric(rows, least=1.0)
    assert (low, high) == (-1.5, 1.5)
    assert symmetric([], least=1.0) == (-1.0, 1.0)


PERCENT = Axis(0, 100, 20)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([62, 88], Axis(50, 90, 10)),  # 60 to 90 is 30 wide, 40 at the least: downwards first
        ([5, 12], Axis(0, 40, 10)),  # no room downwards
        ([0, 100], Axis(0, 100, 20)),
        ([38, 95], Axis(20, 100, 20)),  # 70 is no whole number of steps of 20: downwards again
        ([100, 100], Axis(60, 100, 10)),
        ([], Axis(0, 40, 10)),
    ],
)
def test_a_scale_holds_every_value_in_whole_steps(values, scale):
    assert compute_scale(values, step=10, least=40, lowest=0, highest=100) == scale


def test_a_scale_without_a_top_grows():
    assert compute_scale([0.4, 3.2], step=0.5, least=2, lowest=0) == Axis(0, 4, 1.0)
    assert compute_scale([12.1], step=0.5, least=2, lowest=0) == Axis(10.5, 12.5, 0.5)
    assert compute_scale([2.9, 3.2], step=0.5, least=2, lowest=0) == Axis(1.5, 3.5, 0.5)


@given(st.lists(st.floats(0, 100), min_size=1))
def test_no_value_lies_outside_its_scale(values):
    scale = compute_scale(values, step=10, least=40, lowest=0, highest=100)
    assert scale.minimum <= min(values) and max(values) <= scale.maximum
    assert scale.maximum - scale.minimum >= 40


def test_levels_go_from_foot_to_top():
    foot = HEIGHT - BOTTOM
    assert [level(value, PERCENT) for value in (0, 100, 50)] == [foot, TOP, (foot + TOP) / 2]
    assert level(120, PERCENT) == TOP, "what lies outside stands at the end"


def test_arms_share_a_scale():
    rows = [
        Arm("before", [Point(1, 60), Point(2, 70)], 65.0, "65.0", low=55, high=75),
        Arm("after", [Point(3, 90, is_hollow=True)], None, ""),
    ]
    found = arms(rows, Axis(50, 100, 10), threshold=70)
    (_before, dots, *shapes), (_after, _dots, *other_shapes) = found.rows
    assert [(x, y, point.number) for x, y, point in dots] == [(20, 8, 1), (40, 8, 2)]
    assert shapes == [30, "M10 5V11M10 8H50M50 5V11"]
    assert other_shapes == [None, ""]
    assert found.threshold_x == 40
    assert found.grid == "M20 0V16M40 0V16M60 0V16M80 0V16"


def test_dots_that_would_touch_stand_above_each_other():
    row = Arm("", [Point(1, 50.0), Point(2, 90.0), Point(3, 50.5), Point(4, 51.0)], None, "")
    ((_arm, dots, *_shapes),) = arms([row], PERCENT, threshold=0).rows
    assert [(x, y, point.number) for x, y, point in dots] == [
        (50, 3.5, 1),
        (50.5, 8, 3),
        (51, 12.5, 4),
        (90, 8, 2),
    ]


def test_many_equal_dots_stay_on_the_track():
    row = Arm("", [Point(at, 50.0) for at in range(9)], None, "")
    ((_arm, dots, *_shapes),) = arms([row], PERCENT, threshold=0).rows
    assert [y for _x, y, _point in dots] == [2, 3.5, 5, 6.5, 8, 9.5, 11, 12.5, 14]
