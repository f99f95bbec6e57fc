"""The verdict: every sentence of the rubric's overall evaluation, and where it could be read two ways."""

from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.outcome import ManualCheck
from discussions.core.verdict import check_of
from tests.core.verdict_examples import APPENDIX, PASSING, RUBRIC, THRESHOLDS, share, verdict, with_failing


def test_six_of_seven_with_engagement_two_and_a_half_fails():
    outcome = verdict(PASSING, rating="2.5")
    assert outcome.passes is False
    assert outcome.passed_count == 6
    assert outcome.headline == "6/7 FAIL: engagement 2.5 < 3.0"
    assert [reason.code for reason in outcome.reasons] == ["mandatory"]


def test_four_of_seven_with_engagement_four_fails():
    outcome = verdict(with_failing("coherence", "strategic_depth", "anti_repetition"), rating="4.0")
    assert outcome.passes is False
    assert outcome.headline == "4/7 FAIL: 4 of 7 metrics pass, 5 are needed"


def test_five_of_seven_with_engagement_three_passes():
    outcome = verdict(with_failing("coherence", "strategic_depth"), rating="3.0")
    assert outcome.passes is True
    assert outcome.headline == "5/7 PASS"


def test_the_appendix_of_the_rubric_passes_six_and_recommends_role_consistency():
    outcome = verdict(APPENDIX, rating="3.5")
    assert outcome.headline == "6/7 PASS"
    assert [line.score for line in outcome.lines] == [85, 68, 74, 76, 60, 92, 3.5]
    assert [each.key for each in outcome.recommendations] == ["role_consistency"]
    assert outcome.recommendations[0].advice == ["work on role consistency"]


def test_every_share_of_the_appendix_could_go_the_other_way():
    outcome = verdict(APPENDIX)
    low, high = outcome.line("memory_accuracy").interval
    assert (round(low / 100, 3), round(high / 100, 3)) == (0.640, 0.948)
    assert [line.could_go_other_way for line in outcome.lines] == [True] * 6 + [False]
    assert outcome.line("engagement").interval is None


def test_a_sure_metric_could_not_go_the_other_way():
    assert not verdict(with_failing("coherence")).line("coherence").could_go_other_way
    assert not verdict(PASSING).line("coherence").could_go_other_way


@pytest.mark.parametrize(
    ("cost", "passes", "state"),
    [
        ("3.00", True, "amber"),
        ("3.000001", False, "above"),
        ("2.00", True, "amber"),
        ("1.999999", True, "low"),
        ("0", True, "low"),
        (None, True, "unreported"),
    ],
)
def test_cost_fails_above_three_dollars_only(cost, passes, state):
    outcome = verdict(PASSING, cost=cost)
    assert (outcome.passes, outcome.cost_state) == (passes, state)


def test_quality_and_cost_are_told_apart():
    outcome = verdict(APPENDIX, cost="3.40")
    assert outcome.passes is False
    assert outcome.is_quality_pass
    assert outcome.headline == "quality 6/7 PASS, blocked by cost 3.40 > 3.00"


def test_a_cost_just_above_the_limit_never_looks_like_the_limit():
    assert verdict(APPENDIX, cost="3.0004").headline == "quality 6/7 PASS, blocked by cost 3.0004 > 3.00"


def test_every_reason_is_given_at_once():
    outcome = verdict(
        with_failing("coherence", "strategic_depth", "anti_repetition"), rating="1.5", cost="4.00"
    )
    assert [reason.code for reason in outcome.reasons] == ["metrics", "mandatory", "cost"]
    assert not outcome.is_quality_pass
    assert outcome.headline == (
        "3/7 FAIL: 3 of 7 metrics pass, 5 are needed; engagement 1.5 < 3.0; cost 4.00 > 3.00"
    )


def test_just_below_a_threshold_fails_unrounded():
    line = verdict(PASSING | {"memory_accuracy": share(1999, 2500)}).line("memory_accuracy")
    assert (line.passes, line.score) == (False, 79.96)


def test_on_the_threshold_passes():
    line = verdict(PASSING | {"memory_accuracy": share(4, 5)}).line("memory_accuracy")
    assert line.passes is True


