"""Agreement among evaluators of games: by hand, against printed tables, where it has no value, whatever the order.

Evaluators beside themselves: by hand, pooled over people, and left out where nobody answered twice.
"""

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discussions.core import judgement_kinds
from discussions.reliability.core.agreement import NOBODY, compute_agreement, compute_self_agreement
from discussions.reliability.core.blind_answers import AnswerKind, BlindAnswer, find_pair_cases
from tests.factories.statistics import KRIPPENDORFF_A, KRIPPENDORFF_C, by_rater, of_table
from workspace.statistics.estimates import raters_needed

QUESTIONS = 5


def said(game, evaluator, kind, subject, value, *, purpose="rating"):
    """One blind answer; an evaluation is known by its game and person."""
    return BlindAnswer(game, 100 * game + evaluator, evaluator, purpose, kind, subject, value)


def make_answers(table, kind, values, *, games=None, subject=None):
    """Answers that make this table of items x raters; each item a game, or the messages of one game in turn."""
    names = dict(enumerate(values, start=1)) if not isinstance(values, dict) else values
    return [
        said(
            games[at] if games else at + 1,
            rater,
            kind,
            subject if subject is not None else str(at + 1),
            names[value],
        )
        for at, row in enumerate(table)
        for rater, value in enumerate(row, start=1)
        if value is not None
    ]


def find_line(answers, key):
    return compute_agreement(answers, QUESTIONS).find(key)


def test_four_messages_of_two_games_by_hand():
    """yes yes, yes no, no no, no no: 3 of 4 agree. Ratings 3 yes, 5 no: D_e = 2 * 3 * 5 / (8 * 7), D_o = 2 / 8."""
    pairs = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no")]
    answers = [
        said((at + 1) // 2, person, judgement_kinds.COHERENCE, str(at), value)
        for at, pair in enumerate(pairs, start=1)
        for person, value in zip((7, 9), pair, strict=True)
    ]
    # One message that a single person judged is counted, and no more.
    line = find_line([*answers, said(2, 7, judgement_kinds.COHERENCE, "30", "yes")], "coherence")
    assert (line.answered, line.items, line.games, line.raters, line.pairs) == (5, 4, 2, 2, 4)
    assert line.alpha.value == pytest.approx(1 - (2 / 8) / (2 * 3 * 5 / (8 * 7)))
    assert line.share.value == 0.75
    assert dict(line.shares) == {"yes": 3, "no": 5}
    specific = dict(line.specific)
    assert specific["yes"].value == pytest.approx(2 / 3)
    assert specific["no"].value == pytest.approx(4 / 5)
    assert [(cell.row, cell.column, cell.count) for cell in line.cells] == [
        ("yes", "yes", 1),
        ("yes", "no", 1),
        ("no", "no", 2),
    ]
    (pair,) = line.people
    assert (pair.first, pair.second, pair.items, pair.share) == (7, 9, 4, 0.75)
    assert pair.kappa == pytest.approx((0.75 - (0.5 * 0.25 + 0.5 * 0.75)) / (1 - 0.5))
    assert line.alpha.interval is None
    assert line.alpha.interval_reason == "An interval needs at least 3 games; there are 2."


def test_role_labels_that_make_a_printed_table():
    """Gwet's table of two raters and three categories: alpha .797, AC1 .849, kappa .796."""
    answers = make_answers(
        of_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]]),
        judgement_kinds.ROLE_CONSISTENCY,
        judgement_kinds.VALUES[judgement_kinds.ROLE_CONSISTENCY],
        games=[1 + at % 10 for at in range(100)],
    )
    line = find_line(answers, "role_consistency")
    assert round(line.alpha.value, 3) == 0.797
    assert round(line.gwet.value, 3) == 0.849
    assert round(line.people[0].kappa, 3) == 0.796
    assert [cell.count for cell in line.cells] == [13, 20, 11, 56]
    assert [cell.count for cell in line.people[0].cells] == [13, 20, 7, 4, 56]
    assert (line.games, line.items, line.pairs) == (10, 100, 100)
    assert line.alpha.interval is not None


