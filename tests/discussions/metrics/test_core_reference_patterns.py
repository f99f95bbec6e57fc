"""M1 under the rules 1.1: which sentences count as references, which are offered, and what a game calls its rounds."""

import pytest

from tests.factories.metrics import game, measured


def found(
    text: str, own_round: int = 3, *, others: tuple[str, ...] = (), offset: int = 0, **parameters: object
) -> list[tuple[str, bool]]:
    """(text, counted) of every reference in one message of Alpha's, after messages of Bravo's in the same round."""
    said = [("Bravo", other, own_round) for other in others] or [("Bravo", "Hm", own_round)]
    record = game(messages=[*said, ("Alpha", text, own_round)], round_offset=offset)
    references = measured("memory_accuracy", record, number="1.1", **parameters).references
    return [(item.text, item.is_counted) for item in references if item.message == len(said) + 1]


@pytest.mark.parametrize(
    "text",
    [
        "Bravo lied in round 2.",
        "My Round 2 vote was a mistake.",
        "Same as round two.",
        "Round 1, I protected you.",
        "In Rounds 1 and 2 I was quiet.",
        "Since round 2 you are quiet.",
        "Your Round 0 aggression is odd.",
        "Last round was odd.",
        "You said so previously!",
        "As I noted earlier.",
        "Bravo voted for me",
        "Had you claimed, as you promised earlier, we would have won.",
    ],
)
def test_an_earlier_round_and_the_rubrics_words_count(text: str) -> None:
    assert found(text) == [(text, True)]


@pytest.mark.parametrize(
    "text",
    [
        "If I'd claimed earlier, we would know.",
        "So we would've found out earlier.",
        "You should have said so earlier.",
        "If Bravo had voted for me in round 2, he would be dead.",
        "I wish you had claimed in round 1.",
    ],
)
def test_what_did_not_happen_is_only_possible(text: str) -> None:
    assert found(text) == [(text, False)]


@pytest.mark.parametrize(
    "text",
    [
        "I knew it before.",
        "Was that you before?",
        "It was so before, but who cares",
        "It is the same as before",
        "You were never before so quiet",
        "Bravo was attacked.",
        "He got executed last.",
        "You pushed hard for Bravo.",
        "You've turned the focus on me.",
        "You just retracted it.",
        "Bravo, you both voted too fast.",
        "Like I said, no.",
        "Someone said that.",
        "With Bravo gone we win.",
        "Yesterday was odd.",
    ],
)
def test_the_wider_net_is_possible_only(text: str) -> None:
    assert found(text) == [(text, False)]


@pytest.mark.parametrize(
    "text",
    [
        "Let us talk before we vote.",
        "Before deciding I want claims.",
        "It happens before round 4",
        "Round 3 starts.",
        "Round 9999999 starts.",
        "You push too hard.",
        "Who do you suspect on day 3?",
    ],
)
def test_plans_and_the_own_round_are_no_references(text: str) -> None:
    assert found(text) == []


def test_another_parameter_lets_every_round_count() -> None:
    assert found("We meet in round 3.", reference_rounds="any") == [("We meet in round 3.", True)]


def test_day_night_and_quest_count_where_they_are_the_rounds_of_the_file() -> None:
    said = "I checked you on night 2."
    assert found(said) == [(said, True)]
    far = ("Night 2 was long.", "Night 2 was cold.")
    assert found(said, 9, others=far) == [(said, False)]
    assert found(said, 3, others=far) == [(said, True)]
    assert found("Quest one failed.", 2) == [("Quest one failed.", True)]
    assert found("It was day1 when he died.", 2) == [("It was day1 when he died.", True)]


def test_the_offset_of_a_game_moves_the_rounds_that_texts_name() -> None:
    """With the offset 1 "round 1" is the file's round 2."""
    said = "Your round 1 vote was odd."
    assert found(said, 2, offset=1) == []
    assert found(said, 3, offset=1) == [(said, True)]
    assert found("Your round 3 vote was odd.", 3, offset=-1) == [("Your round 3 vote was odd.", True)]
    assert found("Night 0 was calm.", 2, offset=1) == [("Night 0 was calm.", True)]


def test_the_round_of_a_reference_is_the_files() -> None:
    record = game(messages=[("Alpha", "In round 0 Bravo lied.", 3), ("Bravo", "Hm", 3)], round_offset=1)
    reference = measured("memory_accuracy", record, number="1.1").references[0]
    assert reference.round == 1
    assert reference.evidence is not None
    assert (reference.evidence.round, reference.evidence.players) == (1, [2])
    assert measured("memory_accuracy", record).references[0].round is None
