"""What a judge may do, by its answers and people's on the same items."""

from itertools import product, repeat
from math import exp

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from benchmarks.statistics.judges import WORLDS, be_right, draw_contract, estimate, follow_rule, say_yes
from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.judges.core.contract import (
    BELOW_FLOOR,
    COPIES_RULE,
    EPSILON,
    FEW_GAMES,
    FEW_ITEMS,
    FEW_PEOPLE,
    FEW_REPEATS,
    NAMES,
    ONE_ANSWER,
    REFUSED,
    UNANSWERED,
    UNRELATED,
    UNSTEADY,
    WORSE,
    JudgedItem,
    Repeat,
    check_repeats,
    compare_with_people,
    compute_error,
    conclude_contracts,
    find_design_effect,
    reject_by_dependence,
    relate,
)
from discussions.judges.core.drift import STEP, Baseline, watch_drift
from discussions.verdicts.core.people_estimate import build_strata
from workspace.statistics.means import JudgedStratum, log_evidence, predict_share

RUNS = 25


def item(judge, *people, game=1, rule="", key="", role="", metric="coherence"):
    return JudgedItem(metric, role, game, rule, dict(enumerate(people, start=1)), judge, key)


def table_of_one_person():
    """Person 1 is nearer to the others in 3 items, the judge in 6, nobody in 21; each item is a game of its own."""
    rows = [("no", "yes", "yes", "yes")] * 3 + [("yes", "no", "yes", "yes")] * 6 + [("yes",) * 4] * 21
    return [item(*row, game=game) for game, row in enumerate(rows)]


def draw_items(seed, games=10, each=10, people=3, judge=0.9, role="", rule=0.7):
    random = np.random.default_rng(seed)

    def say(true, right):
        return true if random.random() < right else {"yes": "no", "no": "yes"}[true]

    found = []
    for game in range(games):
        for _at in range(each):
            true = "yes" if random.random() < 0.6 else "no"
            answers = [say(true, 0.85) for _person in range(people)]
            found.append(item(say(true, judge), *answers, game=game, rule=say(true, rule), role=role))
    return found


def repeats(count, different, *, is_permuted=True):
    return [Repeat("coherence", "yes", "no" if at < different else "yes", is_permuted) for at in range(count)]


# The alternative annotator test.


def test_a_person_is_compared_as_by_hand():
    """The mean difference is -.1, its variance 8.7 / 29 = .3, so t = (-.1 - .15) / .1 with 29 degrees of freedom."""
    row = compare_with_people(table_of_one_person()).people[0]
    differences = [1] * 3 + [-1] * 6 + [0] * 21
    assert row.difference == pytest.approx(-0.1)
    assert row.advantage == pytest.approx(27 / 30)
    assert row.p == pytest.approx(ttest_1samp(differences, EPSILON, alternative="less").pvalue)
    assert row.p == pytest.approx(0.00917, abs=5e-5)


def test_the_procedure_of_benjamini_and_yekutieli():
    """Of three p the limits are .05 / 5.5 times 1, 2 and 3: .00909, .01818 and .02727."""
    assert reject_by_dependence([0.04, 0.001, 0.02], 0.05) == [False, True, False]
    assert reject_by_dependence([0.009, 0.018, 0.027], 0.05) == [True] * 3
    assert reject_by_dependence([0.02, 0.02, 0.02], 0.05) == [True] * 3
    assert reject_by_dependence([0.03, 0.03, 0.03], 0.05) == [False] * 3
    random = np.random.default_rng(7)
    tables = [random.random(size) ** 4 for size in random.integers(1, 9, 200)]
    expected = [(false_discovery_control(table, method="by") <= 0.05).tolist() for table in tables]
    assert [reject_by_dependence(table.tolist(), 0.05) for table in tables] == expected
    assert 50 < sum(map(any, expected)) < 200


def test_items_of_a_game_depend_on_each_other():
    assert compute_error([1, 1, 0, 0], "aabb") == pytest.approx(0.5)
    values = [0.0, 1.0, 1.0, 0.5]
    assert compute_error(values, range(4)) == pytest.approx(np.std(values, ddof=1) / 2)
    # Games that are alike by chance do not make the error smaller.
    assert compute_error([1, 0, 1, 0], "aabb") == pytest.approx(np.std([1, 0, 1, 0], ddof=1) / 2)
    assert compute_error([1, 0], "aa") == float("inf")
    assert find_design_effect([1, 1, 0, 0], "aabb") == pytest.approx(3)
    assert (find_design_effect(values, range(4)), find_design_effect([1, 0], "aa")) == (1, 2)


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (draw_items(1, people=2), FEW_PEOPLE),
        (draw_items(1, games=2), FEW_ITEMS),
        (draw_items(1, games=2, each=20), FEW_GAMES),
        (draw_items(1, judge=0.4), WORSE),
    ],
)
def test_a_test_that_is_not_passed_says_why(items, reason):
    assert compare_with_people(items).reason == reason


