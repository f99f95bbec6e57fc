"""Which planted judges are admitted, how soon a fall is found, and how wide people's estimate is with a judge's strata.

Answers are drawn; the contract, the test on the running answers, the strata and the interval are the product's.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from benchmarks.statistics import verdicts
from discussions.core.judgement_kinds import (
    COHERENCE,
    CONSISTENT,
    HELPS,
    INCONSISTENT,
    NO,
    STRATA,
    STRATEGIC_DEPTH,
    YES,
)
from discussions.core.records import MAFIA, VILLAGE
from discussions.judges.core.contract import (
    NAMES,
    REFUSED,
    Contract,
    JudgedItem,
    Repeat,
    check_repeats,
    conclude_contract,
    conclude_contracts,
    find_design_effect,
)
from discussions.judges.core.drift import Baseline, watch_drift
from discussions.verdicts.core.people_estimate import build_strata
from workspace.statistics.means import predict_share

SEED = 40
GAMES, EACH, PEOPLE = 10, 10, 3
RUNS = 1000
YES_SHARE, RULE_RIGHT, PEOPLE_RIGHT = 0.6, 0.7, 0.85
Random = np.random.Generator
Answers = np.ndarray
# Truth and the automatic values of some items -> what the judge says of them.
Judge = Callable[[Random, Answers, Answers], Answers]
Table = tuple[str, list[str], list[list[str]]]


def tables(runs_factor: float = 1.0) -> Iterator[Table]:
    yield admissions(max(2, round(RUNS * runs_factor)))
    yield repeats(max(2, round(RUNS * runs_factor)))
    yield falls(max(2, round(RUNS * runs_factor)))
    for world in WORLDS:
        yield widths(max(2, round(RUNS * runs_factor)), world)
    yield stops(max(2, round(RUNS * runs_factor)))


def percent(found: list[bool]) -> str:
    return f"{100 * sum(found) / len(found):.1f}"


# Planted judges.


def flip(random: Random, answers: Answers, right: float | Answers) -> Answers:
    """The answers, each changed with a probability of 1 - `right`."""
    return answers ^ (random.random(answers.shape) >= right)


def be_right(right: float, spread: float = 0.0) -> Judge:
    """A judge that is right so often, in some games more (SD `spread`)."""

    def judge(random: Random, truth: Answers, _rule: Answers) -> Answers:
        level = right + spread * random.standard_normal((len(truth), 1))
        return flip(random, truth, np.clip(level, 0.05, 0.99))

    return judge


def follow_rule(share: float, right: float) -> Judge:
    """A judge that says what the rule says in this share of items, and else is right so often."""

    def judge(random: Random, truth: Answers, rule: Answers) -> Answers:
        return np.where(random.random(truth.shape) < share, rule, flip(random, truth, right))

    return judge


def say_yes(share: float) -> Judge:
    return lambda random, truth, _rule: random.random(truth.shape) < share


PLANTED: dict[str, Judge] = {
    "always yes": say_yes(1.0),
    "yes in 95 %": say_yes(0.95),
    "copies the rule": lambda _random, _truth, rule: rule,
    "copies it in 95 %, else the contrary": lambda random, _truth, rule: flip(random, rule, 0.95),
    "50 %": be_right(0.5),
    "70 %": be_right(0.7),
    "80 %": be_right(0.8),
    "85 %, like people": be_right(0.85),
    "90 %": be_right(0.9),
    "90 %, SD of 10 between games": be_right(0.9, 0.1),
    "90 %, follows the rule in 30 %": follow_rule(0.3, 0.9),
}


def say(answers: Answers) -> list[str]:
    return [YES if answer else NO for answer in answers.ravel().tolist()]


def draw_items(
    random: Random, judge: Judge, games: int = GAMES, role: str = "", people: int = PEOPLE
) -> list[JudgedItem]:
    """Ten items in each of so many games, answered by so many people and the judge."""
    truth = random.random((games, EACH)) < YES_SHARE
    rule = flip(random, truth, RULE_RIGHT)
    answers = [say(flip(random, truth, PEOPLE_RIGHT)) for _person in range(people)]
    return [
        JudgedItem(COHERENCE, role, at // EACH, said, {who: row[at] for who, row in enumerate(answers)}, own)
        for at, (said, own) in enumerate(zip(say(rule), say(judge(random, truth, rule)), strict=True))
    ]


STEADY = [Repeat(COHERENCE, YES, YES, is_permuted=True)] * 30


def draw_contract(random: Random, judge: Judge, games: int = GAMES, people: int = PEOPLE) -> Contract:
    """The contract of a judge whose answers do not change with names."""
    return conclude_contract(draw_items(random, judge, games, people=people), check_repeats(STEADY))


def draw_roles(random: Random) -> list[Contract]:
    """The contracts for mafia and for villagers of a judge that is right in 90 % for villagers, else in 50 %."""
    mafia, village = (
        draw_items(random, be_right(0.5), role=MAFIA),
        draw_items(random, be_right(0.9), role=VILLAGE),
    )
    return list(conclude_contracts([*village, *mafia], STEADY).values())


def admissions(runs: int) -> Table:
    """Contracts from items that three people answered."""
    rows = []
    for number, (name, judge) in enumerate(PLANTED.items()):
        uses = []
        for games, part in ((GAMES, 1), (GAMES // 2, 4), (2 * GAMES, 4)):
            random = np.random.default_rng([SEED, 1, number, games])
            uses.append([draw_contract(random, judge, games).use for _run in range(max(1, runs // part))])
        rows.append(
            [name, *share_uses(uses[0]), *(percent([use == HELPS for use in found]) for found in uses[1:])]
        )
    random = np.random.default_rng([SEED, 1])
    found = [draw_roles(random) for _run in range(runs)]
    for at, role in enumerate(("mafia", "villagers")):
        name = f"90 % for villagers, 50 % for mafia: {role}"
        rows.append([name, *share_uses([contracts[at].use for contracts in found]), "–", "–"])
    two = [draw_contract(random, be_right(0.9), people=2).use for _run in range(runs)]
    rows.append(["90 %, two people an item", *share_uses(two), "–", "–"])
    return (
        "What planted judges may do, in percent of runs, from 100 items in ten games",
        ["judge, right in", "helps", "strata", "refused", "helps, 50 items", "helps, 200 items"],
        rows,
    )


def share_uses(uses: list[str]) -> list[str]:
    return [percent([use == wanted for use in uses]) for wanted in (HELPS, STRATA, REFUSED)]


# Names.


def repeats(runs: int) -> Table:
    rows = []
    for plain, permuted in ((0.05, 0.05), (0.05, 0.15), (0.05, 0.25), (0.25, 0.25)):
        cells = []
        for count in (30, 60):
            random = np.random.default_rng([SEED, 2, count, int(100 * plain), int(100 * permuted)])
            reasons = [_repeat(random, count, plain, permuted) for _run in range(runs)]
            cells += [
                percent([reason == NAMES for reason in reasons]),
                percent([bool(reason) for reason in reasons]),
            ]
        rows.append([f"{100 * plain:.0f}", f"{100 * permuted:.0f}", *cells])
    return (
        "Refused judges whose answers to repeats differ, in percent",
        ["as it was", "permuted", "30 each: names", "refused", "60 each: names", "refused"],
        rows,
    )


def _repeat(random: Random, count: int, plain: float, permuted: float) -> str:
    asked = [
        Repeat(COHERENCE, YES, NO if differs else YES, is_permuted)
        for is_permuted, share in ((False, plain), (True, permuted))
        for differs in (random.random(count) < share).tolist()
    ]
    return check_repeats(asked).reason


# Falls.


# Agreement before and after a fall, the SD between games in points, and the number of answers before the fall.
FALLS = (
    (0.7, 0.7, 0, 0), (0.9, 0.9, 0, 0), (0.95, 0.95, 0, 0), (0.9, 0.9, 5, 0), (0.9, 0.9, 10, 0),
    (0.9, 0.8, 0, 0), (0.9, 0.7, 0, 0), (0.9, 0.7, 0, 100), (0.9, 0.7, 0, 500), (0.9, 0.7, 5, 0),
)  # fmt: skip


def falls(runs: int) -> Table:
    rows = []
    for number, (before, after, spread, start) in enumerate(FALLS):
        name = f"{100 * before:.0f} %"
        name += f", SD of {spread} between games" if spread else ""
        name += ", steady" if before == after else f", {100 * after:.0f} % after {start} answers"
        row = [name]
        for games in (5, 10, 20):
            random = np.random.default_rng([SEED, 3, number, games])
            found = [watch(random, games, FALLS[number]) for _run in range(runs)]
            row.append(percent([at is not None and at > start for at in found]))
        rows.append(row)
    return (
        "Judges suspended within 1,000 answers (steady) or 150 answers (fallen), in percent",
        ["agrees with people in", "trial of 50 items", "of 100", "of 200"],
        rows,
    )


def watch(random: Random, games: int, fall: tuple[float, float, int, int]) -> int | None:
    """The number of the answer that suspends a judge after a trial of so many games of 10 items."""
    before, after, spread, start = fall
    tried = agree(random, before, spread, EACH * games)
    effect = find_design_effect(tried, np.repeat(np.arange(games), EACH).tolist())
    running = agree(random, before, spread, start)
    running += agree(random, after, spread, 1000 if before == after else 150)
    return watch_drift(Baseline(sum(tried), len(tried), effect), running).suspended_at


def agree(random: Random, share: float, spread: int, count: int) -> list[float]:
    """1 where a judge agrees with a person, else 0, ten answers a game; shares of games have a Beta distribution."""
    games = -(-count // EACH)
    rates = np.full(games, share)
    if spread:
        size = share * (1 - share) / (spread / 100) ** 2 - 1
        rates = random.beta(share * size, (1 - share) * size, games)
    return (random.random(count) < np.repeat(rates, EACH)[:count]).astype(float).tolist()


# Strata of people's estimate.


class World(NamedTuple):
    """Games: the rule counts so many messages, people so many of these and so many of the others."""

    name: str
    counted: float
    people_if: float
    people_else: float


WORLDS = (
    World("people count 70 % of what the rule counts (60 %) and 30 % of the rest", 0.6, 0.7, 0.3),
    World("people count 92 % of what the rule counts (93 %) and 50 % of the rest", 0.93, 0.92, 0.5),
)
DESIGNS = ((60, 10), (60, 20), (200, 20))
RUN_OF_ERRORS = 5
HELPERS: dict[str, Judge] = {
    **{f"{100 * right:.0f} %": be_right(right) for right in (0.5, 0.7, 0.8, 0.9, 0.95)},
    "90 %, SD of 10 between games": be_right(0.9, 0.1),
    "90 %, follows the rule in 30 %": follow_rule(0.3, 0.9),
    "90 %, errors five in a row": lambda random, truth, _rule: np.where(
        np.repeat(random.random((1, -(-truth.shape[1] // RUN_OF_ERRORS))) < 0.9, RUN_OF_ERRORS, axis=1)[
            :, : truth.shape[1]
        ],
        truth,
        ~truth,
    ),
}  # fmt: skip


# With these, games are judged until a metric is clear.
STOPPED = ("50 %", "70 %", "90 %", "90 %, SD of 10 between games", "90 %, follows the rule in 30 %")


def widths(runs: int, world: World) -> Table:
    """Coverage of people's estimate with a judge's strata, and its width as a share of that with the rule's alone."""
    rows = []
    for number, (name, judge) in enumerate({"none": None, **HELPERS}.items()):
        row = [name]
        for messages, drawn in DESIGNS:
            random = np.random.default_rng([SEED, 4, WORLDS.index(world), number, messages, drawn])
            held, width, alone = np.mean(
                [estimate(random, world, judge, messages, drawn) for _run in range(runs)], axis=0
            ).tolist()
            row.append(f"{100 * held:.1f}/{100 * width / alone:.0f}")
        rows.append(row)
    heads = [f"{drawn} of {messages}" for messages, drawn in DESIGNS]
    return f"Strata where {world.name}", ["judge, right in", *heads], rows


