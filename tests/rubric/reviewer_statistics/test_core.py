"""Agreement of a set put together: worked by hand, empty, one reviewer, any order, and real ratings.

Reviewers' manners: thresholds of the binomial test, by hand, and simulated reviewers who do what is looked for.

Tuning: true weights are recovered, shrinkage helps with little, and what is too little is refused.

Figures by kind: computed, stored and read back the same; and preferences told by rankings.
"""

import json
from decimal import Decimal

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from scipy import stats
from scipy.optimize import minimize

from rubric.core.scales import Scale, bring_to_common
from rubric.reviewer_statistics.core.agreement import agreement_report, within_spread
from rubric.reviewer_statistics.core.figure_kinds import (
    KINDS,
    AgreementFigures,
    Input,
    RaterEffectFigures,
    SuccessFigures,
    TuningFigures,
    compute_statistics,
    derive_preferences,
)
from rubric.reviewer_statistics.core.rater_effects import (
    binomial_tail,
    flat_rows,
    position_effects,
    residual_halo,
    residuals,
    self_preference,
    severity,
)
from rubric.reviewer_statistics.core.weights_fit import (
    Preference,
    in_decimals,
    logistic,
    tuned_to_holistic,
    tuned_to_preferences,
)
from rubric.reviews.core.score_rows import ReviewRow, sort_rows
from tests.factories.scores import WEIGHTS, make_rows, simulate_panel
from tests.workspace.statistics.test_core_real_ratings import SQUALITY
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import gwet_ac

ONE_CRITERION = {"accuracy": 1.0}


def find_line(report, part, key=""):
    return next(line for line in report.lines if (line.part, line.key) == (part, key))


def test_three_responses_by_two_reviewers_as_by_hand():
    """Within sums of squares 0.5, 0.5, 0; all six scores 5 6 7 8 9 9 have 40 / 3 about their mean of 44 / 6."""
    rows = make_rows({"ann": {"a": 5, "b": 7, "c": 9}, "bob": {"a": 6, "b": 8, "c": 9}})
    found = agreement_report(rows, ONE_CRITERION)
    accuracy = find_line(found, "criterion", "accuracy")
    assert accuracy.alpha.value == pytest.approx(1 - (4 / 6) / (2 * (40 / 3) / 5))
    assert (accuracy.alpha.items, accuracy.alpha.pairs, accuracy.responses) == (3, 3, 3)
    assert accuracy.spread == pytest.approx((2 * 0.5**0.5 + 0) / 3)
    assert accuracy.w.value == 1.0
    assert accuracy.w.comparisons == 1
    assert find_line(found, "overall").alpha == accuracy.alpha
    pair = found.pairs[0]
    assert (pair.first, pair.second, pair.responses) == ("ann", "bob", 3)
    assert (pair.apart, pair.distance, pair.tau.value) == (pytest.approx(-2 / 3), pytest.approx(2 / 3), 1.0)


def test_nothing_and_one_reviewer_have_reasons():
    for rows in ([], make_rows({"ann": {"a": 5, "b": 7}})):
        found = agreement_report(rows, ONE_CRITERION)
        for line in found.lines:
            assert line.alpha.value is line.spread is line.w.value is None
            assert line.alpha.reason.endswith(".")
            assert line.reason == "No response has scores by two reviewers."
            assert line.w.reason.endswith(".")
        assert found.pairs == []


def test_without_criteria_pairs_are_on_the_score_as_a_whole():
    rows = [
        ReviewRow("q1", response, reviewer, {}, holistic=score)
        for reviewer, scores in {"ann": (3.0, 5.0), "bob": (4.0, 5.0)}.items()
        for response, score in zip("ab", scores, strict=True)
    ]
    found = agreement_report(rows, WEIGHTS)
    assert found.pairs_on == "holistic"
    assert [pair.responses for pair in found.pairs] == [2]


