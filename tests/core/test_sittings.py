"""The present sitting of a person, and when a break is proposed."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.sittings import BREAK, Sitting, break_due, sitting_of

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def ago(*minutes):
    return [NOW - timedelta(minutes=each) for each in minutes]


def test_a_sitting_goes_back_to_the_last_break():
    found = sitting_of(ago(70, 61, 50, 41, 33, 24, 15, 6), NOW)
    # 61 and 50 minutes ago are eleven minutes apart: that was a break.
    assert found == Sitting(NOW - timedelta(minutes=50), NOW - timedelta(minutes=6))
    assert found.minutes == 44


def test_order_does_not_matter_and_the_future_is_not_read():
    times = ago(5, 12, 3)
    assert sitting_of(times, NOW) == sitting_of([*reversed(times), NOW + BREAK], NOW)


@pytest.mark.parametrize("minutes", [(), (10,), (11, 12, 13)])
def test_during_a_break_and_before_any_act_there_is_none(minutes):
    assert sitting_of(ago(*minutes), NOW) is None


def test_ten_minutes_are_a_break_and_a_second_less_is_none():
    last, began = NOW - timedelta(minutes=1), NOW - timedelta(minutes=11)
    assert sitting_of([began, last], NOW) == Sitting(last, last)
    assert sitting_of([began + timedelta(seconds=1), last], NOW).began_at == began + timedelta(seconds=1)


@pytest.mark.parametrize(
    ("minutes", "due"),
    [
        (0, 0),
        (4, 0),
        (49, 0),
        (50, 50),
        (54, 50),
        (55, 0),
        (99, 0),
        (100, 100),
        (104, 100),
        (105, 0),
        (151, 150),
    ],
)
def test_a_break_is_proposed_every_fifty_minutes_for_five(minutes, due):
    sitting = Sitting(NOW - timedelta(minutes=minutes), NOW)
    assert break_due(sitting) == due


def test_without_a_sitting_no_break_is_proposed():
    assert break_due(None) == 0


@given(st.lists(st.integers(0, 300)))
def test_no_two_neighbours_in_a_sitting_are_a_break_apart(minutes):
    times = ago(*minutes)
    found = sitting_of(times, NOW)
    if found is None:
        assert all(NOW - each >= BREAK for each in times)
        return
    inside = sorted(each for each in times if each >= found.began_at)
    assert all(later - earlier < BREAK for earlier, later in pairwise(inside))
    assert all(found.began_at - each >= BREAK for each in times if each < found.began_at)
