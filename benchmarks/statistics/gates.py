"""How often the gate's row of successes is reached by prompts with true averages at, above or below the thresholds.

Every iteration is judged by the product's own rule. Metrics of one game correlate by .3; ratings come in half points.
"""

from collections.abc import Iterable
from itertools import pairwise
from math import sqrt

import numpy as np

from discussions.iterations.core.gates import (
    GAMES_SIMULATED,
    IN_A_ROW_SIMULATED,
    ITERATIONS_SIMULATED,
    compute_streak,
)
from discussions.iterations.core.history import IterationFigures
from tests.factories.iteration_figures import GATED, METRICS, game
from tests.factories.verdict_examples import THRESHOLDS

CORRELATION = 0.3
# The SDs between games: of a percentage, and of a rating.
SD, RATING_SD = 10.0, 0.5
RUNS, SEED = 4000, 8
MARGINS = (-0.25, 0.0, 0.25, 0.5, 1.0)


def play(number: int, scores: "np.ndarray") -> IterationFigures:
    """An iteration from scores in SDs above the thresholds, a row for each game."""
    games = []
    for place, row in enumerate(scores):
        drawn = zip(METRICS, row, strict=False)
        values = {key: min(max(round(THRESHOLDS[key] + SD * float(z), 1), 0.0), 100.0) for key, z in drawn}
        rating = min(max(round(2 * (THRESHOLDS["engagement"] + RATING_SD * float(row[-1]))) / 2, 1.0), 5.0)
        games.append(game(10 * number + place, rating=rating, **values))
    return IterationFigures(number, "", games)


def draw_successes(margin: float, runs: int, *, seed: int = SEED) -> "np.ndarray":
    """Whether each of so many iterations succeeds; all true averages lie `margin` SDs above their thresholds."""
    random = np.random.default_rng(seed)
    shape = (runs, GAMES_SIMULATED)
    shared = random.normal(0, sqrt(CORRELATION), (*shape, 1))
    own = random.normal(0, sqrt(1 - CORRELATION), (*shape, len(THRESHOLDS)))
    played = [play(number, scores) for number, scores in enumerate(margin + shared + own, 1)]
    return np.array([step.state == "success" for step in compute_streak(played, GATED).steps])


def chance_of_row(success: float) -> float:
    """P(a row of successes within the iterations), each with this probability: a chain over the length of the row."""
    lengths = [1.0, *[0.0] * IN_A_ROW_SIMULATED]
    for _ in range(ITERATIONS_SIMULATED):
        broken = (1 - success) * sum(lengths[:-1])
        grown = [success * before for before, _after in pairwise(lengths)]
        lengths = [broken, *grown[:-1], lengths[-1] + grown[-1]]
    return lengths[-1]


def tables(runs_factor: float) -> Iterable[tuple[str, list[str], list[list[str]]]]:
    """The table of how often the gate is reached; `runs_factor` times the usual number of runs."""
    runs = max(100, round(RUNS * runs_factor))
    rows = []
    for margin in MARGINS:
        success = float(draw_successes(margin, runs).mean())
        rows.append([f"{margin:+.2f} SD", f"{100 * success:.1f} %", f"{100 * chance_of_row(success):.1f} %"])
    tests = f"{ITERATIONS_SIMULATED} iterations of {GAMES_SIMULATED} games"
    title = f"The gate: {IN_A_ROW_SIMULATED} successes in a row within {tests}"
    yield title, ["true averages above the thresholds", "an iteration succeeds", "the row is reached"], rows
