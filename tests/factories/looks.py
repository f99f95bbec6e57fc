"""Many comparisons of which the truth is known, judged by the product's own functions, over three looks."""

from fractions import Fraction
from math import sqrt

import numpy as np
from msgspec import Struct

from discussions.comparison.core.comparison import get_material_difference
from discussions.comparison.core.difference import (
    IMPROVED,
    MOST_LOOKS,
    NO_REBOUND,
    WORSE,
    Difference,
    difference,
    find_rebound,
)
from discussions.iterations.core.averages import pooled_spread
from discussions.iterations.core.figures import GameFigures, collect_scores
from discussions.iterations.core.next_target import NextTarget, next_target
from discussions.metrics.core.registry import METRICS as KINDS
from tests.factories.iteration_figures import GATED, METRICS
from tests.factories.verdict_examples import THRESHOLDS

# Games differ by so much: 10 points, half a point of a rating. Scores are whole, so that their sums are quick.
SD, RATING_SD = 10, 0.5
BATCH = 3
# One earlier batch of nine games: 8 degrees of freedom.
EARLIER = 9
# Metrics of one game correlate, and true margins differ between metrics, as in real games.
CORRELATION, MARGINS = 0.3, 0.5


class Run(Struct, frozen=True):
    """One stage: an earlier batch, all control games in order, a change without effect, and the proposed target."""

    earlier: list[GameFigures]
    control: list[GameFigures]
    change: list[GameFigures]
    proposed: NextTarget


class Ends(Struct, frozen=True):
    """Shares of runs that end improved and worse, and the mean number of the change's games."""

    improved: float
    worse: float
    games: float


def draw_runs(count: int, *, seed: int, earlier: int = EARLIER, margins: float = MARGINS) -> list[Run]:
    """Runs in which no metric differs between control and change; the first games of the control pick the target."""
    random = np.random.default_rng(seed)
    ends = earlier, earlier + BATCH * (MOST_LOOKS + 1), earlier + BATCH * (2 * MOST_LOOKS + 1)
    true = random.normal(0, margins, (count, 1, len(THRESHOLDS)))
    shared = random.normal(0, sqrt(CORRELATION), (count, ends[-1], 1))
    own = random.normal(0, sqrt(1 - CORRELATION), (count, ends[-1], len(THRESHOLDS)))
    units = [*[SD] * len(METRICS), 100 * RATING_SD]
    centres = [*(THRESHOLDS[key] for key in METRICS), 300.0]
    runs = []
    for rows in np.rint(centres + np.array(units) * (true + shared + own)).tolist():
        games = [
            GameFigures(number, dict(zip(METRICS, row, strict=False)), rating=row[-1] / 100)
            for number, row in enumerate(rows, 1)
        ]
        before, control = games[: ends[0]], games[ends[0] : ends[1]]
        proposed = next_target(control[:BATCH], GATED, earlier=[before] if before else [])
        runs.append(Run(before, control, games[ends[1] :], proposed))
    return runs


def take_looks(run: Run, effect: float, *, is_picked: bool, fresh: int = 0) -> tuple[str, int]:
    """The answer in which a run ends after at most three looks, and how many games of the change were played.

    With `is_picked` the target is what the first games of the control propose, else one that was named without a look
    at them; `fresh` further games of the control are played before the first look.
    """
    answer, size = "", 0
    for size in range(BATCH, BATCH * MOST_LOOKS + 1, BATCH):
        answer = judge_run(run, effect, size, size + fresh, is_picked=is_picked).answer
        if answer in (IMPROVED, WORSE):
            break
    return answer, size


def judge_run(run: Run, effect: float, size: int, control_size: int, *, is_picked: bool) -> Difference:
    """One look, as `compare` has it for the target; the change gains so many SDs."""
    target = run.proposed.target.key if is_picked and run.proposed.target else METRICS[0]
    gain = Fraction(effect) * Fraction(RATING_SD if target == "engagement" else SD)
    control = run.control[:control_size]
    picked = {game.number for game in run.control[:BATCH]}
    first = collect_scores(control, target)
    second = [score + gain for score in collect_scores(run.change[:size], target)]
    spread = pooled_spread([first, second, collect_scores(run.earlier, target)])
    return difference(
        first,
        second,
        spread,
        material=get_material_difference(target),
        span=KINDS[target].scale.span,
        rebound=find_rebound(target, run.proposed, picked, control) if is_picked else NO_REBOUND,
    )


def count_ends(runs: list[Run], effect: float, *, is_picked: bool, fresh: int = 0) -> Ends:
    """How the runs end for a target that was picked as the lowest, or named without a look at the games."""
    ends = [take_looks(run, effect, is_picked=is_picked, fresh=fresh) for run in runs]
    answers = [answer for answer, _size in ends]
    return Ends(
        answers.count(IMPROVED) / len(ends),
        answers.count(WORSE) / len(ends),
        sum(size for _answer, size in ends) / len(ends),
    )


# The columns of the table: a target that was named without a look at the games, one that the control's own games
# picked, and the same with the reference played again before the first look.
NAMED, PICKED, AGAIN = {"is_picked": False}, {"is_picked": True}, {"is_picked": True, "fresh": BATCH}
WAYS = {"named": NAMED, "picked": PICKED, "again": AGAIN}
