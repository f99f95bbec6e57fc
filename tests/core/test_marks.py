"""What can be said in a review, what is missing, and how a ranking is moved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.core.marks import (
    CANNOT,
    Sheet,
    fault_of,
    is_settled,
    missing,
    moved,
    order_of,
    value_of,
    why_not_yet,
)

CRITERIA = (("accuracy", "Accuracy"), ("clarity", "Clarity"))
BOTH = Sheet(count=2, criteria=CRITERIA, mode="both")
WHOLE_IN = {("holistic", "1"): "7", ("holistic", "2"): CANNOT}


@pytest.mark.parametrize(("mode", "whole", "scores"), [("both", 2, 4), ("rubric", 0, 4), ("holistic", 2, 0)])
def test_a_mode_asks_for_what_it_says(mode, whole, scores):
    sheet = Sheet(count=2, criteria=CRITERIA, mode=mode)
    assert (len(sheet.whole), len(sheet.scores)) == (whole, scores)
    assert len(missing(sheet, {})) == whole + scores


def test_criteria_are_asked_one_after_the_other():
    assert [subject for _kind, subject in BOTH.scores] == [
        "1.accuracy",
        "2.accuracy",
        "1.clarity",
        "2.clarity",
    ]
    assert [each.says for each in missing(BOTH, WHOLE_IN)][:2] == [
        "Response A has no score for Accuracy.",
        "Response B has no score for Accuracy.",
    ]


@pytest.mark.parametrize("value", ["1", "10", "cannot", "", None])
def test_whole_points_and_cannot_judge_are_scores(value):
    assert fault_of(BOTH, "score", "2.clarity", value) == ""


@pytest.mark.parametrize(
    ("kind", "subject", "value"),
    [
        ("score", "2.clarity", "0"),
        ("score", "2.clarity", "11"),
        ("score", "2.clarity", "7.5"),
        ("score", "2.clarity", "٧"),
        ("score", "2.clarity", " 7"),
        ("score", "3.clarity", "7"),
        ("score", "02.clarity", "7"),
        ("score", "2", "7"),
        ("score", "2.taste", "7"),
        ("holistic", "0", "7"),
        ("holistic", "", "7"),
        ("notes", "3", "x"),
        ("notes", "1", "x" * 4001),
        ("ranking", "1", "1>2"),
        ("ranking", "", "1>3"),
        ("ranking", "", "1>1"),
        ("ranking", "", "1>"),
        ("ranking", "", "1 > 2"),
        ("overall", "1", "7"),
    ],
)
def test_everything_else_is_refused(kind, subject, value):
    assert fault_of(BOTH, kind, subject, value)


def test_criteria_open_when_all_are_scored_as_a_whole_and_then_those_stay():
    half = {("holistic", "1"): "7"}
    assert not is_settled(BOTH, half)
    assert "open when every response" in why_not_yet(BOTH, half, "score")
    assert why_not_yet(BOTH, half, "holistic") == ""
    assert why_not_yet(BOTH, WHOLE_IN, "score") == ""
    assert "stay as they were given" in why_not_yet(BOTH, WHOLE_IN, "holistic")
    assert why_not_yet(BOTH, {}, "notes") == ""


@pytest.mark.parametrize("mode", ["rubric", "holistic"])
def test_where_there_is_one_kind_of_score_it_can_be_changed_to_the_end(mode):
    sheet = Sheet(count=2, criteria=CRITERIA, mode=mode)
    values = dict.fromkeys([*sheet.whole, *sheet.scores], "7")
    kind = "score" if mode == "rubric" else "holistic"
    assert why_not_yet(sheet, values, kind) == ""
    assert why_not_yet(sheet, {}, kind) == ""
    assert "opens when all scores are in" in why_not_yet(sheet, {}, "ranking")
    assert why_not_yet(sheet, values, "ranking") == ""


@pytest.mark.parametrize(
    ("before", "place", "way", "after"),
    [
        ("1>2>3", 3, "higher", "1>3>2"),
        ("1>2>3", 1, "lower", "2>1>3"),
        ("1>2>3", 2, "equal", "1=2>3"),
        ("1=2>3", 2, "higher", "2>1>3"),
        ("1=2>3", 1, "lower", "2>1>3"),
        ("1=2>3", 3, "higher", "3>1=2"),
        ("1=2>3", 3, "equal", "1=2=3"),
        ("1>2=3", 1, "lower", "2=3>1"),
        ("1>2=3", 3, "equal", "1=3>2"),
        ("2>1", 3, "lower", "2>1>3"),
    ],
)
def test_a_response_is_moved(before, place, way, after):
    assert value_of(moved(order_of(before, 3), place, way)) == after


@pytest.mark.parametrize(
    ("before", "place", "way"),
    [
        ("1>2", 1, "higher"),
        ("1>2", 2, "lower"),
        ("1=2", 1, "equal"),
        ("1>2", 3, "higher"),
        ("1>2", 3, "equal"),
    ],
)
def test_a_response_cannot_be_moved_out_of_the_ranking(before, place, way):
    assert moved(order_of(before, 3), place, way) is None


@given(st.data())
def test_moving_loses_nobody_and_can_be_written_and_read(data):
    order = [[place] for place in data.draw(st.permutations(range(1, 6)))]
    for _turn in range(8):
        place = data.draw(st.integers(1, 5))
        way = data.draw(st.sampled_from(["higher", "lower", "equal"]))
        after = moved(order, place, way)
        if after is None:
            continue
        assert sorted(each for group in after for each in group) == [1, 2, 3, 4, 5]
        assert all(after)
        assert after != order
        assert order_of(value_of(after), 5) == [sorted(group) for group in after]
        order = after
