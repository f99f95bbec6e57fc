"""Disagreements: each side with its evidence, ties first, the same rules as effective values.

What a guideline meeting looks at, on differences written by hand.
"""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.adjudication.core.disagreements import (
    AdjudicationRecord,
    Disagreement,
    Side,
    find_disagreements,
    has_letters,
    hash_sides,
    letters,
)
from discussions.adjudication.core.effective import Judged, find_effective_values, find_majority
from discussions.adjudication.core.packet import (
    count_confusions,
    group_by_kind,
    most_telling,
)

MACHINE = {
    ("strategic_depth", "4"): "yes",
    ("strategic_depth", "12"): "no",
    ("role_consistency", "4"): "consistent",
    ("reference", "2.1"): "",
}


def judged(evaluation, kind, subject, value, blind=""):
    return Judged(evaluation, kind, subject, value, blind, is_submitted=True)


def rated(*evaluations):
    return [judged(evaluation, "rating", "", "3.5") for evaluation in evaluations]


def lead_said(kind, subject, value, *, sides="", adopted=None):
    at = datetime(2026, 3, 2, tzinfo=UTC)
    return AdjudicationRecord(7, kind, subject, 1, value, "Because.", adopted, sides, 9, "Lea", at)


def found(said, resolved=(), **given):
    return find_disagreements(said, MACHINE, resolved, seed="1", **given)


def test_nobody_differs_while_all_say_the_same():
    assert found([]) == []
    assert found(rated(1, 2)) == []
    assert found([*rated(1, 2), *(judged(n, "reference", "2.1", "vague") for n in (1, 2))]) == []


def test_only_those_who_judged_a_message_are_sides():
    assert found([*rated(1, 2, 3), judged(2, "strategic_depth", "4", "no", "yes")]) == []
    said = [judged(2, "strategic_depth", "4", "no", "yes"), judged(3, "strategic_depth", "4", "yes")]
    (disagreement,) = found([*rated(1, 2, 3), *said])
    sides = {side.evaluation: (side.value, side.is_silent, side.is_changed) for side in disagreement.sides}
    assert sides == {2: ("no", False, True), 3: ("yes", False, False)}
    assert (disagreement.machine, disagreement.majority, disagreement.is_tie) == ("yes", None, True)


def test_a_tie_of_labels_that_count_alike_needs_no_lead_and_says_so():
    said = [judged(n, "reference", "2.1", value) for n, value in enumerate(("vague", "inaccurate"), 1)]
    (disagreement,) = found(said)
    assert (disagreement.is_tie, disagreement.counts, disagreement.is_alike) == (False, "vague", True)
    (decided,) = found([*said, judged(3, "reference", "2.1", "vague")])
    assert (decided.counts, decided.is_alike) == ("vague", False)


def test_labels_that_count_alike_are_tied_beside_a_third_one_that_does_not():
    labels = ("vague", "vague", "inaccurate", "inaccurate", "accurate")
    (disagreement,) = found([judged(n, "reference", "2.1", value) for n, value in enumerate(labels, 1)])
    assert (disagreement.is_tie, disagreement.majority, disagreement.is_alike) == (False, "vague", True)


def test_an_answer_that_was_taken_back_leaves_nothing_on_its_side():
    said = [judged(1, "phrase", "3|a b c", "", "acceptable"), judged(2, "phrase", "3|a b c", "acceptable")]
    reasons = {(1, "phrase", "3|a b c"): "A slip."}
    (disagreement,) = found([*rated(1, 2), *said], reasons=reasons)
    sides = {side.evaluation: (side.value, side.blind_value, side.reason) for side in disagreement.sides}
    assert sides == {1: ("", "", ""), 2: ("acceptable", "", "")}


def test_a_decision_is_open_until_it_is_made_and_again_when_answers_change():
    said = [judged(1, "reference", "2.1", "vague"), judged(2, "reference", "2.1", "accurate")]
    (tie,) = found(said)
    alias = {side.evaluation: side.alias for side in tie.sides}
    assert (tie.is_open, tie.adopted_alias) == (True, "")
    for sides, is_open in ((tie.sides_sha256, False), ("others", True)):
        (decided,) = found(said, [lead_said("reference", "2.1", "accurate", sides=sides, adopted=2)])
        assert (decided.is_open, decided.adopted_alias) == (is_open, alias[2])
    (asked,) = found([judged(1, "question", "2", "no"), judged(2, "question", "2", "yes")])
    assert not asked.is_open


