"""The load of each evaluator, from what they handed in and what they hold."""

from datetime import UTC, datetime, timedelta

import pytest

from discussions.core.workload import Done, Held, active_minutes, loads_of

NOW = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


def at(*minutes):
    return [NOW + timedelta(minutes=each) for each in minutes]


def done(person, days, minutes=None, messages=50):
    return Done(person, NOW - timedelta(days=days), messages, minutes)


def test_pauses_of_more_than_five_minutes_are_left_out():
    # 0-2 and 2-7 count (2 + 5 minutes), 7-12.5 is a pause, 12.5-13 counts.
    assert active_minutes(at(0, 2, 7, 12.5, 13)) == pytest.approx(7.5)
    assert active_minutes(reversed(at(0, 2, 7, 12.5, 13))) == pytest.approx(7.5)


@pytest.mark.parametrize("minutes", [(), (0,), (0, 6), (0, 60, 120)])
def test_without_two_acts_close_together_there_is_no_time(minutes):
    assert active_minutes(at(*minutes)) is None


def test_a_load_by_hand():
    ann, bea = loads_of(
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
    loads = loads_of({3: "Zoe", 1: "ann", 2: "Ann"}, [done(3, 1, 5)], {}, NOW)
    assert [(load.name, load.person) for load in loads] == [("ann", 1), ("Ann", 2), ("Zoe", 3)]
    assert loads_of({}, [done(3, 1)], {}, NOW) == []


def test_a_game_without_messages_is_in_no_time_per_message():
    (load,) = loads_of({1: "Ann"}, [done(1, 1, minutes=3, messages=0)], {}, NOW)
    assert (load.minutes, load.minutes_per_100) == (3, None)