def test_own_responses_and_the_order_of_the_rows_change_nothing():
    rows = simulate_panel(5, 3, 3, seed=4)
    own = ReviewRow("q000", "r0", "p9", dict.fromkeys(WEIGHTS, 10.0), holistic=10.0, is_own=True)
    assert agreement_report([own, *reversed(rows)], WEIGHTS) == agreement_report(rows, WEIGHTS)


def rows_of_authors(*authors: tuple[str, ...]) -> list[ReviewRow]:
    """Questions with three responses, of which the named reviewers did not score one, each another one."""
    orders = {"ann": [3, 2, 1], "bob": [3, 2, 1], "cay": [3, 1, 2]}
    return [
        ReviewRow(f"q{question}", f"r{at}", reviewer, {"accuracy": float(score)})
        for question, who in enumerate(authors)
        for reviewer, scores in orders.items()
        for at, score in enumerate(scores)
        if reviewer not in who or who.index(reviewer) != at
    ]


def test_an_author_leaves_the_question_alone_and_its_responses_stay():
    """All three: rank sums 9, 5, 4 about 6 have S = 14, so W = 12 * 14 / (9 * 24) = 7 / 9."""
    both_agree, all_three = 1.0, 7 / 9
    for authors, value, count in (
        ([("cay",)], both_agree, 1),
        ([(), ("cay",)], (all_three + both_agree) / 2, 2),
        ([("ann", "bob", "cay")], None, 0),
        ([(), ("ann", "bob", "cay")], all_three, 1),
    ):
        found = find_line(agreement_report(rows_of_authors(*authors), ONE_CRITERION), "criterion", "accuracy")
        assert found.w.value == (value if value is None else pytest.approx(value))
        assert (found.w.comparisons, found.questions) == (count, len(authors))


def test_where_one_reviewer_ranked_all_the_responses_that_all_ranked_are_compared():
    """Four responses; two of three reviewers each left out the last one."""
    orders = {"ann": [4, 3, 2, 1], "bob": [4, 3, 2], "cay": [4, 3, 2]}
    rows = [
        ReviewRow("q0", f"r{at}", reviewer, {"accuracy": float(score)})
        for reviewer, scores in orders.items()
        for at, score in enumerate(scores)
    ]
    found = find_line(agreement_report(rows, ONE_CRITERION), "criterion", "accuracy").w
    assert (found.value, found.responses, found.rows) == (1.0, 3, 9)


def test_w_is_taken_within_comparisons():
    """Reviewers who agree on which question was answered better, but not on which answer, do not agree here."""
    table = {"ann": [3, 2, 1, 9, 8, 7], "bob": [1, 2, 3, 7, 8, 9]}
    rows = [
        ReviewRow(f"q{at // 3}", f"r{at % 3}", reviewer, {"accuracy": float(score)})
        for reviewer, scores in table.items()
        for at, score in enumerate(scores)
    ]
    found = find_line(agreement_report(rows, ONE_CRITERION), "criterion", "accuracy")
    assert found.w.value == 0.0
    assert found.w.comparisons == 2
    assert found.alpha.value > 0.8


def test_within_spread_leaves_single_ratings_out():
    assert within_spread(np.array([[1.0, 3.0], [5.0, np.nan]])) == (pytest.approx(2**0.5), 1)
    assert within_spread(np.array([[np.nan, 3.0]])) == (None, 0)


@pytest.mark.skipif(not SQUALITY.exists(), reason="the reviews of SQuALITY are not here")
def test_squality_on_a_scale_from_1_to_10():
    """Alpha does not mind the scale; the spread times 100 / 9 is that of the scale from 0 to 100."""
    questions = [
        q for line in SQUALITY.read_text().splitlines() for q in json.loads(line)["questions"].values()
    ]
    rows = [
        ReviewRow(
            str(number),
            name,
            review["worker_id"],
            {key: 1 + 9 * review[f"{key}-rating"] / 100 for key in ("correctness", "selection")},
            holistic=1 + 9 * review["overall-rating"] / 100,
        )
        for number, question in enumerate(questions)
        for name, response in question.items()
        for review in response["reviews"]
    ]
    found = agreement_report(rows, {"correctness": 0.5, "selection": 0.5})
    lines = [line for line in found.lines if line.part != "overall"]
    assert [round(line.alpha.value, 3) for line in lines] == [0.459, 0.781, 0.798]
    assert [round(line.spread * 100 / 9, 1) for line in lines] == [21.9, 13.5, 12.7]
    assert [(line.alpha.items, line.alpha.pairs) for line in lines] == [(300, 900)] * 3
    assert len(found.pairs) == 6


