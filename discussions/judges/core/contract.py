"""What a judge may do for one metric and role, by its answers and people's on the same items.

It "helps" if it is no worse than people. Else it gives strata for people's estimate if its answers are related to
people's beyond the automatic value, within games, where strata are used. Without that it is refused.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

import numpy as np
from msgspec import Struct

from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.judges.core.alternative_test import (
    FEW_ITEMS,
    LEAST_ITEMS,
    AlternativeTest,
    compare_with_people,
)
from discussions.judges.core.drift import Baseline
from discussions.judges.core.items import JudgedItem, Vector, find_design_effect, share_agreeing
from workspace.statistics.proportions import newcombe, wilson
from workspace.statistics.within_groups import PERMUTATIONS, draw_orders

REFUSED = "refused"
UNANSWERED, NAMES, UNSTEADY = "unanswered", "names", "unsteady"
ONE_ANSWER, COPIES_RULE, UNRELATED, BELOW_FLOOR = "one_answer", "copies_rule", "unrelated", "below_floor"
FEW_REPEATS = "few_repeats"
LEAST_ANSWERED = 0.9
# Relation beyond the automatic value: the p needed, and the least part of the agreement that chance leaves open.
RELATED_P, FLOOR = 0.01, 0.2
# Permutations of many items are fewer, so that they fit into memory: so many at least, so many numbers in all.
LEAST_DRAWN, MOST_NUMBERS = 199, 4_000_000
NEARLY_ALL = 0.95
# Of answers to repeated items, how many may differ; and how many repeats are needed before a judge helps.
TOLERATED, LEAST_REPEATS = 0.1, 20
Interval = tuple[float, float]


class Repeat(Struct, frozen=True):
    """Two answers of a judge on one item; `is_permuted` if names, seats and order differed the second time."""

    metric: str
    first: str
    second: str
    is_permuted: bool


class Consistency(Struct, frozen=True):
    """Repeated items and how many answers differed, as they were and with names, seats and order permuted.

    `reason` is "names" where more differ that were permuted, "unsteady" where more differ than is tolerated, else "".
    """

    plain: int
    plain_different: int
    permuted: int
    permuted_different: int
    reason: str = ""


class Relation(Struct, frozen=True):
    """How a judge's answers go with people's beyond the automatic value, within games.

    `items` are those with another of the same game and automatic value. `beyond` is the agreement beyond chance (kappa)
    or, of ratings, the correlation; `p` is one-sided, of permutations within games and automatic values.
    """

    items: int
    beyond: float
    p: float


class Contract(Struct, frozen=True):
    """What the judge may do (`use`), and why not more (`reasons`, codes).

    `agreement` is the judge's share in percent of agreement with settled answers, or each person's, `interval` its 95 %
    interval; `people` and `people_interval` are the same of each person with settled answers, or with the other people,
    None without them.
    """

    use: str
    reasons: list[str]
    items: int
    agreement: float | None
    interval: Interval | None
    people: float | None
    people_interval: Interval | None
    test: AlternativeTest
    relation: Relation
    consistency: Consistency
    baseline: Baseline


def conclude_contracts(
    items: Collection[JudgedItem], repeats: Collection[Repeat] = (), ratings: Collection[str] = ()
) -> dict[tuple[str, str], Contract]:
    """The contract of each metric and role; `ratings` are the metrics whose answers are ratings."""
    cells: dict[tuple[str, str], list[JudgedItem]] = defaultdict(list)
    for item in items:
        cells[item.metric, item.role].append(item)
    consistencies = {
        metric: check_repeats([repeat for repeat in repeats if repeat.metric == metric])
        for metric, _role in cells
    }
    return {
        (metric, role): conclude_contract(found, consistencies[metric], is_rating=metric in ratings)
        for (metric, role), found in sorted(cells.items())
    }


def conclude_contract(
    items: Collection[JudgedItem], consistency: Consistency, *, is_rating: bool = False
) -> Contract:
    """The contract of one metric and role."""
    answered = [item for item in items if item.judge and item.targets]
    asked = sum(bool(item.targets) for item in items)
    relation = relate(answered, is_rating=is_rating)
    test = compare_with_people(answered, is_rating=is_rating)
    refusals = [consistency.reason] if consistency.reason else []
    if len(answered) < LEAST_ANSWERED * asked:
        refusals.append(UNANSWERED)
    refusals += _refuse_relation(answered, relation)
    reasons = refusals or [test.reason] * bool(test.reason)
    if not refusals and consistency.permuted < LEAST_REPEATS:
        reasons.append(FEW_REPEATS)
    agreement, interval = _measure_agreement(answered, is_rating=is_rating)
    people, people_interval = _measure_people(answered, is_rating=is_rating)
    return Contract(
        use=REFUSED if refusals else STRATA if reasons else HELPS,
        reasons=reasons,
        items=len(answered),
        agreement=agreement,
        interval=interval,
        people=people,
        people_interval=people_interval,
        test=test,
        relation=relation,
        consistency=consistency,
        baseline=find_baseline(answered, is_rating=is_rating),
    )


def check_repeats(repeats: Collection[Repeat]) -> Consistency:
    """Whether a judge gives the same answer again, and whether names, seats and order change it.

    They do if the 95 % interval of the difference is above 0; without plain repeats, if that of the share of different
    answers is above 10 %.
    """
    counts = Counter((repeat.is_permuted, repeat.first != repeat.second) for repeat in repeats)
    plain, permuted = (
        (counts[kind, True], counts[kind, False] + counts[kind, True]) for kind in (False, True)
    )
    gap = newcombe(*permuted, *plain)
    shares = [wilson(*kind) for kind in (plain, permuted)]
    tells = [share is not None and share[0] > 100 * TOLERATED for share in shares]
    reason = ""
    if gap[0] > 0 if gap else tells[1]:
        reason = NAMES
    elif any(tells):
        reason = UNSTEADY
    return Consistency(plain[1], plain[0], permuted[1], permuted[0], reason)


def relate(items: Collection[JudgedItem], *, is_rating: bool = False) -> Relation:
    """How the judge's answers go with the references of items of the same game and automatic value.

    p is the share of 1,999 seeded permutations within these (fewer from 2,000 items on) that agree as often. Ratings
    have one item a game, so these are compared over games. Sources: J. Cohen, Educational and Psychological Measurement
    20 (1960), 37-46, for kappa; N. Mantel, JASA 58 (1963), 690-700, for strata.
    """
    strata: dict[tuple[int, str], list[tuple[str, str]]] = defaultdict(list)
    for item in items:
        if reference := item.find_reference(is_rating=is_rating):
            strata[0 if is_rating else item.game, item.rule].append((item.judge, reference))
    # Sorted, so that the order of the items makes no difference.
    used = [sorted(pairs) for _stratum, pairs in sorted(strata.items()) if len(pairs) > 1]
    count = sum(map(len, used))
    if not count:
        return Relation(0, 0.0, 1.0)
    parts = [_encode(pairs, is_rating=is_rating) for pairs in used]
    judge, people = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    orders = draw_orders(tuple(map(len, used)), max(LEAST_DRAWN, min(PERMUTATIONS, MOST_NUMBERS // count)))
    if is_rating:
        found, permuted = float(judge @ people), people[orders] @ judge
        most = float(np.sqrt(np.square(judge).sum() * np.square(people).sum()))
        expected = 0.0
    else:
        found, permuted = float((judge == people).sum()), (people[orders] == judge).sum(axis=1)
        most, expected = float(count), sum(float(np.equal.outer(*part).mean(axis=1).sum()) for part in parts)
    beyond = (found - expected) / (most - expected) if most > expected else 0.0
    return Relation(count, beyond, (1 + int((permuted >= found - 1e-9).sum())) / (1 + len(orders)))


def _encode(pairs: Sequence[tuple[str, str]], *, is_rating: bool) -> tuple[Vector, Vector]:
    """Ratings less their mean, and labels as numbers."""
    judge, people = zip(*pairs, strict=True)
    if is_rating:
        ratings = [np.array(side, dtype=np.float64) for side in (judge, people)]
        return ratings[0] - ratings[0].mean(), ratings[1] - ratings[1].mean()
    words = sorted({*judge, *people})
    first, second = (
        np.array([words.index(word) for word in side], dtype=np.float64) for side in (judge, people)
    )
    return first, second


def _refuse_relation(items: Sequence[JudgedItem], relation: Relation) -> list[str]:
    if relation.items < LEAST_ITEMS:
        return [FEW_ITEMS]
    if relation.p <= RELATED_P:
        return [] if relation.beyond >= FLOOR else [BELOW_FLOOR]
    most = Counter(item.judge for item in items).most_common(1)[0][1]
    if most >= NEARLY_ALL * len(items):
        return [ONE_ANSWER]
    ruled = [item for item in items if item.rule]
    same = sum(item.judge == item.rule for item in ruled)
    return [COPIES_RULE if ruled and same >= NEARLY_ALL * len(ruled) else UNRELATED]


def _measure_agreement(
    items: Sequence[JudgedItem], *, is_rating: bool
) -> tuple[float | None, Interval | None]:
    """The judge's agreement in percent, and its interval."""
    shares = [share_agreeing(item.judge, item.targets, is_rating=is_rating) for item in items]
    return _summarise(shares, items)