def test_the_paradox_of_prevalence_is_told():
    """118 / 5 / 2 / 0: 94.4 % agreement, alpha -.025, AC1 .941."""
    table = of_table([[118, 5], [2, 0]])
    line = find_line(make_answers(table, judgement_kinds.STRATEGIC_DEPTH, ("yes", "no")), "strategic_depth")
    assert round(line.share.value, 3) == 0.944
    assert round(line.alpha.value, 3) == -0.025
    assert round(line.gwet.value, 3) == 0.941
    assert line.is_skewed
    assert (line.common, round(line.common_share, 3)) == ("yes", 0.972)
    assert (line.needed_range, line.rare) == (None, ["no"])


@pytest.mark.parametrize(
    ("rows", "key", "expected"),
    [(KRIPPENDORFF_A, "question-3", 0.095), (KRIPPENDORFF_C, "rating", 0.815)],
)
def test_printed_tables_of_questions_and_ratings(rows, key, expected):
    if key == "rating":
        answers = make_answers(
            rows, judgement_kinds.RATING, {at: f"{at}.0" for at in range(1, 6)}, subject=""
        )
    else:
        answers = make_answers(rows, judgement_kinds.QUESTION, {0: "no", 1: "yes"}, subject="3")
    line = find_line(answers, key)
    assert round(line.alpha.value, 3) == expected
    assert not line.is_skewed


def test_the_rating_has_correlations_and_says_how_many_would_do():
    """The data set `anxiety` of R's irr: ICC(2,1) .198, so .8 * .802 / (.198 * .2), 17 raters, would do."""
    anxiety = by_rater(
        "3 3 3 4 5 5 2 3 5 2 2 6 1 5 2 2 1 2 4 3",
        "3 6 4 6 2 4 2 4 3 3 2 3 3 3 2 2 1 3 3 4",
        "2 1 4 4 3 2 1 6 1 1 1 2 3 3 1 1 3 3 2 2",
    )
    halves = {point: f"{0.5 + point / 2:.1f}" for point in range(1, 7)}
    line = find_line(make_answers(anxiety, judgement_kinds.RATING, halves, subject=""), "rating")
    assert round(line.icc.value, 3) == 0.198
    assert line.panel.value == pytest.approx(3 * line.icc.value / (1 + 2 * line.icc.value))
    assert raters_needed(line.icc.value) == 17
    assert line.gwet.value is not None
    missing = [row if at else [row[0], row[1], None] for at, row in enumerate(anxiety)]
    gaps = find_line(make_answers(missing, judgement_kinds.RATING, halves, subject=""), "rating")
    assert gaps.icc.value is not None
    assert gaps.icc.value != line.icc.value


def test_what_nobody_answered_twice_says_why():
    apart = [
        said(1, 1, judgement_kinds.COHERENCE, "3", "yes"),
        said(1, 2, judgement_kinds.COHERENCE, "4", "no"),
    ]
    found = compute_agreement(apart, QUESTIONS)
    coherence = found.find("coherence")
    assert (coherence.answered, coherence.items) == (2, 0)
    assert coherence.alpha.reason.startswith(
        "2 messages were judged blind, none by two evaluators. Each evaluator"
    )
    assert coherence.gwet.reason == coherence.share.reason == coherence.alpha.reason
    assert found.find("reference").alpha.reason == NOBODY
    assert found.find("rating").icc.reason == NOBODY
    assert (coherence.shares, coherence.cells, coherence.people) == ([], [], [])
    assert compute_agreement([], QUESTIONS).find("rating").alpha.reason == NOBODY
    assert compute_agreement([], QUESTIONS).find("question-6") is None


