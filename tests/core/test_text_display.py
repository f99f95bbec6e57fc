"""Untrusted text is shown for what it is, and a figure never looks like it is on the other side."""

from fractions import Fraction

import pytest

from workspace.core.text_display import Piece, badge, figure, pieces


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
