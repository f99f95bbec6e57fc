"""Averages of an iteration: the rubric's and the second look, pass and fail, and the cost.

One game as figures: taken from an outcome, and exact again although its scores are floats.

The chain of references: which iteration the next change is compared with, now and as it was.

The next target, and how far it comes back by itself: published constants, the formula, a simulation.
"""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import pi, sqrt

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.core.outcome import ManualCheck
from discussions.iterations.core.averages import compute_average, compute_averages, compute_games_cost
from discussions.iterations.core.figures import GameFigures, exact, game_figures, passes
from discussions.iterations.core.history import (
    DecisionLine,
    HistoryIteration,
    chain_faults,
    find_baseline,
    find_reference_iteration,
)
from discussions.iterations.core.next_target import (
    MOST_CORRELATION,
    USUAL_CORRELATION,
    correlate_metrics,
    describe_target,
    expected_maximum,
    expected_rebound,
    next_target,
)
from discussions.verdicts.core.rule import read_rules
from tests.factories.iteration_figures import GATED, METRICS, game, without_memory
from tests.factories.verdict_examples import APPENDIX, THRESHOLDS, share, verdict
from workspace.display.core.number_lists import format_numbers

MEMORY = GATED.criterion("memory_accuracy")


RULES = read_rules(GATED)


def test_memory_accuracy_that_applies_to_one_of_three_games():
    """(60 + 100 + 100) / 3 = 86.7 passes by the rubric; of the one game that has references 60 does not."""
    found = compute_average(MEMORY, [game(1, memory_accuracy=60.0), without_memory(2), without_memory(3)])
    assert (round(found.value, 1), found.passes) == (86.7, True)
    assert (found.second, found.second_passes) == (60.0, False)
    assert (found.of_count, found.second_of_count, found.by_rule_count, found.passed_count) == (3, 1, 2, 2)
    assert found.is_by_rule_only
    assert found.says == "mean of 3 games; 2 not applicable, counted as 100; 2 of 3 pass"
    assert found.second_says == "mean of 1 game; left out: 2 to which the metric does not apply"


def test_an_average_of_few_references_alone_says_so():
    few = [game(number, on_few_references=["memory_accuracy"]) for number in (1, 2)]
    found = compute_average(MEMORY, [*few, without_memory(3)])
    assert (found.few_count, found.is_weak_only, found.is_by_rule_only) == (2, True, False)
    assert found.says.endswith("3 of 3 pass, 2 of them on fewer than 5 references")
    assert not compute_average(MEMORY, [*few, game(3)]).is_weak_only


def test_a_metric_that_never_applies_has_no_second_look():
    found = compute_average(MEMORY, [without_memory(1), without_memory(2)])
    assert (found.value, found.passes, found.second, found.second_passes) == (100, True, None, None)
    assert found.is_by_rule_only
    assert found.second_says == "no game yet; left out: 2 to which the metric does not apply"


@pytest.mark.parametrize(
    ("three", "passes"),
    [((70.0, 80.0, 90.0), True), ((70.0, 80.0, 89.99), False), ((700 / 9, 700 / 9, 760 / 9), True)],
)
def test_an_average_on_its_threshold_passes_unrounded(three, passes):
    found = compute_average(MEMORY, [game(n, memory_accuracy=score) for n, score in enumerate(three, 1)])
    assert found.passes is passes


def test_thirds_of_ratings_are_exact():
    ratings = (8 / 3, 3.0, 10 / 3)
    found = compute_averages([game(n, rating=rating) for n, rating in enumerate(ratings, 1)], GATED)
    assert found.line("engagement").value == 3.0
    assert found.line("engagement").passes is True


def test_a_pending_game_leaves_the_average_open_and_is_named():
    found = compute_averages([game(1), game(2, coherence=None)], GATED)
    line = found.line("coherence")
    assert (line.value, line.passes, line.second_passes, line.pending) == (90, None, None, [2])
    assert line.says == "mean of 1 of 2 games; 1 of 1 pass"
    assert (found.passes, found.missing) == (None, ["coherence"])
    assert found.headline == "pending: 1 of 7 averages are not known yet"


def test_without_games_everything_is_missing():
    found = compute_averages([], GATED)
    assert (found.passes, len(found.missing), found.cost.says) == (None, 7, "No games, so no cost.")
    assert found.line("coherence").says == "no game yet"


