"""The verdict: every sentence of the rubric's overall evaluation, and where it could be read two ways.

What would change it: minimal by comparison with trying everything on small cases.

What a report calls an override.
"""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.adjudication.core.effective import AdjudicatedAnswer
from discussions.core.outcome import Facts, ManualCheck
from discussions.metrics.core.metric import phrase_flip_distance, reference_flip_distance, share_flip_distance
from discussions.verdicts.core.basis import (
    Basis,
    BasisCost,
    BasisEvaluation,
    BasisJudgement,
    BasisMeasured,
    BasisVersion,
    changes,
)
from discussions.verdicts.core.report import (
    list_overrides,
)
from discussions.verdicts.core.rule import (
    add_binomial_flags,
    check_identification,
    find_automatic_failure,
    say_again,
    verdict_flip_distance,
)
from tests.factories.verdict_examples import (
    APPENDIX,
    PASSING,
    RUBRIC,
    THRESHOLDS,
    share,
    verdict,
    with_failing,
)


def test_automatic_values_fail_when_nothing_that_waits_can_help():
    waiting = {key: share(0, 1, is_pending=True) for key in THRESHOLDS}
    assert find_automatic_failure(waiting, None, RUBRIC) == ""
    low = {key: share(1, 100) for key in ("strategic_depth", "coherence")}
    assert find_automatic_failure(waiting | low, Decimal("3.00"), RUBRIC) == ""
    assert find_automatic_failure(waiting | low, Decimal("3.01"), RUBRIC) == "cost 3.01 > 3.00"
    lower = low | {"anti_repetition": share(1, 100)}
    assert find_automatic_failure(waiting | lower, None, RUBRIC) == "4 of 7 metrics pass, 5 are needed"


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
    assert [recommendation.key for recommendation in outcome.recommendations] == ["role_consistency"]
    assert outcome.recommendations[0].advice == ["work on role consistency"]


def test_shares_of_messages_have_wilsons_interval_and_dependent_units_none():
    outcome = verdict(APPENDIX)
    low, high = outcome.line("memory_accuracy").interval
    assert (round(low / 100, 3), round(high / 100, 3)) == (0.640, 0.948)
    assert [line.interval is not None for line in outcome.lines] == [True] * 4 + [False] * 3


def test_a_basis_before_format_3_gives_the_intervals_and_flags_of_its_time():
    now = verdict(APPENDIX)
    before = add_binomial_flags(now)
    assert all(line.interval is not None for line in before.lines[:6])
    assert [line.could_go_other_way for line in before.lines] == [True] * 6 + [False]
    assert not add_binomial_flags(verdict(PASSING)).line("coherence").could_go_other_way
    assert not any(line.could_go_other_way for line in now.lines)


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


def test_an_outcome_is_said_again_in_the_words_of_today():
    for outcome in (
        verdict(PASSING),
        verdict(with_failing("coherence", "strategic_depth", "anti_repetition"), rating="1.5", cost="4.00"),
        verdict(PASSING, cost="4.00"),
        verdict(PASSING | {"memory_accuracy": share(0, 1, is_pending=True)}),
    ):
        old = [replace(reason, says="by rule") for reason in outcome.reasons if reason.code == "metrics"]
        kept = [reason for reason in outcome.reasons if reason.code != "metrics"]
        assert say_again(replace(outcome, headline="by rule", reasons=old + kept)) == outcome


def test_just_below_a_threshold_fails_unrounded():
    line = verdict(PASSING | {"memory_accuracy": share(1999, 2500)}).line("memory_accuracy")
    assert (line.passes, line.score) == (False, 79.96)


def test_on_the_threshold_passes():
    line = verdict(PASSING | {"memory_accuracy": share(4, 5)}).line("memory_accuracy")
    assert line.passes is True


def test_a_metric_without_anything_to_count_passes_by_rule_and_is_named():
    scores = with_failing("coherence", "strategic_depth", memory_accuracy=share(0, 0, is_applicable=False))
    outcome = verdict(scores)
    assert outcome.headline == "5/7 PASS, 1 not applicable"
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
    assert [recommendation.key for recommendation in outcome.recommendations] == [
        "anti_repetition",
        "engagement",
        "coherence",
    ]
    assert [round(recommendation.shortfall, 4) for recommendation in outcome.recommendations] == [
        0.4,
        0.25,
        0.1,
    ]


