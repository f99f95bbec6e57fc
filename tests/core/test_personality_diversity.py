"""M5: unique players, exact limits, choices, silent players and length-matched texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from discussions.core.metrics import companions_of, figure_value, measure_game
from discussions.core.metrics.personality_diversity import bigrams, dice, token_sort
from tests.core.builders import game, measured, rubric

WORDS = st.text(alphabet="ab cd", max_size=30)


@given(WORDS, WORDS)
def test_similarity_is_token_sort_ratio(one: str, other: str) -> None:
    first, second = " ".join(sorted(one.split())), " ".join(sorted(other.split()))
    shared, whole = token_sort(first, second)
    if whole:
        assert 100 * shared / whole == pytest.approx(fuzz.token_sort_ratio(one, other))


def test_exactly_seventy_is_not_unique() -> None:
    # 7 of 10 characters in common: 2 * 7 / 20 = 70 %.
    record = game(messages=[("Ann", "abcdefghij"), ("Bob", "abcdefgxyz")])
    result = measured("personality_diversity", record)
    assert [finding.similarity for finding in result.players] == [70.0, 70.0]
    assert (result.numerator, result.denominator, figure_value(result)) == (0, 2, 0.0)
    assert measured("personality_diversity", record, similarity_unique_below=70.5).numerator == 2


def test_the_order_of_words_does_not_matter_and_names_are_left_out() -> None:
    record = game(messages=[("Ann", "Bob is very odd"), ("Bob", "odd is, very Ann"), ("Cid", "zzz yyy www")])
    result = measured("personality_diversity", record)
    assert [finding.is_unique for finding in result.players] == [False, False, True]
    assert [finding.nearest for finding in result.players][:2] == [2, 1]
    assert result.counted == [3]


def test_messages_are_joined_in_order() -> None:
    record = game(messages=[("Ann", "one two"), ("Bob", "xyz"), ("Ann", "three")])
    assert [finding.characters for finding in measured("personality_diversity", record).players] == [13, 3]


def test_silent_players_are_listed_and_count_by_choice() -> None:
    record = game(messages=[("Ann", "hello there")], roles={"Ann": None, "Bob": None})
    result = measured("personality_diversity", record)
    assert (result.numerator, result.denominator, result.notes) == (1, 1, ["silent: Bob"])
    assert measured("personality_diversity", record, diversity_players="all").denominator == 2


def test_long_texts_are_cut_and_it_is_said() -> None:
    record = game(messages=[("Ann", "same " * 100 + "ending"), ("Bob", "same " * 100 + "other")])
    result = measured("personality_diversity", record, similarity_max_chars=400)
    assert [finding.similarity for finding in result.players] == [100.0, 100.0]
    assert result.notes == ["compared on the first 400 characters: Ann, Bob"]


def test_players_who_said_no_word_are_alike() -> None:
    assert measured("personality_diversity", game(messages=[("Ann", "..."), ("Bob", "!")])).numerator == 0
    assert figure_value(measured("personality_diversity", game(messages=[("Ann", "...")]))) == 100.0


def test_dice_on_bigrams_is_the_other_measure() -> None:
    # night: ni ig gh ht; nacht: na ac ch ht. One of four and four: 2 * 1 / 8.
    assert dice(bigrams("night"), bigrams("nacht")) == (2, 8)
    record = game(messages=[("Ann", "night"), ("Bob", "nacht")])
    assert measured("personality_diversity", record, similarity="dice_bigrams").players[0].similarity == 25.0


def test_names_can_be_kept() -> None:
    record = game(messages=[("Ann", "Bob Bob Bob"), ("Bob", "Ann Ann Ann")])
    assert measured("personality_diversity", record).players[0].characters == 0
    assert measured("personality_diversity", record, similarity_names=True).players[0].characters == 20


def test_length_matched_texts_have_the_length_of_the_shortest() -> None:
    record = game(messages=[("Ann", "abcd efgh ijkl"), ("Bob", "abcd")])
    companions = companions_of(record, rubric(), measure_game(record, rubric()))["personality_diversity"]
    assert companions["length_matched"] == {"characters": 4, "players": 2, "unique": 0, "score": 0.0}
    assert companions["silent"] == []