ONE = {"accuracy": 1}


def flagged(found):
    """Reviewers with a flag."""
    return [effect.reviewer for effect in found if effect.is_flagged]


@pytest.mark.parametrize(("count", "least"), [(8, 4), (10, 5), (15, 6), (20, 7), (30, 8)])
def test_how_many_flat_rows_are_too_many(count, least):
    assert binomial_tail(least, count, 0.1) < 0.01 <= binomial_tail(least - 1, count, 0.1)
    assert binomial_tail(least, count, 0.1) == pytest.approx(
        stats.binomtest(least, count, 0.1, alternative="greater").pvalue
    )


def flats(reviewer, flat, count):
    """So many responses, the first of which flat."""
    return [
        ReviewRow("q1", f"r{at}", reviewer, {"a": 5.0, "b": 5.0 if at < flat else 6.0}) for at in range(count)
    ]


def test_flat_rows_are_held_against_the_other_reviewers():
    found = flat_rows([*flats("ann", 4, 8), *flats("bob", 0, 8)], ["a", "b"])
    assert [(effect.reviewer, effect.value, effect.rows) for effect in found] == [
        ("ann", 0.5, 8),
        ("bob", 0.0, 8),
    ]
    assert flagged(found) == ["ann"]
    assert found[0].p == pytest.approx(0.00502, abs=1e-5)
    assert found[0].interval == pytest.approx((0.215, 0.785), abs=1e-3)
    assert flagged(flat_rows([*flats("ann", 4, 8), *flats("bob", 4, 8)], ["a", "b"])) == []
    assert flagged(flat_rows([*flats("ann", 7, 7), *flats("bob", 0, 8)], ["a", "b"])) == []


def test_flat_rows_are_looked_for_among_criteria_of_one_scale():
    """c, on another scale, is 5.0 too where ann is flat and 1.0 elsewhere; it decides nothing, and b and c nothing."""
    rows = [
        structs.replace(row, scores=dict(row.scores) | {"c": 1.0})
        for row in [*flats("ann", 4, 8), *flats("bob", 0, 8)]
    ]
    found = flat_rows(rows, ["a", "b", "c"], {"c": Scale(1, 5)})
    assert flagged(found) == ["ann"]
    (ann, bob) = flat_rows(rows, ["b", "c"], {"c": Scale(1, 5)})
    assert ann.value is bob.value is None
    assert ann.reason == "No two criteria have the same scale, so no score can be the same on both."


def test_agreement_on_a_criterion_is_that_of_the_scores_on_its_own_scale():
    given = {"ann": {"a": 4, "b": 2, "c": 5, "d": 3}, "bob": {"a": 5, "b": 2, "c": 4, "d": 1}}
    scale = Scale(1, 5)
    brought = {
        name: {key: bring_to_common(score, scale) for key, score in sheet.items()}
        for name, sheet in given.items()
    }
    found = agreement_report(make_rows(brought), ONE_CRITERION, {"accuracy": scale})
    table = np.array([[given[name][key] for name in ("ann", "bob")] for key in "abcd"], dtype=float)
    line = find_line(found, "criterion", "accuracy")
    assert line.alpha.value == pytest.approx(krippendorff_alpha(table, level="interval").value)
    as_given = gwet_ac(table, weights="quadratic", scale=[1, 2, 3, 4, 5])
    assert line.ac2.value == pytest.approx(as_given.value)
    assert line.ac2.value != pytest.approx(
        gwet_ac(table, weights="quadratic", scale=list(range(1, 11))).value
    )