def test_the_manual_check_decides_only_when_the_evaluator_says_so():
    scores = with_failing("personality_diversity")
    beside = verdict(scores, manual_check=ManualCheck(6, 8, 5, True, False)).line("personality_diversity")
    assert (beside.passes, beside.manual_check.passes, beside.is_decided_by_hand) == (False, True, False)
    instead = verdict(scores, manual_check=ManualCheck(6, 8, 5, True, True)).line("personality_diversity")
    assert (instead.passes, instead.score, instead.is_decided_by_hand) == (True, 0, True)
    old = add_binomial_flags(verdict(scores, manual_check=ManualCheck(6, 8, 5, True, True)))
    assert not old.line("personality_diversity").could_go_other_way


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
    check = check_identification(identification, rubric, decides=False)
    assert (check.needed, check.passes) == (needed, passes)


def test_nobody_asked_is_no_manual_check():
    assert check_identification(None, RUBRIC, decides=True) is None


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


thresholds = st.sampled_from(
    [Fraction(50), Fraction(60), Fraction(70), Fraction(80), Fraction(90), Fraction("66.5")]
)


def passes(numerator, denominator, threshold):
    return 100 * numerator >= threshold * denominator


@pytest.mark.parametrize(
    ("numerator", "denominator", "threshold", "distance"),
    [
        (34, 50, 60, 5),
        (30, 50, 60, 1),
        (29, 50, 60, 1),
        (38, 50, 80, 2),
        (0, 50, 60, 30),
        (0, 0, 60, None),
        (3, 3, 0, None),
    ],
)
def test_messages_to_judge_otherwise(numerator, denominator, threshold, distance):
    assert share_flip_distance(numerator, denominator, Fraction(threshold)) == distance


@given(st.lists(st.booleans(), min_size=1, max_size=7), thresholds)
def test_messages_brute_force(counts, threshold):
    now = passes(sum(counts), len(counts), threshold)
    found = None
    for size in range(1, len(counts) + 1):
        turned = (
            sum(not value if at in chosen else value for at, value in enumerate(counts))
            for chosen in combinations(range(len(counts)), size)
        )
        if any(passes(count, len(counts), threshold) != now for count in turned):
            found = size
            break
    assert share_flip_distance(sum(counts), len(counts), threshold) == found


LABELS = ("accurate", "wrong", "out")


def memory_passes(labels, threshold):
    judged = [label for label in labels if label != "out"]
    return not judged or passes(judged.count("accurate"), len(judged), threshold)


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=4), thresholds)
def test_references_brute_force_over_every_relabelling_and_one_missed_sentence_each(labels, threshold):
    """Sentences nobody marked are tried too: as many "out" labels again as there are references."""
    everything = [*labels, "out", "out"]
    now = memory_passes(everything, threshold)
    distances = [
        sum(first != other for first, other in zip(everything, other_labels, strict=True))
        for other_labels in product(LABELS, repeat=len(everything))
        if memory_passes(other_labels, threshold) != now
    ]
    judged = [label for label in labels if label != "out"]
    found = reference_flip_distance(judged.count("accurate"), len(judged), threshold, has_messages=True)
    assert found == min(distances)


def test_a_game_without_a_sentence_has_no_reference_to_turn():
    assert reference_flip_distance(0, 0, Fraction(80), has_messages=False) is None
    assert reference_flip_distance(0, 0, Fraction(80), has_messages=True) == 1


@given(
    st.lists(st.integers(2, 6), max_size=6),
    st.lists(st.integers(2, 6), max_size=4),
    st.integers(1, 30),
    thresholds,
)
def test_phrases_brute_force(repeated, accepted, others, threshold):
    counted = sum(repeated) + sum(accepted) + others
    phrases = [(weight, True) for weight in repeated] + [(weight, False) for weight in accepted]
    now = passes(counted - sum(repeated), counted, threshold)
    found = None
    for size in range(1, len(phrases) + 1):
        standing = (
            sum(weight for at, (weight, stands) in enumerate(phrases) if stands != (at in chosen))
            for chosen in combinations(range(len(phrases)), size)
        )
        if any(passes(counted - rate, counted, threshold) != now for rate in standing):
            found = size
            break
    assert phrase_flip_distance(counted, repeated, accepted, threshold) == found


