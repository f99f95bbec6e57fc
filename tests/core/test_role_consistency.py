"""M4: the rubric's lists and examples, and probes of our own at the edges of every rule."""

import pytest

from discussions.core.metrics import companions_of, figure_value, measure_game
from discussions.core.records import MessageFinding
from tests.core.builders import game, measured, rubric

ROLES = {
    "Alpha": "Mafia",
    "Bravo": "Mafia",
    "Charlie": "Villager",
    "Delta": "Seer",
    "Echo": "Villager",
    "Zulu": None,
}


def finding(speaker: str, text: str, **parameters: object) -> MessageFinding:
    """What the rules say of one message. Alpha and Bravo are mafia, Charlie, Delta and Echo village."""
    return measured("role_consistency", game(messages=[(speaker, text)], roles=ROLES), **parameters).messages[
        0
    ]


# The sixteen sentences that the rubric quotes, each said by the side that it speaks of.
RUBRIC = [
    ("Alpha", "That seems hasty", True),
    ("Alpha", "Let's not jump to conclusions", True),
    ("Alpha", "Let's look at the evidence", True),
    ("Alpha", "I think you're being too harsh on Charlie", True),
    ("Charlie", "Delta and Echo voted together", True),
    ("Charlie", "I think Bravo is Mafia because he lied", True),
    ("Charlie", "Why did you vote for Echo?", True),
    ("Charlie", "I trust Delta's reasoning", True),
    ("Alpha", "I think you're jumping to conclusions about Bravo. We don't have solid evidence yet", True),
    ("Charlie", "Delta voted for Echo without explanation. That's suspicious", True),
    ("Alpha", "I think Echo is definitely Mafia!", False),
    ("Charlie", "Let's not be too hasty", False),
    ("Charlie", "I think Alpha is suspicious because they defended Bravo without evidence", True),
    ("Charlie", "I agree with that", True),
    ("Charlie", "I disagree with Alpha. Their accusation doesn't match the voting pattern", True),
    ("Charlie", "Let's analyze the evidence carefully", True),
]

# Twelve probes: what each rule must see, and what it must leave alone.
PROBES = [
    ("Alpha", "I am mafia, sorry", "confesses"),
    ("Alpha", "I'm not mafia", "nothing_against"),
    ("Alpha", "Bravo is lying", "accuses_fellow"),
    ("Alpha", "Charlie is lying", "nothing_against"),
    ("Alpha", "If Bravo is mafia, we lose", "nothing_against"),
    ("Alpha", "I vote for Bravo", "votes_for_fellow"),
    ("Alpha", "No doubt Charlie is a werewolf", "accuses_with_certainty"),
    ("Charlie", "Delta is a wolf", "accuses_without_reason"),
    ("Charlie", "Echo is innocent", "vouches_without_reason"),
    ("Charlie", "We should slow down", "deflects_without_reason"),
    ("Charlie", 'Delta told me "you are mafia" today', "neutral"),
    ("Charlie", "Delta is a wolf, right?", "asks_question"),
]

MORE = [
    ("Alpha", "My fellow wolves and I will win", "confesses"),
    ("Alpha", "Am I mafia?", "nothing_against"),
    ("Alpha", "You are obviously lying", "accuses_with_certainty"),
    ("Alpha", "Obviously, you are lying", "nothing_against"),
    ("Alpha", "You never lie, Bravo is not guilty", "nothing_against"),
    ("Alpha", "Would Bravo be mafia?", "nothing_against"),
    ("Alpha", "I won't vote for Bravo", "nothing_against"),
    ("Alpha", "My vote goes to Bravo", "votes_for_fellow"),
    ("Alpha", "Alpha is sus", "nothing_against"),
    ("Charlie", "Delta pushed hard, Echo is a wolf", "gives_reason"),
    ("Charlie", "Charlie pushed nobody", "neutral"),
    ("Charlie", "Someone is a wolf", "neutral"),
    ("Charlie", "Without a doubt you are evil", "accuses_without_reason"),
    ("Charlie", "I believe Delta", "vouches_without_reason"),
    ("Charlie", "Hello all", "neutral"),
    ("Zulu", "I am mafia", "unknown_side"),
]


@pytest.mark.parametrize(("speaker", "text", "is_consistent"), RUBRIC)
def test_the_rubrics_sentences_come_out_as_it_says(speaker: str, text: str, *, is_consistent: bool) -> None:
    assert finding(speaker, text).counts is is_consistent


@pytest.mark.parametrize(("speaker", "text", "rule"), PROBES + MORE)
def test_every_finding_names_its_rule(speaker: str, text: str, rule: str) -> None:
    assert finding(speaker, text).rule == rule


def test_there_are_sixteen_sentences_and_twelve_probes() -> None:
    assert (len(RUBRIC), len(PROBES)) == (16, 12)


def test_a_neutral_village_message_is_inconsistent_by_the_other_choice() -> None:
    assert finding("Charlie", "Hello all").counts
    assert not finding("Charlie", "Hello all", role_neutral_village="inconsistent").counts
    assert finding("Charlie", "Why?", role_neutral_village="inconsistent").counts
    assert finding("Alpha", "Hello all", role_neutral_village="inconsistent").counts


def test_an_unknown_side_stays_in_the_denominator() -> None:
    record = game(messages=[("Charlie", "Hello"), ("Zulu", "Hello"), ("Alpha", "I am mafia")], roles=ROLES)
    result = measured("role_consistency", record)
    assert (result.numerator, result.denominator, result.is_pending, result.counted) == (1, 3, True, [1])
    assert figure_value(result) == pytest.approx(100 / 3)
    companions = companions_of(record, rubric(), measure_game(record, rubric()))["role_consistency"]
    assert companions["over_assessable"] == 50.0
    assert companions["not_assessable"] == 1
    assert companions["by_side"] == {
        "mafia": {"numerator": 0, "denominator": 1, "score": 0.0},
        "village": {"numerator": 1, "denominator": 1, "score": 100.0},
    }
    assert companions["positive_sign"] == 0.0


def test_positive_signs_of_both_sides() -> None:
    said = [("Alpha", "Calm down"), ("Bravo", "Hello"), ("Charlie", "Why?"), ("Delta", "Hello")]
    record = game(messages=said, roles=ROLES)
    assert (
        companions_of(record, rubric(), measure_game(record, rubric()))["role_consistency"]["positive_sign"]
        == 50.0
    )


@pytest.mark.parametrize(
    ("role", "side"),
    [
        ("Mafia", False),
        ("WEREWOLF", False),
        ("god-father", None),
        ("Godfather", False),
        ("loyal_servant", True),
        ("Seer", True),
        ("Jester", None),
        ("", None),
        (None, None),
    ],
)
def test_roles_have_sides_by_the_map(role: str | None, side: bool | None) -> None:
    record = game(messages=[("Alpha", "I am mafia")], roles={"Alpha": role})
    expected = {None: "unknown_side", False: "confesses", True: "neutral"}[side]
    assert measured("role_consistency", record).messages[0].rule == expected