def test_the_same_answer_throughout_has_no_alpha():
    alike = [
        said(game, person, judgement_kinds.QUESTION, "1", "yes") for game in (1, 2, 3) for person in (1, 2)
    ]
    line = find_line(alike, "question-1")
    assert line.alpha.value is line.gwet.value is None
    assert line.alpha.reason.startswith("All ratings are the same")
    assert line.share.value == 1.0
    assert line.people[0].alpha is None
    assert line.people[0].share == 1.0


def test_marks_are_counted_and_never_agreement():
    marks = [
        said(1, 1, judgement_kinds.PHRASE, "3|i think that", "acceptable"),
        said(1, 2, judgement_kinds.PHRASE, "3|i think that", "acceptable"),
        said(1, 2, judgement_kinds.MISSED, "4.1", "yes"),
    ]
    found = {mark.kind: (mark.by_one, mark.by_more) for mark in compute_agreement(marks, QUESTIONS).marks}
    assert found == {"phrase": (0, 1), "missed": (1, 0)}


EVERYTHING = (
    (judgement_kinds.REFERENCE, ("1.1", "2.1", "2.2"), judgement_kinds.VALUES[judgement_kinds.REFERENCE]),
    (judgement_kinds.ROLE_CONSISTENCY, ("1", "2"), judgement_kinds.VALUES[judgement_kinds.ROLE_CONSISTENCY]),
    (judgement_kinds.QUESTION, ("1", "2"), ("yes", "no")),
    (judgement_kinds.RATING, ("",), judgement_kinds.RATINGS),
)


@st.composite
def panels(draw):
    """Blind answers of up to four people on up to five games, some silent."""
    found = []
    for game in range(1, draw(st.integers(1, 5)) + 1):
        for person in range(1, draw(st.integers(1, 4)) + 1):
            for kind, subjects, values in EVERYTHING:
                for subject in subjects:
                    value = draw(st.one_of(st.none(), st.sampled_from(values)))
                    found += [said(game, person, kind, subject, value)] if value else []
    return found


def summary(found):
    """The figures that do not name anybody, rounded as floats in another order are."""
    values = [
        [
            None if figure is None or figure.value is None else round(figure.value, 9)
            for figure in list_found(line)
        ]
        for line in found.things
    ]
    counts = [
        (line.key, line.answered, line.items, line.games, line.pairs, line.shares, line.cells)
        for line in found.things
    ]
    return counts, values


def list_found(line):
    return line.alpha, line.gwet, line.share, line.icc, line.panel


@given(panels(), st.permutations([1, 2, 3, 4]), st.permutations([1, 2, 3, 4, 5]), st.randoms())
@settings(max_examples=20, deadline=None)
def test_who_is_who_and_which_game_comes_first_change_nothing(answers, people, games, chance):
    moved = [
        said(games[figure.game - 1], people[figure.evaluator - 1], figure.kind, figure.subject, figure.value)
        for figure in answers
    ]
    chance.shuffle(moved)
    assert summary(compute_agreement(moved, 2)) == summary(compute_agreement(answers, 2))


@given(panels())
@settings(max_examples=20, deadline=None)
def test_silence_repeats_and_games_of_one_person_change_nothing(answers):
    """Who submits without a word is in no row; neither are repeats, nor a game that one person rated."""
    others = [
        *(
            said(figure.game, figure.evaluator, figure.kind, figure.subject, figure.value, purpose="repeat")
            for figure in answers
        ),
        said(77, 1, judgement_kinds.RATING, "", "2.0"),
        said(77, 1, judgement_kinds.COHERENCE, "1", "no"),
    ]
    assert compute_agreement([*answers, *others], 2) == compute_agreement(answers, 2)