def test_five_of_seven_averages_pass():
    found = compute_averages([game(1, coherence=10.0, strategic_depth=10.0), game(2)], GATED)
    assert (found.passed_count, found.headline) == (5, "5/7 PASS")


def test_four_of_seven_averages_fail():
    found = compute_averages([game(1, coherence=10.0, strategic_depth=10.0, anti_repetition=80.0)], GATED)
    assert found.headline == "4/7 FAIL: 4 of 7 averages pass, 5 are needed"
    assert found.passes is False


def test_engagement_is_mandatory_on_average():
    found = compute_averages([game(1, rating=2.0), game(2, rating=3.98)], GATED)
    assert found.headline == "6/7 FAIL: engagement 2.99 < 3.0 on average"


def test_a_pass_that_hangs_on_the_rule_is_named_in_the_headline():
    found = compute_averages([game(1, memory_accuracy=50.0), without_memory(2), without_memory(3)], GATED)
    assert found.headline == "7/7 PASS, 1 not applicable"


def test_games_that_pass_are_counted_as_their_verdicts_have_them():
    checked = game(1, personality_diversity=20.0, passes={"personality_diversity": True})
    line = compute_averages([checked, game(2, personality_diversity=40.0)], GATED).line(
        "personality_diversity"
    )
    assert (line.value, line.passes, line.passed_count) == (30, False, 1)


def test_the_interval_of_an_average_comes_from_how_much_games_differ():
    """70, 80, 90: SD 10, t(.975, 2) = 4.303, 4.303 * 10 / sqrt 3 = 24.84; the upper end is clipped at 100."""
    line = compute_average(
        MEMORY, [game(n, memory_accuracy=score) for n, score in enumerate((70.0, 80.0, 90.0), 1)]
    )
    assert [round(end, 1) for end in line.interval] == [55.2, 100.0]


def test_games_to_which_a_metric_does_not_apply_tell_no_interval():
    line = compute_average(MEMORY, [game(1, memory_accuracy=60.0), without_memory(2), without_memory(3)])
    assert line.interval is None
    assert compute_average(MEMORY, [game(1), game(2)]).interval is None


@pytest.mark.parametrize(
    ("costs", "state", "says"),
    [
        (("1.99", "1.00"), "low", "Every game below 2.00 dollars."),
        (("2.00", "1.00"), "amber", "Game 1 from 2.00 to 3.00 dollars, which is no success."),
        (("3.00", "1.00"), "amber", "Game 1 from 2.00 to 3.00 dollars, which is no success."),
        (("3.01", "2.50"), "above",
         "Game 1 above 3.00 dollars, which fails; game 2 from 2.00 to 3.00 dollars, which is no success."),
        ((None, "1.00"), "unreported", "Game 1 without a reported cost."),
        ((None, "2.00"), "amber",
         "Game 2 from 2.00 to 3.00 dollars, which is no success; game 1 without a reported cost."),
        ((None, None), "unreported", "Games 1 and 2 without a reported cost."),
    ],
)  # fmt: skip
def test_cost_of_games(costs, state, says):
    found = compute_games_cost([game(n, cost=cost) for n, cost in enumerate(costs, 1)], RULES)
    assert (found.state, found.says) == (state, says)


def test_the_mean_cost_is_of_what_is_reported():
    games = [game(1, cost="1.10", is_cost_by_hand=True), game(2, cost=None), game(3, cost="0.20")]
    found = compute_games_cost(games, RULES)
    assert found.mean_usd == Decimal("0.65")
    assert (found.by_hand, found.unreported) == ([1], [2])
    assert compute_games_cost([game(1, cost=None)], RULES).mean_usd is None


counts = st.lists(st.tuples(st.integers(0, 60), st.booleans()), min_size=1, max_size=8)


@given(counts, st.randoms(use_true_random=False))
def test_an_average_by_hand_in_any_order(judged, random):
    games = [
        game(number, memory_accuracy=100 * count / 60) if applies else without_memory(number)
        for number, (count, applies) in enumerate(judged, 1)
    ]
    random.shuffle(games)
    found = compute_average(MEMORY, games)
    shares = [Fraction(100 * count, 60) for count, applies in judged if applies]
    everything = [*shares, *[Fraction(100)] * (len(judged) - len(shares))]
    assert found.passes == (sum(everything) >= 80 * len(judged))
    assert found.second_passes == (sum(shares) >= 80 * len(shares) if shares else None)
    assert found.value == pytest.approx(float(sum(everything)) / len(judged))