@pytest.mark.parametrize(
    ("submitted", "needed", "has"), [(0, 1, False), (1, 1, False), (1, 2, True), (2, 1, True), (2, 2, True)]
)
def test_letters_replace_names_where_several_people_rate(submitted, needed, has):
    assert has_letters(submitted, needed) is has


def test_what_is_of_the_whole_game_and_of_one_phrase_has_its_place():
    said = [
        judged(1, "identify_decides", "", "yes"),
        *(judged(1, "phrase", subject, "acceptable") for subject in ("12|b 1", "3|z z", "3|a a")),
        *rated(1, 2, 3),
    ]
    keys = [disagreement.key for disagreement in found(said)]
    assert keys == [("phrase", "3|a a"), ("phrase", "3|z z"), ("phrase", "12|b 1"), ("identify_decides", "")]


def test_a_form_carries_the_answers_and_the_decision():
    said = [judged(1, "reference", "2.1", "vague"), judged(2, "reference", "2.1", "accurate")]
    (tie,) = found(said)
    (decided,) = found(said, [lead_said("reference", "2.1", "accurate")])
    (turned,) = found([said[0], judged(2, "reference", "2.1", "inaccurate")])
    assert len({tie.page_sha256, decided.page_sha256, turned.page_sha256}) == 3


def test_the_hash_of_the_answers_does_not_depend_on_their_order():
    sides = [Side(1, "A", "yes", "no"), Side(2, "B", "no"), Side(3, "C", "", is_silent=True)]
    assert hash_sides(sides) == hash_sides(sides[::-1])
    assert hash_sides(sides) != hash_sides([*sides[:2], Side(3, "C", "")])


def test_a_phrase_that_nobody_else_accepts_is_refused_by_silence():
    (disagreement,) = found([*rated(1, 2, 3), judged(2, "phrase", "3|a b c", "acceptable")])
    assert sorted(side.value for side in disagreement.sides) == ["", "", "acceptable"]
    assert disagreement.majority == ""


def test_ties_come_first_then_splits_by_kind_and_place():
    said = [
        *rated(1, 2, 3, 4),
        *(judged(n, "strategic_depth", "12", value) for n, value in enumerate(("yes", "yes", "no"), 1)),
        *(judged(n, "strategic_depth", "4", value) for n, value in enumerate(("no", "no", "yes"), 1)),
        judged(1, "role_consistency", "4", "inconsistent"),
        judged(2, "role_consistency", "4", "consistent"),
        *(judged(n, "reference", "2.1", value) for n, value in enumerate(("vague",) * 3 + ("accurate",), 1)),
    ]
    assert [(disagreement.key, disagreement.is_tie) for disagreement in found(said)] == [
        (("role_consistency", "4"), True),
        (("reference", "2.1"), False),
        (("strategic_depth", "4"), False),
        (("strategic_depth", "12"), False),
    ]


def test_what_a_lead_resolved_is_no_tie_any_more_and_says_whether_its_sides_changed():
    said = [judged(1, "reference", "2.1", "vague"), judged(2, "reference", "2.1", "accurate")]
    (tie,) = found(said)
    assert (tie.is_tie, tie.majority, tie.counts) == (True, None, None)
    (disagreement,) = found(said, [lead_said("reference", "2.1", "accurate", sides=tie.sides_sha256)])
    assert (disagreement.is_tie, disagreement.counts, disagreement.is_changed_since) == (
        False,
        "accurate",
        False,
    )
    agreed = [said[0], judged(2, "reference", "2.1", "vague", "accurate")]
    (disagreement,) = found(agreed, [lead_said("reference", "2.1", "accurate", sides=tie.sides_sha256)])
    assert (disagreement.is_split, disagreement.counts, disagreement.is_changed_since) == (
        False,
        "accurate",
        True,
    )


def test_what_changed_since_stands_between_ties_and_splits():
    said = [
        *(judged(n, "reference", "2.1", value) for n, value in ((1, "vague"), (2, "accurate"))),
        *(judged(n, "strategic_depth", "4", value) for n, value in enumerate(("no", "no", "yes"), 1)),
        judged(1, "question", "2", "no"),
        judged(2, "question", "2", "yes"),
        *(
            judged(n, "role_consistency", "4", value)
            for n, value in enumerate(("inconsistent", "consistent"), 1)
        ),
    ]
    depth = next(disagreement for disagreement in found(said) if disagreement.kind == "strategic_depth")
    given = [
        lead_said("role_consistency", "4", "consistent", sides="others"),
        lead_said("strategic_depth", "4", "no", sides=depth.sides_sha256),
    ]
    assert [disagreement.kind for disagreement in found(said, given)] == [
        "reference",
        "role_consistency",
        "question",
        "strategic_depth",
    ]


