"""Length against conciseness: within comparisons and pooled, sample sizes, the rater who only counts words.

Stability of rankings: resamples counted by hand, taus against the agreement statistics, ties and their trap.

The survey: shares, Newcombe's intervals, sample sizes, and when nothing can be said.

Variance against reliability: by hand, and what arithmetic alone does to the literal metric.

Order changes nothing, and nothing raises: whatever has no value says why.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from scipy import stats

from rubric.core.scales import Scale, rescale_score
from rubric.reviewer_statistics.core.comprehension import Surveyed, answers_needed, understanding_report
from rubric.reviewer_statistics.core.conciseness import length_report, responses_needed
from rubric.reviewer_statistics.core.rater_effects import (
    RaterEffect,
    flat_rows,
    position_effects,
    residual_halo,
    self_preference,
    severity,
)
from rubric.reviewer_statistics.core.stability import (
    compute_means,
    mean_tau,
    on_grid,
    resamples,
    stability_report,
    taus_with,
    winner_kept,
)
from rubric.reviewer_statistics.core.variance import variance_report
from rubric.reviewer_statistics.core.weights_fit import tuned_to_holistic
from rubric.reviews.core.score_rows import ReviewRow
from tests.factories.scores import WEIGHTS, any_rows, make_rows, simulate_panel
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.conclusions import Conclusion, Figure, small_note
from workspace.statistics.intraclass import compute_icc_from_components
from workspace.statistics.means import newcombe
from workspace.statistics.rankings import kendall_tau

ONE = {"conciseness": 1}


def responses(*given):
    """(comparison, response, words, score) by one reviewer."""
    return [
        ReviewRow(comparison, response, "ann", {"conciseness": float(score)}, words=words)
        for comparison, response, words, score in given
    ]


@pytest.mark.parametrize(("rho", "count"), [(-0.2, 157), (-0.3, 71), (-0.4, 41), (-0.5, 27), (-0.7, 14)])
def test_responses_needed(rho, count):
    """From the variance of Bonett and Wright, Psychometrika 65 (2000), one-sided at 5 % with 80 % power."""
    assert responses_needed(rho) == count


def test_one_comparison_is_plain_spearman():
    given = [("q1", f"r{at}", words, score) for at, (words, score) in enumerate(
        [(120, 7), (80, 9), (200, 3), (150, 7), (90, 6), (60, 8), (170, 5), (300, 4), (40, 9), (220, 6)]
    )]  # fmt: skip
    found = length_report(responses(*given), ONE)
    expected = stats.spearmanr([row[2] for row in given], [row[3] for row in given]).statistic
    assert found.within["conciseness"].value == pytest.approx(expected)
    assert found.literal.value == pytest.approx(expected)
    assert found.within["conciseness"].interval is None
    assert (found.conclusion.code, found.conclusion.needed) == ("too_few", None)
    assert found.conclusion.reason == "An interval needs at least 20 comparisons; there are 1."


def test_questions_that_need_longer_answers_hide_it_when_pooled():
    """In each comparison the longer response scores lower; the comparison with long ones scores higher on the whole."""
    rows = responses(
        *(("q1", f"r{at}", 10 + at, 4 - at) for at in range(3)),
        *(("q2", f"r{at}", 100 + at, 9 - at) for at in range(3)),
    )
    found = length_report(rows, ONE)
    assert found.within["conciseness"].value == -1
    assert found.literal.value > 0
    assert (found.conclusion.code, found.conclusion.needed) == ("too_few", None)


def test_a_response_counts_once_however_many_reviewers_it_has():
    group = [row for row in simulate_panel(25, 4, 3) if row.reviewer == "p0"]
    copies = [ReviewRow(row.comparison, row.response, name, row.scores, row.holistic, words=row.words)
              for row in group for name in ("a", "b", "c")]  # fmt: skip
    first, second = length_report(group, WEIGHTS), length_report(copies, WEIGHTS)
    assert first.within["conciseness"].interval == second.within["conciseness"].interval
    assert (first.overall.responses, first.overall.rows, second.overall.rows) == (100, 100, 300)


def test_simulated_responses_whose_length_follows_conciseness():
    found = length_report(simulate_panel(30, 4, 3), WEIGHTS)
    assert found.conclusion.code == found.literal_conclusion.code == "holds"
    assert abs(found.within["clarity"].value) < 0.3
    assert found.overall_given_accuracy.value is not None


def test_length_that_is_rewarded_shows_beside_it():
    """Overall rises with length at equal accuracy."""
    rows = [
        ReviewRow(f"q{number}", f"r{at}", "ann", {"accuracy": float(4 + (at * 3) % 4), "clarity": 2.0 + 2 * at},
            words=50 * (at + 1))
        for number in range(20) for at in range(4)
    ]  # fmt: skip
    found = length_report(rows, {"accuracy": 0.2, "clarity": 0.8})
    assert found.overall_given_accuracy.value > 0.5
    assert found.conclusion.code == "cannot_tell"
    assert 'no criterion "conciseness"' in found.conclusion.reason


def test_two_responses_or_one_length_are_not_enough():
    two = length_report(responses(("q1", "a", 5, 5), ("q1", "b", 6, 4)), ONE)
    assert "3 responses" in two.conclusion.reason
    equal = length_report(responses(*(("q1", name, 5, at) for at, name in enumerate("abc", 1))), ONE)
    assert "do not differ" in equal.conclusion.reason


tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=raters, max_size=raters),
        min_size=2,
        max_size=5,
    )
)


@given(tables, st.sampled_from(["a", "b"]))
def test_the_mean_tau_is_that_of_the_agreement_statistics(table, variant):
    values = np.array(table, dtype=float)
    expected = kendall_tau(table, variant=variant).value
    found = mean_tau(values, variant=variant)
    assert np.isnan(found) if expected is None else found == pytest.approx(expected)


@pytest.mark.parametrize("reviewers", [1, 2, 3, 4])
def test_all_resamples_with_their_probabilities(reviewers):
    """Against every ordered draw: 27 of three reviewers, 256 of four."""
    counts, shares = resamples(reviewers)
    drawn = {}
    for draw in product(range(reviewers), repeat=reviewers):
        key = tuple(np.bincount(draw, minlength=reviewers))
        drawn[key] = drawn.get(key, 0) + 1 / reviewers**reviewers
    assert {
        tuple(row): share for row, share in zip(counts.astype(int), shares, strict=True)
    } == pytest.approx(drawn)


def test_a_winner_that_hangs_on_one_reviewer():
    """x: 9, 5, 5; y: 6, 6, 6: x leads by 19/3 to 6 until ann, or a resample with more of the others, goes."""
    values = np.array([[9.0, 5, 5], [6, 6, 6]])
    full = compute_means(values, np.ones((1, 3)))[0]
    assert list(winner_kept(full, compute_means(values, 1 - np.eye(3)))) == [0, 1, 1]
    rows = make_rows({"ann": {"x": 9, "y": 6}, "bob": {"x": 5, "y": 6}, "cid": {"x": 5, "y": 6}})
    found = stability_report(rows, {"accuracy": 1})
    assert found.overall.left_out_winner.value == 0.0
    assert found.overall.same_winner.value == pytest.approx(1 - 8 / 27)
    assert found.overall.tau_b.value is None
    assert "three responses" in found.overall.tau_b.reason


def test_everybody_alike_is_as_stable_as_can_be():
    sheet = {"x": 9, "y": 6, "z": 3}
    found = stability_report(make_rows({"ann": sheet, "bob": sheet}), {"accuracy": 1}).overall
    assert (found.tau_b.value, found.tau_a.value, found.w.value) == pytest.approx((1, 1, 1))
    assert (found.resampled_tau.value, found.same_winner.value, found.left_out_winner.value) == (1, 1, 1)
    assert (found.tau_b.comparisons, found.tau_b.responses, found.tau_b.rows) == (1, 3, 6)


def test_taus_leave_out_what_is_missing():
    full, others = np.array([3.0, 2, 1]), np.array([[1.0, 2, np.nan], [5, 5, 5], [9, 8, 7]])
    assert np.array_equal(taus_with(full, others), [-1, np.nan, 1], equal_nan=True)


def get_grid_size(*scores):
    rows = [
        ReviewRow("q1", f"r{at}", "ann", {"accuracy": 5.0}, holistic=score) for at, score in enumerate(scores)
    ]
    return stability_report(rows, {"accuracy": 1}).grid_size


def test_the_grid_is_the_scales_own_steps_or_the_scores_that_occur():
    assert get_grid_size(2.0, 5.0, 9.0) == 10  # whole numbers, used or not
    assert get_grid_size(2.0, 5.5, 9.0) == 19  # half points
    assert get_grid_size(1.0, 3.25, 7.75) == 5  # 1 to 5, as an import maps it
    assert get_grid_size(*(float(rescale_score(score, Scale(1, 8))) for score in (1, 2, 7))) == 8
    assert get_grid_size(*(float(rescale_score(score, Scale(0, 100))) for score in (3, 20, 70, 71))) == 4
    assert get_grid_size(4.123456, 5.9, 6.654321) == 3
    assert get_grid_size(None, None) == 0


@pytest.mark.parametrize(
    ("value", "grid", "nearest"),
    [
        (4.4, range(1, 11), 4),
        (4.6, range(1, 11), 5),
        (4.5, range(1, 11), 4),
        (5.5, range(1, 11), 6),
        (0.2, [1, 5], 1),
        (9.9, [1, 5], 5),
        (3.1, [1, 5], 5),
        (4.374, [1, 3.25, 5.5, 7.75, 10], 3.25),
        (6.625, [1, 3.25, 5.5, 7.75, 10], 7.75),  # 3.5 on the scale of 1 to 5: to 4
        (4.375, [1, 3.25, 5.5, 7.75, 10], 3.25),  # 2.5: to 2
        (None, [1, 5], None),
        (3.0, [], None),
    ],
)
def test_the_nearest_score_of_the_grid_and_halves_to_the_even_one(value, grid, nearest):
    assert on_grid(value, [float(score) for score in grid]) == nearest


@pytest.mark.parametrize("points", [3, 5, 7, 8, 10])
def test_ties_are_corrected_alike_on_every_scale(points):
    """Scores from 1 to `points`, as they are and mapped onto 1 to 10, as an import stores them."""
    rows = [
        structs.replace(
            row,
            holistic=min(row.holistic, points),
            scores={key: min(score, points) for key, score in row.scores.items()},
        )
        for row in simulate_panel(4, 4, 3, seed=2)
    ]
    mapped = [
        structs.replace(
            row,
            holistic=float(rescale_score(row.holistic, Scale(1, points))),
            scores={key: float(rescale_score(score, Scale(1, points))) for key, score in row.scores.items()},
        )
        for row in rows
    ]
    first, second = stability_report(rows, WEIGHTS).on_grid, stability_report(mapped, WEIGHTS).on_grid
    for name in ("tau_b", "tau_a", "w", "tied_share"):
        found, expected = getattr(first, name).value, getattr(second, name).value
        assert found == expected if expected is None else found == pytest.approx(expected)


def test_a_difference_that_cannot_matter_is_not_left_open():
    """Both kinds of score are the same numbers, so nothing differs, and 40 questions are enough to say so."""
    rows = [
        structs.replace(
            row, holistic=row.scores["accuracy"], scores=dict.fromkeys(WEIGHTS, row.scores["accuracy"])
        )
        for row in simulate_panel(40, 4, 3)
    ]
    variance, stability = variance_report(rows, WEIGHTS), stability_report(rows, WEIGHTS)
    for conclusion in (
        variance.literal_conclusion, variance.conclusion, stability.literal_conclusion, stability.conclusion,
    ):  # fmt: skip
        assert conclusion.code == "no_difference"
        assert conclusion.reason.startswith("No difference that matters: the whole interval lies within 0.")
    few = variance_report(rows[: 19 * 12], WEIGHTS)
    assert (few.conclusion.code, few.literal_conclusion.code) == ("too_few", "too_few")


def test_what_holds_by_less_than_the_margin_says_so():
    assert (
        small_note((0.01, 0.04), 0.05, "0.05 of alpha")
        == " By less than 0.05 of alpha, so it hardly matters."
    )
    assert small_note((0.01, 0.06), 0.05, "0.05 of alpha") == ""
    assert small_note((0.91, 0.95), 0.1, "0.1 of the ratio", centre=1)


def test_length_without_any_influence_is_no_difference():
    rng = np.random.default_rng(5)
    rows = responses(
        *((f"q{at}", f"r{n}", int(words), score) for at in range(120)
          for n, (words, score) in enumerate(zip(rng.integers(50, 300, 4), rng.integers(1, 11, 4), strict=True)))
    )  # fmt: skip
    assert length_report(rows, ONE).conclusion.code == "no_difference"


def test_conclusions_take_twenty_comparisons_and_both_taus():
    few = stability_report(simulate_panel(19, 4, 3, holistic_noise=2.5), WEIGHTS)
    assert (few.conclusion.code, few.conclusion.needed) == ("too_few", None)
    assert few.conclusion.reason == "An interval needs at least 20 comparisons; there are 19."
    many = stability_report(simulate_panel(40, 4, 3, noise=0.7, holistic_noise=2.5), WEIGHTS)
    assert (many.conclusion.code, many.conclusion.count) == ("holds", 40)
    assert many.conclusion.needed >= 20
    worse = stability_report(simulate_panel(40, 4, 3, noise=3.0, holistic_noise=0.4), WEIGHTS)
    assert worse.conclusion.code == "fails"


def test_random_resamples_are_seeded():
    rows = simulate_panel(2, 3, 7)
    assert stability_report(rows, WEIGHTS) == stability_report(rows, WEIGHTS)
    counts, shares = resamples(7)
    assert counts.shape == (1000, 7)
    assert shares.sum() == pytest.approx(1)


# Counts large, small and extreme. The intervals were recomputed and taken from no printed table: Newcombe's method 10
# with the ends of each score interval as the roots of n (p - x)^2 = z^2 x (1 - x), in 50 digits with mpmath; with
# scipy.stats.binomtest(...).proportion_ci(method="wilson") they come out the same.
RECOMPUTED = {
    (56, 70, 48, 80): (0.0524314724, 0.333872654),
    (9, 10, 3, 10): (0.1705227239, 0.8090179735),
    (6, 7, 2, 7): (0.0582279275, 0.8062496375),
    (5, 56, 0, 29): (-0.0381371479, 0.1925600139),
    (0, 10, 0, 20): (-0.1611251581, 0.2775327999),
    (0, 10, 0, 10): (-0.2775327999, 0.2775327999),
    (10, 10, 0, 20): (0.6790860371, 1.0),
    (10, 10, 0, 10): (0.6075093504, 1.0),
}


@pytest.mark.parametrize(("shares", "interval"), RECOMPUTED.items())
def test_newcombe_method_10_recomputed(shares, interval):
    assert newcombe(*shares) == pytest.approx(interval, abs=1e-9)


def test_nothing_to_compare():
    assert newcombe(1, 0, 1, 2) is None


def surveys(shown, hidden, *, right=(0, 0)):
    """(top, answers) of each arm; the first `right` of each arm named the right criterion."""
    return [
        Surveyed("q1", f"{arm}{at}", arm, 5 if at < top else 2, at < named)
        for arm, (top, count), named in (("with", shown, right[0]), ("without", hidden, right[1]))
        for at in range(count)
    ]


def test_shares_of_both_arms():
    found = understanding_report(surveys((56, 70), (48, 80), right=(40, 40)))
    assert (found.reported.with_breakdown.value, found.reported.without.value) == (0.8, 0.6)
    assert found.reported.difference.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert found.reported.difference.rows == 150
    assert (found.conclusion.code, found.conclusion.count, found.conclusion.unit) == (
        "holds", 70, "answers in each arm",
    )  # fmt: skip


def test_saying_so_is_not_enough():
    found = understanding_report(surveys((56, 70), (48, 80), right=(20, 60)))
    assert found.reported.conclusion.code == "holds"
    assert found.conclusion.code == "cannot_tell"
    assert "fewer name the right criterion" in found.conclusion.reason


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "Nobody in the arm with"),
        (surveys((9, 9), (0, 9)), "at least 10 answers"),
        (surveys((6, 12), (6, 12)), "holds 0"),
    ],
)
def test_cannot_tell_yet(given, said):
    found = understanding_report(given)
    assert found.conclusion.code == "cannot_tell"
    assert said in found.conclusion.reason
    assert found.conclusion.needed > 0


def test_many_answers_that_do_not_differ_are_no_difference():
    found = understanding_report(surveys((150, 300), (151, 300), right=(150, 150)))
    assert found.conclusion.code == found.checked.conclusion.code == "no_difference"
    assert "within 20 points" in found.conclusion.reason


def test_the_breakdown_can_do_harm():
    assert understanding_report(surveys((5, 40), (35, 40))).conclusion.code == "fails"


def test_answers_needed():
    """Fleiss (1981), table A.3 without the continuity correction: 0.5 against 0.7 takes 93, 0.4 against 0.6 97."""
    assert (answers_needed(0.5), answers_needed(0.4)) == (93, 97)


def small(*given):
    """Rows of two criteria: (response, reviewer, first, second, holistic)."""
    return [
        ReviewRow("q1", response, reviewer, {"a": float(first), "b": float(second)}, holistic=holistic)
        for response, reviewer, first, second, holistic in given
    ]


def test_variances_by_hand():
    """Within x: a 8, 6 (SS 2), b 5, 5 (SS 0), overall 6.5, 5.5 (SS 0.5), holistic 9, 5 (SS 8); within y: all alike."""
    rows = small(("x", "ann", 8, 5, 9), ("x", "bob", 6, 5, 5), ("y", "ann", 3, 4, 2), ("y", "bob", 3, 4, 2))
    found = variance_report(rows, {"a": 0.5, "b": 0.5})
    assert [criterion.variance.value for criterion in found.criteria] == [1.0, 0.0]
    assert (found.overall.variance.value, found.holistic.variance.value) == (0.25, 4.0)
    assert [criterion.ratio.value for criterion in found.criteria] == [0.25, 0.0]
    assert found.literal.value == 0.125
    assert (found.literal.comparisons, found.literal.responses, found.literal.rows) == (1, 2, 4)
    assert found.literal.interval is None
    assert found.literal_conclusion.code == "too_few"
    assert found.literal_conclusion.reason == "An interval needs at least 20 comparisons; there are 1."


def test_reliability_is_that_of_the_tables():
    rows = simulate_panel(6, 4, 3, seed=4)
    table = [
        [row.holistic for row in rows if (row.comparison, row.response) == item]
        for item in sorted({(row.comparison, row.response) for row in rows})
    ]
    found = variance_report(rows, WEIGHTS)
    assert found.holistic.alpha.value == krippendorff_alpha(table, level="interval").value
    assert found.holistic.icc.value == pytest.approx(compute_icc_from_components(table, form="2,1").value)


def test_a_useless_rubric_passes_literally_and_not_by_reliability():
    """Equal reliability of every score: the overall of four varies less by arithmetic, and the report says so."""
    rows = [
        ReviewRow(row.comparison, row.response, row.reviewer, dict.fromkeys(WEIGHTS, row.scores["accuracy"]),
            holistic=row.scores["completeness"])
        for row in simulate_panel(40, 4, 3, seed=1)
    ]  # fmt: skip
    found = variance_report(rows, WEIGHTS)
    assert found.conclusion.code in ("cannot_tell", "not_worse", "no_difference")
    better = variance_report(simulate_panel(40, 4, 3, seed=1, holistic_noise=2.0), WEIGHTS)
    assert better.overall.ratio.interval[1] < 1
    assert (better.literal_conclusion.code, better.conclusion.code) == ("holds", "holds")
    worse = variance_report(simulate_panel(40, 4, 3, seed=1, noise=3.0, holistic_noise=0.2), WEIGHTS)
    assert (worse.literal_conclusion.code, worse.conclusion.code) == ("fails", "fails")


def test_what_everybody_scores_10_says_nothing():
    rows = small(
        *((response, who, 10, low, low) for response, low in (("x", 2), ("y", 5)) for who in ("ann", "bob"))
    )
    found = variance_report(rows, {"a": 0.5, "b": 0.5})
    ceiling = found.criteria[0]
    assert (ceiling.variance.value, ceiling.at_ceiling, ceiling.at_floor) == (0.0, 1.0, 0.0)
    assert ceiling.alpha.value is None
    assert "same" in ceiling.alpha.reason
    assert "nothing can be lower" in found.literal.reason


def test_without_rows_that_have_both_nothing_is_compared():
    rows = [
        *small(("x", "ann", 8, 5, None), ("x", "bob", 6, 5, None)),
        ReviewRow("q1", "x", "cid", {}, holistic=7.0),
    ]
    found = variance_report(rows, {"a": 0.5, "b": 0.5})
    assert found.criteria[0].variance.value == 2.0
    assert found.difference.value is None
    assert "cannot be compared" in found.conclusion.reason


def test_scores_off_the_scale_and_own_responses_do_not_count():
    rows = small(("x", "ann", 8, 5, 9), ("x", "bob", 6, 5, 5))
    extra = [
        ReviewRow("q1", "x", "cid", {"a": 1.0, "b": 1.0}, holistic=1.0, is_own=True),
        ReviewRow("q1", "x", "dan", {"a": 95.0, "b": float("nan")}, holistic=float("inf")),
    ]
    weights = {"a": 0.5, "b": 0.5}
    assert variance_report(rows + extra, weights) == variance_report(rows, weights)


KEYS = list(WEIGHTS)


def everything(rows):
    """Every report on these rows."""
    return [
        variance_report(rows, WEIGHTS),
        stability_report(rows, WEIGHTS),
        length_report(rows, WEIGHTS),
        flat_rows(rows, KEYS),
        residual_halo(rows, KEYS),
        severity(rows, WEIGHTS),
        self_preference(rows, WEIGHTS),
        position_effects(rows, WEIGHTS),
        tuned_to_holistic(rows, WEIGHTS, draws=5),
    ]


def records(found):
    """All records within records, lists and dicts."""
    if isinstance(found, list | tuple):
        return [record for entry in found for record in records(entry)]
    if isinstance(found, dict):
        return records(list(found.values()))
    if hasattr(found, "__struct_fields__"):
        return [found, *records(list(structs.asdict(found).values()))]
    return []


@given(any_rows)
def test_nothing_raises_and_whatever_has_no_value_says_why(rows):
    found = list(records(everything(rows)))
    assert found
    for record in found:
        if isinstance(record, Figure | RaterEffect):
            assert record.value is None or abs(record.value) < 1e6
            assert (record.value is None) == bool(record.reason)
            if record.interval is not None:
                assert record.interval[0] <= record.interval[1]
        if isinstance(record, Conclusion):
            assert record.reason
            assert (record.code == "cannot_tell") == record.reason.startswith("Can't tell yet: ")


@given(any_rows, st.randoms())
def test_the_order_of_rows_changes_nothing(rows, order):
    turned = list(rows)
    order.shuffle(turned)
    assert everything(turned) == everything(rows)


def test_the_order_of_a_large_panel_changes_nothing():
    rows = simulate_panel(22, 4, 3)
    assert everything(rows[::-1]) == everything(rows)


def test_new_names_change_no_value():
    """Names decide the order of sums only, so new ones leave all but the last digits of what is not drawn at random."""
    rows = simulate_panel(6, 4, 3)
    renamed = [structs.replace(row, reviewer=f"z{9 - int(row.reviewer[1])}") for row in rows]
    left, other = variance_report(rows, WEIGHTS), variance_report(renamed, WEIGHTS)
    assert abs(left.difference.value - other.difference.value) < 1e-9
    first, second = stability_report(rows, WEIGHTS), stability_report(renamed, WEIGHTS)
    assert abs(first.difference.value - second.difference.value) < 1e-9
    assert first.overall.same_winner.value - second.overall.same_winner.value < 1e-9


any_surveys = st.lists(
    st.builds(
        Surveyed,
        comparison=st.sampled_from(["q1", "q2"]),
        person=st.sampled_from(["ann", "bob"]),
        arm=st.sampled_from(["with", "without"]),
        understood=st.one_of(st.none(), st.integers(1, 5)),
        is_right=st.one_of(st.none(), st.booleans()),
    ),
    max_size=40,
)


@given(any_surveys)
def test_every_survey_has_a_conclusion(given_surveys):
    found = understanding_report(given_surveys)
    assert found.conclusion.reason
    assert understanding_report(given_surveys[::-1]) == found
