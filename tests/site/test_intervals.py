"""How often every interval on a page holds the truth: simulated, and compared with docs/intervals.md."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.statistics.responses import COEFFICIENTS, LEAST_LEFT, RARE_DESIGNS, hold_rare, play, predict
from discussions.agents.core.files import build_figure
from discussions.comparison.core.difference import PAIRED_Z, difference, get_level
from discussions.iterations.core.averages import compute_mean_interval, pooled_spread
from discussions.reliability.core.crosstab import compute_interval_over_games
from discussions.verdicts.core.people_estimate import build_strata
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import gwet_ac, observed_agreement, specific_agreement
from workspace.statistics.conclusions import mean_figure
from workspace.statistics.intraclass import compute_icc_from_components, icc
from workspace.statistics.means import JudgedStratum, newcombe, predict_next, predict_share, wilson

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs" / "intervals.md"
RUNS = 2000
CLOSE = 1.5
Interval = tuple[float, float]
Try = Callable[[np.random.Generator], bool]
Chance = Callable[[np.random.Generator], float]


class Row(NamedTuple):
    """A row of the table in the docs: the interval, how it is tried, what it promises and holds, in percent."""

    interval: str
    design: str
    level: float
    held: Chance


def holds(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval[0] - 1e-9 <= truth <= interval[1] + 1e-9


def share_of(run: Try, runs: int = RUNS) -> Chance:
    return lambda random: 100 * sum(run(random) for _run in range(runs)) / runs


# Shares.


def hold_wilson(count: int) -> float:
    """Exact, averaged over the shares from 0 to 100 %."""
    counts = np.arange(count + 1)
    ends = np.array([wilson(int(found), count) for found in counts]) / 100
    shares = (np.arange(200) + 0.5) / 200
    inside = (ends[:, :1] <= shares) & (shares <= ends[:, 1:])
    return float(100 * (binom.pmf(counts[:, None], count, shares) * inside).sum(axis=0).mean())


def hold_newcombe(first: int, second: int) -> float:
    """Exact, averaged over two shares from 0 to 100 %."""
    shares = (np.arange(20) + 0.5) / 20
    chances = [binom.pmf(np.arange(count + 1)[:, None], count, shares) for count in (first, second)]
    gaps = shares[:, None] - shares[None, :]
    held = np.zeros_like(gaps)
    for one in range(first + 1):
        for two in range(second + 1):
            low, high = newcombe(one, first, two, second) or (0.0, 0.0)
            held += np.outer(chances[0][one], chances[1][two]) * ((low <= gaps) & (gaps <= high))
    return float(100 * held.mean())


def hold_people(messages: int, drawn: int) -> Try:
    """People agree with 70 % of what the rule counts, which is 60 %, and count 30 % of the rest."""
    names = [str(number) for number in range(messages)]

    def run(random: np.random.Generator) -> bool:
        rule = random.random(messages) < 0.6
        people = random.random(messages) < np.where(rule, 0.7, 0.3)
        machine = {name: "yes" if counts else "no" for name, counts in zip(names, rule, strict=True)}
        sampled = [names[at] for at in random.choice(messages, drawn, replace=False)]
        values = {name: "yes" if people[int(name)] else "no" for name in sampled}
        _share, low, high = predict_share(build_strata("strategic_depth", machine, values, sampled))
        return holds((low, high), 100 * float(people.mean()))

    return run


def hold_predicted(level: float) -> Try:
    """One stratum of 100 messages of which 20 are judged, with a share between 50 and 95 %."""

    def run(random: np.random.Generator) -> bool:
        people = random.random(100) < random.uniform(0.5, 0.95)
        sampled = int(people[:20].sum())
        _share, low, high = predict_share([JudgedStratum(20, sampled, 20, sampled, 80)], level)
        return holds((low, high), 100 * float(people.mean()))

    return run


def hold_over_games(random: np.random.Generator) -> bool:
    """Ten games of 20 to 60 messages, whose shares differ with an SD of 12 points around 70."""
    counts = random.integers(20, 61, 10)
    found = random.binomial(counts, random.beta(9.5, 9.5 * 3 / 7, 10))
    sums = [(int(over), int(of)) for over, of in zip(found, counts, strict=True)]
    return holds(compute_interval_over_games(sums, wilson(int(found.sum()), int(counts.sum())))[0], 70.0)


def hold_apart(games: int, share: float) -> Try:
    """An agent's share in so many games of 3 to 12 messages, against 30 games of others, whose share is 70."""

    def run(random: np.random.Generator) -> bool:
        rows = []
        for count, least, most, mean in ((games, 3, 13, share), (30, 10, 41, 0.7)):
            of = random.integers(least, most, count)
            right = random.binomial(of, random.beta(9.5 * mean / 0.7, 9.5 * (1 - mean) / 0.7, count))
            rows.append(np.stack([right, of, np.zeros(count, np.int64)], axis=1))
        return holds(build_figure(*rows).apart, 100 * (share - 0.7))

    return run