def test_nothing_of_a_verdict_hangs_on_a_question_so_no_lead_settles_it():
    said = [judged(1, "question", "2", "no"), judged(2, "question", "2", "yes")]
    (disagreement,) = found(said)
    assert (disagreement.is_tie, disagreement.can_be_adjudicated, disagreement.majority) == (
        False,
        False,
        None,
    )


def test_a_marked_sentence_is_asked_about_first_and_its_label_only_when_it_counts():
    said = [
        *rated(1, 2, 3, 4),
        judged(1, "missed", "5.1", "yes"),
        judged(1, "reference", "5.1", "accurate"),
        judged(2, "reference", "5.1", "vague"),
        judged(3, "reference", "5.1", "not_a_reference"),
    ]
    (disagreement,) = found(said)
    assert (disagreement.key, disagreement.is_tie) == (("missed", "5.1"), True)
    assert {side.evaluation: side.value for side in disagreement.sides} == {1: "yes", 2: "yes", 3: "", 4: ""}
    assert [side.is_silent for side in sorted(disagreement.sides, key=lambda s: s.evaluation)] == [
        False
    ] * 3 + [True]
    yes = [lead_said("missed", "5.1", "yes", sides=disagreement.sides_sha256)]
    assert [(disagreement.key, disagreement.is_tie) for disagreement in found(said, yes)] == [
        (("reference", "5.1"), True),
        (("missed", "5.1"), False),
    ]
    no = [lead_said("missed", "5.1", "", sides=disagreement.sides_sha256)]
    assert [disagreement.key for disagreement in found(said, no)] == [("missed", "5.1")]


def test_the_reason_of_a_side_stands_with_it():
    said = [judged(1, "strategic_depth", "4", "yes"), judged(2, "strategic_depth", "4", "no")]
    (disagreement,) = found(
        said, reasons={(2, "strategic_depth", "4"): "A joke", (2, "coherence", "4"): "old"}
    )
    assert {side.evaluation: side.reason for side in disagreement.sides} == {1: "", 2: "A joke"}


def test_letters_follow_neither_the_order_nor_the_person():
    orders = {tuple(letters(str(game), (11, 12, 13)).items()) for game in range(40)}
    assert {letter for order in orders for _one, letter in order} == {"A", "B", "C"}
    assert len(orders) == 6
    first = [letters(str(game), (11, 12, 13))[11] for game in range(300)]
    assert all(60 < first.count(letter) < 140 for letter in "ABC")
    assert letters("5", (11, 12, 13)) == letters("5", (13, 11, 12))


THINGS = [*MACHINE, ("missed", "5.1"), ("reference", "5.1"), ("phrase", "3|a b c"), ("identify", "2")]


VALUES = {
    "strategic_depth": ("yes", "no"),
    "role_consistency": ("consistent", "inconsistent"),
    "reference": ("accurate", "vague", "not_a_reference"),
    "missed": ("yes",),
    "phrase": ("acceptable",),
    "identify": ("yes", "no"),
}


# Each number is one judgement: of which of four evaluations, of which thing, with which of its values.
SAID = st.lists(st.integers(0, 4 * len(THINGS) * 3 - 1), max_size=16)


def acts(said):
    """The judgements of four evaluations, all of which at least give a rating."""
    found = {}
    for number in said:
        rest, evaluator = divmod(number, 4)
        pick, thing = divmod(rest, len(THINGS))
        kind, subject = THINGS[thing]
        value = VALUES[kind][pick % len(VALUES[kind])]
        found[evaluator, thing] = judged(evaluator + 1, kind, subject, value)
    return [*rated(1, 2, 3, 4), *found.values()]


@given(SAID)
def test_disagreements_and_effective_values_never_differ(said):
    """What is listed as open is what a verdict waits for, and what counts is what effective values hold."""
    rows = acts(said)
    result, listed = find_effective_values(rows, {}, machine=MACHINE), found(rows)
    assert {disagreement.key for disagreement in listed if disagreement.is_tie} == set(result.ties)
    for disagreement in listed:
        assert disagreement.majority == find_majority(
            {side.evaluation: side.value for side in disagreement.sides}, disagreement.kind
        )
        if disagreement.kind == "missed":
            assert (disagreement.subject in result.added) == (disagreement.counts == "yes")
        else:
            assert result.values.get(disagreement.kind, {}).get(disagreement.subject, "") == (
                disagreement.counts or ""
            )
    assert [disagreement.is_tie for disagreement in listed] == sorted(
        (disagreement.is_tie for disagreement in listed), reverse=True
    )


