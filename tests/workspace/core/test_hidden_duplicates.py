"""Which item comes again, and when: by chance with a seed, long after, none twice."""

import pytest

from workspace.core.hidden_duplicates import APART, choose_duplicate, count_ahead, is_due


def test_about_as_many_are_repeats_as_the_rule_says():
    due = sum(is_due("a person", given_count, 5) for given_count in range(10_000))
    assert 430 <= due <= 570  # 500 expected, standard deviation 22


def test_none_are_due_at_zero_and_the_same_ones_again_for_the_same_seed():
    assert not any(is_due("a person", given_count, 0) for given_count in range(1000))
    first, second = ([is_due(seed, given_count, 50) for given_count in range(50)] for seed in ("one", "two"))
    assert first == [is_due("one", given_count, 50) for given_count in range(50)]
    assert first != second


def test_an_item_comes_again_only_after_twenty_others():
    items = list(range(100, 100 + APART))
    assert choose_duplicate("seed", 1, items, ()) is None
    assert choose_duplicate("seed", 1, [7, *items], ()) == 7
    assert choose_duplicate("seed", 1, [7, *items], {7}) is None


def test_of_several_each_is_chosen_now_and_then():
    items = list(range(APART + 3))
    chosen = {choose_duplicate("seed", given_count, items, ()) for given_count in range(60)}
    assert chosen == {0, 1, 2}


@pytest.mark.parametrize(("percent", "items"), [(0, 60), (5, 60), (20, 90), (50, 120), (50, APART)])
def test_how_many_repeats_come_is_told_before_and_goes_down_by_each_that_came(percent, items):
    submitted, repeated, given_count, ahead = [], set(), 0, []
    left = list(range(items))
    while left:
        given = {"given_count": given_count, "percent": percent, "left": len(left)}
        ahead.append(len(left) + count_ahead("x", **given, submitted=len(submitted), repeated=len(repeated)))
        chosen = (
            choose_duplicate("x", given_count, submitted, repeated)
            if is_due("x", given_count, percent)
            else None
        )
        if chosen is None:
            submitted.append(left.pop(0))
        else:
            repeated.add(chosen)
        given_count += 1
    assert ahead == list(range(given_count, 0, -1))
    assert bool(repeated) == (percent > 0 and items > APART)