@given(st.integers(1, 1_000_000).flatmap(lambda d: st.tuples(st.integers(0, d), st.just(d))))
def test_a_score_is_exact_again(share_of):
    numerator, denominator = share_of
    assert exact(100 * numerator / denominator) == Fraction(100 * numerator, denominator)


def test_figures_of_the_appendix():
    found = game_figures(4, verdict(APPENDIX), cost_usd=Decimal("1.20"), cache_hit_rate=0.8, input_tokens=900)
    assert found.scores == {
        "memory_accuracy": 85,
        "strategic_depth": 68,
        "coherence": 74,
        "role_consistency": 76,
        "personality_diversity": 60,
        "anti_repetition": 92,
    }
    assert (found.rating, found.score("engagement"), found.score("coherence")) == (3.5, 3.5, 74)
    assert [key for key, passed in found.passes.items() if not passed] == ["role_consistency"]
    assert (found.is_pass, found.not_applicable) == (True, [])


def test_what_does_not_apply_and_what_is_pending_is_kept():
    scores = APPENDIX | {
        "memory_accuracy": share(0, 0, is_applicable=False),
        "coherence": share(3, 50, is_pending=True),
    }
    found = game_figures(1, verdict(scores, rating=None), cost_usd=None)
    assert found.not_applicable == ["memory_accuracy"]
    assert not found.applies("memory_accuracy")
    assert (found.score("memory_accuracy"), found.score("coherence"), found.rating) == (100, None, None)
    assert found.is_pass is None


def test_a_manual_check_decides_whether_the_game_passes_and_leaves_the_score():
    check = ManualCheck(yes=6, asked=10, needed=5, passes=True, decides=True)
    low = APPENDIX | {"personality_diversity": share(2, 10)}
    found = game_figures(1, verdict(low, manual_check=check), cost_usd=None)
    assert found.scores["personality_diversity"] == 20
    assert passes(found, GATED.criterion("personality_diversity")) is True


def test_whether_a_game_passes_comes_from_its_score_where_no_verdict_says():
    criterion = GATED.criterion("memory_accuracy")
    assert passes(game(memory_accuracy=80.0), criterion) is True
    assert passes(game(memory_accuracy=79.96), criterion) is False
    assert passes(game(memory_accuracy=None), criterion) is None


def test_the_record_survives_json():
    whole = without_memory(3)
    assert msgspec.json.decode(msgspec.json.encode(whole), type=GameFigures) == whole


def test_numbers_as_a_sentence_names_them():
    assert format_numbers([4]) == "game 4"
    assert format_numbers([4, 6]) == "games 4 and 6"
    assert format_numbers([4, 6, 7]) == "games 4, 6 and 7"
    assert format_numbers([4, 5, 6, 9]) == "games 4 to 6 and 9"
    assert format_numbers([1, 2, 3]) == "games 1 to 3"
    assert format_numbers([5, 9, 3, 4]) == "games 3 to 5 and 9"
    assert format_numbers([3], "iteration") == "iteration 3"


START = datetime(2026, 3, 2, tzinfo=UTC)


def at(hours):
    return START + timedelta(hours=hours)


def link(number, kind, hours, **given):
    """An iteration of which nothing but its place in the chain of references matters."""
    values = dict.fromkeys(HistoryIteration.__struct_fields__[: -len(("games", "left_out", "decisions"))])
    values |= {"id": number, "number": number, "kind": kind, "created_at": at(hours), **given}
    return HistoryIteration(**values)


def baseline(number, hours=0):
    return link(number, "baseline", hours)


def change(number, compared_with, *decisions, hours=None):
    made = [DecisionLine(0, 0, 1, choice, "", at(moment), "") for moment, choice in decisions]
    return link(
        number, "change", number if hours is None else hours, compared_with=compared_with, decisions=made
    )


