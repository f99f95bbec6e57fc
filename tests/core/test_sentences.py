"""Where sentences and clauses end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.sentences import clauses, split, unquoted


def sentences(text: str) -> list[str]:
    """The sentences as text."""
    return [text[start:end] for start, end in split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Wait... what?! Yes\u2026 no", ["Wait...", "what?!", "Yes\u2026", "no"]),
        ('He said "go." Then (left.) So', ['He said "go."', "Then (left.)", "So"]),
        ("Version 1.5 is out.now it ends.", ["Version 1.5 is out.now it ends."]),
        ("line one\nline two\r\n\r\nline three", ["line one", "line two", "line three"]),
        ("  spaced.   out  ", ["spaced.", "out"]),
        ("one\u2028two\u2029three", ["one", "two", "three"]),
        ("", []),
        (" \n\t ", []),
        ("...", ["..."]),
    ],
)
def test_sentences_end_as_the_rubric_says(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=" ab.!?\n\"')\u2026", max_size=60))
def test_sentences_cover_everything_but_white_space(text: str) -> None:
    spans = split(text)
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


def test_clauses_are_cut_at_marks_and_words() -> None:
    assert [clause.strip() for clause in clauses("it is late, so we vote; but also sofia (and you)? yes")] == [
        "it is late", "we vote", "also sofia (", "you)?", "yes",
    ]  # fmt: skip


def test_a_dash_may_stand_before_a_joining_word() -> None:
    assert clauses("sofia helps-and mara is lying") == ["sofia helps", " mara is lying"]
    assert clauses("sofia helps -but mara is lying") == ["sofia helps ", " mara is lying"]
    assert clauses("a cat-and-mouse game") == ["a cat-and-mouse game"]


def test_quotes_are_blanked_and_a_lone_quote_stays() -> None:
    assert unquoted('he said "i am mafia" today') == "he said " + " " * 12 + " today"
    assert unquoted('6" tall') == '6" tall'
