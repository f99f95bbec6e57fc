"""The difference of two prompts: hunks, marked words, one change or several, whatever the texts.

Telling two sequences apart: nothing is lost, little is missed, and no input takes long.
"""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration import fits
from discussions.iterations.core.prompt_diff import (
    ADDED,
    LARGEST_STRETCH,
    REMOVED,
    SAME,
    Matcher,
    Stretch,
    prompt_diff,
)

BEFORE = """You are a player in a game of Mafia.
Speak in one or two sentences.

Refer to earlier rounds.
Do not repeat yourself.
Stay in your role.
Vote with a reason.
"""


def marked(line):
    """The text of a line with its changed pieces in square brackets."""
    return "".join(f"[{text}]" if is_changed else text for text, is_changed in line.pieces)


def shown(hunk):
    """The lines of a hunk as a person reads them."""
    signs = {SAME: " ", REMOVED: "-", ADDED: "+"}
    return [signs[line.kind] + marked(line) for line in hunk[0]]


def test_one_change_with_its_words_marked():
    after = BEFORE.replace("Refer to earlier rounds.", "Refer to earlier rounds by their number.")
    found = prompt_diff(BEFORE, after)
    assert (found.hunk_count, found.warning, found.is_coarse) == (1, "", False)
    assert (found.added_count, found.removed_count, found.trailing) == (1, 1, 2)
    assert found.hunks[0][1] == 1
    assert shown(found.hunks[0]) == [
        " Speak in one or two sentences.",
        " ",
        "-Refer to earlier rounds.",
        "+Refer to earlier rounds[ by their number].",
        " Do not repeat yourself.",
        " Stay in your role.",
    ]
    assert [(line.before, line.after) for line in found.hunks[0][0]] == [
        (2, 2), (3, 3), (4, None), (None, 4), (5, 5), (6, 6),
    ]  # fmt: skip


def test_two_places_are_a_warning_for_the_lead():
    after = BEFORE.replace("one or two", "at most three").replace("Vote", "Always vote")
    found = prompt_diff(BEFORE, after)
    assert found.hunk_count == 2
    assert found.warning.startswith("2 places of the prompt changed, and an iteration is one change:")
    assert [skipped for _lines, skipped in found.hunks] == [0, 0]
    assert shown(found.hunks[0])[1:3] == [
        "-Speak in [one or two] sentences.",
        "+Speak in [at most three] sentences.",
    ]
    assert prompt_diff(BEFORE, after, allowed=2).warning == ""
    assert (
        "an iteration is 2 changes"
        in prompt_diff(BEFORE, after.replace("Do not", "Never"), allowed=2).warning
    )


def test_blank_lines_do_not_part_a_change():
    found = prompt_diff("One.\n\nTwo.\nThree.", "Uno.\n\nDos.\nThree.")
    assert found.hunk_count == 1
    assert shown(found.hunks[0]) == ["-[One].", "+[Uno].", " ", "-[Two].", "+[Dos].", " Three."]


def test_a_line_in_between_does_part_it():
    assert prompt_diff("One.\nSame.\nTwo.", "Uno.\nSame.\nDos.").hunk_count == 2


def test_lines_between_two_hunks_are_shown_once():
    before = "\n".join(f"line {number}" for number in range(20))
    after = (
        before.replace("line 5\n", "five\n").replace("line 8\n", "eight\n").replace("line 17", "seventeen")
    )
    found = prompt_diff(before, after)
    assert [skipped for _lines, skipped in found.hunks] == [3, 0, 4]
    assert [line.before for lines, _skipped in found.hunks for line in lines if line.before] == [
        *range(4, 12), *range(16, 21),
    ]  # fmt: skip
    assert found.trailing == 0


def test_the_same_prompt_is_no_change():
    found = prompt_diff(BEFORE, BEFORE)
    assert (found.hunks, found.trailing) == ([], 8)
    assert found.warning == "The prompt is the same as the one it is compared with: nothing was changed."


def test_line_ends_of_windows_are_no_change():
    assert prompt_diff(BEFORE, BEFORE.replace("\n", "\r\n")).hunk_count == 0