def estimate(
    random: Random, world: World, judge: Judge | None, messages: int, drawn: int
) -> tuple[bool, float, float]:
    """Whether the interval with the judge's strata holds people's share of one game; its width, and that without."""
    rule = random.random((1, messages)) < world.counted
    people = random.random((1, messages)) < np.where(rule, world.people_if, world.people_else)
    answers = judge(random, people, rule) if judge else rule
    machine, values, said = (
        {str(at): value for at, value in enumerate(say(row))} for row in (rule, people, answers)
    )
    sampled = [str(at) for at in random.choice(messages, drawn, replace=False)]
    return compare_strata(machine, values, said if judge else None, sampled)


def stops(runs: int) -> Table:
    """Games whose role consistency is judged until its metric is clear, by the rule's strata and by a judge's."""
    rows = []
    for name in ("none", *STOPPED):
        row, judge = [name], HELPERS.get(name)
        for count in verdicts.SIZES:
            random = np.random.default_rng([SEED, 5, count])
            found = [stop(random, run, count, judge) for run in range(runs)]
            held, right, judged = np.mean(found, axis=0).tolist()
            row.append(f"{100 * held:.1f}/{100 * right:.1f}/{100 * judged:.0f}")
        rows.append(row)
    heads = [f"of {count} messages" for count in verdicts.SIZES]
    return "Judged until the metric is clear", ["judge, right in", *heads], rows


