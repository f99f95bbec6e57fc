"""A set as a whole: means over comparisons, wins, views, criteria beside each other, on worked and real examples."""

import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rubric.core.scores import compute_overall, round_half_up
from rubric.results.core.paired_leads import compute_paired_leads
from rubric.results.core.whole_set import (
    build_subjects,
    compute_outcomes,
    correlations,
    list_ratings,
    score_responses,
    view_means,
)
from rubric.reviews.core.score_rows import ReviewRow

SHARES = {"accuracy": Fraction(3, 4), "clarity": Fraction(1, 4)}

SQUALITY = Path(
    os.environ.get("SQUALITY", Path(__file__).parents[4] / "shared" / "data" / "squality")
) / "all-responses.jsonl"  # fmt: skip


def row(comparison, response, reviewer, accuracy=None, clarity=None, holistic=None, **more):
    scores = {
        key: value for key, value in (("accuracy", accuracy), ("clarity", clarity)) if value is not None
    }
    return ReviewRow(str(comparison), str(response), reviewer, scores, holistic, **more)


ROWS = [
    row(1, 1, "x", 8, 4), row(1, 1, "y", 6, 6), row(1, 2, "x", 5, 5), row(1, 2, "y", 7, 7),
    row(2, 1, "x", 9, 9), row(2, 2, "x", 3, 3, holistic=2),
    row(3, 1, "x", 4, 4), row(3, 2, "x", 4, 4),
]  # fmt: skip

NAMES = {
    (scored_row.comparison, scored_row.response): "ann" if scored_row.response == "1" else "bob"
    for scored_row in ROWS
}


def test_values_are_weighted_sums_and_own_or_incomplete_ones_do_not_count():
    rows = [row(1, 1, "x", 8, 4), row(1, 1, "y", 8), row(1, 1, "z", 1, 1, is_own=True), row(1, 2, "y")]
    first, second = score_responses(rows, SHARES)
    assert (first.values, second.values) == ({"x": Fraction(7)}, {})
    assert first.criteria == {"accuracy": Fraction(8), "clarity": Fraction(4)}
    with_all = score_responses(rows, SHARES, with_incomplete=True)
    assert with_all[0].values == {"x": Fraction(7), "y": Fraction(8)}
    assert with_all[1].mean is None


def test_holistic_scores_are_kept_apart_from_overalls():
    rows = [row(1, 1, "x", 8, 4, holistic=3), row(1, 1, "y", holistic=9)]
    assert score_responses(rows, SHARES)[0].values == {"x": Fraction(7)}
    [found] = score_responses(rows, SHARES, kind="holistic")
    assert (found.values, found.mean, found.holistic) == ({"x": 3, "y": 9}, 6, 6)


@given(st.lists(st.tuples(*[st.one_of(st.none(), st.integers(1, 10), st.floats(1, 10))] * 2), min_size=1))
def test_whole_numbers_give_what_the_exact_formula_gives(scores):
    rows = [row(1, 1, f"r{at}", *scored_row) for at, scored_row in enumerate(scores)]
    [found] = score_responses(rows, SHARES, with_incomplete=True)
    expected = {scored_row.reviewer: compute_overall(scored_row.scores, SHARES).value for scored_row in rows}
    assert found.values == {name: value for name, value in expected.items() if value is not None}


def test_each_comparison_has_its_first_and_its_lead_ties_are_ties():
    first, two, three = compute_outcomes(score_responses(ROWS, SHARES))
    assert (first.first, first.second, first.gap, first.reviewers) == (["1"], "2", Fraction(1, 2), 2)
    assert (two.first, two.gap) == (["1"], 6)
    assert (three.first, three.gap) == (["1", "2"], 0)
    [none] = compute_outcomes(score_responses([row(4, 1, "x"), row(4, 2, "x")], SHARES))
    assert (none.first, none.gap, none.reviewers) == ([], None, 0)