def test_the_newest_baseline_or_the_change_kept_last():
    first = baseline(1)
    assert find_reference_iteration([]) is None
    assert find_reference_iteration([first]) == 1
    kept = change(2, 1, (2.5, "keep"))
    assert find_reference_iteration([first, kept]) == 2
    assert find_reference_iteration([first, kept, change(3, 2, (3.5, "revert"))]) == 2
    assert find_reference_iteration([first, kept, change(3, 2, (3.5, "inconclusive"))]) == 2
    assert find_reference_iteration([first, kept, change(3, 2)]) == 2
    assert find_reference_iteration([first, kept, baseline(3, 3)]) == 3
    assert find_baseline([first, kept, baseline(3, 3), change(4, 3)]) == 3
    assert find_baseline([]) is None


def test_a_superseded_decision_counts_until_it_was():
    chain = [baseline(1), change(2, 1, (2.5, "keep"), (9, "revert"))]
    assert find_reference_iteration(chain) == 1
    assert find_reference_iteration(chain, at=at(5)) == 2
    assert find_reference_iteration(chain, at=at(2)) == 1


def test_a_chain_whose_links_fit_the_references_of_their_time():
    chain = [
        baseline(1),
        change(2, 1, (2.5, "keep"), (9, "revert")),
        change(3, 2, (3.5, "revert")),
        baseline(4, 4),
        change(5, 4),
    ]
    assert list(chain_faults(chain)) == []


def test_a_change_that_is_kept_after_a_fresh_baseline_is_what_the_next_one_builds_on():
    undecided = [baseline(1), change(2, 1), baseline(3, 3)]
    assert find_reference_iteration(undecided) == 3
    kept = [baseline(1), change(2, 1, (4, "keep")), baseline(3, 3)]
    assert find_reference_iteration(kept) == 2
    assert find_reference_iteration(kept, at=at(3.5)) == 3
    assert find_reference_iteration([*kept, change(4, 2, (5, "keep"))]) == 4
    assert find_reference_iteration([*kept, baseline(4, 5)]) == 4
    assert list(chain_faults([*kept, change(4, 2, hours=5)])) == []


def test_reverting_what_others_build_on_and_taking_that_back_leaves_the_end_of_the_chain():
    newer = change(3, 2, (3.5, "keep"))
    for decisions in (("revert",), ("revert", "keep"), ("revert", "inconclusive"), ("keep",)):
        older = change(2, 1, (2.5, "keep"), *((5 + place, choice) for place, choice in enumerate(decisions)))
        assert find_reference_iteration([baseline(1), older, newer]) == 3
    taken_back = change(3, 2, (3.5, "keep"), (6, "revert"))
    assert find_reference_iteration([baseline(1), change(2, 1, (2.5, "keep")), taken_back]) == 2
    assert (
        find_reference_iteration([baseline(1), change(2, 1, (2.5, "keep"), (7, "revert")), taken_back]) == 1
    )
    again = change(3, 2, (3.5, "keep"), (6, "revert"), (8, "keep"))
    assert find_reference_iteration([baseline(1), change(2, 1, (2.5, "keep"), (7, "revert")), again]) == 3


def test_a_link_that_does_not_fit_is_named():
    chain = [baseline(1), change(2, 1, (2.5, "revert")), change(3, 2)]
    assert list(chain_faults(chain)) == [
        "Iteration 3 is compared with another iteration than the reference of its time."
    ]


@pytest.mark.parametrize(
    ("count", "value"),
    [(2, 0.5642), (3, 0.8463), (4, 1.0294), (5, 1.1630), (6, 1.2672), (7, 1.3522), (10, 1.5388)],
)
def test_expected_maximum_of_normals(count, value):
    """The expected largest of a normal sample. Source: H. L. Harter, Biometrika 48 (1961), 151-165, table 1."""
    assert round(expected_maximum(count), 4) == value


def test_expected_maximum_in_closed_form():
    assert expected_maximum(1) == pytest.approx(0, abs=1e-12)
    assert expected_maximum(2) == pytest.approx(1 / sqrt(pi))
    assert expected_maximum(3) == pytest.approx(1.5 / sqrt(pi))