def test_residuals_by_hand():
    rows = sort_rows(make_rows({"ann": {"x": 9, "y": 4}, "bob": {"x": 5}, "cid": {"x": 6}}))
    found = residuals(rows, lambda row: row.scores["accuracy"])
    assert [(residual.row.reviewer, residual.value) for residual in found] == [
        ("ann", 3.5),
        ("bob", -2.5),
        ("cid", -1.0),
    ]


def test_a_halo_stands_out_and_honest_reviewers_do_not():
    found = residual_halo(simulate_panel(12, 4, 4, halo=(1,)), list(WEIGHTS))
    assert flagged(found) == ["p1"]
    assert found[1].value > 0.3
    assert all(abs(effect.value) < 0.25 for effect in found if effect.reviewer != "p1")
    assert found[0].rows == 48


def test_halo_is_a_mean_of_correlations():
    rows = sort_rows(simulate_panel(5, 4, 3, seed=2))
    columns = [
        [
            residual.value
            for residual in residuals(rows, lambda row, key=key: row.scores[key])
            if residual.row.reviewer == "p0"
        ]
        for key in WEIGHTS
    ]
    expected = np.corrcoef(columns)[np.triu_indices(4, 1)].mean()
    assert residual_halo(rows, list(WEIGHTS))[0].value == pytest.approx(expected)


def test_honest_reviewers_are_seldom_flagged():
    """At a level of 1 % a few of 90 are too many."""
    found = [
        effect
        for seed in range(30)
        for effect in residual_halo(simulate_panel(5, 4, 3, seed=seed), list(WEIGHTS))
    ]
    assert len(flagged(found)) <= 5


def test_flat_reviewers_are_found_in_a_panel():
    assert flagged(flat_rows(simulate_panel(6, 4, 4, flat=(2,)), list(WEIGHTS))) == ["p2"]


def test_severity_by_hand():
    """Residuals of ann: 1 in q1 (mean of 2 and 0), 3 in q2, 2 in q3."""
    rows = [
        *make_rows({"ann": {"x": 7, "y": 4}, "bob": {"x": 5, "y": 4}}, comparison="q1"),
        *make_rows({"ann": {"x": 8}, "bob": {"x": 5}}, comparison="q2"),
        *make_rows({"ann": {"x": 4}, "bob": {"x": 2}}, comparison="q3"),
    ]
    ann, bob = severity(rows, ONE)
    assert (ann.value, ann.rows, ann.comparisons, bob.value) == (2.0, 4, 3, -2.0)
    expected = stats.ttest_1samp([1, 3, 2], 0)
    assert ann.p == pytest.approx(expected.pvalue)
    assert ann.interval == pytest.approx(tuple(expected.confidence_interval()))


def test_harsh_and_generous_reviewers():
    shifted = {"p0": -2.0, "p1": 1.5}
    rows = [
        structs.replace(
            row,
            scores={
                key: min(10, max(1, value + shifted.get(row.reviewer, 0)))
                for key, value in row.scores.items()
            },
        )
        for row in simulate_panel(15, 3, 5)
    ]
    found = {effect.reviewer: effect for effect in severity(rows, WEIGHTS)}
    assert found["p0"].is_flagged and found["p0"].interval[1] < 0
    assert found["p1"].is_flagged and found["p1"].interval[0] > 0
    assert flagged(severity(simulate_panel(15, 3, 5, seed=3), WEIGHTS)) == []


def moved(rows, points):
    """The rows with so many points per position."""
    return [
        structs.replace(
            row,
            scores={key: min(10, max(1, value + points * row.position)) for key, value in row.scores.items()},
        )
        for row in rows
    ]


def test_a_position_effect_is_found_with_its_size():
    together, *group = position_effects(moved(simulate_panel(20, 4, 3, noise=0.7), -0.5), WEIGHTS)
    assert together.slope.value == pytest.approx(-0.5, abs=0.15)
    assert together.slope.is_flagged
    assert together.first_less_last.interval[0] > 0.8
    assert (together.sheets, together.slope.rows, len(group)) == (60, 240, 3)
    none = position_effects(simulate_panel(20, 4, 3), WEIGHTS)[0]
    assert not none.slope.is_flagged


