"""References against the recorded votes: every outcome, and what makes a sentence impossible to check."""

import pytest

from discussions.core.records import ReferenceFinding
from tests.core.builders import game, measured

ROLES = {"Alpha": "Villager", "Bravo": "Mafia", "Charlie": "Villager", "Delta": "Villager"}
VOTES = [(1, "Alpha", "Bravo"), (1, "Bravo", "Charlie"), (2, "Alpha", "Charlie"), (3, "Delta", "Alpha")]


def reference(text: str, own_round: int = 3, **details: object) -> ReferenceFinding:
    """The first reference of one message of Delta's."""
    record = game(messages=[("Delta", text, own_round)], roles=ROLES, votes=VOTES, **details)  # type: ignore[arg-type]
    return measured("memory_accuracy", record).references[0]


@pytest.mark.parametrize(
    ("text", "outcome", "rows"),
    [
        ("Alpha voted for Bravo in round 1.", "supported", [(1, 1, 2)]),
        ("In round one, Alpha voted for Bravo.", "supported", [(1, 1, 2)]),
        ("Alpha voted for Charlie last round.", "supported", [(2, 1, 3)]),
        ("Alpha voted for Bravo.", "supported", [(1, 1, 2)]),
        ("Alpha and Bravo voted for Charlie.", "supported", [(2, 1, 3), (1, 2, 3)]),
        ("Alpha\u2019s vote for Bravo came earlier.", "supported", [(1, 1, 2)]),
        ("Alpha has voted against Charlie.", "supported", [(2, 1, 3)]),
        ("Alpha voted for Bravo last round.", "close", [(1, 1, 2)]),
        ("Alpha voted for Delta in round 2.", "close", [(2, 1, 3)]),
        ("Charlie voted for Alpha.", "cannot_check", []),
        ("Delta voted for Alpha in round 3.", "cannot_check", []),
        ("Alpha voted for Zulu in round 1.", "cannot_check", []),
        ("Someone voted for Bravo in round 1.", "cannot_check", []),
        ("You voted for Bravo in round 1.", "cannot_check", []),
        ("Alpha voted for my friend, earlier.", "cannot_check", []),
        ("Alpha never voted for Bravo in round 1.", "cannot_check", []),
        ("Alpha voted for Bravo in round 1, right?", "cannot_check", []),
        ("If Alpha voted for Bravo in round 1, he is good.", "cannot_check", []),
        ("No doubt Alpha voted for Bravo in round 1.", "supported", [(1, 1, 2)]),
    ],
)
def test_a_vote_reference_is_looked_up_before_the_message(
    text: str, outcome: str, rows: list[tuple[int, int, int]]
) -> None:
    item = reference(text)
    assert item.check == outcome
    assert (item.evidence.rows if item.evidence else []) == rows


def test_the_speaker_is_i_me_and_my() -> None:
    record = game(
        messages=[
            ("Alpha", "I voted for Bravo.", 3),
            ("Alpha", "Delta voted for me.", 4),
            ("Delta", "My vote for Alpha, earlier.", 4),
        ],
        roles=ROLES,
        votes=VOTES,
    )
    assert [item.check for item in measured("memory_accuracy", record).references] == ["supported"] * 3


def test_inside_a_round_only_full_times_tell_the_order() -> None:
    said = "Delta voted for Alpha."
    times = [f"2026-01-01T10:0{minute}:00" for minute in range(10)]
    assert reference(said).check == "cannot_check"
    assert reference(said, times={1: times[5]}, vote_times=times[:4]).check == "supported"
    assert reference(said, times={1: times[2]}, vote_times=times[:4]).check == "cannot_check"
    assert reference(said, times={1: "10:05:00"}, vote_times=["10:01:00"] * 4).check == "cannot_check"
    assert (
        reference(said, times={1: times[5]}, vote_times=["2026-01-01T10:01:00Z"] * 4).check == "cannot_check"
    )


def test_eliminations_are_looked_up_where_the_game_has_them() -> None:
    gone = [(2, "Bravo")]
    assert reference("Bravo was eliminated last round.", eliminations=gone).check == "supported"
    assert reference("Bravo was eliminated in round 1.", eliminations=gone).check == "close"
    assert reference("With Bravo gone we win.", eliminations=gone).check == "supported"
    assert reference("Bravo was eliminated last round.").check == "cannot_check"
    assert reference("With Alpha gone we win.", eliminations=gone).check == "cannot_check"
    assert reference("Bravo was eliminated.", 2, eliminations=gone).check == "cannot_check"


def test_other_references_open_the_messages_of_the_round_named() -> None:
    item = reference("Alpha defended Charlie in round 2.")
    assert item.check == "cannot_check"
    assert item.evidence is not None
    assert (item.evidence.round, item.evidence.players, item.evidence.rows) == (2, [1, 3], [])
    assert reference("Somebody lied earlier.").evidence is None


def test_the_evidence_says_the_row_in_words() -> None:
    evidence = reference("Alpha voted for Bravo in round 1.").evidence
    assert evidence is not None
    assert evidence.says == "Round 1: Alpha voted for Bravo."