def test_the_size_of_a_test_that_is_probably_enough():
    """By hand, of two persons of three: ((z(.8) + z(1 - .05 / 5.5)) / .05)^2 times 2.7 / 29 is 382.2."""
    assert compare_with_people(table_of_one_person()).needed == 383
    assert 30 <= (compare_with_people(draw_items(2)).needed or 0) <= 100
    assert compare_with_people(draw_items(2, judge=0.3)).needed is None


def test_ratings_are_compared_by_their_distance():
    rows = [("4.0", "1.0", "4.0", "4.0")] * 20 + [("3.0",) * 4] * 15
    found = compare_with_people([item(*row, game=game) for game, row in enumerate(rows)], is_rating=True)
    assert (found.people[0].difference, found.people[1].difference) == (pytest.approx(-20 / 35), 0.0)
    assert not found.reason


# The relation beyond the automatic value.


def test_the_relation_is_kappa():
    """20 times yes and 15 times no by both, 5 and 10 by one: .7 observed, .5 by chance."""
    rows = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    found = relate([item(judge, one) for judge, one in rows])
    assert (found.items, found.beyond) == (50, pytest.approx(0.4))
    assert found.p < 0.01


def test_what_the_rule_and_the_game_explain_is_no_relation():
    """The judge says what the rule says in one game and always yes in the other; people agree with both on average."""
    rows = [("yes", "yes", 1), ("no", "no", 1)] * 20 + [("yes", "yes", 2)] * 20
    found = relate([item(value, person, game=game, rule=value) for value, person, game in rows])
    assert (found.beyond, found.p) == (0.0, 1.0)


def test_ties_of_people_and_items_alone_in_their_game_are_left_out():
    tied = [item("yes", "yes", "no", game=1) for _at in range(5)]
    alone = [item("yes", "yes", game=game) for game in range(2, 9)]
    assert relate(tied + alone).items == 0
    assert relate([item("yes", "no", "no", key="yes"), item("no", key="no")]).items == 2


# Repeats.


def test_answers_that_change_with_names_are_told_from_answers_that_change():
    assert check_repeats(repeats(60, 3) + repeats(60, 3, is_permuted=False)).reason == ""
    assert check_repeats(repeats(60, 20) + repeats(60, 3, is_permuted=False)).reason == NAMES
    assert check_repeats(repeats(60, 20) + repeats(60, 20, is_permuted=False)).reason == UNSTEADY
    # Without plain repeats only names can be the cause.
    assert check_repeats(repeats(60, 20)).reason == NAMES
    assert check_repeats([]).reason == ""


# Contracts.


def test_a_contract_for_each_metric_and_role():
    items = draw_items(3, role="village") + draw_items(4, role="mafia", judge=0.5)
    found = conclude_contracts(items, repeats(30, 0))
    assert {cell: contract.use for cell, contract in found.items()} == {
        ("coherence", "mafia"): REFUSED,
        ("coherence", "village"): HELPS,
    }
    village = found["coherence", "village"]
    assert village.reasons == []
    assert village.interval[0] < village.agreement < village.interval[1]
    assert 60 < village.people < 90
    assert village.baseline.items == 100
    assert village.baseline.agreed == pytest.approx(village.agreement)


@pytest.mark.parametrize(
    ("change", "given", "use", "reasons"),
    [
        ({}, repeats(30, 0), HELPS, []),
        ({}, repeats(19, 0), STRATA, [FEW_REPEATS]),
        ({}, repeats(60, 20), REFUSED, [NAMES]),
        ({"people": 2}, repeats(30, 0), STRATA, [FEW_PEOPLE]),
        ({"games": 3, "each": 9}, repeats(30, 0), REFUSED, [FEW_ITEMS]),
        ({"judge": 0.5}, repeats(30, 0), REFUSED, [UNRELATED]),
        ({"judge": 0.58, "games": 60}, repeats(30, 0), REFUSED, [BELOW_FLOOR]),
    ],
)
def test_what_a_judge_may_do_and_why_not_more(change, given, use, reasons):
    (found,) = conclude_contracts(draw_items(5, **change), given).values()
    assert (found.use, found.reasons) == (use, reasons)


