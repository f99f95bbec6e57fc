"""How often the comparison of two iterations is right when the truth is known: the product's functions on drawn games.

Games are drawn with seeds. `tables` is what docs/iterations.md prints.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from msgspec import Struct

from discussions.comparison.core.difference import (
    IMPROVED,
    PAIRED_Z,
    SAME,
    WORSE,
    Difference,
    compute_answer_chances,
    difference,
    get_level,
)
from discussions.iterations.core.averages import pooled_spread
from tests.factories import looks

Table = tuple[str, list[str], list[list[str]]]
Scores = list[Fraction]
SD, MATERIAL, SPAN = 10, 5.0, 100.0
SIZES = (3, 6, 9)
CORRELATIONS = (0.0, 0.3, 0.5, 0.7)


def judge(control: Scores, change: Scores, *earlier: Scores, paired: bool = False) -> Difference:
    """A comparison of scores from 0 to 100, without a picked target."""
    spread = pooled_spread([control, change, *earlier])
    return difference(control, change, spread, material=MATERIAL, span=SPAN, is_paired=paired)


def as_scores(values: Any) -> Scores:
    return [Fraction(int(value), 100) for value in np.rint(100 * np.asarray(values))]


def take_looks(control: Scores, change: Scores, *earlier: Scores, paired: bool = False) -> str:
    """The answer after at most three looks, with three games more on each side."""
    answer = ""
    for size in SIZES:
        answer = judge(control[:size], change[:size], *earlier, paired=paired).answer
        if answer in (IMPROVED, WORSE):
            break
    return answer


class World(Struct, frozen=True):
    """Draws the games of control, change and an earlier batch, given a random generator and a true gain in points."""

    name: str
    draw: Callable[[np.random.Generator, float], tuple[Any, Any, Any]]
    gain: float = 10.0
    is_paired: bool = False


def _normal(control: float, change: float) -> Callable[[np.random.Generator, float], tuple[Any, Any, Any]]:
    def draw(random: np.random.Generator, gain: float) -> tuple[Any, Any, Any]:
        return (
            random.normal(70, control, 9),
            random.normal(70 + gain, change, 9),
            random.normal(70, control, 9),
        )

    return draw


def _batches(shared: float, *, paired: bool) -> Callable[[np.random.Generator, float], tuple[Any, Any, Any]]:
    """Each three games share a disturbance of so many SDs; pairs are played together, so that both sides have it."""

    def draw(random: np.random.Generator, gain: float) -> tuple[Any, Any, Any]:
        sides = [np.repeat(random.normal(0, SD * shared, 3), 3) for _ in range(3)]
        if paired:
            sides[1] = sides[0]
        own = random.normal(0, SD * np.sqrt(1 - shared**2), (3, 9))
        return 70 + sides[0] + own[0], 70 + gain + sides[1] + own[1], 70 + sides[2] + own[2]

    return draw


WORLDS = (
    World("equal spread", _normal(SD, SD)),
    World("the change has twice the SD", _normal(SD, 2 * SD), 15.8),
    World("the change has half the SD", _normal(SD, SD / 2), 7.9),
    World("each three games share .7 SD, unpaired", _batches(0.7, paired=False)),
    World("each three games share .7 SD, in pairs", _batches(0.7, paired=True), is_paired=True),
)


def run_world(world: World, gain: float, runs: int, *, seed: int) -> tuple[float, float]:
    """The shares of runs that end improved and worse."""
    random = np.random.default_rng(seed)
    ends = []
    for _ in range(runs):
        control, change, before = (as_scores(side) for side in world.draw(random, gain))
        earlier = () if world.is_paired else (before[:3], before[3:6], before[6:])
        ends.append(take_looks(control, change, *earlier, paired=world.is_paired))
    return ends.count(IMPROVED) / runs, ends.count(WORSE) / runs


def draw_side(
    random: np.random.Generator,
    games: int,
    *,
    people: float,
    precise: float,
    rule: float,
    messages: int = 100,
) -> tuple[Scores, Scores, Scores]:
    """Counted scores, people's estimates and labels alone of games with 10 labels each.

    `people` is the share of messages that people would count, `rule` that which the rule counts, of which people would
    count `precise`; both vary between games by .08. The estimate is the share that the rule counts, less the mean
    error of the rule in the sample.
    """
    found: list[list[float]] = [[], [], []]
    for _ in range(games):
        shift = random.normal(0, 0.08)
        wanted, counted = np.clip([people + shift, rule + shift], 0.02, 0.98)
        by_rule = random.random(messages) < counted
        missed = np.clip((wanted - counted * precise) / (1 - counted), 0, 1)
        truth = random.random(messages) < np.where(by_rule, precise, missed)
        estimate, judged = _sample(random, by_rule, truth)
        alone = truth[random.choice(messages, 10, replace=False)].mean()
        for side, value in zip(found, (judged.mean(), estimate, alone), strict=True):
            side.append(100 * float(value))
    counted_scores, estimates, labels = (as_scores(side) for side in found)
    return counted_scores, estimates, labels


def _sample(random: np.random.Generator, by_rule: Any, truth: Any, labels: int = 10) -> tuple[float, Any]:
    """The product's estimate of a game with half of the labels in each stratum, and the game as it is counted then."""
    from discussions.verdicts.core.people_estimate import build_strata
    from workspace.statistics.means import expect_positive

    rows = [random.permutation(np.flatnonzero(by_rule == counts)) for counts in (True, False)]
    first = min(len(rows[0]), max(labels // 2, labels - len(rows[1])))
    sampled = np.concatenate([rows[0][:first], rows[1][: labels - first]])
    names = {True: "yes", False: "no"}
    machine = {str(place + 1): names[bool(value)] for place, value in enumerate(by_rule)}
    values = {str(place + 1): names[bool(truth[place])] for place in sampled}
    strata = build_strata("strategic_depth", machine, values, set(values))
    judged = by_rule.copy()
    judged[sampled] = truth[sampled]
    return float(expect_positive(strata)) / len(by_rule), judged


class People(Struct, frozen=True):
    """By counted scores and by people's estimates: shares of "improved"; of the estimates also coverage and widths."""

    counted: float
    improved: float
    covers: float
    half: float
    half_labels: float


def compare_people(before: dict[str, float], after: dict[str, float], runs: int, *, seed: int) -> People:
    random = np.random.default_rng(seed)
    true = 100 * (after["people"] - before["people"])
    rows = []
    for _ in range(runs):
        sides = draw_side(random, 9, **before), draw_side(random, 9, **after)
        counted, estimated, labels = (judge(first, other) for first, other in zip(*sides, strict=True))
        low, high = _plain_interval(estimated)
        rows.append(
            (
                counted.answer == IMPROVED,
                estimated.answer == IMPROVED,
                low <= true <= high,
                (high - low) / 2,
                np.subtract(*_plain_interval(labels)[::-1]) / 2,
            )
        )
    return People(*np.mean(np.array(rows, dtype=float), axis=0))


def _plain_interval(found: Difference) -> tuple[float, float]:
    """The 95 % interval without looks, to be compared with others of that level."""
    from scipy.special import stdtrit

    assert found.error is not None and found.judged is not None
    half = float(stdtrit(found.error.df, 0.975)) * found.error.size
    return found.judged - half, found.judged + half


KEYWORDS = (
    ("keywords +15 points, people unchanged", (0.60, 0.93, 0.60), (0.60, 0.75, 0.75)),
    ("a gain of 10 points, the rule follows", (0.60, 0.93, 0.60), (0.70, 0.93, 0.70)),
    ("no change", (0.60, 0.93, 0.60), (0.60, 0.93, 0.60)),
)


def follow_chain(first_gain: float, runs: int, *, seed: int, fresh: bool) -> tuple[float, float, float]:
    """After a change of so many points was kept because it looked better, a next change without effect is judged.

    Gives by how many points the kept games lie above the true difference, and the shares of "improved" and "worse" of
    the next change, with three games of the kept prompt a look that are `fresh`, or with those by which it was kept.
    """
    random = np.random.default_rng(seed)
    above, ends = [], []
    while len(ends) < runs:
        rows = random.normal(70, SD, (6, 9)) + np.array(
            [[0], [first_gain], [0], [first_gain], [first_gain], [0]]
        )
        control, change, before, again, following = (as_scores(row) for row in rows[:5])
        size = next(
            (size for size in SIZES if judge(control[:size], change[:size], before).answer == IMPROVED), 0
        )
        if not size:
            continue
        above.append(float(sum(change[:size]) / size - sum(control[:size]) / size) - first_gain)
        batches = () if fresh else (control[:size], before)
        ends.append(take_looks(again if fresh else [*change[:size], *again], following, *batches))
    return float(np.mean(above)), ends.count(IMPROVED) / runs, ends.count(WORSE) / runs


def answer_chances(runs: int, *, seed: int) -> list[tuple[float, float, int]]:
    """Of comparisons that are unclear after the first look: the chance that is said, how often it came true, how many.

    True gains are normal with an SD of one SD between games.
    """
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(runs):
        control, change, before = (
            as_scores(side) for side in _normal(SD, SD)(random, float(random.normal(0, SD)))
        )
        found = judge(control[:3], change[:3], before)
        if found.answer not in (IMPROVED, WORSE, SAME):
            answer = judge(control[:6], change[:6], before).answer
            rows.append((compute_answer_chances(found, 1).total, answer in (IMPROVED, WORSE, SAME)))
    said = np.array(rows, dtype=float)
    groups = np.digitize(said[:, 0], (0.1, 0.25, 0.4, 0.6))
    return [
        (
            float(said[groups == group, 0].mean()),
            float(said[groups == group, 1].mean()),
            int((groups == group).sum()),
        )
        for group in range(5)
        if (groups == group).any()
    ]


def tables(factor: float) -> Iterator[Table]:
    """The tables of docs/iterations.md, with 10,000 runs of no effect at a factor of 1."""
    runs = max(20, int(10_000 * factor))
    yield _looks_table(runs)
    yield _worlds_table(runs)
    yield _people_table(max(20, runs // 4))
    yield _chain_table(max(20, runs // 5))
    yield (
        "A gain of 1 SD found by one look at pairs whose games correlate so",
        ["pairs", *(f"{correlation:g}" for correlation in CORRELATIONS)],
        [
            [str(pairs), *(f"{100 * pair_power(correlation, pairs):.0f} %" for correlation in CORRELATIONS)]
            for pairs in SIZES
        ],
    )
    yield (
        "Chance that three more games give an answer",
        ["said", "came true", "comparisons"],
        [
            [f"{100 * said:.0f} %", f"{100 * true:.0f} %", str(count)]
            for said, true, count in answer_chances(max(200, runs), seed=41)
        ],
    )


def _looks_table(runs: int) -> Table:
    worlds = ((9, 0.5), (0, 0.5), (9, 0.0), (9, 1.0), (0, 0.0))
    rows = []
    for earlier, margins in worlds:
        drawn = looks.draw_runs(runs, seed=901, earlier=earlier, margins=margins)
        row = [f"{earlier} earlier games, margins differ by {margins:g} SD"]
        for given in looks.WAYS.values():
            none = looks.count_ends(drawn, 0.0, **given)
            gain = looks.count_ends(drawn[: max(20, runs // 2)], 1.0, **given)
            row += [
                f"{100 * none.improved:.1f} %",
                f"{100 * none.worse:.1f} %",
                f"{100 * gain.improved:.0f} %",
            ]
        rows.append(row)
    head = ["world"]
    for way in ("named", "picked", "picked, reference run again"):
        head += [f"{way}: improved", "worse", "1 SD found"]
    return "Three looks", head, rows


def _worlds_table(runs: int) -> Table:
    rows = []
    for world in WORLDS:
        none = run_world(world, 0.0, runs, seed=31)
        gain = run_world(world, world.gain, max(20, runs // 4), seed=32)
        rows.append([world.name, *(f"{100 * share:.1f} %" for share in none), f"{100 * gain[0]:.0f} %"])
    return "Worlds, target named", ["games", "no effect: improved", "worse", "1 SD found"], rows


def _people_table(runs: int) -> Table:
    names = ("people", "precise", "rule")
    rows = []
    for label, before, after in KEYWORDS:
        sides = [dict(zip(names, side, strict=True)) for side in (before, after)]
        found = compare_people(sides[0], sides[1], runs, seed=21)
        shares = (found.counted, found.improved, found.covers)
        widths = (f"± {found.half:.1f}", f"± {found.half_labels:.1f}")
        rows.append([label, *(f"{100 * share:.0f} %" for share in shares), *widths])
    head = [
        "9 against 9 games, 10 labels each",
        "counted: improved",
        "people: improved",
        "covers",
        "half width",
    ]
    return "People's estimate", [*head, "of labels alone"], rows


def _chain_table(runs: int) -> Table:
    rows = []
    for gain in (0.0, 5.0, 10.0):
        fresh = follow_chain(gain, runs, seed=77, fresh=True)
        kept = follow_chain(gain, runs, seed=77, fresh=False)
        shares = (fresh[1], fresh[2], kept[1], kept[2])
        rows.append([f"{gain / SD:g} SD", f"{fresh[0]:.1f}", *(f"{100 * share:.1f} %" for share in shares)])
    head = ["true gain of the kept change", "points above it", "next change, fresh games: improved", "worse"]
    return "After a kept change", [*head, "with the games that kept it: improved", "worse"], rows


def pair_power(correlation: float, pairs: int) -> float:
    """How often `pairs` pairs find a gain of one SD of the scores at one look, for scores that correlate so.

    Source: N. L. Johnson, B. L. Welch, Biometrika 31 (1940), 362-389.
    """
    from scipy.special import nctdtr, stdtrit

    shift = np.sqrt(pairs / (2 * (1 - correlation)))
    return float(1 - nctdtr(pairs - 1, shift, stdtrit(pairs - 1, 1 - get_level(pairs, z=PAIRED_Z))))
