"""How right the verdict by people is: bias and coverage of their estimate, label budgets, decisions at the stop.

One evaluator judges role consistency of drawn games. The sample, the further messages, the estimate and whether a
metric is open are the product's.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from msgspec import Struct

from discussions.adjudication.core.judgeable import SampleRule
from discussions.core.judgement_kinds import CONSISTENT, INCONSISTENT, ROLE_CONSISTENCY
from discussions.core.outcome import PeopleShare
from discussions.metrics.core.parameters import PEOPLE
from discussions.verdicts.core.people_estimate import (
    OPEN_LEVEL,
    MoreRule,
    build_strata,
    draw_sample,
    find_label_budget,
    holds_threshold,
    score_people,
)
from workspace.statistics.means import JudgedStratum

SEED, RUNS, BUDGETS, DECISIONS = 5, 4000, 1000, 2000
THRESHOLD, BATCH = 80, 10
RULE = MoreRule(SampleRule(), BATCH, 0, float(THRESHOLD), 1)
# Messages, and the share of those without an objection of the rule that people call consistent.
ROWS = ((60, 0.85), (60, 0.80), (100, 0.75), (200, 0.75), (200, 0.95))
# The rule objects to so many messages, and people agree with so many of its objections.
OBJECTIONS, UPHELD = 0.05, 0.45
SIZES, SHARES = (60, 100, 200), (0.5, 1.0)
FARTHEST = 100.0
DISTANCES = ((10.0, FARTHEST), (5.0, 10.0), (0.0, 5.0))
Table = tuple[str, list[str], list[list[str]]]


class DrawnGame(Struct):
    """What the rule, people and perhaps a judge say of each message; the true share of consistent ones, in percent."""

    seed: str
    machine: dict[str, str]
    people: dict[str, str]
    true: float
    helper: dict[str, str] | None = None

    def judge(self, wished: int = 0) -> tuple[PeopleShare, int]:
        """People's estimate once every message that was asked for is judged, and how many messages were judged.

        Every objection of the rule is judged, as in a real game.
        """
        values = {
            subject: self.people[subject] for subject in self.machine if self.machine[subject] != CONSISTENT
        }
        while True:
            sample = draw_sample(self.seed, self.machine, values, RULE, wished)
            asked = {str(position) for position in sample.positions}
            if asked <= values.keys():
                break
            values |= {subject: self.people[subject] for subject in asked}
        strata = build_strata(ROLE_CONSISTENCY, self.machine, values, asked, self.helper)
        limit, count = Fraction(THRESHOLD), len(values)
        return score_people(strata, PEOPLE, Fraction(100), limit, judged=count, batch=BATCH), count

    def judge_until_clear(self) -> tuple[PeopleShare, int]:
        """The same once the metric is no longer open."""
        wished = 0
        people, judged = self.judge()
        while people.is_open:
            wished += 1
            people, judged = self.judge(wished)
        return people, judged

    def holds(self, people: PeopleShare) -> bool:
        return people.low - 1e-9 <= self.true <= people.high + 1e-9

    def is_right(self, people: PeopleShare) -> bool:
        return (people.share >= THRESHOLD) == (self.true >= THRESHOLD)


def draw_game(rng: np.random.Generator, run: int, count: int, share: float) -> DrawnGame:
    flagged = rng.random(count) < OBJECTIONS
    consistent = np.where(flagged, rng.random(count) > UPHELD, rng.random(count) < share)
    words = {True: CONSISTENT, False: INCONSISTENT}
    machine = {str(at): words[not flag] for at, flag in enumerate(flagged.tolist(), start=1)}
    people = {str(at): words[yes] for at, yes in enumerate(consistent.tolist(), start=1)}
    return DrawnGame(f"s{run}:o{run}", machine, people, 100 * float(consistent.mean()))


def try_estimate(count: int, share: float, runs: int) -> tuple[float, float, float]:
    """Bias in points, the share of 95 % intervals that hold the truth, and the share of messages judged."""
    rng = np.random.default_rng([SEED, count, int(100 * share)])
    found = []
    for run in range(runs):
        game = draw_game(rng, run, count, share)
        people, judged = game.judge()
        found.append((people.share - game.true, game.holds(people), judged / count))
    bias, held, judged_share = np.mean(found, axis=0).tolist()
    return bias, held, judged_share


def try_budget(count: int, runs: int) -> float:
    """Of games that are open after 20 answers, how many are clear once the likely budget was spent."""
    rng = np.random.default_rng([SEED, count])
    held: list[bool] = []
    while len(held) < runs:
        answers = rng.permutation(rng.random(count) < rng.uniform(*SHARES)).cumsum()
        after = {n: _strata(n, int(answers[n - 1]), count) for n in range(20, count + 1, BATCH)}
        budget = find_label_budget(tuple(after[20]), THRESHOLD, BATCH)
        if budget is not None:
            looks = [strata for n, strata in after.items() if n <= 20 + budget[0]]
            held.append(not all(holds_threshold(strata, THRESHOLD, OPEN_LEVEL) for strata in looks))
    return float(np.mean(held))


def _strata(judged: int, positive: int, count: int) -> list[JudgedStratum]:
    return [
        JudgedStratum(judged, positive, judged, positive, count - judged),
        JudgedStratum(0, 0, 0, 0, 0),
    ]


def try_decisions(count: int, runs: int) -> dict[tuple[float, float], list[tuple[bool, float]]]:
    """By the distance of the truth from the threshold: whether pass or fail is as if all were judged, and labels.

    Messages are asked for until the metric is no longer open.
    """
    rng = np.random.default_rng([SEED, count, 1])
    found: dict[tuple[float, float], list[tuple[bool, float]]] = {distance: [] for distance in DISTANCES}
    for run in range(runs):
        game = draw_game(rng, run, count, rng.uniform(*SHARES))
        people, judged = game.judge_until_clear()
        away = abs(game.true - THRESHOLD)
        place = next(distance for distance in DISTANCES if away >= distance[0])
        found[place].append((game.is_right(people), judged / count))
    return found


def tables(runs_factor: float) -> Iterable[Table]:
    runs, budgets, decisions = (max(2, round(n * runs_factor)) for n in (RUNS, BUDGETS, DECISIONS))
    rows = []
    for count, share in ROWS:
        bias, held, judged = try_estimate(count, share, runs)
        rows.append([str(count), _percent(share), f"{bias:+.1f}", _percent(held, 1), _percent(judged)])
    header = ["messages", "% consistent", "bias, points", "% of 95 % intervals hold", "% judged"]
    yield "People's estimate", header, rows
    rows = [[str(count), _percent(try_budget(count, budgets))] for count in SIZES]
    yield "Clear within the likely label budget, promised 80 %", ["messages", "% clear"], rows
    rows = []
    for count in SIZES:
        for (low, high), games in try_decisions(count, decisions).items():
            away = f"≥{low:g}" if high == FARTHEST else f"{low:g}–{high:g}"
            figures = np.mean(games, axis=0).tolist() if games else [None, None]
            rows.append([str(count), away, _percent(figures[0], 1), _percent(figures[1])])
    yield (
        "Decisions at the stop",
        ["messages", "points from the threshold", "% as if all were judged", "% judged"],
        rows,
    )


def _percent(share: float | None, decimals: int = 0) -> str:
    return "-" if share is None else f"{100 * share:.{decimals}f}"