def test_sheets_needed_for_a_position_effect():
    """About 31 sheets of 4 responses for 0.2 points per position at a residual SD of 1."""
    rng = np.random.default_rng(1)
    rows = []
    for number in range(400):
        places = rng.permutation(4) + 1
        for at, place in enumerate(places):
            score = {"accuracy": 5.5 + float(rng.normal())}
            rows.append(ReviewRow(f"q{number}", f"r{at}", "ann", score, position=int(place)))
            rows.append(ReviewRow(f"q{number}", f"r{at}", "bob", {"accuracy": 5.5}, position=at + 1))
    assert position_effects(rows, ONE)[1].needed == pytest.approx(31, abs=3)


def test_one_order_for_everybody_tells_nothing():
    rows = [structs.replace(row, position=int(row.response[1]) + 1) for row in simulate_panel(5, 3, 3)]
    found = position_effects(rows, WEIGHTS)
    assert {effect.slope.value for effect in found} == {None}
    assert "same order" in found[0].slope.reason


def test_an_order_that_nobody_knows_is_not_the_same_order():
    rows = [structs.replace(row, position=None) for row in simulate_panel(5, 3, 3)]
    assert {"is not known" in effect.slope.reason for effect in position_effects(rows, WEIGHTS)} == {True}
    mixed = [structs.replace(row, position=1 + int(row.response[1])) for row in simulate_panel(5, 3, 3)]
    name = mixed[0].reviewer
    mixed = [structs.replace(row, position=None) if row.reviewer == name else row for row in mixed]
    found = {effect.reviewer: effect.slope.reason for effect in position_effects(mixed, WEIGHTS)}
    assert found[""].startswith("All known orders are the same and others are not known")


def own_rows(bonus):
    """p0 wrote r0 of every comparison and gives it so much more."""
    return [
        structs.replace(
            row,
            is_own=row.reviewer == "p0" and row.response == "r0",
            scores={
                key: min(10, value + (bonus if row.reviewer == "p0" and row.response == "r0" else 0))
                for key, value in row.scores.items()
            },
        )
        for row in simulate_panel(12, 3, 3, noise=0.7)
    ]


def test_self_preference_with_its_size():
    (found,) = self_preference(own_rows(2), WEIGHTS)
    assert found.value == pytest.approx(2, abs=0.5)
    assert (found.reviewer, found.is_flagged, found.rows) == ("p0", True, 36)
    (none,) = self_preference(own_rows(0), WEIGHTS)
    assert not none.is_flagged


def test_self_preference_takes_five_own_and_twenty_others():
    few = [row for row in own_rows(2) if row.comparison < "q004"]
    (found,) = self_preference(few, WEIGHTS)
    assert found.value is None
    assert "4 own and 8 other" in found.reason
    assert self_preference(simulate_panel(5, 3, 3), WEIGHTS) == []


def test_own_responses_count_nowhere_else():
    rows = own_rows(4)
    without = [row for row in rows if not row.is_own]
    assert severity(rows, WEIGHTS) == severity(without, WEIGHTS)
    assert residual_halo(rows, list(WEIGHTS)) == residual_halo(without, list(WEIGHTS))


TRUE = {"accuracy": 0.10, "completeness": 0.50, "conciseness": 0.30, "clarity": 0.10}


