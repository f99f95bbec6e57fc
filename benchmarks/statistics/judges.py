"""Which planted judges are admitted, how soon a fall is found, and how wide people's estimate is with a judge's strata.

Answers are drawn; the contract, the test on the running answers, the strata and the interval are the product's.
"""

from collections.abc import Callable, Iterator

import numpy as np

from discussions.core.judgement_kinds import COHERENCE, NO, YES
from discussions.judges.core.contract import (
    HELPS,
    REFUSED,
    STRATA,
    Contract,
    Repeat,
    check_repeats,
    conclude_contract,
)
from discussions.judges.core.drift import Baseline, watch_drift
from discussions.judges.core.items import JudgedItem

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
    "copies the rule in 95 %, else the contrary": lambda random, _truth, rule: flip(random, rule, 0.95),
    "right in 50 %": be_right(0.5),
    "right in 70 %": be_right(0.7),
    "right in 80 %": be_right(0.8),
    "right in 85 %, like people": be_right(0.85),
    "right in 90 %": be_right(0.9),
    "right in 90 %, between games an SD of 10": be_right(0.9, 0.1),
    "right in 90 %, follows the rule in 30 %": follow_rule(0.3, 0.9),
}


def say(answers: Answers) -> list[str]:
    return [YES if answer else NO for answer in answers.ravel().tolist()]


def draw_contract(
    random: Random, judge: Judge, games: int = GAMES, people_right: float = PEOPLE_RIGHT, people: int = PEOPLE
) -> Contract:
    """The contract of a judge in games of 10 items with so many people each; its answers never change with names."""
    truth = random.random((games, EACH)) < YES_SHARE
    rule = flip(random, truth, RULE_RIGHT)
    answers = [say(flip(random, truth, people_right)) for _person in range(people)]
    items = [
        JudgedItem(COHERENCE, "", at // EACH, said, {who: row[at] for who, row in enumerate(answers)}, own)
        for at, (said, own) in enumerate(zip(say(rule), say(judge(random, truth, rule)), strict=True))
    ]
    return conclude_contract(items, STEADY)


STEADY = check_repeats([Repeat(COHERENCE, YES, YES, is_permuted=True)] * 30)


def admissions(runs: int) -> Table:
    """Contracts from 100 items that three people answered."""
    rows = []
    for number, (name, judge) in enumerate(PLANTED.items()):
        random = np.random.default_rng([SEED, 1, number])
        uses = [draw_contract(random, judge).use for _run in range(runs)]
        rows.append(
            [name, *(percent([use == wanted for use in uses]) for wanted in (HELPS, STRATA, REFUSED))]
        )
    return (
        f"Contracts of {runs:,} planted judges each, in percent",
        ["judge", "helps", "strata", "refused"],
        rows,
    )


# Names.


def repeats(runs: int) -> Table:
    rows = []
    for plain, permuted in ((0.05, 0.05), (0.05, 0.15), (0.05, 0.25), (0.25, 0.25)):
        cells = []
        for count in (30, 60):
            random = np.random.default_rng([SEED, 2, count, int(100 * plain), int(100 * permuted)])
            reasons = [_repeat(random, count, plain, permuted) for _run in range(runs)]
            cells += [
                percent([reason == "names" for reason in reasons]),
                percent([not reason for reason in reasons]),
            ]
        rows.append([f"{100 * plain:.0f} %", f"{100 * permuted:.0f} %", *cells])
    return (
        "Answers that differ when an item is repeated as it was, and with names, seats and order permuted",
        [
            "as it was",
            "permuted",
            "30 each: refused for names",
            "not refused",
            "60 each: refused for names",
            "not refused",
        ],
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


def falls(runs: int) -> Table:
    rows = []
    for items in (50, 100, 200):
        for before, after, start in (
            (0.7, 0.7, 0), (0.9, 0.9, 0), (0.95, 0.95, 0),
            (0.9, 0.8, 0), (0.9, 0.7, 0), (0.9, 0.7, 100), (0.9, 0.7, 500),
        ):  # fmt: skip
            random = np.random.default_rng([SEED, 3, items, int(100 * before), int(100 * after), start])
            asked = 1000 if before == after else start + 150
            found = [_watch(random, items, before, after, start, asked) for _run in range(runs)]
            early = percent([at is not None and at <= start for at in found]) if start else "–"
            rows.append([
                str(items), f"{100 * before:.0f} %",
                "steady" if before == after else f"{100 * after:.0f} % from answer {start + 1} on",
                str(asked - start), percent([at is not None and at > start for at in found]), early,
            ])  # fmt: skip
    return (
        "Judges suspended by running answers, in percent",
        ["items when it was tried", "agreed then", "agrees now", "answers", "suspended", "too early"],
        rows,
    )


def _watch(random: Random, items: int, before: float, after: float, start: int, asked: int) -> int | None:
    rates = np.where(np.arange(asked) < start, before, after)
    answers = (random.random(asked) < rates).astype(float)
    return watch_drift(Baseline(float(random.binomial(items, before)), items), answers.tolist()).suspended_at
