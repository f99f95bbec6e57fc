"""How often the sentences on what goes with being worth watching are right, in drawn games whose truth is known.

All six metrics of a game are drawn against its rating, and the product's own functions read them.
"""

from collections import Counter
from collections.abc import Iterable
from math import asin, pi

import numpy as np

from discussions.core.outcome import ENGAGEMENT
from discussions.metrics.core.registry import METRICS
from discussions.reliability.core.blind_answers import AGAINST, GOES_WITH, RatedGame, compute_engagement

KEYS = [key for key in METRICS if key != ENGAGEMENT]
RUNS, SEED = 2000, 17
PLANTED = 0.5
# What two normal figures with that correlation have: Kendall (1970), chapters 9 and 10.
TAU, RHO = 2 / pi * asin(PLANTED), 6 / pi * asin(PLANTED / 2)
SIZES, PROMPT_SIZES = (20, 40, 80), (5, 10)
# Correlation, spread of the prompts' means in SD of their games, and how the spread within prompts differs.
PLANTED_ALONE, NOTHING, PROMPTS_ALONE, UNEQUAL = (
    (PLANTED, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 1.5, 1.0), (0.0, 1.5, 3.0),
)  # fmt: skip
World = tuple[float, float, float]
Table = tuple[str, list[str], list[list[str]]]


def draw_games(rng: np.random.Generator, count: int, prompt_size: int, world: World) -> list[RatedGame]:
    """Scores in steps of 2 % around 80, and ratings that are the mean of two in halves around 3.2."""
    correlation, prompts, uneven = world
    prompt = np.arange(count) // prompt_size
    spread = np.where(prompt % 2, uneven, 1.0)[:, None]
    liked, own = rng.standard_normal((count, 1)), rng.standard_normal((count, len(KEYS)))
    shift = prompts * rng.standard_normal(prompt[-1] + 1)[prompt][:, None]
    liking = liked * spread + shift
    qualities = (correlation * liked + np.sqrt(1 - correlation**2) * own) * spread + shift
    scores = np.clip(2 * np.round(40 + 4 * qualities), 0, 100)
    ratings = np.clip(np.round(4 * (3.2 + 0.5 * liking[:, 0])) / 4, 1, 5)
    return [
        RatedGame(
            number, int(prompt[number]), None, dict(zip(KEYS, row.tolist(), strict=True)), rating, True, 3.0
        )
        for number, (row, rating) in enumerate(zip(scores, ratings.tolist(), strict=True))
    ]


def try_world(count: int, prompt_size: int, world: World, runs: int) -> Counter[str]:
    """How often each word stands under a metric in that many runs of six, and how often intervals hold the truth."""
    rng = np.random.default_rng([SEED, count, prompt_size, int(1000 * sum(world))])
    found: Counter[str] = Counter()
    for _run in range(runs):
        for metric in compute_engagement(draw_games(rng, count, prompt_size, world), None).metrics:
            found[metric.word] += 1
            for name, figure, truth in (("tau", metric.within.tau, TAU), ("rho", metric.within.rho, RHO)):
                low, high = figure.interval or (-1.0, 1.0)
                found[name] += low <= truth <= high
    return found


def tables(runs_factor: float) -> Iterable[Table]:
    runs = max(2, round(RUNS * runs_factor))
    header = [
        "games",
        "of a prompt",
        "planted .5: % goes with",
        "no relation: % a word",
        "prompt effects alone",
    ]
    header += ["with unequal spread", "% of 95 % intervals hold tau-b", "rho"]
    rows = []
    for count in SIZES:
        for size in PROMPT_SIZES:
            right = try_world(count, size, PLANTED_ALONE, runs)
            wrong = [try_world(count, size, world, runs) for world in (NOTHING, PROMPTS_ALONE, UNEQUAL)]
            shares = [right[GOES_WITH], *(counts[GOES_WITH] + counts[AGAINST] for counts in wrong)]
            shares += [right["tau"], right["rho"]]
            rows.append([str(count), str(size), *(f"{100 * n / (runs * len(KEYS)):.1f}" for n in shares)])
    yield "Drawn games (`make bench-statistics`)", header, rows
