"""Small multiples and arms, every coordinate worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.core.multiples import (
    BOTTOM,
    HEIGHT,
    LEFT,
    NARROW,
    RIGHT,
    TOP,
    WIDE,
    Arm,
    Column,
    Scale,
    Value,
    arms,
    level,
    multiple,
    scale_of,
    width_of,
)

PERCENT = Scale(0, 100, 20)


def column(label, *values, mean=None, **given):
    return Column(label, [Value(at, value) for at, value in enumerate(values, start=1)], mean, **given)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([62, 88], Scale(50, 90, 10)),  # 60 to 90 is 30 wide, 40 at the least: downwards first
        ([5, 12], Scale(0, 40, 10)),  # no room downwards
        ([0, 100], Scale(0, 100, 20)),
        ([38, 95], Scale(20, 100, 20)),  # 70 is no whole number of steps of 20: downwards again
        ([100, 100], Scale(60, 100, 10)),
        ([], Scale(0, 40, 10)),
    ],
)
def test_a_scale_holds_every_value_in_whole_steps(values, scale):
    assert scale_of(values, step=10, least=40, lowest=0, highest=100) == scale


def test_a_scale_without_a_top_grows():
    assert scale_of([0.4, 3.2], step=0.5, least=2, lowest=0) == Scale(0, 4, 1.0)
    assert scale_of([12.1], step=0.5, least=2, lowest=0) == Scale(10.5, 12.5, 0.5)
    assert scale_of([2.9, 3.2], step=0.5, least=2, lowest=0) == Scale(1.5, 3.5, 0.5)


@given(st.lists(st.floats(0, 100), min_size=1))
def test_no_value_lies_outside_its_scale(values):
    scale = scale_of(values, step=10, least=40, lowest=0, highest=100)
    assert scale.minimum <= min(values) and max(values) <= scale.maximum
    assert scale.maximum - scale.minimum >= 40


def test_levels_go_from_foot_to_top():
    foot = HEIGHT - BOTTOM
    assert [level(value, PERCENT) for value in (0, 100, 50)] == [foot, TOP, (foot + TOP) / 2]
    assert level(120, PERCENT) == TOP, "what lies outside stands at the end"


def test_columns_stand_side_by_side_and_their_dots_beside_each_other():
    found = multiple([column("1", 50, 50, 50), column("2", 0)], PERCENT)
    # 314 units of room, 157 for each column; dots are 11 apart around the middle
    assert (NARROW, LEFT, RIGHT) == (360, 34, 12)
    assert [each.x for each in found.columns] == [112.5, 269.5]
    assert [(dot.x, dot.y) for dot in found.columns[0].dots] == [(101.5, 71), (112.5, 71), (123.5, 71)]
    assert [dot.value.number for dot in found.columns[0].dots] == [1, 2, 3]
    assert [(dot.x, dot.y) for dot in found.columns[1].dots] == [(269.5, 132)]


def test_many_columns_get_a_wide_box_fewer_labels_and_closer_dots():
    assert [width_of(count) for count in (24, 25, 103, 104)] == [NARROW, WIDE, WIDE, 1086]
    found = multiple([column(str(at), 10, 20, 30) for at in range(100)], PERCENT)
    # 1034 / 100 = 10.34 for each column, so every third label has its 22 units of room
    assert [each.label for each in found.columns[:5]] == ["0", "", "", "3", ""]
    first, second, third = found.columns[0].dots
    apart = 0.8 * 10.34 / 3
    assert [second.x - first.x, third.x - second.x] == pytest.approx([apart, apart], abs=0.1)


def test_means_are_level_strokes_and_lines_go_where_they_come_from():
    columns = [
        column("1", 40, mean=40.0),
        column("2", 60, mean=60.0, origin=0, is_tried=True),
        column("3", 80, mean=80.0, origin=0),
    ]
    found = multiple(columns, PERCENT)
    # 314 / 3: middles 86.3, 191, 295.7; 122 units of height: 40 is at 83.2, 60 at 58.8, 80 at 34.4
    assert found.means == "M77.3 83.2h18.0M182.0 58.8h18.0M286.7 34.4h18.0"
    assert found.tried == "M86.3 83.2L191.0 58.8"
    assert found.line == "M86.3 83.2L295.7 34.4"


def test_a_mean_that_is_not_known_breaks_the_line():
    columns = [column("1", mean=None), column("2", 60, mean=60.0, origin=0), column("3", origin=1)]
    found = multiple(columns, PERCENT)
    assert (found.line, found.tried) == ("", "")
    assert found.means.count("M") == 1


def test_threshold_and_ticks():
    found = multiple([column("1", 50, mean=50.0)], PERCENT, rules=[(75, "must"), (0, "nothing")])
    assert [(rule.y, rule.text) for rule in found.rules] == [
        (40.5, "must"),
        (132, "nothing"),
    ]  # 132 - 0.75 * 122
    assert [(tick.text, tick.y) for tick in found.ticks][::5] == [("0", 132), ("100", 10)]
    assert multiple([], PERCENT).columns == []
    assert [tick.text for tick in multiple([], Scale(1, 5, 1)).ticks] == ["1", "2", "3", "4", "5"]


def test_marks_and_hollow_dots_are_handed_on():
    hollow = Column("7", [Value(3, 100, is_hollow=True)], 100.0, mark="K")
    (upright,) = multiple([hollow], PERCENT).columns
    assert (upright.label, upright.mark, upright.dots[0].value) == ("7", "K", hollow.values[0])


def test_arms_share_a_scale():
    rows = [
        Arm("before", [Value(1, 60), Value(2, 70)], 65.0, "65.0", low=55, high=75),
        Arm("after", [Value(3, 90, is_hollow=True)], None, ""),
    ]
    found = arms(rows, Scale(50, 100, 10), threshold=70)
    before, after = found.rows
    assert [(dot.x, dot.y, dot.value.number) for dot in before.dots] == [(20, 8, 1), (40, 8, 2)]
    assert (before.mean_x, before.interval) == (30, "M10 5V11M10 8H50M50 5V11")
    assert (after.mean_x, after.interval) == (None, "")
    assert found.threshold_x == 40
    assert found.grid == "M20 0V16M40 0V16M60 0V16M80 0V16"


def test_dots_that_would_touch_stand_above_each_other():
    row = Arm("", [Value(1, 50.0), Value(2, 90.0), Value(3, 50.5), Value(4, 51.0)], None, "")
    (found,) = arms([row], PERCENT, threshold=0).rows
    assert [(dot.x, dot.y, dot.value.number) for dot in found.dots] == [
        (50, 3.5, 1),
        (50.5, 8, 3),
        (51, 12.5, 4),
        (90, 8, 2),
    ]


def test_many_equal_dots_stay_on_the_track():
    row = Arm("", [Value(at, 50.0) for at in range(9)], None, "")
    (found,) = arms([row], PERCENT, threshold=0).rows
    assert [dot.y for dot in found.dots] == [2, 3.5, 5, 6.5, 8, 9.5, 11, 12.5, 14]