@given(panels())
@settings(max_examples=20, deadline=None)
def test_every_cell_opens_the_cases_that_it_counts(answers):
    for line in compute_agreement(answers, 2).things:
        kind, _dash, question = line.key.partition("-")
        answer_kind = AnswerKind(kind, question)
        assert sum(cell.count for cell in line.cells) == line.pairs
        for cell in line.cells:
            cases = find_pair_cases(answers, answer_kind, cell.row, cell.column)
            assert len(cases) == cell.count
            assert all(Counter(case.values) == Counter([cell.row, cell.column]) for case in cases)
        for pair in line.people:
            assert sum(cell.count for cell in pair.cells) == pair.items
            for cell in pair.cells:
                cases = find_pair_cases(
                    answers, answer_kind, cell.row, cell.column, (pair.first, pair.second)
                )
                assert len(cases) == cell.count
                assert {case.people for case in cases} == {(pair.first, pair.second)}


def twice(game, person, kind, subject, first, again):
    return [
        said(game, person, kind, subject, first),
        said(game, person, kind, subject, again, purpose="repeat"),
    ]


def test_two_people_by_hand():
    """One: yes yes, no no, yes no; another: no no. 3 of 4 alike; of 3 yes and 5 no D_e = 30 / 56, D_o = 2 / 8."""
    answers = [
        *twice(1, 1, judgement_kinds.COHERENCE, "4", "yes", "yes"),
        *twice(1, 1, judgement_kinds.COHERENCE, "9", "no", "no"),
        *twice(2, 1, judgement_kinds.COHERENCE, "1", "yes", "no"),
        *twice(1, 2, judgement_kinds.COHERENCE, "4", "no", "no"),
        said(2, 2, judgement_kinds.COHERENCE, "1", "no"),
    ]
    (line,) = compute_self_agreement(answers, 5)
    assert (line.key, line.items, line.games) == ("coherence", 4, 3)
    assert line.share.value == 0.75
    assert line.alpha.value == pytest.approx(1 - (2 / 8) / (30 / 56))
    assert line.alpha.interval is None and "there are 3" in line.alpha.interval_reason
    first, other = line.people
    assert (first.evaluator, first.items, first.share) == (1, 3, pytest.approx(2 / 3))
    assert first.alpha == pytest.approx(1 - (2 / 6) / (2 * 3 * 3 / (6 * 5)))
    assert (other.evaluator, other.items, other.share, other.alpha) == (2, 1, 1.0, None)
    assert other.reason == "Agreement needs at least 2 items that two raters or more have rated; there are 1."


def test_ratings_are_compared_on_their_scale():
    answers = [
        answer
        for game, (first, again) in enumerate([("1.0", "1.5"), ("3.0", "3.0"), ("5.0", "4.5")], start=1)
        for answer in twice(game, 1, judgement_kinds.RATING, "", first, again)
    ]
    (line,) = compute_self_agreement(answers, 5)
    assert line.key == "rating"
    assert line.alpha.value > 0.8
    assert line.share.value == pytest.approx(1 / 3)


def test_nothing_answered_twice_is_nothing():
    assert compute_self_agreement([], 5) == []
    assert (
        compute_self_agreement(
            [said(1, 1, judgement_kinds.RATING, "", "2.0"), said(1, 2, judgement_kinds.RATING, "", "2.0")], 5
        )
        == []
    )
    calibration = said(1, 1, judgement_kinds.RATING, "", "2.0", purpose="calibration")
    assert compute_self_agreement([said(1, 1, judgement_kinds.RATING, "", "2.0"), calibration], 5) == []


@pytest.mark.parametrize(
    ("interval", "found"),
    [
        (None, None),
        ((-0.2, 0.974), (1, None)),
        ((0.5, 0.8), (1, 4)),
        ((-0.5, -0.1), None),
        ((0.8, 0.8), (1, 1)),
    ],
)
def test_how_many_would_do_is_said_by_both_ends_of_the_interval(interval, found):
    line = find_line(
        make_answers(
            by_rater("1 2 3", "1 2 3"), judgement_kinds.RATING, {1: "1.0", 2: "2.0", 3: "3.0"}, subject=""
        ),
        "rating",
    )
    one = msgspec.structs.replace(line.alpha, interval=interval)
    assert msgspec.structs.replace(line, icc=None, alpha=one).needed_range == found
