"""References against the recorded votes under the rules 1.1: part by part, and why a sentence cannot be looked up."""

import pytest

from discussions.core.records import ReferenceFinding
from discussions.metrics.labels import describe_check
from tests.factories.metrics import game, measured

ROLES = {"Alpha": "Villager", "Bravo": "Mafia", "Charlie": "Villager", "Delta": "Villager"}
VOTES = [(1, "Alpha", "Bravo"), (1, "Bravo", "Charlie"), (2, "Alpha", "Charlie"), (3, "Delta", "Alpha")]
INCOMPLETE = "it does not say in full who voted for whom"


def reference(text: str, own_round: int = 3, **details: object) -> ReferenceFinding:
    """The first reference of one message of Delta's."""
    given = {"roles": ROLES, "votes": VOTES} | details
    record = game(messages=[("Delta", text, own_round)], **given)  # type: ignore[arg-type]
    return measured("memory_accuracy", record, number="1.1").references[0]


def says(text: str, **details: object) -> str:
    """The evidence of a sentence in words."""
    evidence = reference(text, **details).evidence
    return evidence.says if evidence else ""


@pytest.mark.parametrize(
    ("text", "outcome", "rows"),
    [
        ("Alpha voted for Bravo in round 1.", "supported", [(1, 1, 2)]),
        ("Alpha voted for Charlie last round.", "supported", [(2, 1, 3)]),
        ("Alpha and Bravo voted for Charlie.", "supported", [(2, 1, 3), (1, 2, 3)]),
        ("Alpha voted for Bravo last round.", "close", [(1, 1, 2)]),
        ("Alpha voted for Bravo in round 1 and for Charlie in round 2.", "supported", [(1, 1, 2), (2, 1, 3)]),
        (
            "In round 1 Alpha voted for Bravo, and in round 2 for Charlie.",
            "supported",
            [(1, 1, 2), (2, 1, 3)],
        ),
        ("Alpha voted for Bravo in round 1, then Charlie in round 2.", "supported", [(1, 1, 2), (2, 1, 3)]),
        ("Alpha voted for Bravo in round 1 and for Delta in round 2.", "close", [(1, 1, 2), (2, 1, 3)]),
        ("Alpha voted for Bravo, Bravo voted for Charlie.", "supported", [(1, 1, 2), (1, 2, 3)]),
        ("Alpha voted for Bravo and Bravo voted for Charlie.", "supported", [(1, 1, 2), (1, 2, 3)]),
        ("Alpha voted for Bravo and someone voted for Charlie.", "cannot_check", [(1, 1, 2)]),
        ("Alpha voted for Bravo and has voted since then.", "cannot_check", [(1, 1, 2)]),
        ("Alpha voted to remove Bravo in round 1.", "supported", [(1, 1, 2)]),
        ("Alpha voted to vote out Bravo.", "supported", [(1, 1, 2)]),
        ("Alpha voted Bravo out in round 1.", "supported", [(1, 1, 2)]),
        ("Alpha, you voted for Bravo in round 1.", "supported", [(1, 1, 2)]),
        ("@Alpha  you just voted Bravo.", "supported", [(1, 1, 2)]),
        ("Alpha, in round 1 you voted for Bravo.", "supported", [(1, 1, 2)]),
        ("Alpha, your vote for Bravo came earlier.", "supported", [(1, 1, 2)]),
        ("You voted for Bravo in round 1, Alpha.", "supported", [(1, 1, 2)]),
        ("Alpha voted in round 1 for Bravo.", "supported", [(1, 1, 2)]),
        ("I remember Alpha voting for Bravo in round 1.", "supported", [(1, 1, 2)]),
        (
            "Alpha voted for Bravo and then, in round 2, voted for Charlie.",
            "supported",
            [(1, 1, 2), (2, 1, 3)],
        ),
        ("Alpha voted for Bravo in round 1, Bravo voted for Charlie.", "supported", [(1, 1, 2), (1, 2, 3)]),
        ("I trust Alpha, you voted for Bravo.", "cannot_check", []),
        ("You voted for Bravo in round 1.", "cannot_check", []),
        ("Alpha did vote for Bravo in round 1.", "supported", [(1, 1, 2)]),
        ("Alpha voted for Bravo in round 1 without explanation.", "supported", [(1, 1, 2)]),
        ("I do not think that Alpha voted for Bravo in round 1.", "cannot_check", []),
        ("Maybe Alpha voted for Bravo in round 1.", "cannot_check", []),
        ("Alpha voted for Bravo in round 1, right?", "cannot_check", []),
        ("Alpha didn't vote for Bravo in round 1, as you said earlier.", "cannot_check", [(1, 1, 2)]),
        ("Alpha never voted for Bravo.", "cannot_check", [(1, 1, 2)]),
        ("Alpha never voted for Delta.", "cannot_check", []),
        ("Alpha voted for Delta.", "cannot_check", [(2, 1, 3)]),
        ("Alpha voted for Delta in round 1.", "close", [(1, 1, 2)]),
    ],
)
def test_every_part_that_names_a_vote_is_looked_up(
    text: str, outcome: str, rows: list[tuple[int, int, int]]
) -> None:
    item = reference(text)
    assert item.check == outcome
    assert (item.evidence.rows if item.evidence else []) == rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alpha never voted for Bravo.", "The record says otherwise: Round 1: Alpha voted for Bravo."),
        (
            "Alpha voted for Bravo and someone voted for Charlie.",
            f"Only a part can be looked up. Round 1: Alpha voted for Bravo. The rest cannot: {INCOMPLETE}.",
        ),
        (
            "Maybe Alpha voted for Bravo.",
            "About votes, but it cannot be looked up: it asks, supposes or denies.",
        ),
        (
            "Alpha voted for Delta.",
            "The record has no such vote before the message. It has: Round 2: Alpha voted for Charlie.",
        ),
        (
            "Charlie voted for Alpha.",
            "About votes, but it cannot be looked up: the record has no such row before the message.",
        ),
        (
            "Last round your vote, Alpha, was odd.",
            f"About votes, but it cannot be looked up: {INCOMPLETE}.",
        ),
        (
            "With Bravo gone we win.",
            "About who left the game, but it cannot be looked up: the file records nobody who left.",
        ),
        (
            "The voting of Alpha last round was odd.",
            f"About votes, but it cannot be looked up: {INCOMPLETE}.",
        ),
        (
            "Alpha defended Charlie in round 2.",
            "Not about a recorded vote: read the named players' messages of round 2.",
        ),
    ],
)
def test_the_evidence_says_why(text: str, expected: str) -> None:
    assert says(text) == expected


