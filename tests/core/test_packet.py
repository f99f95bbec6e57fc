"""What a guideline meeting looks at, on differences written by hand."""

from hypothesis import given
from hypothesis import strategies as st

from discussions.core.disagreements import Disagreement, Side
from discussions.core.packet import Confusion, Differing, confusions_of, kinds_of, most_telling


def differing(*values, kind="reference", subject="1.1", game=1, majority=None, reason="", blind=""):
    sides = tuple(
        Side(number, "ABCDEFGH"[number], value, blind if number == 0 else "", reason if number == 0 else "")
        for number, value in enumerate(values)
    )
    one = Disagreement(kind, subject, sides, "", majority, majority is None, "hash")
    return Differing(game, one)


def test_a_thing_counts_once_for_every_two_answers_that_stand_against_each_other():
    found = [
        differing("accurate", "vague"),
        differing("vague", "accurate", "accurate"),
        differing("accurate", "inaccurate", "vague"),
    ]
    assert confusions_of(one.disagreement for one in found) == [
        Confusion(("accurate", "vague"), 3),
        Confusion(("accurate", "inaccurate"), 1),
        Confusion(("inaccurate", "vague"), 1),
    ]


def test_kinds_are_counted_and_the_most_differing_stands_first():
    found = [
        differing("yes", "no", kind="coherence"),
        differing("accurate", "vague"),
        differing("accurate", "vague", "vague", majority="vague"),
    ]
    first, second = kinds_of(found, {"reference": 8, "coherence": 5})
    assert (first.kind, first.differing, first.judged, first.ties) == ("reference", 2, 8, 1)
    assert (second.kind, second.differing, second.judged, second.ties) == ("coherence", 1, 5, 1)


def test_kinds_take_turns_and_open_ones_come_before_majorities():
    split = differing("a", "b", "b", majority="b", subject="1.1", reason="because")
    tie = differing("a", "b", subject="2.1")
    told = differing("a", "b", subject="3.1", reason="because", blind="b")
    other = differing("yes", "no", kind="coherence", subject="4")
    assert most_telling([split, tie, told, other], 12) == [told, other, tie, split]
    assert most_telling([split, tie, told, other], 2) == [told, other]
    assert most_telling([], 12) == []


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(1, 9)), max_size=12),
    st.randoms(use_true_random=False),
)
def test_the_choice_does_not_depend_on_the_order_of_reading(pairs, shuffled):
    found = [
        differing(one, other, game=game, subject=f"{place}.1")
        for place, (one, other, game) in enumerate(pairs)
        if one != other
    ]
    mixed = list(found)
    shuffled.shuffle(mixed)
    assert most_telling(found, 5) == most_telling(mixed, 5)