@pytest.mark.parametrize(
    ("tau", "correlation", "rebound"),
    [
        (0, 0.0, 0.78), (0.5, 0.0, 0.59), (1, 0.0, 0.39), (2, 0.0, 0.22),
        # Of 1/3 only .7 tells the metrics apart: 1.3522 * .2333 / √(.2333 + tau²).
        (0, 0.3, 0.65), (0.5, 0.3, 0.45), (1, 0.3, 0.28), (2, 0.3, 0.15),
    ],
)  # fmt: skip
def test_rebound_of_the_lowest_of_seven_after_three_games(tau, correlation, rebound):
    assert round(expected_rebound(7, 3, tau**2, correlation), 2) == rebound


@pytest.mark.parametrize("correlation", [0.0, 0.3])
@pytest.mark.parametrize("tau", [0, 0.5, 1, 2])
def test_rebound_as_it_happens(tau, correlation):
    """Seven metrics, three games, the lowest played again unchanged: its mean rises by as much as is expected."""
    random = np.random.default_rng(5)
    true = random.normal(0, tau, (60_000, 7)) if tau else np.zeros((60_000, 7))
    own, shared = sqrt((1 - correlation) / 3), sqrt(correlation / 3)
    first, second = (
        true + random.normal(0, own, true.shape) + random.normal(0, shared, (len(true), 1)) for _ in range(2)
    )
    lowest = first.argmin(1)
    rows = np.arange(len(true))
    expected = expected_rebound(7, 3, tau**2, correlation)
    assert (second - first)[rows, lowest].mean() == pytest.approx(expected, abs=0.02)


PAIR = ["coherence", "role_consistency", "anti_repetition"]


def drawn(random, count, start=0.0):
    """Games whose metrics share a part, with scores around `start` more than 50."""
    shared = random.normal(0, 3, count)
    rows = 50 + start + shared[:, None] + random.normal(0, 4, (count, 3))
    return [game(n, **dict(zip(PAIR, map(float, row), strict=True))) for n, row in enumerate(rows, 1)]


def test_the_correlation_of_metrics_is_that_within_batches():
    """One batch: the mean of the three correlations of numpy. Two: of the scores less the means of their batches."""
    random = np.random.default_rng(8)
    first, second = drawn(random, 12), drawn(random, 7, start=30)
    rows = [np.array([[played.scores[key] for key in PAIR] for played in batch]) for batch in (first, second)]
    for batches, scores in (
        ([first], rows[0]),
        ([first, second], np.concatenate([batch - batch.mean(axis=0) for batch in rows])),
    ):
        expected = np.corrcoef(scores.T)[np.triu_indices(3, 1)].mean()
        assert 0 < expected < MOST_CORRELATION
        assert correlate_metrics(batches, PAIR) == pytest.approx(expected)


def test_the_correlation_of_few_games_is_the_usual_one_and_none_is_beyond_its_bounds():
    alike = [[game(n, coherence=50.0 + n, role_consistency=60.0 + n) for n in range(9)]]
    assert correlate_metrics(alike, PAIR) == MOST_CORRELATION
    opposite = [[game(n, coherence=50.0 + n, role_consistency=60.0 - n) for n in range(9)]]
    assert correlate_metrics(opposite, PAIR) == 0
    assert correlate_metrics([alike[0][:8]], PAIR) == USUAL_CORRELATION, "7 df"
    assert correlate_metrics([[game(n, coherence=50.0 + n) for n in range(9)]], PAIR) == USUAL_CORRELATION
    absent = [replace(played, not_applicable=["coherence"]) for played in alike[0][:2]]
    assert correlate_metrics([absent + alike[0][2:]], PAIR) == USUAL_CORRELATION, "6 df"


def spread_around(numbers, distance, **levels):
    """Three games whose scores lie `distance` around levels, which are thresholds plus 10 unless said."""
    base = {key: THRESHOLDS[key] + 5.0 for key in METRICS} | levels
    return [
        game(number, rating=3.5 + 0.4 * step, **{key: level + distance * step for key, level in base.items()})
        for number, step in zip(numbers, (-1, 0, 1), strict=True)
    ]


