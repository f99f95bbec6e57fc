"""M3: reply links, names of recent speakers, shared keywords, and the shuffled baseline."""

import pytest

from discussions.core.metrics import companions_of, figure_value, measure_game
from discussions.core.records import GameRecord
from tests.core.builders import game, measured, rubric


def rules(record: GameRecord, **parameters: object) -> list[str]:
    """The rule of every message."""
    return [finding.rule for finding in measured("coherence", record, **parameters).messages]


def test_the_first_message_never_counts() -> None:
    assert rules(game(messages=[("Alpha", "Bravo voted")], links={1: None})) == ["first"]


def test_a_reply_link_counts_when_it_does_not_point_forward() -> None:
    messages = [("Alpha", "one"), ("Bravo", "two"), ("Alpha", "three"), ("Bravo", "four")]
    assert rules(game(messages=messages, links={2: 1, 3: None, 4: 4})) == [
        "first",
        "reply_link",
        "reply_link",
        "no_link",
    ]


def test_naming_a_recent_speaker_counts() -> None:
    said = [("Alpha", "one"), ("Bravo", "two"), ("Charlie", "three"), ("Delta", "four")]
    assert rules(game(messages=[*said, ("Echo", "Bravo's right")]))[-1] == "names_recent_speaker"
    assert rules(game(messages=[*said, ("Echo", "Alpha is right")]))[-1] == "no_link"
    assert (
        rules(game(messages=[*said, ("Echo", "Alpha is right")]), coherence_window=4)[-1]
        == "names_recent_speaker"
    )
    assert (
        rules(game(messages=[("Alpha", "one"), ("Bravo", "two"), ("Alpha", "Alpha here")]))[-1] == "no_link"
    )


def test_two_shared_keywords_count_from_three_messages_together() -> None:
    said = [("Alpha", "the pattern"), ("Bravo", "voting"), ("Charlie", "hm")]
    result = measured("coherence", game(messages=[*said, ("Delta", "voting pattern pattern")]))
    assert (result.messages[-1].rule, result.messages[-1].words) == ("shared_keywords", ["pattern", "voting"])
    assert rules(game(messages=[*said, ("Delta", "pattern pattern")]))[-1] == "no_link"
    assert rules(game(messages=[*said, ("Charlie", "hm"), ("Delta", "voting pattern")]))[-1] == "no_link"


def test_the_rubrics_own_example_shares_one_word_only() -> None:
    record = game(messages=[("Alpha", "voting pattern"), ("Bravo", "pattern analysis")])
    assert rules(record) == ["first", "no_link"]
    assert rules(record, coherence_min_shared=1) == ["first", "shared_keywords"]


@pytest.mark.parametrize("words", ["vote vote", "there would", "four than"])
def test_short_words_and_stop_words_are_no_keywords(words: str) -> None:
    assert rules(game(messages=[("Alpha", words), ("Bravo", words)])) == ["first", "no_link"]


def test_a_name_in_both_is_one_shared_keyword_by_choice() -> None:
    said = [("Alpha", "Delta plays strangely"), ("Bravo", "strangely, Delta Delta")]
    record = game(messages=said, roles={"Delta": None})
    assert rules(record) == ["first", "shared_keywords"]
    assert rules(record, coherence_names=False) == ["first", "no_link"]


def test_examples_of_the_rubric() -> None:
    first = ("Agent-Alpha", "I accuse Agent-Charlie, look at the voting pattern")
    good = ("Agent-Bravo", "I disagree with Agent-Alpha. Their accusation doesn't match the voting pattern")
    bad = ("Agent-Bravo", "Let's analyze the evidence carefully")
    assert rules(game(messages=[first, good]))[1] == "names_recent_speaker"
    assert rules(game(messages=[first, bad]))[1] == "no_link"


def test_the_denominator_is_a_choice() -> None:
    record = game(messages=[("Alpha", "one"), ("Bravo", "Alpha!"), ("Alpha", "Bravo!"), ("Bravo", "hm")])
    assert figure_value(measured("coherence", record)) == 50.0
    result = measured("coherence", record, coherence_denominator="after_first")
    assert (result.numerator, result.denominator) == (2, 3)
    assert (
        figure_value(
            measured("coherence", game(messages=[("Alpha", "one")]), coherence_denominator="after_first")
        )
        is None
    )


def test_companions_tell_the_signs_and_the_baseline() -> None:
    record = game(messages=[("Alpha", "evidence pattern"), ("Bravo", "evidence pattern")] * 10)
    companions = companions_of(record, rubric(), measure_game(record, rubric()))["coherence"]
    assert companions["after_first"] == 100.0
    assert companions["by_keywords"] == 95.0
    assert companions["shuffled_baseline"] == 95.0
    assert companions["gain_over_shuffled"] == 0.0
    assert companions["would_pass_shuffled"] is True


def test_the_baseline_of_two_messages_is_known() -> None:
    record = game(messages=[("Alpha", "one"), ("Bravo", "Alpha!")])
    companions = companions_of(record, rubric(shuffle_count=2000), measure_game(record, rubric()))[
        "coherence"
    ]
    assert companions["shuffled_baseline"] == pytest.approx(25, abs=2)
