"""References against the recorded votes: every outcome, and what makes a sentence impossible to check.

M1: which sentences are references, and which are only possible ones.
"""

import pytest

from discussions.core.records import Measurement, ReferenceFinding
from discussions.metrics.core.memory_accuracy import machine_values, recount, without_deliberate
from discussions.metrics.core.metric import Judgements
from discussions.metrics.core.registry import figure_value
from tests.factories.metrics import game, measured

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


def found(text: str, own_round: int = 3, **parameters: object) -> list[tuple[str, bool]]:
    """(text, counted) of every reference in one message of Alpha's."""
    record = game(messages=[("Alpha", text, own_round), ("Bravo", "Hm", own_round)])
    return [
        (item.text, item.is_counted) for item in measured("memory_accuracy", record, **parameters).references
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Bravo lied in round 2.",
        "In Round two you lied",
        "Last round was odd.",
        "You said so previously!",
        "As I noted earlier.",
        "Bravo voted for me",
    ],
)
def test_the_rubrics_patterns_count(text: str) -> None:
    assert found(text) == [(text, True)]


@pytest.mark.parametrize(
    "text",
    [
        "Since round 2 you are quiet.",
        "He voted too fast.",
        "They eliminated Bravo.",
        "As I said, no.",
        "Bravo defended Alpha.",
        "Someone said that.",
        "With Bravo gone we win.",
        "Yesterday was odd.",
        "I knew it before.",
        "Bravo has promised it.",
    ],
)
def test_the_wider_net_is_possible_only(text: str) -> None:
    assert found(text) == [(text, False)]


@pytest.mark.parametrize(
    "text",
    ["", "I agree with that", "Round 2 starts", "in around 2 days", "We vote for Bravo", "Blast round"],
)
def test_everything_else_is_no_reference(text: str) -> None:
    assert found(text) == []


def test_the_own_round_and_later_ones_are_not_the_past() -> None:
    assert found("We meet in round 3.") == []
    assert found("We meet in round four, as in round two.") == [
        ("We meet in round four, as in round two.", True)
    ]
    assert found("We meet in round 3.", reference_rounds="any") == [("We meet in round 3.", True)]
    assert found("In round twelve it was so", 13) == [("In round twelve it was so", True)]


def test_a_round_beyond_all_counting_is_not_the_past() -> None:
    assert found("We meet in round 9999999.") == []
    assert found(f"In round {'9' * 5000} we meet.") == []


def test_two_patterns_in_a_sentence_are_one_reference_and_two_sentences_two() -> None:
    assert found("Earlier you voted for me last round.") == [("Earlier you voted for me last round.", True)]
    assert found("Earlier, yes. Previously, no") == [("Earlier, yes.", True), ("Previously, no", True)]
    assert found("Earlier, yes. Previously, no", reference_unit="message") == [
        ("Earlier, yes. Previously, no", True)
    ]


def test_offsets_are_those_of_the_stored_text() -> None:
    text = "\U0001f600 Hm\u2026  Agent\u2014you said so EARLIER!\u201d Yes"
    record = game(messages=[("Alpha", text, 2)])
    reference = measured("memory_accuracy", record).references[0]
    assert (reference.message, reference.sentence) == (1, 2)
    assert text[reference.start : reference.end] == reference.text == "Agent\u2014you said so EARLIER!\u201d"


def test_an_underscore_belongs_to_its_sentence_and_the_prefix_does_not() -> None:
    assert found("_Earlier_ you lied. _Previously_") == [
        ("_Earlier_ you lied.", True),
        ("_Previously_", True),
    ]
    record = game(messages=[("Agent-J", "Agent-J: __Earlier__ I was right.", 2), ("_x_", "_x_: earlier", 2)])
    first, second = measured("memory_accuracy", record).references
    assert (first.text, first.start) == ("__Earlier__ I was right.", 9)
    assert (second.text, second.start) == ("earlier", 5)


