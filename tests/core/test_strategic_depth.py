"""M2: keywords, stems, and what does not match."""

import pytest

from discussions.core.metrics import companions_of, figure_value, measure_game
from tests.core.builders import game, measured, rubric


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I think Agent-Alpha is suspicious because they defended Agent-Bravo without evidence",
         ["think", "suspicious", "because", "defended", "evidence"]),
        ("Voting on voters: vote, votes", ["voting", "voters", "vote", "votes"]),
        ("I TRUST you", ["trust"]),
        ("believable inconsistencies", ["believable", "inconsistencies"]),
    ],
)  # fmt: skip
def test_keywords_and_their_continuations_count(text: str, words: list[str]) -> None:
    finding = measured("strategic_depth", game(messages=[("Alpha", text)])).messages[0]
    assert (finding.counts, finding.rule, finding.words) == (True, "keyword", words)


@pytest.mark.parametrize(
    "text", ["I agree with that", "", "pivoted, rethink, becauses", "entrust", "vote2", "!!!"]
)
def test_substrings_and_other_words_do_not(text: str) -> None:
    assert measured("strategic_depth", game(messages=[("Alpha", text)])).numerator == 0


def test_a_players_name_is_no_keyword() -> None:
    record = game(messages=[("Trusty", "hello Voter"), ("Voter", "hello Trusty")])
    assert measured("strategic_depth", record).numerator == 0


def test_the_score_divides_by_all_messages() -> None:
    record = game(
        messages=[("Alpha", "I think"), ("Bravo", "yes"), ("Alpha", "evidence of it"), ("Bravo", "ok")]
    )
    result = measured("strategic_depth", record)
    assert (figure_value(result), result.numerator, result.denominator, result.counted) == (
        50.0,
        2,
        4,
        [1, 3],
    )
    companions = companions_of(record, rubric(), measure_game(record, rubric()))["strategic_depth"]
    assert companions == {"words_per_message": 1.5, "without_weak_keywords": 25.0, "before_overrides": 50.0}
