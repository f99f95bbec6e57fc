"""Telling two sequences apart: nothing is lost, little is missed, and no input takes long."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.matching import LARGEST_STRETCH, Block, Matcher
from discussions.core.prompt_diff import prompt_diff

SIDE = int(LARGEST_STRETCH**0.5) + 1


def rebuilt(one, other, blocks):
    """The other sequence, from the one and the blocks."""
    found, at = [], 0
    for block in blocks:
        found += one[at : block.start] + other[block.other_start : block.other_stop]
        at = block.stop
    return found + one[at:]


entries = st.lists(st.sampled_from("abcdef"), max_size=30)


@given(entries, entries)
def test_blocks_lead_from_the_one_to_the_other(one, other):
    blocks = Matcher().blocks(one, other)
    assert rebuilt(one, other, blocks) == other
    for before, after in itertools.pairwise(blocks):
        assert before.stop < after.start
        assert before.other_stop < after.other_start


@given(st.data())
def test_large_ones_are_cut_at_what_is_there_once(data):
    """Every hundredth of 2,000 lines that are all different is changed, and found, although the whole is too large."""
    moved = data.draw(st.sets(st.integers(0, 1999), max_size=20))
    one = [f"line {number}" for number in range(2000)]
    other = [f"other {number}" if number in moved else line for number, line in enumerate(one)]
    matcher = Matcher()
    blocks = matcher.blocks(one, other)
    assert {place for block in blocks for place in range(block.start, block.stop)} == moved
    assert rebuilt(one, other, blocks) == other
    assert not matcher.is_coarse


def test_anchors_that_crossed_are_not_both_used():
    one = [f"line {number}" for number in range(SIDE + 10)]
    other = one[SIDE // 2 :] + one[: SIDE // 2]
    blocks = Matcher().blocks(one, other)
    assert rebuilt(one, other, blocks) == other
    assert sum(block.stop - block.start for block in blocks) == SIDE // 2


def test_what_is_too_large_is_replaced_whole_and_says_so():
    matcher = Matcher()
    assert matcher.blocks(["a", "b"] * SIDE, ["b", "c"] * SIDE) == [Block(0, 2 * SIDE, 0, 2 * SIDE)]
    assert matcher.is_coarse


def test_all_calls_share_one_purse():
    matcher = Matcher()
    one, other = ["a", "b"] * (SIDE // 2 - 2), ["b", "c"] * (SIDE // 2 - 2)
    found = [len(matcher.blocks(one, other)) for _ in range(8)]
    assert found[0] > 1
    assert found[-1] == 1
    assert matcher.is_coarse


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x\n" * 100_000, "x\ny\n" * 50_000),
        ("x " * 200_000, "y " * 200_000),
        ("a b " * 50_000, "b a " * 50_000),
        ("\n".join(map(str, range(100_000))), "\n".join(map(str, range(100_000, 0, -1)))),
        (
            "\n".join(f"{number} x y" for number in range(3_000)),
            "\n".join(f"{number} y x" for number in range(3_000)),
        ),
    ],
    ids=["one line over and over", "no word alike", "words over and over", "upside down", "every line"],
)
def test_no_prompt_takes_long(before, after):
    begun = time.process_time()
    prompt_diff(before, after)
    assert time.process_time() - begun < 5
