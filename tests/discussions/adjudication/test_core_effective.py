"""Effective values: adjudicated, else the majority of those who submitted, else the machine."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.adjudication.core.authorship_test import AnswerKey, AuthorshipResult
from discussions.adjudication.core.effective import (
    Judged,
    find_effective_values,
    find_majority,
    machine_values,
)
from discussions.core import judgement_kinds
from discussions.core.records import Measurement, MessageFinding, ReferenceFinding

COUNTED = {("reference", "2.1"): ""}


DEPTH = {("strategic_depth", "4"): "yes"}


def judged(evaluator, kind, subject, value, *, submitted=True):
    return Judged(evaluator, kind, subject, value, is_submitted=submitted)


def rated(count):
    """That many submitted evaluations which say nothing but a rating."""
    return [judged(number, "rating", "", "3.0") for number in range(1, count + 1)]


def test_nothing_judged_leaves_the_machine():
    result = find_effective_values([], {})
    assert result.values == {}
    assert result.rating is None
    assert result.identification is None


def test_a_draft_counts_for_nobody_but_its_own_preview():
    draft = [judged(1, "strategic_depth", "4", "no", submitted=False)]
    assert find_effective_values(draft, {}).values == {}
    assert find_effective_values(draft, {}, own=1).values == {"strategic_depth": {"4": "no"}}
    assert find_effective_values(draft, {}, own=2).values == {}


def test_the_majority_wins_and_a_tie_is_listed():
    three = [
        judged(n, "reference", "2.1", label) for n, label in enumerate(("accurate", "vague", "vague"), 1)
    ]
    assert find_effective_values(three, {}, machine=COUNTED).values["reference"] == {"2.1": "vague"}
    tied = find_effective_values(three[:2], {}, machine=COUNTED)
    assert tied.values == {}
    assert tied.ties == (("reference", "2.1"),)


def test_adjudication_stands_above_everybody_and_settles_the_tie():
    two = [judged(1, "reference", "2.1", "accurate"), judged(2, "reference", "2.1", "vague")]
    resolved = find_effective_values(two, {("reference", "2.1"): "inaccurate"}, machine=COUNTED)
    assert resolved.values["reference"] == {"2.1": "inaccurate"}
    assert resolved.ties == ()


def test_submitting_accepts_what_nobody_judged():
    assert "strategic_depth" not in find_effective_values(rated(3), {}, machine=DEPTH).values


def test_silence_never_outvotes_a_judgement():
    one_override = [*rated(3), judged(1, "strategic_depth", "4", "no")]
    assert find_effective_values(one_override, {}, machine=DEPTH).values["strategic_depth"] == {"4": "no"}
    by_the_old_rule = find_effective_values(one_override, {}, machine=DEPTH, silence_votes=True)
    assert by_the_old_rule.values["strategic_depth"] == {"4": "yes"}


def test_a_tie_is_a_tie_of_judgements():
    said = [*rated(3), judged(1, "strategic_depth", "4", "no"), judged(2, "strategic_depth", "4", "yes")]
    assert find_effective_values(said, {}, machine=DEPTH).ties == (("strategic_depth", "4"),)
    assert find_effective_values(said, {}, machine=DEPTH, silence_votes=True).ties == ()


def test_a_phrase_is_shown_to_everybody_so_silence_refuses_it():
    said = [*rated(3), judged(1, "phrase", "3|i think that", "acceptable")]
    assert find_effective_values(said, {}, machine={("phrase", "3|i think that"): ""}).values == {}


@pytest.mark.parametrize(
    ("kind", "subject", "labels", "counts"),
    [
        ("reference", "2.1", ("vague", "inaccurate"), "vague"),
        ("reference", "2.1", ("inaccurate", "accurate"), None),
        ("reference", "2.1", ("inaccurate", "accurate", "vague"), None),
        ("role_consistency", "4", ("inconsistent", "not_assessable"), "not_assessable"),
        ("role_consistency", "4", ("inconsistent", "consistent"), None),
    ],
)
def test_only_ties_that_change_a_score_wait_for_a_lead(kind, subject, labels, counts):
    said = [judged(number, kind, subject, label) for number, label in enumerate(labels, 1)]
    result = find_effective_values(said, {}, machine={(kind, subject): ""})
    assert result.ties == (() if counts else ((kind, subject),))
    assert result.values.get(kind, {}).get(subject) == counts


def test_silence_says_nothing_where_it_accepts_nothing():
    """A label, a question or the manual check that one of three answered has that answer."""
    machine = COUNTED | {("question", "1"): "no", ("identify", "2"): "no"}
    for kind, subject, value in (
        ("reference", "2.1", "accurate"),
        ("question", "1", "yes"),
        ("identify", "2", "yes"),
    ):
        found = find_effective_values([*rated(3), judged(1, kind, subject, value)], {}, machine=machine)
        assert (found.values, found.ties) == ({kind: {subject: value}}, ())


def test_what_a_lead_decided_counts_only_where_there_is_something_to_decide():
    marked = [*rated(3), judged(1, "reference", "5.1", "accurate")]
    decided = {("reference", "5.1"): "vague", ("phrase", "3|a b c"): "", ("rating", ""): "5.0"}
    assert find_effective_values(marked, decided).values == {}
    added = find_effective_values(marked, decided | {("missed", "5.1"): "yes"})
    assert (added.values, added.added) == ({"reference": {"5.1": "vague"}}, {"5.1"})


def test_an_answer_that_was_taken_back_is_none():
    said = [*rated(2), judged(1, "reference", "2.1", ""), judged(2, "reference", "2.1", "vague")]
    found = find_effective_values(said, {}, machine=COUNTED)
    assert (found.values, found.ties) == ({"reference": {"2.1": "vague"}}, ())


def test_nobody_has_no_majority_and_one_has_what_they_say():
    assert find_majority({}) is None
    assert find_majority({1: "vague"}) == find_majority({1: "vague", 2: "vague"}) == "vague"


def test_a_blind_test_counts_with_its_evaluation():
    answers = [
        judged(1, "attribution", "1", "2"),
        judged(1, "attribution", "2", "2"),
        judged(2, "attribution", "1", "2", submitted=False),
    ]
    tests = {number: AnswerKey((2, 3), 4) for number in (1, 2)}
    assert find_effective_values(answers, {}, tests=tests).test == AuthorshipResult(1, 2, 4)
    assert find_effective_values(answers, {}, tests={2: tests[2]}).test is None


def test_an_added_reference_counts_when_most_have_it():
    group = [*rated(3), judged(1, "missed", "5.1", "yes"), judged(1, "reference", "5.1", "accurate")]
    assert find_effective_values(group, {}).added == frozenset()
    assert "reference" not in find_effective_values(group, {}).values
    two = [*group, judged(2, "reference", "5.1", "accurate")]
    assert find_effective_values(two, {}).added == {"5.1"}
    assert find_effective_values(two, {}).values["reference"] == {"5.1": "accurate"}


def test_half_of_the_evaluators_is_a_tie_and_no_reference_is_no_mark():
    half = [*rated(2), judged(1, "missed", "5.1", "yes")]
    assert find_effective_values(half, {}).ties == (("missed", "5.1"),)
    assert find_effective_values(half, {("missed", "5.1"): "yes"}).added == {"5.1"}
    refused = [*rated(2), judged(1, "reference", "5.1", "not_a_reference")]
    assert find_effective_values(refused, {}).ties == ()


def test_the_rating_is_the_mean_and_never_a_majority():
    ratings = [judged(n, "rating", "", value) for n, value in enumerate(("2.0", "2.0", "4.5"), 1)]
    assert find_effective_values(ratings, {}).rating == Fraction(17, 6)


def test_the_manual_check_counts_its_yes_and_decides_only_when_told():
    answers = [judged(1, "identify", str(player), "yes" if player < 5 else "no") for player in range(1, 7)]
    result = find_effective_values(answers, {})
    assert (result.identification, result.identify_decides) == ((4, 6), False)
    assert find_effective_values([*answers, judged(1, "identify_decides", "", "yes")], {}).identify_decides


def test_what_the_machine_says_is_read_from_the_measurements():
    measurements = {
        "strategic_depth": Measurement(
            "strategic_depth", 1, 2, messages=[MessageFinding(1, True, "keyword")]
        ),
        "coherence": Measurement("coherence", 0, 2, messages=[MessageFinding(2, False, "none")]),
        "memory_accuracy": Measurement(
            "memory_accuracy",
            0,
            1,
            references=[
                ReferenceFinding(2, 1, 0, 5, "Early", True, "earlier"),
                ReferenceFinding(3, 1, 0, 5, "Voted", False, "voted"),
            ],
        ),
    }
    assert machine_values(measurements) == {
        ("strategic_depth", "1"): "yes",
        ("coherence", "2"): "no",
        ("reference", "2.1"): "",
    }


def test_a_finding_of_role_consistency_amounts_to_a_label():
    findings = ((True, "consistent"), (False, "deflects"), (False, "unknown_side"))
    said = [
        MessageFinding(1, *finding).machine_value(judgement_kinds.ROLE_CONSISTENCY) for finding in findings
    ]
    assert said == ["consistent", "inconsistent", "not_assessable"]


SUBJECTS = {
    "reference": ("2.1", "5.1"),
    "missed": ("5.1",),
    "strategic_depth": ("4", "6"),
    "phrase": ("1|a b c",),
    "question": ("1",),
    "rating": ("",),
}


ACTS = st.sampled_from(
    [(kind, subject) for kind, subjects in SUBJECTS.items() for subject in subjects]
).flatmap(lambda key: st.tuples(st.just(key), st.sampled_from(("", *judgement_kinds.VALUES[key[0]]))))


PERSON = st.dictionaries(ACTS.map(lambda act: act[0]), st.none(), max_size=6).flatmap(
    lambda keys: st.fixed_dictionaries(
        {key: st.sampled_from(("", *judgement_kinds.VALUES[key[0]])) for key in keys}
    )
)


PEOPLE = st.lists(PERSON, max_size=5)


def rows(people):
    return [
        judged(number, kind, subject, value)
        for number, person in enumerate(people, 1)
        for (kind, subject), value in [*person.items(), (("rating", ""), person.get(("rating", "")) or "3.0")]
    ]


MACHINE = COUNTED | DEPTH


@given(PEOPLE, st.randoms(use_true_random=False))
def test_the_order_of_the_judgements_changes_nothing(people, random):
    judgements = rows(people)
    shuffled = random.sample(judgements, len(judgements))
    in_order = find_effective_values(judgements, {}, machine=MACHINE)
    assert find_effective_values(shuffled, {}, machine=MACHINE) == in_order


@given(PERSON, st.integers(min_value=1, max_value=5))
def test_people_of_one_mind_are_as_one(person, count):
    alone = find_effective_values(rows([person]), {}, machine=MACHINE)
    together = find_effective_values(rows([person] * count), {}, machine=MACHINE)
    assert together == alone
    assert alone.ties == ()


@given(PEOPLE)
def test_every_value_is_one_that_somebody_or_the_machine_gave(people):
    given_values = {(kind, subject, value) for person in people for (kind, subject), value in person.items()}
    allowed = given_values | {(*key, value) for key, value in MACHINE.items()}
    result = find_effective_values(rows(people), {}, machine=MACHINE)
    assert all((kind, s, value) in allowed for kind, of in result.values.items() for s, value in of.items())
    assert not any(subject in result.values.get(kind, {}) for kind, subject in result.ties)
