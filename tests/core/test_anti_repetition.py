"""M6: three-word phrases by speaker, what counts as one, and the companions."""

from math import comb

import pytest

from discussions.core.metrics import companions_of, figure_value, measure_game
from discussions.core.metrics.anti_repetition import phrase_variety
from discussions.core.records import GameRecord
from tests.core.builders import game, measured, rubric


def second_look(record: GameRecord) -> dict[str, object]:
    """The companions of M6."""
    return dict(companions_of(record, rubric(), measure_game(record, rubric()))["anti_repetition"])


def test_a_phrase_repeated_by_its_speaker_counts_against_the_score() -> None:
    record = game(
        messages=[("Alpha", "one two three four"), ("Bravo", "hm"), ("Alpha", "one two three five")]
    )
    result = measured("anti_repetition", record)
    assert (result.numerator, result.denominator, figure_value(result), result.counted) == (
        2,
        4,
        50.0,
        [1, 3],
    )
    assert [(item.player, item.phrase, item.count, item.messages) for item in result.phrases] == [
        (1, "one two three", 2, [1, 3])
    ]


def test_a_phrase_of_two_speakers_is_no_repetition_unless_pooled() -> None:
    record = game(messages=[("Alpha", "one two three"), ("Bravo", "one two three")])
    assert figure_value(measured("anti_repetition", record)) == 100.0
    pooled = measured("anti_repetition", record, repetition_scope="pooled")
    assert (figure_value(pooled), pooled.phrases[0].player) == (0.0, 0)


def test_all_names_are_the_same_word() -> None:
    record = game(
        messages=[("Alpha", "I think Bravo"), ("Alpha", "i think, Charlie's")],
        roles={"Bravo": None, "Charlie": None},
    )
    assert [item.phrase for item in measured("anti_repetition", record).phrases] == ["i think [name]"]


@pytest.mark.parametrize(
    ("text", "counted"),
    [("vote Bravo out", 0), ("the mafia vote", 0), ("vote them out", 1), ("Bravo Bravo hm", 0)],
)
def test_phrases_with_fewer_than_two_ordinary_words_do_not_count(text: str, counted: int) -> None:
    record = game(messages=[("Alpha", text)], roles={"Bravo": None})
    assert measured("anti_repetition", record).denominator == counted
    assert measured("anti_repetition", record, repetition_min_ordinary=0).denominator == 1


def test_phrases_stay_inside_a_message() -> None:
    record = game(messages=[("Alpha", "one two"), ("Alpha", "three four"), ("Alpha", "")])
    result = measured("anti_repetition", record)
    assert (result.denominator, result.is_applicable, figure_value(result)) == (0, False, 100.0)


def test_a_phrase_twice_in_one_message_is_repeated() -> None:
    result = measured("anti_repetition", game(messages=[("Alpha", "no no no no")]))
    assert (result.numerator, result.denominator, result.phrases[0].messages) == (0, 2, [1])


def test_variety_is_the_mean_of_all_samples() -> None:
    # Three phrases used 3, 2 and 1 times; two drawn of six: 1 - C(3,2)/15, 1 - C(4,2)/15, 1 - C(5,2)/15.
    expected = (3 - (comb(3, 2) + comb(4, 2) + comb(5, 2)) / comb(6, 2)) / 2
    assert phrase_variety([3, 2, 1], 2) == pytest.approx(100 * expected)
    assert phrase_variety([1] * 300, 300) == pytest.approx(100)
    assert phrase_variety([300], 300) == pytest.approx(100 / 300)
    assert phrase_variety([1] * 299, 300) is None
    assert phrase_variety([], 300) is None


def test_the_most_used_phrases_name_their_speakers() -> None:
    record = game(
        messages=[("Alpha", "one two three"), ("Alpha", "one two three"), ("Bravo", "one two three")]
    )
    assert second_look(record)["top_phrases"] == [
        {
            "phrase": "one two three",
            "count": 3,
            "speakers": [{"player": 1, "count": 2}, {"player": 2, "count": 1}],
            "messages": [1, 2, 3],
        }
    ]


def test_the_rubrics_patterns_to_avoid_are_counted() -> None:
    said = [
        "I think Bravo is suspicious",
        "I agree with Bravo.",
        "Let's look at the evidence!",
        "I AGREE with Alpha",
    ]
    record = game(messages=[("Alpha", text) for text in said], roles={"Bravo": None})
    assert second_look(record)["to_avoid"] == {
        "I think [name] is suspicious": 1,
        "let's look at the evidence": 1,
        "I agree with [name]": 2,
    }


@pytest.mark.parametrize(("uses", "flagged"), [(15, ["i think [name]"]), (14, [])])
def test_fifteen_uses_in_fifty_messages_are_robotic(uses: int, flagged: list[str]) -> None:
    said = [
        ("Alpha" if at % 2 else "Bravo", "I think Charlie" if at < uses else f"w{at} x{at} y{at}")
        for at in range(50)
    ]
    record = game(messages=said, roles={"Charlie": None})
    robotic = second_look(record)["robotic"]
    assert isinstance(robotic, list)
    assert [item["phrase"] for item in robotic] == flagged
    # The rubric calls this a FAIL, yet by no reading of its formula is it one: hence the flag.
    assert measured("anti_repetition", record, repetition_scope="speaker").denominator == 50
