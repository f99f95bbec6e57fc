"""Periods of the charts of a dashboard, and when the games that are left will be done."""

from datetime import date, timedelta

import pytest

from discussions.home.core import DAY, WEEK, Periods, divide_time, draw_spark, estimate_end, place_columns

TODAY = date(2026, 3, 4)  # a Wednesday
WEEKS = Periods(WEEK, [date(2026, 2, 2) + timedelta(weeks=at) for at in range(5)])


def estimate(left, done, periods=WEEKS):
    return estimate_end(left=left, done=done, periods=periods, today=TODAY)


def test_a_young_project_is_drawn_by_day_and_an_older_one_by_week():
    young = divide_time(TODAY - timedelta(days=13), TODAY)
    assert (young.unit, len(young.starts), young.starts[-1]) == (DAY, 14, TODAY)
    older = divide_time(TODAY - timedelta(days=14), TODAY)
    assert (older.unit, older.starts) == (WEEK, [date(2026, 2, 16), date(2026, 2, 23), date(2026, 3, 2)])
    assert len(divide_time(date(2020, 1, 1), TODAY).starts) == 12


def test_a_project_of_today_and_one_that_an_archive_dates_into_the_future_have_one_day():
    assert divide_time(TODAY, TODAY).starts == [TODAY]
    assert len(divide_time(TODAY + timedelta(days=3), TODAY).starts) == 1


def test_the_date_is_what_the_pace_of_the_last_four_weeks_gives():
    found = estimate(24, {-1: 90, 1: 6, 2: 6, 3: 6, 4: 6})
    # From 9 February to today: 24 in 24 days.
    assert (found.state, found.done, found.days) == ("known", 24, 24)
    assert found.on == TODAY + timedelta(days=24)
    assert found.earliest < found.on < found.latest


def test_time_before_the_first_verdict_does_not_count():
    found = estimate(10, {3: 5, 4: 5})
    assert (found.state, found.days, found.on) == ("known", 10, TODAY + timedelta(days=10))


def test_a_pause_counts_where_there_were_verdicts_before():
    assert estimate(10, {0: 1, 4: 5}).days == 24


@pytest.mark.parametrize(
    ("left", "done", "state"),
    [
        (0, {4: 5}, "done"),
        (5, {}, "no_pace"),
        (5, {-1: 80}, "no_pace"),
        (5, {4: 50}, "short"),
        (5, {1: 1, 4: 3}, "few"),
        (10_000, {1: 3, 4: 3}, "far"),
    ],
)
def test_without_enough_data_there_is_no_date(left, done, state):
    found = estimate(left, done)
    assert (found.state, found.on) == (state, None)


def test_a_range_that_reaches_too_far_has_no_end():
    found = estimate(130, {1: 1, 4: 4})
    assert (found.state, found.latest) == ("known", None)


def test_a_line_of_means_leaves_gaps_and_runs_through_what_was_kept():
    means, is_kept = [50.0, None, 90.0, 70.0], [True, True, False, True]
    found = draw_spark(means, is_kept, needed=70.0)
    first, *_between, last = place_columns(4)
    assert (first, last) == (8, 240)
    assert found["path"] == "M8 34L240 20"
    assert [is_under for _x, _y, is_under, _kept in found["dots"]] == [True, False, False]
    assert found["needed_y"] == 20
    assert draw_spark([None], [True], 70.0)["path"] == ""