@given(st.lists(st.tuples(st.none() | st.integers(1, 20), st.booleans()), max_size=7), st.integers(1, 7))
def test_verdict_brute_force_over_every_set_of_metrics(every, needed):
    now = sum(stands for _distance, stands in every) >= needed
    totals = []
    for chosen in product([False, True], repeat=len(every)):
        distances = [distance for (distance, _stands), turned in zip(every, chosen, strict=True) if turned]
        count = sum(stands != turned for (_distance, stands), turned in zip(every, chosen, strict=True))
        if None not in distances and (count >= needed) != now:
            totals.append(sum(distances))
    passing = [distance for distance, stands in every if stands]
    failing = [distance for distance, stands in every if not stands]
    found = verdict_flip_distance(passing=passing, failing=failing, needed=needed, is_open=True)
    assert found == (min(totals) if totals else None)


def test_the_appendix_turns_with_two_metrics():
    """Six pass, so two must fall: memory 17/20 needs 2, coherence 37/50 needs 3, strategic depth 34/50 needs 5."""
    outcome = verdict(APPENDIX, facts=Facts(repeated=[8]))
    flips = {line.key: line.flip for line in outcome.lines}
    assert flips == {
        "memory_accuracy": 2,
        "strategic_depth": 5,
        "coherence": 3,
        "role_consistency": 2,
        "personality_diversity": None,
        "anti_repetition": None,
        "engagement": None,
    }
    assert outcome.flip_distance == 5


def test_no_judgement_turns_what_the_rating_or_the_cost_decides():
    assert verdict(PASSING, rating="2.5").flip_distance is None
    assert verdict(PASSING, cost="3.40").flip_distance is None


def test_a_fail_turns_with_its_cheapest_metric():
    scores = with_failing("personality_diversity", "strategic_depth", coherence=share(69, 100))
    assert verdict(scores).flip_distance == 1


def test_phrases_turn_whole():
    scores = PASSING | {"anti_repetition": share(80, 100)}
    line = verdict(scores, facts=Facts(repeated=[3, 4, 6, 7])).line("anti_repetition")
    assert line.flip == 2


def basis(*judgements, **changed):
    given = {
        "format": 1, "game": 1, "game_sha256": "g", "transcript": 1, "transcript_sha256": "t",
        "rubric_version": BasisVersion(1, "r"), "measured": BasisMeasured(1, "1", "i", "f"),
        "cost": BasisCost(Decimal("1.25"), "transcript"), "evaluator_count": 1,
        "evaluations": [BasisEvaluation(7, 3)], "judgements": list(judgements), "adjudications": [], "supersedes": None,
    }  # fmt: skip
    return Basis(**given | changed)


def judged(key, kind, subject, value, blind="", version=1):
    return BasisJudgement(key, 7, kind, subject, value, blind, version)


def test_overrides_are_what_differs_from_the_machine_or_from_before_the_reveal():
    found = list_overrides(
        basis(
            judged(1, "strategic_depth", "2", "yes", "yes"),
            judged(2, "strategic_depth", "11", "no", "no"),
            judged(3, "reference", "4.1", "accurate", "inaccurate"),
            judged(4, "reference", "5.1", "vague", "vague"),
            judged(5, "phrase", "3|i think that", "acceptable"),
            judged(6, "coherence", "9", ""),
            judged(7, "rating", "", "4.0"),
            judged(8, "missed", "6.2", "yes"),
        ),
        {("strategic_depth", "2"): "no", ("strategic_depth", "11"): "no"},
        {7: "Kim"},
        {1: "because"},
    )
    assert [(override.kind, override.subject) for override in found] == [
        ("missed", "6.2"), ("phrase", "3|i think that"), ("reference", "4.1"), ("strategic_depth", "2"),
    ]  # fmt: skip
    assert (found[3].machine, found[3].value, found[3].by, found[3].reason) == ("no", "yes", "Kim", "because")
    assert found[2].before == "inaccurate"