# Games.


def hold_average(count: int) -> Try:
    return lambda random: holds(compute_mean_interval(play(random, count, 50, 10), 0, 100), 70.0)


def hold_next_game(own: int, others: int, messages: int = 50) -> Try:
    """The next of `own` games under a prompt, with so many batches of three under other prompts."""

    def run(random: np.random.Generator) -> bool:
        found = predict(random, messages, 10, own, others)
        return holds((found.low or 0.0, found.high or 0.0), float(play(random, 1, messages, 10)[0]))

    return run


def hold_predict_next(count: int, level: float) -> Try:
    def run(random: np.random.Generator) -> bool:
        scores = random.normal(0, 1, count)
        found = predict_next(float(scores.mean()), count, float(scores.std(ddof=1)), count - 1, level)
        return holds(found, float(random.normal()))

    return run


def draw_scores(random: np.random.Generator, mean: float, sd: float, count: int) -> list[Fraction]:
    return [Fraction(round(1000 * score), 1000) for score in random.normal(mean, sd, count)]


def hold_difference(size: int, sd: float = 10) -> Try:
    """A change of 8 points and an SD of `sd`, its control and two earlier batches with one of 10; no end is clipped."""

    def run(random: np.random.Generator) -> bool:
        control, change = draw_scores(random, 0, 10, size), draw_scores(random, 8, sd, size)
        spread = pooled_spread(
            [control, change, draw_scores(random, 5, 10, 3), draw_scores(random, -5, 10, 3)]
        )
        return holds(difference(control, change, spread, material=5, span=1000).interval, 8.0)

    return run


def hold_pairs(random: np.random.Generator) -> bool:
    """Six games whose level differs with an SD of 20, each played under both prompts; the change has 8 points more."""
    levels = random.normal(0, 20, 6)
    control = [draw_scores(random, float(level), 10, 1)[0] for level in levels]
    change = [draw_scores(random, float(level) + 8, 10, 1)[0] for level in levels]
    spread = pooled_spread([control, change])
    return holds(difference(control, change, spread, material=5, span=1000, is_paired=True).interval, 8.0)


def promise(size: int, **given: float) -> float:
    """What the interval of a difference promises at so many games, in percent."""
    return round(100 * (1 - 2 * get_level(size, **given)), 1)


# Agreement: three raters.


def answer(random: np.random.Generator, items: int) -> np.ndarray:
    """Yes or no of three raters, with chances of yes that are even from 0 to 1: alpha and AC1 are 1/3."""
    return (random.random((items, 3)) < random.random((items, 1))).astype(float)


def score(random: np.random.Generator, items: int) -> np.ndarray:
    """Scores of three raters with an SD of 0.7 around items of SD 1: the correlation is 1 / 1.49."""
    return random.normal(0, 1, (items, 1)) + random.normal(0, 0.7, (items, 3))


def score_with_gaps(random: np.random.Generator, items: int) -> np.ndarray:
    found = score(random, items)
    found[np.arange(items), random.integers(0, 3, items)] = np.nan
    return found


def hold_agreement(statistic, draw, truth: float, items: int) -> Try:
    return lambda random: holds(statistic(draw(random, items)).interval, truth)


def hold_mean(count: int) -> Try:
    return lambda random: holds(mean_figure(random.normal(0, 1, count), reason="None.").interval, 0.0)