@given(SAID, st.permutations([1, 2, 3, 4]))
def test_who_evaluates_first_changes_nothing_but_the_letters(said, order):
    to = dict(zip((1, 2, 3, 4), order, strict=True))
    rows = acts(said)
    other = [
        judged(to[disagreement.evaluation], disagreement.kind, disagreement.subject, disagreement.value)
        for disagreement in reversed(rows)
    ]

    def shape(listed):
        return [
            (
                disagreement.key,
                disagreement.majority,
                disagreement.is_tie,
                sorted((side.value, side.is_silent) for side in disagreement.sides),
            )
            for disagreement in listed
        ]

    assert shape(found(rows)) == shape(found(other))
    assert find_effective_values(rows, {}, machine=MACHINE) == find_effective_values(
        other, {}, machine=MACHINE
    )


@given(SAID, st.data())
def test_settling_one_thing_changes_that_thing_alone(said, data):
    rows = acts(said)
    listed = [
        disagreement
        for disagreement in found(rows)
        if disagreement.can_be_adjudicated and disagreement.kind != "missed"
    ]
    if not listed:
        return
    draw = data.draw(st.sampled_from(listed))
    value = data.draw(st.sampled_from(VALUES[draw.kind]))
    before = find_effective_values(rows, {}, machine=MACHINE)
    after = find_effective_values(rows, {draw.key: value}, machine=MACHINE)
    assert after.values[draw.kind][draw.subject] == value
    assert set(after.ties) == set(before.ties) - {draw.key}
    assert after.added == before.added
    assert rest(before, draw.key) == rest(after, draw.key)
    assert [disagreement.key for disagreement in found(rows) if disagreement.key != draw.key] == [
        disagreement.key
        for disagreement in found(rows, [lead_said(*draw.key, value)])
        if disagreement.key != draw.key
    ]


def rest(result, key):
    """The values of everything else."""
    return {
        (kind, subject): value
        for kind, of in result.values.items()
        for subject, value in of.items()
        if (kind, subject) != key
    }


def differing(*values, kind="reference", subject="1.1", game=1, majority=None, reason="", blind=""):
    sides = tuple(
        Side(number, "ABCDEFGH"[number], value, blind if number == 0 else "", reason if number == 0 else "")
        for number, value in enumerate(values)
    )
    disagreement = Disagreement(kind, subject, sides, "", majority, majority is None, "hash")
    return game, disagreement


def test_a_thing_counts_once_for_every_two_answers_that_stand_against_each_other():
    found = [
        differing("accurate", "vague"),
        differing("vague", "accurate", "accurate"),
        differing("accurate", "inaccurate", "vague"),
    ]
    assert list(count_confusions(disagreement for _game, disagreement in found).items()) == [
        (("accurate", "vague"), 3),
        (("accurate", "inaccurate"), 1),
        (("inaccurate", "vague"), 1),
    ]


def test_kinds_are_counted_and_the_most_differing_stands_first():
    found = [
        differing("yes", "no", kind="coherence"),
        differing("accurate", "vague"),
        differing("accurate", "vague", "vague", majority="vague"),
    ]
    assert list(group_by_kind(found).items()) == [("reference", found[1:]), ("coherence", found[:1])]


def test_kinds_take_turns_and_open_ones_come_before_majorities():
    split = differing("a", "b", "b", majority="b", subject="1.1", reason="because")
    tie = differing("a", "b", subject="2.1")
    told = differing("a", "b", subject="3.1", reason="because", blind="b")
    other = differing("yes", "no", kind="coherence", subject="4")
    assert most_telling([split, tie, told, other], 12) == [told, other, tie, split]
    assert most_telling([split, tie, told, other], 2) == [told, other]
    assert most_telling([], 12) == []


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(1, 9)), max_size=12),
    st.randoms(use_true_random=False),
)
def test_the_choice_does_not_depend_on_the_order_of_reading(pairs, shuffled):
    found = [
        differing(disagreement, other, game=game, subject=f"{place}.1")
        for place, (disagreement, other, game) in enumerate(pairs)
        if disagreement != other
    ]
    mixed = list(found)
    shuffled.shuffle(mixed)
    assert most_telling(found, 5) == most_telling(mixed, 5)
