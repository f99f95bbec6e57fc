"""Which game comes again, and when: by chance with a seed, long after, none twice."""

from discussions.core.repeats import APART, is_due, repeated_game


def test_about_as_many_are_repeats_as_the_rule_says():
    due = sum(is_due("a person", dealt, 5) for dealt in range(10_000))
    assert 430 <= due <= 570  # 500 expected, standard deviation 22


def test_none_are_due_at_zero_and_the_same_ones_again_for_the_same_seed():
    assert not any(is_due("a person", dealt, 0) for dealt in range(1000))
    first, second = ([is_due(seed, dealt, 50) for dealt in range(50)] for seed in ("one", "two"))
    assert first == [is_due("one", dealt, 50) for dealt in range(50)]
    assert first != second


def test_a_game_comes_again_only_after_twenty_others():
    games = list(range(100, 100 + APART))
    assert repeated_game("seed", 1, games, ()) is None
    assert repeated_game("seed", 1, [7, *games], ()) == 7
    assert repeated_game("seed", 1, [7, *games], {7}) is None


def test_of_several_each_is_chosen_now_and_then():
    games = list(range(APART + 3))
    chosen = {repeated_game("seed", dealt, games, ()) for dealt in range(60)}
    assert chosen == {0, 1, 2}
