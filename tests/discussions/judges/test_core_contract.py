"""What a judge may do, by its answers and people's on the same items."""

from itertools import repeat

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from benchmarks.statistics.judges import be_right, draw_contract, follow_rule, say_yes
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