def _summarise(
    shares: Sequence[float], items: Collection[JudgedItem]
) -> tuple[float | None, Interval | None]:
    """The mean in percent, and Wilson's interval for as many items as would be independent."""
    if not shares:
        return None, None
    mean, count = sum(shares) / len(shares), len(shares) / _find_effect(shares, items)
    return 100 * mean, wilson(mean * count, count)


def _find_effect(shares: Sequence[float], items: Collection[JudgedItem]) -> float:
    return find_design_effect(shares, [item.game for item in items])


def _measure_people(
    items: Collection[JudgedItem], *, is_rating: bool
) -> tuple[float | None, Interval | None]:
    """The mean agreement of each person of an item, over items; the people of one item count as one."""
    found = [
        (item, float(np.mean(shares)))
        for item in items
        if (
            shares := [
                share_agreeing(value, others, is_rating=is_rating)
                for person, value in item.people.items()
                if (others := [item.key] if item.key else _answers_without(item, person))
            ]
        )
    ]
    return _summarise([share for _item, share in found], [item for item, _share in found])


def _answers_without(item: JudgedItem, person: int) -> list[str]:
    return [value for other, value in item.people.items() if other != person]


def find_baseline(items: Collection[JudgedItem], *, is_rating: bool = False) -> Baseline:
    """As the drift test counts: agreement with single people, never with settled answers."""
    used = [item for item in items if item.people]
    shares = [share_agreeing(item.judge, list(item.people.values()), is_rating=is_rating) for item in used]
    return Baseline(sum(shares), len(shares), _find_effect(shares, used) if used else 1.0)