def test_a_prompt_that_is_new_is_one_change():
    found = prompt_diff("", "One.\nTwo.")
    assert (found.hunk_count, found.added_count, found.removed_count, found.warning) == (1, 2, 0, "")
    assert shown(found.hunks[0]) == ["+One.", "+Two."]
    assert prompt_diff("One.", "").removed_count == 1


def test_lines_with_little_in_common_are_not_marked_word_by_word():
    found = prompt_diff(
        "Speak in a friendly tone.", "Never, ever, under any circumstance, name somebody a liar."
    )
    assert shown(found.hunks[0]) == [
        "-Speak in a friendly tone.",
        "+Never, ever, under any circumstance, name somebody a liar.",
    ]


def test_a_line_that_was_broken_in_two_marks_no_word():
    found = prompt_diff("Speak up, and give a reason.", "Speak up,\nand give a reason.")
    assert shown(found.hunks[0]) == ["-Speak up,[ ]and give a reason.", "+Speak up,", "+and give a reason."]


lines = st.lists(st.sampled_from(["", " ", "a b c", "a x c", "a b", "zz", "été 🙂"]), max_size=12)


texts = lines.map("\n".join)


@given(texts, texts)
def test_the_later_prompt_comes_out_of_the_earlier_one(before, after):
    found = prompt_diff(before, after)
    old, new = (text.split("\n") if text else [] for text in (before, after))
    rebuilt, at = [], 0
    for hunk in found.hunks:
        rebuilt += old[at : at + hunk[1]]
        at += hunk[1]
        for line in hunk[0]:
            if line.kind != ADDED:
                assert (line.text, line.before) == (old[at], at + 1)
                at += 1
            if line.kind != REMOVED:
                rebuilt.append(line.text)
                assert line.after == len(rebuilt)
        assert any(line.kind != SAME for line in hunk[0])
    assert rebuilt + old[at:] == new
    assert at + found.trailing == len(old)
    assert (found.hunk_count == 0) == (old == new)


@given(texts, texts)
def test_counts_do_not_hang_on_the_direction(before, after):
    first, other = prompt_diff(before, after), prompt_diff(after, before)
    assert (first.hunk_count == 0) == (other.hunk_count == 0)
    assert first.added_count - first.removed_count == other.removed_count - other.added_count


SIDE = int(LARGEST_STRETCH**0.5) + 1


def rebuilt(first, other, blocks):
    """The other sequence, from the one and the blocks."""
    found, at = [], 0
    for block in blocks:
        found += first[at : block.start] + other[block.other_start : block.other_stop]
        at = block.stop
    return found + first[at:]


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
    group = [f"line {number}" for number in range(2000)]
    other = [f"other {number}" if number in moved else line for number, line in enumerate(group)]
    matcher = Matcher()
    blocks = matcher.blocks(group, other)
    assert {place for block in blocks for place in range(block.start, block.stop)} == moved
    assert rebuilt(group, other, blocks) == other
    assert not matcher.is_coarse


def test_anchors_that_crossed_are_not_both_used():
    group = [f"line {number}" for number in range(SIDE + 10)]
    other = group[SIDE // 2 :] + group[: SIDE // 2]
    blocks = Matcher().blocks(group, other)
    assert rebuilt(group, other, blocks) == other
    assert sum(block.stop - block.start for block in blocks) == SIDE // 2


def test_what_is_too_large_is_replaced_whole_and_says_so():
    matcher = Matcher()
    assert matcher.blocks(["a", "b"] * SIDE, ["b", "c"] * SIDE) == [Stretch(0, 2 * SIDE, 0, 2 * SIDE)]
    assert matcher.is_coarse


def test_all_calls_share_one_purse():
    matcher = Matcher()
    first, other = ["a", "b"] * (SIDE // 2 - 2), ["b", "c"] * (SIDE // 2 - 2)
    found = [len(matcher.blocks(first, other)) for _ in range(8)]
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
    assert fits(lambda: prompt_diff(before, after), 3_000)