def test_the_lowest_by_margin_is_not_the_lowest_number():
    """Role consistency 76 of 80 lies 4 / 4 = 1 SD below; diversity 55 of 50 lies above and is the lowest number."""
    found = next_target(spread_around((1, 2, 3), 4.0, role_consistency=76.0), GATED)
    assert (found.target.key, found.target.sds, found.target.points) == ("role_consistency", -1.0, -4.0)
    assert found.literal == "personality_diversity"
    assert found.target.advice == ["work on role consistency"]
    assert found.says.startswith(
        "Next target: role consistency, 76.0 against 80.0 (−1.0 SD from its threshold). "
        "As a plain number personality diversity is the lowest. Chosen because it was lowest: +"
    )
    assert [margin.sds for margin in found.margins] == sorted(margin.sds for margin in found.margins)


@pytest.mark.parametrize("role", [76.0, 72.0])
def test_the_expected_rebound_in_points(role):
    """SD 4 with 4 df, moderated by the usual 10 with as many: √58 points; .6 and .4 of a rating: √.26."""
    earlier = [spread_around((4, 5, 6), 4.0)]
    found = next_target(spread_around((1, 2, 3), 4.0, role_consistency=role), GATED, earlier=earlier)
    assert found.candidate_count == 7
    margins = [5 / sqrt(58)] * 5 + [(role - 80) / sqrt(58), 0.5 / sqrt(0.26)]
    noise = (1 - USUAL_CORRELATION) / 3
    true = max(0, np.var(margins, ddof=1) - noise)
    assert (true > 0) == (role < 76)
    expected = 1.3522 * noise / sqrt(noise + true)
    assert found.rebound_sds == pytest.approx(expected, rel=1e-3)
    assert found.rebound == pytest.approx(expected * sqrt(58), rel=1e-3)
    assert f"+{found.rebound:.1f} of regression to the mean is expected without any change" in found.says


def test_engagement_is_compared_as_a_rating_and_as_a_share_of_five():
    games = [replace(played, rating=played.rating - 1.1) for played in spread_around((1, 2, 3), 4.0)]
    found = next_target(games, GATED)
    assert (found.target.key, found.literal) == ("engagement", "engagement")
    assert (found.target.sds, found.target.share) == (pytest.approx(-1.5), pytest.approx(48))
    assert "engagement, 2.4 against 3.0" in found.says


def test_a_metric_that_always_fails_alike_stands_first():
    games = [game(n, coherence=40.0, role_consistency=79.0 + n / 10) for n in (1, 2, 3)]
    found = next_target(games, GATED)
    assert (found.target.key, found.target.sds, found.rebound) == ("coherence", None, None)
    assert "(its games do not differ)" in found.says


def test_one_game_alone_is_ranked_by_the_scale():
    found = next_target([game(1, coherence=60.0, role_consistency=75.0)], GATED)
    assert (found.target.key, found.rebound, found.candidate_count) == ("coherence", None, 0)
    assert "(no spread is known)" in found.says
    assert found.margins[1].key == "role_consistency"


def test_earlier_batches_lend_their_spread():
    earlier = [spread_around((4, 5, 6), 4.0)]
    found = next_target([game(1, role_consistency=70.0)], GATED, earlier=earlier)
    assert (found.target.key, found.target.sds, found.target.game_count) == ("role_consistency", -2.5, 1)
    assert found.rebound is not None


def test_games_to_which_a_metric_does_not_apply_do_not_lift_its_margin():
    games = spread_around((1, 2, 3), 4.0, memory_accuracy=70.0)
    games.append(game(4, memory_accuracy=100.0, not_applicable=["memory_accuracy"]))
    found = next_target(games, GATED)
    assert (found.target.key, found.target.sds, found.target.game_count) == ("memory_accuracy", -2.5, 3)
    assert (found.target.value, found.target.judged) == (77.5, 70.0)
    assert "77.5 against 80.0, 70.0 without the games to which it does not apply (−2.5 SD" in found.says


def test_without_games_nothing_is_proposed():
    found = next_target([], GATED)
    assert (found.target, found.literal, found.rebound) == (None, None, None)
    assert found.says == "No metric is known yet, so none is proposed."


def test_a_small_distance_is_not_shown_as_none():
    games = [game(n, anti_repetition=score) for n, score in enumerate((96.4, 94.1, 79.4), 1)]
    found = describe_target(next_target(games, GATED))
    line = next(line for line in found.lines if line.is_proposed)
    assert (line.points, line.sds) == ("−0.03", "−0.004")
    assert "(−0.004 SD from its threshold)" in found.says