def rated(comparisons, responses, *, seed=0, noise=0.5, true=TRUE):
    """Rows whose holistic scores, and preferences whose odds, follow the true weights."""
    rng = np.random.default_rng(seed)
    rows, preferences = [], []
    for comparison in range(comparisons):
        name = f"q{comparison:03}"
        table = np.clip(rng.normal(6, 1.5, (responses, 4)), 1, 10)
        worth = table @ list(true.values())
        rows += [
            ReviewRow(name, f"r{at}", "ann", dict(zip(WEIGHTS, map(float, table[at]), strict=True)),
                holistic=float(np.clip(worth[at] + rng.normal(0, noise), 1, 10)))
            for at in range(responses)
        ]  # fmt: skip
        for first in range(responses):
            for second in range(first):
                is_first = rng.random() < 1 / (1 + np.exp(2 * (worth[second] - worth[first])))
                better, worse = (first, second) if is_first else (second, first)
                preferences.append(Preference(name, f"r{better}", f"r{worse}"))
    return rows, preferences


def distance(found):
    """The mean absolute error of the fitted weights."""
    return sum(abs(float(found.weights[key]) - TRUE[key]) for key in TRUE) / len(TRUE)


def test_weights_fitted_to_holistic_scores_approach_the_true_ones():
    errors = [
        sum(distance(tuned_to_holistic(rated(size, 5, seed=seed)[0], WEIGHTS, draws=2)) for seed in range(4))
        / 4
        for size in (12, 60, 400)
    ]
    assert errors[2] < errors[1] < errors[0] < 0.04
    assert errors[2] < 0.01


def test_weights_fitted_to_preferences_approach_the_true_ones():
    errors = [distance(tuned_to_preferences(*rated(size, 4), WEIGHTS, draws=10)) for size in (20, 200)]
    assert errors[1] < 0.03
    assert errors[1] < errors[0] < 0.1


def test_the_evidence_is_there():
    found = tuned_to_holistic(rated(40, 4)[0], WEIGHTS, draws=100)
    assert sum(found.weights.values()) == Decimal(1)
    assert list(found.weights) == list(WEIGHTS)
    assert found.default == pytest.approx(WEIGHTS)
    assert (found.units, found.responses, found.comparisons) == (160, 160, 40)
    assert found.gain == pytest.approx(found.default_error - found.fitted_error)
    assert found.gain > found.gain_error > 0
    assert found.fitted_error == pytest.approx(0.25, abs=0.06)
    assert found.intervals.keys() == found.weights.keys() != set()
    assert all(low <= float(found.weights[key]) <= high for key, (low, high) in found.intervals.items())
    assert found.intervals["accuracy"][1] < 0.35
    assert (found.is_worth_adopting, found.reason, found.caution) == (True, "", "")


def test_where_the_default_is_right_nothing_is_to_be_adopted():
    found = tuned_to_holistic(rated(15, 4, true=WEIGHTS, noise=1.5)[0], WEIGHTS, draws=20)
    assert not found.is_worth_adopting
    assert "default" in found.reason
    assert "Below 100" not in found.reason
    assert "100 responses" in found.caution


def test_shrinkage_keeps_noise_near_the_default():
    """Holistic scores that have nothing to do with the criteria."""
    rng = np.random.default_rng(3)
    rows = [
        ReviewRow(row.comparison, row.response, "ann", row.scores, float(rng.integers(1, 11)))
        for row in rated(15, 4)[0]
    ]
    found = tuned_to_holistic(rows, WEIGHTS, draws=20)
    assert found.shrinkage >= 1
    assert max(abs(float(found.weights[key]) - WEIGHTS[key]) for key in WEIGHTS) < 0.2
    assert not found.is_worth_adopting


def test_refused_below_50_responses():
    rows, preferences = rated(12, 4)
    for found in (tuned_to_holistic(rows, WEIGHTS), tuned_to_preferences(rows, preferences, WEIGHTS)):
        assert found.weights is None
        assert found.reason.startswith("Tuning needs at least 50 responses")
        assert found.reason.endswith("there are 48.")
    few = [
        ReviewRow("q1", f"r{at}", "ann", row.scores, row.holistic) for at, row in enumerate(rated(15, 4)[0])
    ]
    assert "at least 5 comparisons" in tuned_to_holistic(few, WEIGHTS).reason


def test_no_intervals_below_twenty_comparisons():
    found = tuned_to_holistic(rated(12, 5)[0], WEIGHTS)
    assert found.weights is not None
    assert (found.intervals, found.is_worth_adopting) == ({}, False)
    assert "20 comparisons" in found.interval_reason


