"""Where dots, brackets and lines of figures with intervals stand."""

from workspace.core.interval_plot import IntervalRow, interval_plot, symmetric, ticks


def test_a_row_on_its_scale():
    row = IntervalRow("Ann", 0.5, "+0.50", low=0.0, high=1.0, other=-1.0)
    chart = interval_plot([row, IntervalRow("Bob", None, "")], minimum=-1, maximum=1, reference=0)
    first, second = chart.rows
    assert (first.dot, first.other) == ("M75.0 8h0", "M0.0 2V14")
    assert first.interval == "M50.0 5V11M50.0 8H100.0M100.0 5V11"
    assert (second.dot, second.interval, second.other) == ("", "", "")
    assert chart.reference == "M50.0 0V16"
    assert (chart.first, chart.last, chart.reference_text) == ("-1", "1", "0")


def test_ticks_are_round_and_few():
    assert ticks(0, 1) == [0.2, 0.4, 0.6000000000000001, 0.8]
    assert ticks(-1, 1) == [-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75]
    assert ticks(1, 10) == [2.0, 4.0, 6.0, 8.0]
    assert all(0 < each < 0.7 for each in ticks(0, 0.7))


def test_a_symmetric_scale_holds_everything():
    rows = [IntervalRow("Ann", -0.4, "", low=-1.3, high=0.5), IntervalRow("Bob", None, "")]
    low, high = symmetric(rows, least=1.0)
    assert (low, high) == (-1.5, 1.5)
    assert symmetric([], least=1.0) == (-1.0, 1.0)