def test_subjects_stand_by_the_mean_over_comparisons():
    ann, bob = build_subjects(score_responses(ROWS, SHARES), NAMES)
    assert (ann.name, ann.place, ann.mean) == ("ann", 1, (Fraction("6.5") + 9 + 4) / 3)
    assert (ann.wins, ann.shared, bob.wins, bob.shared) == (2, 1, 0, 1)
    assert (bob.mean, bob.criteria["accuracy"], bob.holistic) == (Fraction(13, 3), Fraction(13, 3), 2)
    # Places 1 and 2 by x, 2 and 1 by y; 1; 1.5: a mean of 4/3 for ann.
    assert (ann.mean_rank, bob.mean_rank) == (Fraction(4, 3), Fraction(5, 3))
    assert ann.figure.interval is None and "20 comparisons" in ann.figure.interval_reason


def test_two_responses_of_one_subject_to_one_question_count_once():
    rows = [row(1, 1, "x", 8, 8), row(1, 2, "x", 4, 4), row(2, 1, "x", 9, 9)]
    [found] = build_subjects(
        score_responses(rows, SHARES),
        {(scored_row.comparison, scored_row.response): "ann" for scored_row in rows},
    )
    assert (found.mean, found.means) == (Fraction(15, 2), [6.0, 9.0])


def test_the_interval_draws_comparisons_anew():
    spread = np.random.default_rng(3).normal(6, 1, 40).clip(1, 10)
    rows = [row(at, 1, "x", float(value), float(value)) for at, value in enumerate(spread)]
    [found] = build_subjects(
        score_responses(rows, SHARES), {(scored_row.comparison, "1"): "ann" for scored_row in rows}
    )
    low, high = found.figure.interval
    half = 1.96 * spread.std() / np.sqrt(40)
    assert (low, high) == pytest.approx((spread.mean() - half, spread.mean() + half), abs=0.08)


def paired(differences, *, base=5.0, reviewers="xyz"):
    """Rows of two authors whose scores differ by these, on questions that differ far more."""
    return [
        row(at, response, reviewer, *[base + at % 4 + (difference if response == 1 else 0)] * 2)
        for at, difference in enumerate(differences)
        for response in (1, 2)
        for reviewer in reviewers
    ]


def lead_over(rows, first="ann", rival="bob", names=None):
    authors = {"1": "ann", "2": "bob"}
    names = names or {
        (scored_row.comparison, scored_row.response): authors[scored_row.response] for scored_row in rows
    }
    [found] = compute_paired_leads(score_responses(rows, SHARES), names, first, [rival])
    return found


def test_the_paired_interval_is_that_of_differences_on_common_questions():
    differences = [0.5, -0.25, 0.75, 0.25, 0.5]
    found = lead_over(paired(differences))
    expected = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (float(found.gap), found.comparisons) == (0.35, 5)
    assert found.interval == pytest.approx((expected.low, expected.high))
    assert found.word == "cannot_tell"
    assert lead_over(paired([0.5, 0.25, 0.75, 0.25, 0.5])).word == "ahead"
    assert lead_over(paired([-0.5, -0.25, -0.75, -0.25, -0.5])).word == "behind"
    two = lead_over(paired([0.5, 0.25, 0.75, 0.25, 0.5], reviewers="xy"))
    assert (two.word, two.reviewers) == ("cannot_tell", 2)


def test_questions_of_one_alone_do_not_enter_the_difference():
    rows = [*paired([0.5, 0.25, 0.5]), row(9, 1, "x", 1, 1), row(10, 2, "x", 9, 9)]
    assert lead_over(rows) == lead_over(rows[:18])
    only = [row(1, 1, "x", 8, 8), row(2, 2, "x", 4, 4)]
    assert (lead_over(only).word, lead_over(only).gap, lead_over(only).comparisons) == ("apart", None, 0)
    one = lead_over(paired([0.5]))
    assert (one.word, one.interval, one.comparisons) == ("cannot_tell", None, 1)


def test_rounding_keeps_equal_differences_from_being_certain():
    """Two questions, both apart by 1, three reviewers: 2/12 for each reviewer and question, over 2 x 3."""
    rows = paired([1.0, 1.0])
    names = {(given.comparison, given.response): {"1": "ann", "2": "bob"}[given.response] for given in rows}
    scored = score_responses(rows, SHARES)
    [found] = compute_paired_leads(scored, names, "ann", ["bob"], 1 / 12)
    half = stats.t.ppf(0.975, 1) * (2 / 12 / 6) ** 0.5
    assert found.interval == pytest.approx((1 - half, 1 + half))
    assert found.word == "cannot_tell"