def test_scores_that_are_all_alike_or_preferred_against_have_no_weights():
    rows, preferences = rated(20, 4)
    alike = [ReviewRow(row.comparison, row.response, "ann", dict.fromkeys(WEIGHTS, 5.0), 5.0) for row in rows]
    assert "do not differ" in tuned_to_holistic(alike, WEIGHTS).reason
    assert "do not differ" in tuned_to_preferences(alike, preferences, WEIGHTS).reason
    downhill = [
        ReviewRow(row.comparison, row.response, "ann", dict.fromkeys(WEIGHTS, 1.0 + int(row.response[1])))
        for row in rows
    ]
    lower = [Preference(f"q{at:03}", "r0", f"r{other}") for at in range(20) for other in (1, 2, 3)]
    assert "do not follow" in tuned_to_preferences(downhill, lower, WEIGHTS, draws=5).reason


@settings(max_examples=4, deadline=None)
@given(st.permutations(range(60)), st.permutations(list(WEIGHTS)))
def test_order_changes_nothing(order, keys):
    rows, _ = rated(12, 5, seed=7)
    fitted = tuned_to_holistic(rows, WEIGHTS)
    other = tuned_to_holistic([rows[at] for at in order], {key: WEIGHTS[key] for key in keys})
    assert fitted == other


def test_the_order_of_preferences_changes_nothing():
    rows, preferences = rated(15, 4)
    fitted = tuned_to_preferences(rows, preferences, WEIGHTS, draws=5)
    assert fitted == tuned_to_preferences(rows[::-1], preferences[::-1], WEIGHTS, draws=5)


def test_the_logistic_fit_as_scipy_has_it():
    rng = np.random.default_rng(5)
    for _ in range(20):
        rows = rng.normal(size=(60, 4)) + rng.normal(0, 0.6, 4)
        penalty = 0.01 * np.eye(4)

        def loss(u, rows=rows, penalty=penalty):
            return np.logaddexp(0, -(rows @ u)).mean() + u @ penalty @ u / 2

        other = minimize(loss, np.full(4, 0.1), bounds=[(0, None)] * 4, options={"ftol": 1e-13, "gtol": 1e-9})
        assert loss(logistic(rows, penalty)) <= other.fun + 1e-7


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12).filter(lambda shares: sum(shares) > 0.01))
def test_rounded_weights_sum_to_exactly_one(weights):
    found = in_decimals(np.array(weights))
    assert sum(found) == 1
    assert min(found) >= 0
    assert all(
        abs(float(value) - weight / sum(weights)) <= 1e-4
        for value, weight in zip(found, weights, strict=True)
    )


SHAPES = (RaterEffectFigures, AgreementFigures, SuccessFigures, TuningFigures)


@pytest.mark.parametrize(("kind", "shape"), list(zip(KINDS, SHAPES, strict=True)))
@pytest.mark.parametrize("comparisons", [0, 1, 20])
def test_what_is_stored_reads_back_the_same(kind, shape, comparisons):
    rows = simulate_panel(comparisons, 3, 3, seed=2) if comparisons else []
    found = compute_statistics(kind, Input(rows, [], WEIGHTS, 7))
    assert found.reviews == 7
    stored = msgspec.json.encode(found)
    assert msgspec.json.decode(stored, type=shape) == found
    again = compute_statistics(kind, Input(rows[::-1], [], WEIGHTS, 7))
    assert msgspec.json.encode(again) == stored


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="luck"):
        compute_statistics("luck", Input([], [], WEIGHTS, 0))


def test_preferences_are_pairs_of_different_places():
    found = derive_preferences("1", "7", [["2"], ["1", "4"], ["3"]], own=["4"])
    pairs = [("2", "1"), ("2", "3"), ("1", "3")]
    assert found == [Preference("1", better, worse, "7") for better, worse in pairs]
    assert derive_preferences("1", "7", [["1", "2"]]) == []