def test_rows_that_decide_nothing_are_for_a_person() -> None:
    assert describe_check(reference("Alpha never voted for Bravo.")) == "see the vote record"
    assert (
        describe_check(reference("Charlie voted for Alpha.")) == "cannot be checked against the vote record"
    )


def test_a_game_without_votes_leads_to_the_messages() -> None:
    item = reference("Alpha voted no in round 2.", votes=())
    assert item.evidence is not None
    assert item.evidence.says == "About votes, but it cannot be looked up: the file records no votes."
    assert (item.evidence.players, item.round) == ([1], 2)


def test_eliminations_are_looked_up_where_the_game_has_them() -> None:
    gone = [(2, "Bravo")]
    assert reference("We voted out Bravo.", eliminations=gone).check == "supported"
    assert reference("Bravo was removed last round.", eliminations=gone).check == "supported"
    assert reference("Bravo was voted out in round 1.", eliminations=gone).check == "close"
    assert reference("Alpha was killed.", eliminations=gone).check == "cannot_check"


def test_the_offset_of_a_game_holds_for_votes() -> None:
    assert reference("Alpha voted for Bravo in round 0.", round_offset=1).check == "supported"
    assert reference("Alpha voted for Charlie in round 1.", round_offset=1).check == "supported"
    assert reference("Alpha voted for Charlie on day 2.").check == "supported"


def test_a_sentence_that_says_too_much_is_not_looked_up() -> None:
    long = "Alpha voted for Bravo in round 1, " + "really, " * 300
    assert reference(long).check == "cannot_check"
    assert reference("Alpha voted for Bravo, " * 21).check == "cannot_check"