def test_silence_copies_and_one_answer_are_refused():
    items = draw_items(6)
    silent = [change_judge(row, "" if at < 11 else row.judge) for at, row in enumerate(items)]
    ((found,), *others) = (
        conclude_contracts(changed, repeats(30, 0)).values()
        for changed in (
            silent,
            [change_judge(row, row.rule) for row in items],
            [change_judge(row, "yes") for row in items],
        )
    )
    assert found.reasons == [UNANSWERED]
    assert [[contract.reasons for contract in contracts] for contracts in others] == [
        [[COPIES_RULE]],
        [[ONE_ANSWER]],
    ]


def change_judge(row, value):
    return JudgedItem(row.metric, row.role, row.game, row.rule, row.people, value, row.key)


def test_keys_serve_where_three_people_are_missing():
    items = [
        JudgedItem(row.metric, "", row.game, row.rule, {}, row.judge, row.find_reference())
        for row in draw_items(7)
    ]
    (found,) = conclude_contracts(items, repeats(30, 0)).values()
    assert (found.use, found.reasons, found.people) == (STRATA, [FEW_PEOPLE], None)
    assert found.baseline.items == 0


def test_contracts_do_not_depend_on_the_order_of_items():
    items = draw_items(8)
    (one,), (other,) = (conclude_contracts(rows, repeats(30, 0)).values() for rows in (items, items[::-1]))
    assert (one.use, one.reasons, one.test.winning_rate) == (
        other.use,
        other.reasons,
        other.test.winning_rate,
    )
    assert one.agreement == pytest.approx(other.agreement)


@pytest.mark.parametrize(
    ("judge", "use", "least"),
    [(say_yes(1.0), REFUSED, 1.0), (follow_rule(1.0, 0.5), REFUSED, 1.0), (be_right(0.9), HELPS, 0.8)],
)
def test_planted_judges(judge, use, least):
    """docs/judges.md has 1,000 of each."""
    random = np.random.default_rng(9)
    found = [draw_contract(random, judge).use == use for _run in repeat(None, RUNS)]
    assert sum(found) >= least * RUNS


STRATA_RUNS = 150
# The rule counts eight of twelve messages, the judge six of these and one of the others; people are with the judge.
MACHINE = {str(at): "yes" if at <= 8 else "no" for at in range(1, 13)}
JUDGE = {str(at): "yes" if at <= 6 or at == 12 else "no" for at in range(1, 13)}
SAMPLED = {"1", "2", "3", "7", "8", "9", "12"}
VALUES = {subject: JUDGE[subject] for subject in SAMPLED}


def build(judge, values=VALUES, sampled=SAMPLED):
    return build_strata("strategic_depth", MACHINE, values, sampled, judge)


def test_a_judge_divides_what_the_rule_counts_and_what_it_does_not():
    assert build(JUDGE) == [
        JudgedStratum(judged=3, positive=3, sampled=3, sampled_positive=3, unjudged=3),
        JudgedStratum(judged=2, positive=0, sampled=2, sampled_positive=0, unjudged=0),
        JudgedStratum(judged=1, positive=1, sampled=1, sampled_positive=1, unjudged=0),
        JudgedStratum(judged=1, positive=0, sampled=1, sampled_positive=0, unjudged=2),
    ]


def test_a_half_without_a_sampled_message_stays_with_the_other():
    sampled = SAMPLED - {"12"}
    found = build(JUDGE, {subject: VALUES[subject] for subject in sampled}, sampled)
    assert [(stratum.sampled, stratum.unjudged) for stratum in found] == [(3, 3), (2, 0), (1, 3)]


@pytest.mark.parametrize("judge", [None, MACHINE, {}, dict.fromkeys(MACHINE, "yes")])
def test_a_judge_that_says_nothing_new_leaves_the_strata_of_the_rule(judge):
    assert build(judge) == build(None)
    assert len(build(None)) == 2


def test_a_sample_that_speaks_against_the_judge_leaves_the_strata_of_the_rule():
    """Of both halves of what the rule counts, people count half."""
    values = {"1": "yes", "2": "no", "7": "yes", "8": "no"}
    judge = {**MACHINE, "7": "no", "8": "no"}
    assert build(judge, values, set(values)) == build(None, values, set(values))


def test_no_message_is_lost_or_counted_twice():
    random = np.random.default_rng(3)
    for _case in range(50):
        judge = {subject: str(random.choice(["yes", "no", "cannot tell"])) for subject in MACHINE}
        found = build({subject: value for subject, value in judge.items() if value != "cannot tell"})
        assert sum(stratum.judged + stratum.unjudged for stratum in found) == len(MACHINE)
        assert sum(stratum.positive for stratum in found) == list(VALUES.values()).count("yes")


