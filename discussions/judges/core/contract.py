"""What a judge may do for one metric and role, by its answers and people's on the same items.

It "helps" if it is no worse than people. Else it gives strata for people's estimate if its answers are related to
people's beyond the automatic value, within games, where strata are used. Without that it is refused.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from math import ceil, inf, isinf, sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.judges.core.drift import Baseline, Vector
from workspace.statistics.means import newcombe, wilson
from workspace.statistics.within_groups import PERMUTATIONS, draw_orders

# Two ratings agree if they are no farther apart.
CLOSE_RATINGS = 1.0


class JudgedItem(Struct, frozen=True):
    """One subject of a game. `people` are answers by person, `key` its adjudicated value, "" where there is none.

    `role` is "" for metrics that no role changes, `rule` the automatic value, "" where a metric has none.
    """

    metric: str
    role: str
    game: int
    rule: str
    people: Mapping[int, str]
    judge: str
    key: str = ""

    @property
    def targets(self) -> list[str]:
        """What an answer about the item is compared with: its key, else the answer of each person."""
        return [self.key] if self.key else list(self.people.values())

    def find_reference(self, *, is_rating: bool = False) -> str:
        """The key, else the majority of people, or the mean of their ratings; "" where a majority is tied."""
        if self.key or not self.people:
            return self.key
        if is_rating:
            return str(float(np.mean([float(value) for value in self.people.values()])))
        (value, count), *others = Counter(self.people.values()).most_common(2)
        return "" if others and others[0][1] == count else value


def share_agreeing(answer: str, others: Sequence[str], *, is_rating: bool = False) -> float:
    """The share of the other answers that are the same; of ratings, at most a point away."""
    if is_rating:
        return float(np.mean([abs(float(answer) - float(other)) <= CLOSE_RATINGS for other in others]))
    return sum(answer == other for other in others) / len(others)


def compute_error(values: Sequence[float], games: Iterable[Hashable]) -> float:
    """The standard error of the mean of values that depend on each other within games; with one game infinite.

    sqrt(G / (G - 1) sum_g (sum_i (v_i - mean))^2) / n, never less than s / sqrt(n): few games can be alike by chance.
    If every value has a game of its own, both are the same. Source: K.-Y. Liang, S. L. Zeger, Biometrika 73 (1986),
    13-22.
    """
    found = np.array(values, dtype=np.float64)
    sums: dict[Hashable, float] = defaultdict(float)
    for game, distance in zip(games, (found - found.mean()).tolist(), strict=True):
        sums[game] += distance
    count = len(sums)
    if count < 2:
        return inf
    within = sqrt(count / (count - 1) * sum(total * total for total in sums.values())) / len(found)
    return max(within, float(found.std(ddof=1)) / sqrt(len(found)))


def find_design_effect(values: Sequence[float], games: Iterable[Hashable]) -> float:
    """How many such values tell as much as one that depends on no other, from 1 to all of them.

    Source: L. Kish, Survey Sampling (1965), chapter 8.
    """
    alone = compute_error(values, range(len(values)))
    return min(float(len(values)), (compute_error(values, games) / alone) ** 2) if 0 < alone < inf else 1.0


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