def test_every_change_of_a_basis_is_named():
    before = basis(judged(1, "rating", "", "3.0"))
    assert changes(before, before) == []
    added = judged(2, "coherence", "9", "yes")
    changed = {
        "A verdict was recorded meanwhile.": {"supersedes": 4},
        "The game is judged by another rubric version now.": {"rubric_version": BasisVersion(2, "r")},
        "The game was measured again.": {"measured": BasisMeasured(2, "2", "i", "f")},
        "The transcript is another one.": {"transcript_sha256": "x"},
        "The cost was $1.25 and is not reported now.": {"cost": BasisCost(None, "by hand")},
        "1 evaluators were needed, 2 are now.": {"evaluator_count": 2},
        "Other evaluations are submitted now than when the page was shown.": {"evaluations": []},
        "rating: 3.0 before, unset now.": {"judgements": [judged(1, "rating", "", "", version=2)]},
        "coherence 9: not judged before, yes now.": {"judgements": [*before.judgements, added]},
    }  # fmt: skip
    for says, change in changed.items():
        assert changes(before, replace(before, **change)) == [says]


def adjudicated(kind, subject, value, key=1):
    return AdjudicatedAnswer(key, kind, subject, value)


def test_what_a_lead_resolved_meanwhile_is_named_in_order():
    before = basis(
        adjudications=[adjudicated("phrase", "3|a", "acceptable"), adjudicated("reference", "2.1", "vague")]
    )
    after = basis(
        adjudications=[
            adjudicated("strategic_depth", "4", "yes"),
            adjudicated("role_consistency", "4", "not_assessable"),
            adjudicated("reference", "2.1", "not_a_reference"),
            adjudicated("missed", "6.2", ""),
        ]
    )
    assert changes(before, after) == [
        "A lead resolved missed 6.2: no.",
        "What a lead resolved of phrase 3|a is not there any more.",
        "A lead resolved reference 2.1 again: vague before, not a reference now.",
        "A lead resolved role consistency 4: not assessable.",
        "A lead resolved strategic depth 4: yes.",
    ]
    assert changes(after, after) == []


def test_judgements_that_came_and_went_are_named_in_the_order_of_their_rows():
    before = basis(judged(17, "coherence", "9", "yes"), judged(8, "reference", "2.1", "not_a_reference"))
    after = basis(
        judged(17, "coherence", "9", "yes"),
        judged(1, "phrase", "3|a", "acceptable"),
        judged(25, "rating", "", "3.0"),
    )
    assert changes(before, after) == [
        "phrase 3|a: not judged before, acceptable now.",
        "reference 2.1: not a reference before, not judged now.",
        "rating: not judged before, 3.0 now.",
    ]


@pytest.mark.parametrize(
    ("first", "last", "people", "is_said"),
    [(1, 3, 2, True), (1, 3, 1, False), (1, 1, 2, False), (2, 3, 2, False)],
)
def test_the_end_of_silent_votes_is_named_where_it_matters(first, last, people, is_said):
    evaluations = [BasisEvaluation(number, number) for number in range(people)]
    found = changes(basis(format=first, evaluations=evaluations), basis(format=last, evaluations=evaluations))
    assert [says.split()[0] for says in found] == ["Silence"] * is_said


def test_a_game_of_another_content_and_a_cost_by_hand_are_named():
    assert changes(basis(), basis(game_sha256="x")) == ["The transcript is another one."]
    by_hand = basis(cost=BasisCost(Decimal("2.00"), "by hand"))
    assert changes(basis(), by_hand) == ["The cost was $1.25 and is $2.00, entered by hand now."]


def test_raters_are_the_evaluations_with_a_rating():
    rating = partial(BasisJudgement, kind="rating", subject="", blind_value="", version=1)
    rated = [rating(id=1, evaluation=7, value="3.0"), rating(id=2, evaluation=8, value="4.0")]
    others = [rating(id=3, evaluation=9, value=""), BasisJudgement(4, 10, "coherence", "9", "yes", "", 1)]
    assert [basis(*given).rater_count for given in ((), others, rated, rated + others)] == [1, 1, 2, 2]