def test_the_evidence_is_the_probability_of_the_sample():
    """Of one answer 1/2, of two that are the same 3/8, of two different ones 1/8."""
    samples = [(1, 1, 1 / 2), (2, 2, 3 / 8), (2, 1, 1 / 8), (0, 0, 1.0)]
    for sampled, positive, chance in samples:
        assert exp(log_evidence([JudgedStratum(sampled, positive, sampled, positive, 5)])) == pytest.approx(
            chance
        )
    strata = [
        JudgedStratum(sampled, positive, sampled, positive, 5) for sampled, positive, _chance in samples
    ]
    assert exp(log_evidence(strata)) == pytest.approx(1 / 2 * 3 / 8 * 1 / 8)


@pytest.mark.parametrize(("judge", "most"), [(say_yes(0.5), 1.02), (be_right(0.9), 0.85)])
def test_a_good_judge_narrows_the_interval_and_a_useless_one_costs_nothing(judge, most):
    """docs/judges.md has 2,000 of each."""
    random = np.random.default_rng(4)
    found = np.array(
        [estimate(random, world, judge, 60, 20) for world in WORLDS for _run in range(STRATA_RUNS)]
    )
    held, width, alone = found.mean(axis=0)
    assert 0.92 <= held <= 0.99
    assert width / alone <= most


def test_the_interval_narrows_with_the_judge_of_the_example():
    (low, high), (first, last) = (predict_share(build(judge))[1:] for judge in (JUDGE, None))
    assert 0 < high - low < last - first


TRIED = Baseline(9, 10)
DRIFT_RUNS = 100


def test_the_evidence_as_by_hand():
    """Before, 9.5 of 11 are expected to agree; a fall leaves a rate between half and all of that less .05."""
    expected, top = 9.5 / 11, 9.5 / 11 - 0.05
    same = 0.5 + 0.5 * (0.75 * top) / expected
    other = 0.5 + 0.5 * (1 - 0.75 * top) / (1 - expected)
    assert watch_drift(TRIED, [1]).evidence == [pytest.approx(same)]
    assert watch_drift(TRIED, [0]).evidence == [pytest.approx(other)]


def test_the_evidence_is_expected_to_stay_at_one():
    """Over all sequences of answers of a steady judge, by their probability from the baseline: a fair bet."""
    total = 0.0
    for answers in product((0, 1), repeat=8):
        chance, yes, no = 1.0, 9.5, 1.5
        for answer in answers:
            chance *= (yes if answer else no) / (yes + no)
            yes, no = yes + answer, no + 1 - answer
        total += chance * watch_drift(TRIED, answers).evidence[-1]
    assert total == pytest.approx(1)


def test_the_past_does_not_change_with_later_answers():
    answers = (np.random.default_rng(1).random(3 * STEP) < 0.8).astype(float).tolist()
    whole = watch_drift(TRIED, answers).evidence
    assert watch_drift(TRIED, answers[: STEP + 7]).evidence == pytest.approx(whole[: STEP + 7])


def test_a_judge_that_falls_is_suspended_at_an_answer():
    found = watch_drift(Baseline(90, 100), [1] * 100 + [0] * 30)
    assert 100 < found.suspended_at < 120
    assert found.agreement == pytest.approx(100 / 130)
    assert found.evidence[found.suspended_at - 1] >= 20 > found.evidence[found.suspended_at - 2]


def test_answers_that_depend_on_each_other_count_less():
    fallen = [1, 0, 0] * 30
    alone, together = (watch_drift(Baseline(90, 100, effect), fallen) for effect in (1.0, 3.0))
    assert alone.suspended_at < together.suspended_at
    # Three answers that are always the same tell as much as one.
    thrice = watch_drift(Baseline(27, 30, 3.0), [1, 1, 1, 0, 0, 0]).evidence
    assert thrice[2::3] == pytest.approx(watch_drift(TRIED, [1, 0]).evidence)


def test_nothing_is_known_without_answers_and_little_without_a_baseline():
    assert (watch_drift(TRIED, []).agreement, watch_drift(TRIED, []).suspended_at) == (None, None)
    assert watch_drift(Baseline(0, 0), [1, 0, 1, 1, 0] * 100).suspended_at is None


def test_steady_judges_stay_and_fallen_ones_go():
    """docs/judges.md has 1,000 of each."""
    random = np.random.default_rng(2)
    at = {
        now: [
            watch_drift(
                Baseline(float(random.binomial(100, 0.9)), 100),
                (random.random(count) < now).astype(float).tolist(),
            ).suspended_at
            for _run in range(DRIFT_RUNS)
        ]
        for now, count in ((0.9, 1000), (0.7, 150))
    }
    assert sum(number is not None for number in at[0.9]) <= 0.08 * DRIFT_RUNS
    assert sum(number is not None for number in at[0.7]) >= 0.75 * DRIFT_RUNS
