"""The number and the slider of a weight are kept in step, and whichever was moved counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.core.draft_texts import draft_texts
from rubric.core.reading_drafts import read_draft
from rubric.core.weighing import in_step, slide_text
from rubric.shelf import first_response_version

RESPONSE = first_response_version()


def one(number, slide, was, in_hand=""):
    """What becomes of the number of one weight."""
    sent = {"c3-weight": number, "c3-slide": slide, "c3-was": was}
    found = in_step(sent, in_hand=in_hand)
    assert (found["c3-slide"], found["c3-was"]) == (slide_text(found["c3-weight"]), found["c3-weight"])
    return found["c3-weight"]


@pytest.mark.parametrize(
    ("number", "slide"),
    [("0.35", "0.35"), ("0.333", "0.33"), ("0.335", "0.34"), (" 1 ", "1"), ("7", "1"), ("-1", "0"), ("1e-9", "0"),
     ("x", "0"), ("", "0"), ("1e999999999", "0")],
)  # fmt: skip
def test_where_the_slider_stands(number, slide):
    assert slide_text(number) == slide


@pytest.mark.parametrize(
    ("number", "slide", "was", "counts"),
    [
        ("0.35", "0.35", "0.35", "0.35"),
        ("0.333", "0.33", "0.333", "0.333"),  # the slider rounds; that is no move
        ("0.333", "0.34", "0.333", "0.34"),
        ("0.4", "0.35", "0.35", "0.4"),
        ("x", "0.35", "0.35", "x"),
        ("x", "0", "x", "x"),
        ("", "0", "", ""),
        ("", "0.2", "", "0.2"),
        ("0.35", "x", "0.35", "0.35"),
    ],
)
def test_what_was_moved_counts(number, slide, was, counts):
    assert one(number, slide, was) == counts


def test_where_both_were_moved_the_one_in_hand_counts_else_the_number():
    assert one("0.4", "0.5", "0.35") == "0.4"
    assert one("0.4", "0.5", "0.35", in_hand="c3-weight") == "0.4"
    assert one("0.4", "0.5", "0.35", in_hand="c3-slide") == "0.5"


def test_a_form_without_sliders_is_left_alone():
    texts = draft_texts(RESPONSE)
    assert in_step(texts)["c0-weight"] == "0.35"
    assert read_draft(texts | in_step(texts), RESPONSE) == RESPONSE


@given(st.lists(st.text(alphabet="0123456789.eE+-x ", max_size=6), min_size=3, max_size=3))
def test_what_is_in_step_stays_so(sent):
    one(*sent)
    found = in_step(dict(zip(("c3-weight", "c3-slide", "c3-was"), sent, strict=True)))
    assert in_step(found) == found
