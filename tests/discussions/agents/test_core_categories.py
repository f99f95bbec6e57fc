"""Categories: merged ones count for the last, only games with a code count, agreement over games that two coded."""

import pytest

from discussions.agents.core.categories import Code, compute_agreement, count_shares, find_roots, merge_codes


def test_a_merge_is_followed_to_its_end_and_a_circle_is_refused():
    assert find_roots({1: 2, 2: 3, 3: None, 4: None}) == {1: 3, 2: 3, 3: 3, 4: 4}
    with pytest.raises(ValueError, match="merged into itself"):
        find_roots({1: 2, 2: 1})


def test_codes_of_one_coder_under_merged_categories_count_once():
    codes = [Code(1, 5, 1, 7), Code(1, 5, 2, 7), Code(1, 5, 2, 8), Code(1, 6, 4, 7)]
    assert merge_codes(codes, {1: 2, 2: 2, 4: 4}, ended=[4]) == [Code(1, 5, 2, 7), Code(1, 5, 2, 8)]


def test_shares_are_of_the_messages_of_games_with_a_code():
    said = {game: ["Ada", "Bo", "Ada", ""] for game in (1, 2, 3, 4)}
    codes = [Code(1, 1, 9, 7), Code(1, 1, 9, 8), Code(2, 3, 9, 7), Code(3, 0, 5, 7)]
    ada, bo = count_shares(codes, 9, said)
    assert (ada.name, ada.coded, ada.of, ada.games) == ("Ada", 2, 6, 3)
    assert (bo.name, bo.coded, bo.of) == ("Bo", 0, 3)
    low, high = ada.interval
    assert low < 100 / 3 < high
    assert count_shares([Code(1, 1, 9, 7)], 9, said)[0].interval is None


def test_agreement_is_over_games_that_two_coded():
    lengths = {1: 10, 2: 10, 3: 10, 4: 10}
    both = [
        Code(game, message, 9, coder) for game in (1, 2, 3) for message in (1, 2, 3, 4) for coder in (7, 8)
    ]
    found = compute_agreement(both, 9, lengths)
    assert (found.value, found.items, found.raters) == (1, 30, 2)
    apart = [code for code in both if code.coder == 7 or code.message < 4]
    assert 0.7 < compute_agreement(apart, 9, lengths).value < 1
    alone = [Code(4, 1, 9, 7)]
    assert compute_agreement(alone, 9, lengths).value is None