def test_two_responses_of_one_author_to_a_question_count_as_their_mean():
    rows = [row(1, 1, "x", 8, 8), row(1, 3, "x", 4, 4), row(1, 2, "x", 5, 5)]
    names = {("1", "1"): "ann", ("1", "3"): "ann", ("1", "2"): "bob"}
    assert lead_over(rows, names=names).gap == 1


def test_a_view_is_taken_to_subjects_by_comparison():
    items = {"1:1": 5.0, "1:2": 3.0, "2:1": 7.0}
    assert view_means(items, NAMES) == {"ann": 6.0, "bob": 3.0}
    assert len(list_ratings(score_responses(ROWS, SHARES))) == len(ROWS)


def test_criteria_go_together_or_cannot_be_told():
    rows = [row(at, 1, "x", at, 11 - at, holistic=5) for at in range(1, 8)]
    pairs = correlations(score_responses(rows, SHARES), list(SHARES), with_holistic=True)
    assert [(scored_row.one, scored_row.other) for scored_row in pairs] == [
        ("accuracy", "clarity"), ("accuracy", "holistic"), ("clarity", "holistic"),
    ]  # fmt: skip
    assert pairs[0].correlation == pytest.approx(-1)
    assert pairs[1].correlation is None and len(pairs[1].points) == 7


@given(st.permutations(ROWS))
def test_the_order_of_rows_changes_nothing(rows):
    ordered = sorted(rows, key=lambda scored_row: (scored_row.comparison, rows.index(scored_row)))
    assert build_subjects(score_responses(ordered, SHARES), NAMES) == build_subjects(
        score_responses(ROWS, SHARES), NAMES
    )


@pytest.mark.skipif(not SQUALITY.exists(), reason="SQuALITY's ratings are not here")
def test_the_paired_interval_on_real_ratings_is_that_of_the_bootstrap():
    rows, names = _squality()
    scored = score_responses(rows, {"correctness": Fraction(1, 2), "coverage": Fraction(1, 2)})
    [found] = compute_paired_leads(scored, names, "bart-dpr", ["bart"])
    means = {
        (score.comparison, names[score.comparison, score.response]): float(score.mean) for score in scored
    }
    questions = sorted({score.comparison for score in scored})
    differences = np.array([means[key, "bart-dpr"] - means[key, "bart"] for key in questions])
    drawn = np.random.default_rng(0).choice(differences, (4000, len(differences))).mean(axis=1)
    assert (found.comparisons, found.word) == (100, "ahead")
    assert found.interval == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])), abs=0.03)


@pytest.mark.skipif(not SQUALITY.exists(), reason="SQuALITY's ratings are not here")
def test_the_nine_means_of_squality():
    rows, names = _squality()
    shares = {"correctness": Fraction(1, 2), "coverage": Fraction(1, 2)}
    found = {
        scored_row.name: scored_row for scored_row in build_subjects(score_responses(rows, shares), names)
    }
    shown = {
        name: [
            str(round_half_up((value - 1) * 100 / 9, 1))
            for value in (
                scored_row.criteria["correctness"],
                scored_row.criteria["coverage"],
                scored_row.holistic,
            )
        ]
        for name, scored_row in found.items()
    }
    assert shown["bart"] == ["34.8", "15.6", "18.1"]
    assert shown["bart-dpr"] == ["45.4", "24.3", "27.9"]
    assert list(shown)[0] == "human" and shown["human"] == ["94.1", "88.8", "91.3"]


def _squality():
    """Rows of the file, scores taken linearly from 0-100 onto 1-10, and the system behind each response."""
    rows, names = [], {}
    for line in SQUALITY.read_text().splitlines():
        passage = json.loads(line)
        for number, responses in passage["questions"].items():
            comparison = f"{passage['passage-id']}/{number}"
            for system, response in responses.items():
                names[comparison, system] = system
                rows += [_squality_row(comparison, system, scored_row) for scored_row in response["reviews"]]
    return rows, names


def _squality_row(comparison, system, review):
    kinds = ("correctness", "selection", "overall")
    correctness, coverage, overall = (1 + 9 * review[f"{kind}-rating"] / 100 for kind in kinds)
    scores = {"correctness": correctness, "coverage": coverage}
    return ReviewRow(comparison, system, review["worker_id"], scores, holistic=overall)
