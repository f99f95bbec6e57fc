"""Whether a judge is no worse than people: each person in turn is left out and compared with the judge.

Source: N. Calderon, R. Reichart, R. Dror, ACL 2025 (arXiv 2501.10970).
"""

from collections.abc import Collection, Sequence
from math import ceil, inf, isinf, sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from discussions.judges.core.items import JudgedItem, compute_error

# What may speak for the judge because it costs less; the authors propose .2 for experts, .15 for trained people.
EPSILON = 0.15
FALSE_DISCOVERIES = 0.05
LEAST_PEOPLE, LEAST_ITEMS, LEAST_GAMES = 3, 30, 3
WINS_NEEDED = 0.5
# Of a further test: its chance to find that the judge is no worse, if differences stay as they are.
POWER = 0.8
FEW_PEOPLE, FEW_ITEMS, FEW_GAMES, WORSE = "few_people", "few_items", "few_games", "worse_than_people"


class LeftOut(Struct, frozen=True):
    """A person against the judge. `difference` is how much more often the person is nearer to the others than it.

    `p` is that of the hypothesis that the difference is at least EPSILON, 1 where it was not tested.
    """

    person: int
    items: int
    advantage: float
    difference: float
    p: float
    wins: bool = False


class AlternativeTest(Struct, frozen=True):
    """`items` have three people and the judge. `reason` is a code, "" where the judge is no worse than people.

    `winning_rate` is the share of tested people whom it wins against, `advantage` the mean share of items on which it
    is at least as near to the others. `needed` items for each person would probably be enough; None: no number would.
    """

    items: int
    people: list[LeftOut]
    winning_rate: float
    advantage: float
    needed: int | None
    reason: str


def compare_with_people(items: Collection[JudgedItem], *, is_rating: bool = False) -> AlternativeTest:
    """The alternative annotator test on items of one metric and role; items of a game count as dependent.

    An item needs three people, a person 30 such items in three games. Of every such person: p by a one-sided t-test
    with games - 1 degrees of freedom; of all p by the procedure of Benjamini and Yekutieli. The judge passes if it wins
    against half of at least three people.
    """
    used = [item for item in items if item.judge and len(item.people) >= LEAST_PEOPLE]
    persons = sorted({person for item in used for person in item.people})
    shared = {person: [item for item in used if person in item.people] for person in persons}
    tested = [person for person in persons if len(shared[person]) >= LEAST_ITEMS]
    if len(tested) < LEAST_PEOPLE:
        reason = FEW_PEOPLE if len(persons) < LEAST_PEOPLE else FEW_ITEMS
        return AlternativeTest(len(used), [], 0.0, 0.0, LEAST_ITEMS, reason)
    if min(len({item.game for item in shared[person]}) for person in tested) < LEAST_GAMES:
        return AlternativeTest(len(used), [], 0.0, 0.0, LEAST_ITEMS, FEW_GAMES)
    rows, needed = zip(*(_leave_out(person, shared[person], is_rating) for person in tested), strict=True)
    kept = reject_by_dependence([row.p for row in rows], FALSE_DISCOVERIES)
    people = [replace(row, wins=wins) for row, wins in zip(rows, kept, strict=True)]
    winning_rate = sum(kept) / len(kept)
    # Half of the people are enough, so the median of what each needs is.
    median = sorted(needed)[(len(needed) - 1) // 2]
    return AlternativeTest(
        items=len(used),
        people=people,
        winning_rate=winning_rate,
        advantage=sum(row.advantage for row in people) / len(people),
        needed=None if isinf(median) else int(median),
        reason="" if winning_rate >= WINS_NEEDED else WORSE,
    )


def _leave_out(person: int, items: Sequence[JudgedItem], is_rating: bool) -> tuple[LeftOut, float]:
    """The person against the judge, and how many items of this person would probably be enough."""
    from scipy.special import stdtr

    compare = _compare_ratings if is_rating else _compare_labels
    nearer = [
        compare(
            item.judge, item.people[person], [item.people[other] for other in item.people.keys() - {person}]
        )
        for item in items
    ]
    difference, games = -sum(nearer) / len(nearer), [item.game for item in items]
    error, distance = compute_error(nearer, games), difference - EPSILON
    p = float(stdtr(len(set(games)) - 1, distance / error)) if error else float(distance >= 0)
    advantage = sum(sign >= 0 for sign in nearer) / len(nearer)
    return LeftOut(person, len(items), advantage, difference, p), _count_needed(distance, error, len(items))


def _compare_labels(judge: str, person: str, others: Sequence[str]) -> int:
    """1 where the judge agrees with more of the others than the person, -1 with fewer, else 0."""
    return int(np.sign(others.count(judge) - others.count(person)))


def _compare_ratings(judge: str, person: str, others: Sequence[str]) -> int:
    """As `_compare_labels`, by the root of the mean squared distance to the ratings of the others."""
    numbers = np.array(others, dtype=np.float64)
    errors = [float(np.square(numbers - float(answer)).mean()) for answer in (judge, person)]
    return int(np.sign(errors[1] - errors[0]))


def _count_needed(distance: float, error: float, count: int) -> float:
    """Items for which p is below the strictest of three limits with the probability POWER, by normal quantiles."""
    from scipy.special import ndtri

    if distance >= 0:
        return inf
    strictest = FALSE_DISCOVERIES / LEAST_PEOPLE / sum(1 / rank for rank in range(1, LEAST_PEOPLE + 1))
    quantiles = float(ndtri(POWER) - ndtri(strictest))
    return max(float(LEAST_ITEMS), ceil((quantiles * error * sqrt(count) / distance) ** 2))


def reject_by_dependence(p_values: Sequence[float], share: float) -> list[bool]:
    """Which hypotheses are rejected so that at most this share of them is expected to be true, however they depend.

    The largest i with p_(i) <= i share / (m (1 + 1/2 + ... + 1/m)) rejects the i smallest. Source: Y. Benjamini, D.
    Yekutieli, Annals of Statistics 29 (2001), 1165-1188.
    """
    count = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, count + 1))
    limit = -1.0
    for rank, p in enumerate(sorted(p_values), start=1):
        if p <= rank * share / (count * harmonic):
            limit = p
    return [p <= limit for p in p_values]
