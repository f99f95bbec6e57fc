"""Where bars, thresholds and intervals stand."""

from hypothesis import given
from hypothesis import strategies as st

from workspace.core.charts import BarRow, DotRow, dot_plot, place, scatter, share_bar, threshold_bars


def test_a_bar_its_threshold_and_its_interval() -> None:
    row = BarRow("Coherence", 74.0, 70.0, "74.0", state="pass", low=60.5, high=84.0)
    [bar] = threshold_bars([row]).bars
    assert (bar.width, bar.threshold_x) == (74.0, 70.0)
    assert bar.interval == "M60.5 5V11M60.5 8H84.0M84.0 5V11"
    assert bar.stripes == ""


def test_a_rating_stands_on_its_own_scale() -> None:
    [bar] = threshold_bars([BarRow("Engagement", 3.5, 3.0, "3.5", state="pass", minimum=1, maximum=5)]).bars
    assert (bar.width, bar.threshold_x) == (62.5, 50.0)


def test_a_failed_bar_is_striped_inside_its_width() -> None:
    [bar] = threshold_bars([BarRow("Depth", 10.0, 60.0, "10.0", state="fail")]).bars
    assert bar.stripes == "M4 3V13M8 3V13"


def test_pending_has_no_bar_and_an_empty_chart_no_rows() -> None:
    chart = threshold_bars([BarRow("Memory", None, 80.0, "pending")])
    assert (chart.bars[0].width, chart.has_intervals) == (0.0, False)
    assert threshold_bars([]).bars == []


@given(st.floats(-1e6, 1e6), st.floats(-100, 100), st.floats(-100, 100))
def test_nothing_stands_outside_the_track(value: float, minimum: float, maximum: float) -> None:
    assert 0 <= place(value, minimum, maximum) <= 100


def test_equal_values_are_dots_above_each_other_around_the_middle() -> None:
    chart = dot_plot([DotRow("A", [4.0, 4.0, 10.0], 6.0, "6.00", low=3.0, high=9.0)], minimum=1, maximum=10)
    [row] = chart.rows
    assert row.dots == "M33.33 6.75h0M33.33 9.25h0M100 8h0"
    assert (row.mean_x, row.interval) == (55.56, "M22.22 5V11M22.22 8H88.89M88.89 5V11")
    assert chart.grid.startswith("M11.11 0V16") and chart.grid.count("M") == 8


def test_a_hundred_equal_dots_stay_inside_the_track() -> None:
    [row] = dot_plot([DotRow("A", [5.0] * 100, None, "")], minimum=1, maximum=10).rows
    heights = [float(part.split()[1].removesuffix("h0")) for part in row.dots.split("M")[1:]]
    assert (min(heights), max(heights)) == (1.5, 14.5)
    assert (row.mean_x, row.interval) == (None, "")


def test_points_on_one_spot_are_drawn_once_and_larger() -> None:
    found = scatter([(1, 1), (10, 10), (10, 10), *[(1, 10)] * 4], minimum=1, maximum=10)
    assert (found.single, found.few, found.many) == ("M0 100h0", "M100 0h0", "M0 0h0")
    assert found.count == 7


def test_parts_of_a_bar_fill_it_and_neighbours_differ_by_pattern() -> None:
    parts = share_bar([("A", "62 %", 0.62), ("B", "38 %", 0.38), ("C", "0 %", 0.0)])
    assert [(each.x, each.width, each.kind) for each in parts] == [(0, 62, 0), (62, 38, 1), (100, 0, 2)]
    assert parts[0].stripes == "" and parts[1].stripes.startswith("M64.0 1V15")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_parts_never_leave_the_bar(raw: list[float]) -> None:
    total = sum(raw) or 1
    for part in share_bar([("x", "", value / total) for value in raw]):
        assert -0.01 <= part.x <= 100.01 and part.x + part.width <= 100.05