ONE = 1 / 1.49
GROUPS = [item // 5 for item in range(50)]
AGREEMENT = [
    ("alpha, nominal", "50 items", partial(krippendorff_alpha, level="nominal"), answer, 1 / 3),
    (
        "alpha, nominal, over games",
        "10 games of 5 items",
        partial(krippendorff_alpha, level="nominal", groups=GROUPS),
        answer,
        1 / 3,
    ),
    ("alpha, interval", "50 items", partial(krippendorff_alpha, level="interval"), score, ONE),
    ("AC1", "50 items", partial(gwet_ac, scale=[0.0, 1.0]), answer, 1 / 3),
    ("observed agreement", "50 items", observed_agreement, answer, 2 / 3),
    ("agreement on yes", "50 items", lambda table: specific_agreement(table, 1.0), answer, 2 / 3),
    ("ICC(2,1)", "50 items", partial(icc, form="2,1"), score, ONE),
    ("ICC(2,k)", "50 items", partial(icc, form="2,k"), score, 3 * ONE / (1 + 2 * ONE)),
    (
        "ICC(2,1) from components",
        "50 items, a third of the ratings missing",
        partial(compute_icc_from_components, form="2,1"),
        score_with_gaps,
        ONE,
    ),
]
ROWS = [
    Row("Wilson's, of a share", "18 messages, mean over all shares", 95, lambda _random: hold_wilson(18)),
    Row("Wilson's, of a share", "50 messages, mean over all shares", 95, lambda _random: hold_wilson(50)),
    Row(
        "Newcombe's, of two shares",
        "20 and 30 answers, all shares",
        95,
        lambda _random: hold_newcombe(20, 30),
    ),
    Row("people's estimate", "10 of 60 messages judged", 95, share_of(hold_people(60, 10))),
    Row("people's estimate", "20 of 100 messages judged", 95, share_of(hold_people(100, 20))),
    Row("people's estimate", "20 of 100 messages, not told apart", 90, share_of(hold_predicted(0.90))),
    Row("a share over games", "10 games, shares with SD 12", 95, share_of(hold_over_games)),
    Row("average of an iteration", "3 games", 95, share_of(hold_average(3))),
    Row("average of an iteration", "9 games", 95, share_of(hold_average(9))),
    Row("the next game", "3 games under the prompt", 95, share_of(hold_next_game(3, 0))),
    Row("the next game", "9 games under the prompt", 95, share_of(hold_next_game(9, 0))),
    Row("the next game", "1 game, 5 batches of other prompts", 95, share_of(hold_next_game(1, 5))),
    Row("the next of normal scores", "3 scores", 95, share_of(hold_predict_next(3, 0.95), 5000)),
    Row("the next of normal scores", "3 scores", 90, share_of(hold_predict_next(3, 0.90), 5000)),
    Row("difference of two iterations", "3 against 3 games", promise(3), share_of(hold_difference(3))),
    Row("difference of two iterations", "9 against 9 games", promise(9), share_of(hold_difference(9))),
    Row(
        "difference of two iterations",
        "6 against 6 games, the change with half the SD",
        promise(6),
        share_of(hold_difference(6, 5)),
    ),
    Row("difference of two iterations", "6 pairs of games", promise(6, z=PAIRED_Z), share_of(hold_pairs)),
    *(
        Row(name, design, 95, share_of(hold_agreement(statistic, draw, truth, 50)))
        for name, design, statistic, draw, truth in AGREEMENT
    ),
    Row("mean over comparisons", "20 comparisons", 95, share_of(hold_mean(20), 4000)),
    Row("mean over comparisons", "60 comparisons", 95, share_of(hold_mean(60))),
    Row("the next game", "3 games of 14 messages", 95, share_of(hold_next_game(3, 0, 14))),
    Row("the next game", "3 games, 3 batches of other prompts", 95, share_of(hold_next_game(3, 3))),
    Row("an agent's share less others'", "9 games of 3 to 12 messages", 95, share_of(hold_apart(9, 0.6))),
    Row("an agent's share less others'", "30 games of 3 to 12 messages", 95, share_of(hold_apart(30, 0.6))),
]


def is_near(row: Row, held: float) -> bool:
    """A moderated spread holds a little more or less, as the games of this prompt are like the others."""
    if row.interval == "the next game":
        return 93 <= held <= 98
    return abs(held - row.level) <= CLOSE


@pytest.fixture(scope="module")
def table() -> dict[Row, float]:
    return {row: row.held(np.random.default_rng(20261123 + at)) for at, row in enumerate(ROWS)}


def test_every_interval_holds_as_often_as_it_says(table):
    wrong = {row[:3]: held for row, held in table.items() if not is_near(row, held)}
    assert not wrong and len(table) == len(ROWS)


def test_the_table_in_the_docs_is_what_is_computed(table):
    lines = [f"| {row.interval} | {row.design} | {row.level:g} | {held:.1f} |" for row, held in table.items()]
    assert "\n".join(lines) in DOCS.read_text()


def test_where_an_answer_is_rare_intervals_hold_nine_times_in_ten_or_are_not_given():
    """The rows of the docs, computed again with fewer cases."""
    told = read_rare_rows()
    assert sum(len(shares) for shares in told.values()) == 3 * 14
    for design in RARE_DESIGNS:
        assert all(share >= 90 for share in told[design])
        for name, share in zip(COEFFICIENTS, told[design], strict=False):
            count, hits = hold_rare(np.random.default_rng(7), name, *design, 120)
            assert count > 120 * LEAST_LEFT / 2
            assert abs(hits / count - share / 100) < 4 * (0.09 / count) ** 0.5


def read_rare_rows() -> dict[tuple[int, int, float], list[float]]:
    """By raters, items and the share of yes: what is told of each coefficient; [] where hardly a table has one."""
    text = DOCS.read_text().split("## Where an answer is rare")[1].split("\n\n")
    lines = next(part for part in text if part.startswith("|")).splitlines()[2:]
    found = {}
    for line in lines:
        design, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        raters, items = map(int, design.split(" × "))
        for yes, cell in zip((0.5, 0.1, 0.04), cells, strict=True):
            found[raters, items, yes] = [] if cell == "–" else [float(share) for share in cell.split(", ")]
    return found
