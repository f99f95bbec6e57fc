"""Moves of weight that change the winner: the source's example, linear programming, and win shares."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import block_diag

from rubric.core.scores import compute_overall, get_weights
from rubric.results.core.ranking_uncertainty import edges, flips, smallest_move, win_shares
from tests.factories.reviews import CRITERIA, EXAMPLE, LABELS, VERSION

WEIGHTS = get_weights(VERSION)
SCORES = {label: {key: entry[key] for key in CRITERIA} for label, entry in EXAMPLE["evaluations"].items()}
A, B, C = (SCORES[label] for label in LABELS)
KEYS = list("abcdef")


def programmes(cases):
    """The smallest moves by linear programming, all cases at once: minimise half of all changes until no gap is left.

    None when one of the cases has no solution.
    """
    above, limits, equal, sums, costs = [], [], [], [], []
    for leads, shares in cases:
        size = len(leads)
        identity = np.eye(size)
        change = np.hstack([np.vstack([identity, -identity]), np.vstack([-identity, -identity])])
        above.append(np.vstack([change, np.concatenate([leads, np.zeros(size)])[None]]))
        limits += [*shares, *-shares, 0]
        equal.append(np.concatenate([np.ones(size), np.zeros(size)])[None])
        sums.append(shares.sum())
        costs += [0] * size + [0.5] * size
    solved = linprog(
        costs, block_diag(above, "csr"), limits, block_diag(equal, "csr"), sums, (0, None), method="highs"
    )
    if solved.status:
        return None
    ends = np.cumsum([2 * len(leads) for leads, _shares in cases])
    return [part[len(part) // 2 :].sum() / 2 for part in np.split(solved.x, ends[:-1])]


def test_the_example_of_the_decision_record():
    (found,) = flips(SCORES, WEIGHTS).items()
    winner, (first, second) = found
    assert winner == "Response A"
    assert (first.rival, first.move, first.is_fragile) == ("Response B", Fraction(125, 10_000), True)
    assert (second.rival, second.move, second.weights) == ("Response C", None, None)
    assert compute_overall(A, first.weights).value == compute_overall(B, first.weights).value
    assert first.weights["accuracy"] == Fraction("0.3375")
    assert first.weights["conciseness"] == Fraction("0.2125")
    assert sum(first.weights.values()) == 1


def test_one_weight_alone():
    found = edges(winner=A, rival=B, weights=WEIGHTS)
    assert float(found["accuracy"][0]) == pytest.approx(0.333, abs=5e-4)
    assert float(found["completeness"][1]) == pytest.approx(0.286, abs=5e-4)
    assert float(found["conciseness"][1]) == pytest.approx(0.220, abs=5e-4)
    assert found["clarity"] == (None, None)
    assert edges(winner=A, rival=C, weights=WEIGHTS) == dict.fromkeys(WEIGHTS, (None, None))


def test_2000_random_cases_agree_with_linear_programming():
    random = np.random.default_rng(7)
    cases, moves = [], []
    for _ in range(2000):
        size = int(random.integers(2, 7))
        first, other = random.integers(1, 11, (2, size))
        shares = random.dirichlet(np.ones(size))
        if (first - other) @ shares <= 0:
            first, other = other, first
        winner, rival, weights = (
            dict(zip(KEYS, row.tolist(), strict=False)) for row in (first, other, shares)
        )
        cases.append(((first - other).astype(float), shares))
        moves.append(smallest_move(winner=winner, rival=rival, weights=weights).move)
    never = [case for case, move in zip(cases, moves, strict=True) if move is None]
    solved = [case for case, move in zip(cases, moves, strict=True) if move is not None]
    assert programmes(solved) == pytest.approx([float(move) for move in moves if move is not None], abs=1e-7)
    assert len(never) > 100
    assert all(programmes([case]) is None for case in never[:30])
    assert all(min(leads) > 0 for leads, _shares in never)


def test_level_already_and_level_only_at_the_end():
    assert (
        smallest_move(winner={"a": 5, "b": 5}, rival={"a": 5, "b": 5}, weights={"a": 0.5, "b": 0.5}).move == 0
    )
    # Where the rival never leads but is level in one criterion, all weight has to go there.
    assert smallest_move(
        winner={"a": 9, "b": 5}, rival={"a": 5, "b": 5}, weights={"a": 0.75, "b": 0.25}
    ).move == Fraction("0.75")


def test_tied_winners_and_responses_without_all_scores():
    found = flips({"one": A, "two": A, "part": {"accuracy": 10}}, WEIGHTS)
    assert {winner: [(flip.rival, flip.move) for flip in given] for winner, given in found.items()} == {
        "one": [("two", 0)], "two": [("one", 0)],
    }  # fmt: skip
    assert flips({}, WEIGHTS) == {}


@pytest.mark.parametrize(("kappa", "share"), [(100, 0.62), (50, 0.58), (None, 0.33)])
def test_win_shares_of_the_example(kappa, share):
    found = win_shares(SCORES, WEIGHTS, kappa=kappa, draws=20_000, seed=1)
    assert list(found) == LABELS
    assert found["Response A"] == pytest.approx(share, abs=0.015)
    assert found["Response C"] == 0
    assert sum(found.values()) == pytest.approx(1)
    assert found == win_shares(SCORES, WEIGHTS, kappa=kappa, draws=20_000, seed=1)


def test_tied_responses_share_what_they_win():
    assert win_shares({"one": A, "two": A}, WEIGHTS, kappa=10, draws=100) == {"one": 0.5, "two": 0.5}
    assert win_shares({"one": A, "part": {}}, WEIGHTS | {"clarity": 0}, kappa=10, draws=10) == {"one": 1.0}
    assert win_shares({}, WEIGHTS, kappa=10) == {}


tables = st.lists(st.lists(st.integers(1, 10), min_size=4, max_size=4), min_size=2, max_size=4)


@given(tables, st.permutations(range(4)), st.randoms())
def test_the_order_of_criteria_and_responses_changes_nothing(table, order, shuffler):
    scores = {f"r{at}": dict(zip(CRITERIA, row, strict=True)) for at, row in enumerate(table)}
    criteria = [CRITERIA[at] for at in order]
    labels = list(scores)
    shuffler.shuffle(labels)
    turned = {label: {key: scores[label][key] for key in criteria} for label in labels}
    weights = {key: WEIGHTS[key] for key in criteria}
    assert flips(turned, weights) == flips(scores, WEIGHTS)
    assert win_shares(turned, weights, kappa=20, draws=50) == win_shares(scores, WEIGHTS, kappa=20, draws=50)
