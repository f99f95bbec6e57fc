"""As many places as a game needs: taken ones stay, kept ones stay longest, numbers are never given twice."""

from hypothesis import given
from hypothesis import strategies as st

from discussions.slots.core import SlotChanges, SlotRecord, plan_slot_changes


def place(number, *, taken=False, closed=False, kept=False):
    return SlotRecord(100 + number, number, taken, closed, kept)


def test_enough_places_are_left_alone():
    assert plan_slot_changes([place(1, taken=True), place(2)], 2) == SlotChanges()


def test_a_game_without_any_gets_them_from_one_on():
    assert plan_slot_changes([], 3) == SlotChanges(make=[1, 2, 3])


def test_free_places_close_from_the_highest_number_and_kept_ones_last():
    places = [place(1, taken=True), place(2), place(3, kept=True)]
    assert plan_slot_changes(places, 2) == SlotChanges(close=[102])
    assert plan_slot_changes(places, 1) == SlotChanges(close=[102, 103])


def test_taken_places_beyond_the_number_stay():
    assert plan_slot_changes([place(number, taken=True) for number in (1, 2, 3)], 1) == SlotChanges()


def test_closed_places_open_again_before_new_ones_are_made():
    places = [place(1, taken=True, closed=True), place(2, closed=True), place(3, closed=True)]
    assert plan_slot_changes(places, 2) == SlotChanges(open=[102])
    assert plan_slot_changes(places, 5) == SlotChanges(open=[102, 103], make=[4, 5])


PLACES = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=8)


@given(PLACES, st.integers(1, 10))
def test_after_fitting_there_are_as_many_as_needed_and_fitting_again_does_nothing(given_places, needed):
    places = [
        place(number, taken=taken, closed=closed, kept=kept)
        for number, (taken, closed, kept) in enumerate(given_places, 1)
    ]
    fit = plan_slot_changes(places, needed)
    after = [
        SlotRecord(slot.key, slot.number, slot.is_taken, is_closed(slot, fit), slot.is_kept)
        for slot in places
    ] + [place(number) for number in fit.make]
    taken = sum(slot.is_taken for slot in after)
    free = sum(not slot.is_taken and not slot.is_closed for slot in after)
    assert free == max(0, needed - taken)
    assert len({slot.number for slot in after}) == len(after)
    assert not {slot.key for slot in places if slot.is_taken} & {*fit.close, *fit.open}
    assert plan_slot_changes(after, needed) == SlotChanges()


def is_closed(slot, fit):
    """Whether a place is closed after the fit."""
    return slot.key in fit.close or (slot.is_closed and slot.key not in fit.open)
