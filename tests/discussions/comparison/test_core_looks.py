"""Looks at a pair, lengths of messages, and batches of games in a comparison."""

import numpy as np
import pytest
from msgspec.structs import replace

from discussions.comparison.core.comparison import compare, describe_batches
from discussions.comparison.core.decision_basis import FORMAT, DecidedGame, DecisionBasis, compute_proposal
from discussions.comparison.core.difference import describe_lengths, get_level
from discussions.metrics.core.registry import METRICS as KINDS
from tests.factories.iteration_figures import GATED, game
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


def play(messages, words, count=3, start=1):
    return [game(start + number, message_count=messages, word_count=words) for number in range(count)]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((50, 600), ""),
        ((50, 500), ""),
        ((60, 600), ""),
        ((50, 601), "20\u00a0% more words per message (12.02 against 10.00)"),
        ((50, 300), "40\u00a0% fewer words per message (6.0 against 10.0)"),
        ((75, 750), "50\u00a0% more messages per game (75.0 against 50.0)"),
        (
            (30, 600),
            "100\u00a0% more words per message (20.0 against 10.0) and 40\u00a0% fewer messages per game",
        ),
    ],
)
def test_more_than_a_fifth_is_said(change, says):
    found = describe_lengths("anti_repetition", play(50, 500), play(*change, start=10))
    assert bool(found) == bool(says)
    assert says.split(" (")[0] in found


def test_only_of_the_two_metrics_that_follow_it():
    found = compare(play(50, 500), play(50, 800, start=10), GATED, target="coherence")
    told = {metric.key for metric in found.metrics if metric.length_says}
    assert told == {"personality_diversity", "anti_repetition"}
    assert found.metric("anti_repetition").length_says == (
        "Follows the length of what is said: 60\u00a0% more words per message (16.0 against 10.0)."
    )


def test_games_without_counts_say_nothing():
    assert describe_lengths("anti_repetition", [game(1)], play(50, 800)) == ""
    assert describe_lengths("anti_repetition", [], play(50, 800)) == ""


DAYS = (
    "The reference was played on 2026-03-03 to 2026-03-05, the change on 2026-03-20: a difference may come from the "
    "days, not from the prompt."
)
MODEL = (
    "The reference was played with a-1, the change with a-1; a-2: a difference may come from the model, not from the "
    "prompt."
)


def side(*played):
    return [game(number, played_on=day, build=build) for number, (day, build) in enumerate(played, 1)]


REFERENCE = side(("2026-03-05", "a-1"), ("2026-03-03", "a-1"), ("", ""))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (side(("2026-03-20", "a-1")), DAYS),
        (side(("2026-03-20", ""), ("", "a-1")), DAYS),
        (side(("2026-03-04", "a-2"), ("", "a-1")), MODEL),
        (side(("2026-03-05", "a-1"), ("2026-03-20", "a-1")), ""),
        (side(("2026-03-04", "a-1")), ""),
        (side(("", "")), ""),
        ([], ""),
    ],
)
def test_days_apart_and_other_builds_are_said(change, says):
    assert describe_batches(REFERENCE, change) == says


def test_both_are_one_sentence_in_either_order():
    change = side(("2026-02-01", "a-2"))
    assert describe_batches(REFERENCE, change) == (
        "The reference was played on 2026-03-03 to 2026-03-05 with a-1, the change on 2026-02-01 with a-2: a "
        "difference may come from the days or the model, not from the prompt."
    )
    assert describe_batches(change, REFERENCE).startswith(
        "The reference was played on 2026-02-01 with a-2, the"
    )


def test_games_that_say_nothing_differ_in_nothing():
    assert describe_batches(side(("", ""), ("", "")), REFERENCE) == ""