def test_a_metric_without_anything_to_count_passes_by_rule_and_is_named():
    scores = with_failing("coherence", "strategic_depth", memory_accuracy=share(0, 0, is_applicable=False))
    outcome = verdict(scores)
    assert outcome.headline == "5/7 PASS, 1 by rule"
    line = outcome.line("memory_accuracy")
    assert (line.score, line.is_by_rule, line.interval) == (100, True, None)


def test_no_verdict_while_a_metric_is_pending():
    scores = PASSING | {"role_consistency": share(30, 50, is_pending=True)}
    outcome = verdict(scores, rating=None, cost="9.00")
    assert outcome.passes is None
    assert outcome.missing == ["role_consistency", "engagement"]
    assert outcome.headline == "pending: 2 of 7 are not known yet"
    assert (outcome.reasons, outcome.flip_distance, outcome.composite) == ([], None, None)
    assert outcome.line("role_consistency").score is None


def test_recommendations_are_worst_first_relative_to_the_scale():
    scores = PASSING | {"coherence": share(60, 100), "anti_repetition": share(50, 100)}
    outcome = verdict(scores, rating="2.0")
    assert [each.key for each in outcome.recommendations] == ["anti_repetition", "engagement", "coherence"]
    assert [round(each.shortfall, 4) for each in outcome.recommendations] == [0.4, 0.25, 0.1]


def test_the_manual_check_decides_only_when_the_evaluator_says_so():
    scores = with_failing("personality_diversity")
    beside = verdict(scores, manual_check=ManualCheck(6, 8, 5, True, False)).line("personality_diversity")
    assert (beside.passes, beside.manual_check.passes, beside.is_decided_by_hand) == (False, True, False)
    instead = verdict(scores, manual_check=ManualCheck(6, 8, 5, True, True)).line("personality_diversity")
    assert (instead.passes, instead.score, instead.is_decided_by_hand) == (True, 0, True)
    assert not instead.could_go_other_way


@pytest.mark.parametrize(
    ("identification", "reading", "needed", "passes"),
    [
        ((5, 8), "five", 5, True),
        ((4, 4), "five", 5, False),
        ((4, 8), "half", 4, True),
        ((4, 9), "half", 5, False),
    ],
)
def test_the_manual_check_passes_with_five_or_with_half(identification, reading, needed, passes):
    rubric = msgspec.structs.replace(RUBRIC, parameters=RUBRIC.parameters | {"identification_pass": reading})
    check = check_of(identification, rubric, decides=False)
    assert (check.needed, check.passes) == (needed, passes)


def test_nobody_asked_is_no_manual_check():
    assert check_of(None, RUBRIC, decides=True) is None


def test_the_composite_weighs_engagement_from_one_to_five():
    scores = {key: share(50, 100) for key in PASSING}
    assert verdict(scores, rating="3").composite == 50
    assert verdict(scores, rating="5").composite == pytest.approx((6 * 50 + 100) / 7)


def test_the_composite_leaves_out_what_does_not_apply():
    scores = {key: share(50, 100) for key in PASSING} | {"memory_accuracy": share(0, 0, is_applicable=False)}
    assert verdict(scores, rating="3").composite == 50


shares = st.integers(0, 60).flatmap(lambda n: st.integers(max(n, 1), 60).map(lambda d: share(n, d)))
score_sets = st.fixed_dictionaries(dict.fromkeys(list(THRESHOLDS)[:6], shares))
ratings = st.integers(2, 10).map(lambda half: str(Fraction(half, 2)))
costs = st.none() | st.decimals("0", "5", places=2).map(str)


@given(score_sets, ratings, costs)
def test_passing_is_five_and_engagement_and_cost(scores, rating, cost):
    outcome = verdict(scores, rating=rating, cost=cost)
    passing = [
        100 * score.numerator >= THRESHOLDS[key] * score.denominator for key, score in scores.items()
    ] + [Fraction(rating) >= 3]
    affordable = cost is None or Decimal(cost) <= 3
    assert outcome.passes == (sum(passing) >= 5 and passing[-1] and affordable)
    assert (outcome.reasons == []) == outcome.passes
    assert outcome.composite is not None
    assert 0 <= outcome.composite <= 100


@given(score_sets, ratings)
def test_a_better_rating_never_turns_pass_into_fail(scores, rating):
    better = verdict(scores, rating="5")
    assert better.passes or not verdict(scores, rating=rating).passes
