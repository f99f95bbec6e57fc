"""How right the mean of an iteration is where games entered the queue by rules, with weights and without.

People's score of a game lies around its automatic score, and lower where that fails. All games that fail by less than
5 points enter, and a share of the rest; drawn, averaged and given intervals by the product's own functions.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from discussions.core.intake import SHORT, WEAKEST, Arrival, Filling, FillRow, find_row, is_drawn
from discussions.iterations.core.averages import compute_mean_interval
from discussions.iterations.core.figures import GameFigures, collect_scores, list_weights, mean_score

RUNS, SEED, THRESHOLD, KEY = 1000, 40, 72, "memory_accuracy"
# Games of an iteration, the share of the rest in percent, and whether all that fail enter.
CASES = ((60, 20.0), (60, 50.0), (120, 10.0), (120, 20.0), (300, 20.0))


def draw_games(random: np.random.Generator, count: int) -> list[tuple[float, float]]:
    """(automatic score, people's score) of so many games."""
    automatic = np.clip(random.normal(75, 8, count), 0, 100)
    people = automatic + random.normal(0, 6, count) - 3 * (automatic < THRESHOLD)
    return list(zip(automatic.tolist(), np.clip(people, 0, 100).round(4).tolist(), strict=True))


def enter(
    games: list[tuple[float, float]], filling: Filling, random: np.random.Generator
) -> list[GameFigures]:
    """The games that the rules let in, with their chances."""
    found = []
    for number, (automatic, people) in enumerate(games, start=1):
        arrival = Arrival({KEY: (Fraction(automatic), Fraction(THRESHOLD))})
        percent = filling.shares[find_row(filling, arrival) - 1]
        if is_drawn(f"{random.integers(16**13):013x}", percent):
            found.append(GameFigures(number, {KEY: people}, chance=percent / 100))
    return found


def try_rules(count: int, rest: float, runs: int) -> tuple[float, float, float, float, float]:
    """The games that enter, the bias with and without weights, how often the interval holds, and its mean width."""
    random = np.random.default_rng(SEED)
    truth = float(np.mean([people for _automatic, people in draw_games(random, 400_000)]))
    filling = Filling([FillRow(SHORT, 100.0, WEAKEST, "5")], rest)
    rows = []
    for _run in range(runs):
        games = enter(draw_games(random, count), filling, random)
        scores, weights = collect_scores(games, KEY), list_weights(games, KEY)
        interval, mean = compute_mean_interval(scores, 0, 100, weights), mean_score(games, KEY)
        if interval is None or mean is None:
            continue
        plain = float(sum(scores) / len(scores))
        holds = interval[0] <= truth <= interval[1]
        rows.append((len(games), float(mean) - truth, plain - truth, 100 * holds, interval[1] - interval[0]))
    entered, bias, plain, held, width = np.mean(rows, axis=0).tolist()
    return entered, bias, plain, held, width


def tables(runs_factor: float) -> Iterable[tuple[str, list[str], list[list[str]]]]:
    runs = max(2, round(RUNS * runs_factor))
    rows = []
    for count, rest in CASES:
        entered, *found = try_rules(count, rest, runs)
        formats = ("+.1f", "+.1f", ".1f", ".1f")
        cells = [format(value, how) for value, how in zip(found, formats, strict=True)]
        rows.append([f"{count}", f"{rest:.0f} %", f"{entered:.0f}", *cells])
    head = [
        "games",
        "of the rest",
        "enter",
        "bias, weighted",
        "bias, not weighted",
        "95 % interval holds %",
        "width",
    ]
    yield "The mean of an iteration whose games enter by rules, in points", head, rows
