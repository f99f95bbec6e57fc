"""How evaluations come in by week, by hand.

The load of each evaluator, from what they submitted and what they hold.
"""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.outcome import LOW, Outcome, OutcomeLine
from discussions.queue.core import (
    FARTHEST,
    CompletedWork,
    Held,
    active_minutes,
    compute_loads,
    compute_pace,
    first_monday,
    format_duration,
    rank_closeness,
)

WEDNESDAY = date(2026, 3, 4)


def started_and_submitted(day, minutes):
    submitted = datetime.combine(day, datetime.min.time(), UTC) + timedelta(hours=12)
    return submitted - timedelta(minutes=minutes), submitted


def test_weeks_begin_on_mondays_and_the_present_one_is_the_last():
    assert first_monday(WEDNESDAY, 1) == date(2026, 3, 2)
    assert first_monday(WEDNESDAY, 8) == date(2026, 1, 12)
    assert first_monday(date(2026, 3, 2), 1) == date(2026, 3, 2)
    assert first_monday(date(2026, 3, 8), 1) == date(2026, 3, 2)


def test_counts_and_medians_of_each_week_and_of_all():
    rows = [
        started_and_submitted(date(2026, 3, 2), 10),
        started_and_submitted(date(2026, 3, 1), 20),
        started_and_submitted(date(2026, 2, 23), 30),
        started_and_submitted(date(2026, 2, 25), 100),
        started_and_submitted(date(2026, 1, 1), 999),
    ]
    pace = compute_pace(rows, WEDNESDAY, weeks=3)
    assert pace.weeks == [
        (date(2026, 2, 16), 0, None),
        (date(2026, 2, 23), 3, 30),
        (date(2026, 3, 2), 1, 10),
    ]
    assert (pace.count, pace.minutes, pace.most) == (4, 25, 3)


def test_without_evaluations_there_is_no_median():
    pace = compute_pace([], WEDNESDAY)
    assert (len(pace.weeks), pace.count, pace.minutes, pace.most) == (8, 0, None, 0)


@pytest.mark.parametrize("zone", ["Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "UTC"])
@given(
    begin=st.integers(0, 365 * 24 * 60),
    minutes=st.integers(0, 300),
)
def test_a_length_of_time_is_what_passed_whatever_the_clocks_did(zone, begin, minutes):
    taken = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=begin)).astimezone(ZoneInfo(zone))
    submitted = (taken.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(ZoneInfo(zone))
    assert compute_pace([(taken, submitted)], submitted.date()).minutes == minutes
    assert active_minutes([submitted, taken]) == (minutes if minutes <= 5 else None)


@pytest.mark.parametrize(
    ("zone", "change"),
    [
        ("Europe/Vienna", datetime(2026, 10, 25, 1, tzinfo=UTC)),
        ("Europe/Vienna", datetime(2026, 3, 29, 1, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, 15, tzinfo=UTC)),
    ],
)
def test_twenty_minutes_across_a_change_of_the_clocks_are_twenty_minutes(zone, change):
    taken, submitted = ((change + timedelta(minutes=m)).astimezone(ZoneInfo(zone)) for m in (-10, 10))
    assert taken.utcoffset() != submitted.utcoffset()
    assert compute_pace([(taken, submitted)], submitted.date()).minutes == 20
    close = [(change + timedelta(minutes=m)).astimezone(ZoneInfo(zone)) for m in (2, -2)]
    assert active_minutes(close) == 4


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
    assert format_duration(minutes) == says


NOW = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


def at(*minutes):
    return [NOW + timedelta(minutes=minute) for minute in minutes]


def done(person, days, minutes=None, messages=50):
    return CompletedWork(person, NOW - timedelta(days=days), messages, minutes)


def test_pauses_of_more_than_five_minutes_are_left_out():
    # 0-2 and 2-7 count (2 + 5 minutes), 7-12.5 is a pause, 12.5-13 counts.
    assert active_minutes(at(0, 2, 7, 12.5, 13)) == pytest.approx(7.5)
    assert active_minutes(reversed(at(0, 2, 7, 12.5, 13))) == pytest.approx(7.5)


@pytest.mark.parametrize("minutes", [(), (0,), (0, 6), (0, 60, 120)])
def test_without_two_acts_close_together_there_is_no_time(minutes):
    assert active_minutes(at(*minutes)) is None


def test_a_load_by_hand():
    ann, bea = compute_loads(
        {2: "bea", 1: "Ann"},
        [
            done(1, days=1, minutes=30, messages=60),
            done(1, days=8, minutes=20, messages=100),
            done(1, days=27, minutes=None),
            done(1, days=29, minutes=500),
            done(2, days=6.9),
        ],
        {1: Held(open=1, sent_back=1, set_aside=2, assigned=3)},
        NOW,
    )
    assert (ann.name, ann.done_short, ann.done_long) == ("Ann", 1, 3)
    assert ann.minutes == 25
    assert ann.minutes_per_100 == pytest.approx((50 + 20) / 2)
    assert ann.ahead == 5
    assert (bea.done_short, bea.done_long, bea.minutes, bea.minutes_per_100) == (1, 1, None, None)
    assert bea.held == Held()


def test_people_stand_by_name_whatever_they_did_and_all_of_them():
    loads = compute_loads({3: "Zoe", 1: "ann", 2: "Ann"}, [done(3, 1, 5)], {}, NOW)
    assert [(load.name, load.person) for load in loads] == [("ann", 1), ("Ann", 2), ("Zoe", 3)]
    assert compute_loads({}, [done(3, 1)], {}, NOW) == []


def test_a_game_without_messages_is_in_no_time_per_message():
    (load,) = compute_loads({1: "Ann"}, [done(1, 1, minutes=3, messages=0)], {}, NOW)
    assert (load.minutes, load.minutes_per_100) == (3, None)


def outcome(flips, *, passes=True, is_open=False, rating=None):
    """A verdict that so many judgements turn, with a mandatory rating of so many half points if one is given."""
    rated = OutcomeLine("engagement", "Engagement", "rating", 3.0, rating or 6, 2, None, (rating or 6) >= 6)
    return Outcome(
        passes=passes, headline="", lines=[rated] if rating else [], passed_count=5, needed_count=1, by_rule_count=0,
        is_quality_pass=True, cost_usd=None, cost_state=LOW, cost_limit_usd=Decimal(5), cost_amber_usd=Decimal(4),
        reasons=[], missing=[], flip_distance=flips, recommendations=[], composite=None,
        open=["coherence"] if is_open else [],
    )  # fmt: skip


def test_what_is_closest_to_another_verdict():
    assert rank_closeness(outcome(3), 0, 1) == 3
    assert rank_closeness(outcome(3), 2, 2) == 1, "each tie is broken by the next answer"
    assert rank_closeness(outcome(3), 5, 2) == 0
    assert rank_closeness(outcome(None), 4, 2) == FARTHEST, "ties do not matter where no answer does"
    assert rank_closeness(outcome(9, is_open=True), 0, 1) == 0
    assert rank_closeness(outcome(None, passes=None), 0, 1) == 0
    assert rank_closeness(outcome(9, rating=7), 0, 1) == 2, "half points of the rating count, too"
    ranks = [rank_closeness(outcome(flips), 1, 2) for flips in (0, 1, 2, 7, None)]
    assert ranks == sorted(ranks) and len(set(ranks)) == 4
