"""Three looks at changes of which the truth is known; the table of docs/iterations.md is what comes out here."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from discussions.comparison.core.comparison import compare
from discussions.comparison.core.decision_basis import FORMAT, DecidedGame, DecisionBasis, compute_proposal
from discussions.metrics.core.registry import METRICS as KINDS
from tests.factories.iteration_figures import GATED
from tests.factories.looks import (
    BATCH,
    FEW,
    RUNS,
    SEED,
    draw_runs,
    judge_run,
    measure,
    print_table,
)

pytestmark = pytest.mark.slow


DOCS = Path(__file__).parents[3] / "docs" / "iterations.md"


@pytest.fixture(scope="module")
def runs():
    return draw_runs(RUNS, seed=SEED)


@pytest.fixture(scope="module")
def found(runs):
    return measure(runs, FEW)


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
    return compute_proposal(replace(basis, picked=picked), GATED).metric(target)


def test_the_simulation_judges_as_decisions_do(runs):
    assert len(runs) >= 40
    for number, run in enumerate(runs[:40]):
        size = (3, 6, 9)[number % 3]
        now = decide_now(run, size, size + BATCH * (number % 2))
        judged = judge_run(run, 0.0, size, size + BATCH * (number % 2), is_picked=True)
        assert (now.answer, now.difference.posterior) == (judged.answer, judged.posterior)
        assert now.difference.rebound > 0


def test_at_most_three_in_a_hundred_picked_targets_improve_by_luck(found):
    """With its reference played again first a picked target comes close to one that was named beforehand."""
    assert found["picked", 0.0].improved <= 0.03
    assert found["again", 0.0].improved <= 0.033
    assert found["named", 0.0].improved <= 0.045


def test_a_gain_of_one_sd_is_found_more_often_than_not(found):
    """A picked target needs its reference played again for that."""
    assert found["named", 1.0].improved >= 0.55
    assert found["again", 1.0].improved >= 0.55
    assert found["picked", 1.0].improved >= 0.42


@pytest.mark.parametrize("is_picked", [False, True])
@pytest.mark.parametrize("size", [3, 9])
def test_the_interval_of_a_difference_holds_it_as_often_as_it_says(runs, size, is_picked):
    held = []
    for run in runs[:1500]:
        low, high = judge_run(run, 0.0, size, size, is_picked=is_picked).posterior.interval
        held.append(low <= 0 <= high)
    assert np.mean(held) == pytest.approx(0.95, abs=0.015)


def test_the_table_in_the_docs_is_what_comes_out(found):
    lines = print_table(found)
    assert lines and all(line in DOCS.read_text(encoding="utf-8") for line in lines), "\n".join(lines)


def test_what_a_decision_takes_off_is_the_expected_rebound_of_the_games_that_picked(runs):
    run = runs[0]
    target, earlier = run.proposed.target.key, [run.earlier]
    own = compare(
        run.control[:3], run.change[:3], GATED, earlier=earlier, target=target, picked=run.control[:3]
    )
    more = compare(
        run.control[:9], run.change[:3], GATED, earlier=earlier, target=target, picked=run.control[:3]
    )
    first, second = (found.metric(target).difference for found in (own, more))
    assert first.rebound == pytest.approx(run.proposed.rebound_sds * first.spread.sd, abs=1e-4)
    assert second.rebound == pytest.approx(run.proposed.rebound_sds * second.spread.sd / 3, abs=1e-4)
    assert (first.picked_share, second.picked_share) == (1.0, 1 / 3)
    assert first.judged == first.raw - first.rebound
