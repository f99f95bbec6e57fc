"""Three looks at changes of which the truth is known: false answers, power, and what is taken off a picked target."""

import numpy as np
import pytest
from msgspec.structs import replace

from discussions.comparison.core.comparison import compare
from discussions.comparison.core.decision_basis import FORMAT, DecidedGame, DecisionBasis, compute_proposal
from discussions.comparison.core.difference import get_level
from discussions.metrics.core.registry import METRICS as KINDS
from tests.factories.iteration_figures import GATED
from tests.factories.looks import AGAIN, BATCH, NAMED, PICKED, count_ends, draw_runs, judge_run

pytestmark = pytest.mark.slow
RUNS, FEW, SEED = 2000, 300, 11


@pytest.fixture(scope="module")
def runs():
    return draw_runs(RUNS, seed=SEED)


def decide_now(run, size, control_size):
    """The proposal of a decision on so many games, for the target that the control's first games propose."""
    rows = [
        [DecidedGame(played.number, played.number, played) for played in games]
        for games in (run.control[:control_size], run.change[:size])
    ]
    target = run.proposed.target.key
    basis = DecisionBasis(
        FORMAT, 2, 1, 1, "0" * 64, target, {target: KINDS[target].scale.material}, 1, *rows, [run.earlier]
    )
    picked = [played.number for played in run.control[:BATCH]]
    return compute_proposal(replace(basis, picked=picked, earlier_count=1), GATED).metric(target)


def test_the_simulation_judges_as_decisions_do(runs):
    assert len(runs) >= 40
    for number, run in enumerate(runs[:40]):
        size = (3, 6, 9)[number % 3]
        control_size = size + BATCH * (number % 2)
        now = decide_now(run, size, control_size)
        judged = judge_run(run, 0.0, size, control_size, is_picked=True)
        assert (now.answer, now.difference) == (judged.answer, judged)
        assert now.difference.rebound > 0


def test_at_most_four_in_a_hundred_changes_without_effect_improve_by_luck(runs):
    """With 2,000 runs, within two standard errors; also a target that was picked as the lowest."""
    for way in (NAMED, PICKED, AGAIN):
        found = count_ends(runs, 0.0, **way)
        assert max(found.improved, found.worse) <= 0.04 + 2 * np.sqrt(0.04 * 0.96 / RUNS), way


def test_a_gain_of_one_sd_is_found_more_often_than_not(runs):
    """A picked target needs its reference played again for that."""
    assert count_ends(runs[:FEW], 1.0, **NAMED).improved >= 0.5
    assert count_ends(runs[:FEW], 1.0, **AGAIN).improved >= 0.5
    assert count_ends(runs[:FEW], 1.0, **PICKED).improved >= 0.4


@pytest.mark.parametrize("is_picked", [False, True])
@pytest.mark.parametrize("size", [3, 9])
def test_the_interval_of_a_difference_holds_it_as_often_as_it_says(runs, size, is_picked):
    held = []
    for run in runs[:1500]:
        low, high = judge_run(run, 0.0, size, size, is_picked=is_picked).interval
        held.append(low <= 0 <= high)
    share = BATCH / size if is_picked else 0.0
    assert np.mean(held) == pytest.approx(1 - get_level(size, share) - get_level(size), abs=0.015)


def test_what_a_decision_takes_off_is_the_rebound_that_was_announced(runs):
    run = runs[0]
    target, earlier = run.proposed.target.key, [run.earlier]
    given = {"earlier": earlier, "target": target, "picked": run.control[:3]}
    own = compare(run.control[:3], run.change[:3], GATED, **given)
    more = compare(run.control[:9], run.change[:3], GATED, **given)
    first, second = (found.metric(target).difference for found in (own, more))
    assert first.rebound == pytest.approx(run.proposed.rebound, abs=1e-4)
    assert second.rebound == pytest.approx(run.proposed.rebound / 3, abs=1e-4)
    assert (first.picked_share, second.picked_share) == (1.0, 1 / 3)
    assert first.judged == first.raw - first.rebound