def test_the_speakers_own_name_before_a_colon_is_set_aside() -> None:
    record = game(
        messages=[("Agent-J", "Agent-J: earlier I was right. Fine.", 2), ("Agent-K", "Agent-J: earlier", 2)]
    )
    first, second = measured("memory_accuracy", record).references
    assert (first.text, first.start, first.sentence) == ("earlier I was right.", 9, 1)
    assert second.text == "Agent-J: earlier"


def test_the_score_waits_for_labels_and_no_reference_passes_by_rule() -> None:
    some = measured("memory_accuracy", game(messages=[("Alpha", "Earlier!", 2), ("Bravo", "Before.", 2)]))
    assert (figure_value(some), some.is_pending, some.denominator, some.counted) == (None, True, 1, [1])
    none = measured("memory_accuracy", game(messages=[("Alpha", "Before.", 2)]))
    assert (figure_value(none), none.is_pending, none.is_applicable, none.denominator) == (
        100.0,
        False,
        False,
        0,
    )
    assert [item.is_counted for item in none.references] == [False]


def test_accurate_inaccurate_and_vague_references_are_what_the_share_is_of():
    labels = ["accurate", "accurate", "accurate", "inaccurate", "vague", "vague", "not_a_reference"]
    references = [ReferenceFinding(at, 1, 0, 5, "Early", True, "earlier") for at in range(1, len(labels) + 1)]
    measurement = Measurement("memory_accuracy", 0, len(labels), references=references)
    values = {f"{at}.1": label for at, label in enumerate(labels, 1)}
    found = recount(measurement, Judgements(values, {}, frozenset()))
    assert (found.numerator, found.denominator, found.missing) == (3, 6, [])
    waiting = recount(measurement, Judgements(values | {}, {}, frozenset({"9.1"})))
    assert waiting.missing == ["9.1"] and waiting.is_pending


def references_of(*counted):
    """Message n has a reference that is counted as the n-th says."""
    references = [
        ReferenceFinding(at, 1, 0, 5, "Early", is_counted, "earlier")
        for at, is_counted in enumerate(counted, 1)
    ]
    return Measurement("memory_accuracy", 0, sum(counted), references=references)


def test_only_counted_and_added_references_are_in_the_share():
    found = references_of(True, False, True)
    assert machine_values(found) == {"1.1": "", "3.1": ""}
    waiting = recount(found, Judgements({"1.1": "accurate"}, {}, frozenset({"12.1", "2.1"})))
    assert (waiting.numerator, waiting.denominator) == (1, 1)
    assert waiting.missing == ["3.1", "2.1", "12.1"], "by their place in the transcript"
    assert waiting.is_pending
    whole = recount(found, Judgements({"1.1": "accurate", "3.1": "vague"}, {}, frozenset()))
    assert (whole.numerator, whole.denominator, whole.is_applicable, whole.is_pending) == (1, 2, True, False)


def test_nothing_that_is_a_reference_does_not_apply_and_nothing_unlabelled_waits():
    none = recount(references_of(True), Judgements({"1.1": "not_a_reference"}, {}, frozenset()))
    assert (none.denominator, none.is_applicable, none.is_pending) == (0, False, False)
    unlabelled = recount(references_of(True), Judgements({}, {}, frozenset()))
    assert (unlabelled.denominator, unlabelled.is_applicable, unlabelled.is_pending) == (0, True, True)
    one = recount(references_of(True), Judgements({"1.1": "vague"}, {}, frozenset()))
    assert (one.numerator, one.denominator, one.is_applicable) == (0, 1, True)


def test_deliberate_falsehoods_alone_are_left_out():
    found, values = (
        references_of(True, True, True),
        {"1.1": "accurate", "2.1": "inaccurate", "3.1": "inaccurate"},
    )
    score = without_deliberate(found, values, {"2.1", "9.1"})
    assert (score.numerator, score.denominator) == (1, 2)
