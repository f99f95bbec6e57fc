"""Where bars, thresholds and intervals stand."""

from hypothesis import given
from hypothesis import strategies as st

from workspace.core.charts import BarRow, place, threshold_bars


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