def stop(random: Random, run: int, count: int, judge: Judge | None) -> tuple[bool, bool, float]:
    """Whether the interval at the stop holds the truth, whether pass or fail is right, and the share judged."""
    game = verdicts.draw_game(random, run, count, random.uniform(*verdicts.SHARES))
    # A stream of its own: each judge meets the same games.
    own = np.random.default_rng([SEED, 6, run, count])
    if judge is not None:
        rule, truth = (
            np.array([[said == CONSISTENT for said in row.values()]]) for row in (game.machine, game.people)
        )
        words = np.where(judge(own, truth, rule), CONSISTENT, INCONSISTENT)[0].tolist()
        game = replace(game, helper=dict(zip(game.machine, words, strict=True)))
    estimate, judged = game.judge_until_clear()
    return game.holds(estimate), game.is_right(estimate), judged / count


def compare_strata(
    machine: dict[str, str], people: dict[str, str], judge: dict[str, str] | None, sampled: list[str]
) -> tuple[bool, float, float]:
    """Whether the interval from `sampled` holds the share of `people`, its width, and the width without the judge."""
    values = {subject: people[subject] for subject in sampled}
    (low, high), (first, last) = (
        predict_share(build_strata(STRATEGIC_DEPTH, machine, values, sampled, answers))[1:]
        for answers in (judge, None)
    )
    share = 100 * sum(value == YES for value in people.values()) / len(people)
    return low - 1e-9 <= share <= high + 1e-9, high - low, last - first
