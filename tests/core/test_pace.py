"""How evaluations come in by week, by hand."""

from datetime import UTC, date, datetime, timedelta

import pytest

from discussions.core.pace import first_monday, pace_of, spoken

WEDNESDAY = date(2026, 3, 4)


def done(day, minutes):
    handed_in = datetime.combine(day, datetime.min.time(), UTC) + timedelta(hours=12)
    return handed_in - timedelta(minutes=minutes), handed_in


def test_weeks_begin_on_mondays_and_the_present_one_is_the_last():
    assert first_monday(WEDNESDAY, 1) == date(2026, 3, 2)
    assert first_monday(WEDNESDAY, 8) == date(2026, 1, 12)
    assert first_monday(date(2026, 3, 2), 1) == date(2026, 3, 2)
    assert first_monday(date(2026, 3, 8), 1) == date(2026, 3, 2)


def test_counts_and_medians_of_each_week_and_of_all():
    rows = [
        done(date(2026, 3, 2), 10),
        done(date(2026, 3, 1), 20),
        done(date(2026, 2, 23), 30),
        done(date(2026, 2, 25), 100),
        done(date(2026, 1, 1), 999),
    ]
    pace = pace_of(rows, WEDNESDAY, weeks=3)
    assert [(week.monday, week.count, week.minutes) for week in pace.weeks] == [
        (date(2026, 2, 16), 0, None),
        (date(2026, 2, 23), 3, 30),
        (date(2026, 3, 2), 1, 10),
    ]
    assert (pace.count, pace.minutes, pace.most) == (4, 25, 3)


def test_without_evaluations_there_is_no_median():
    pace = pace_of([], WEDNESDAY)
    assert (len(pace.weeks), pace.count, pace.minutes, pace.most) == (8, 0, None, 0)


@pytest.mark.parametrize(
    ("minutes", "says"),
    [
        (None, ""),
        (0.2, "1 minute"),
        (1.4, "1 minute"),
        (12.4, "12 minutes"),
        (119, "119 minutes"),
        (120, "2.0 hours"),
        (2880, "2.0 days"),
    ],
)
def test_time_is_told_as_one_says_it(minutes, says):
    assert spoken(minutes) == says
