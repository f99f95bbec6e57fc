"""Contingency tables of the answers of two evaluators, and the cases behind each cell."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

import numpy as np
from msgspec import Struct

from discussions.reliability.core.blind_answers import (
    AnswerKind,
    AnswerTable,
    BlindAnswer,
    Item,
    make_item,
    make_item_sort_key,
    make_kind_key,
)
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import cohen_kappa


class PairCell(Struct, frozen=True, array_like=True):
    """The count of pairs of answers (`row`, `column`)."""

    row: str
    column: str
    count: int


class PairAgreement(Struct, frozen=True, omit_defaults=True):
    """A pair of evaluators, by key: share of agreement, kappa and alpha over the `items` that both answered.

    The row of a cell is the answer of `first`. Kappa of the rating has quadratic weights.
    """

    first: int
    second: int
    items: int
    share: float
    cells: list[PairCell]
    kappa: float | None = None
    alpha: float | None = None
    reason: str = ""


class PairCase(Struct, frozen=True):
    """Two answers to the same item, with evaluators and evaluations."""

    game: int
    subject: str
    people: tuple[int, int]
    values: tuple[str, str]
    evaluations: tuple[int, int]


def compare_pairs(answered: AnswerTable) -> tuple[list[PairCell], list[PairAgreement]]:
    """All pairs of answers in one table, and a table for each pair of evaluators."""
    by_pair: dict[tuple[int, int], Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in answered.shared:
        for (number, first), (other, second) in combinations(sorted(row.items()), 2):
            by_pair[number, other][first, second] += 1
    order = {value: at for at, value in enumerate(answered.answer_kind.values)}
    whole: Counter[tuple[str, str]] = Counter()
    for counts in by_pair.values():
        for (first, second), count in counts.items():
            whole[(first, second) if order[first] <= order[second] else (second, first)] += count
    pairs = [_pair(answered.answer_kind, *pair, counts) for pair, counts in sorted(by_pair.items())]
    return _cells(whole, order), pairs


def _cells(counts: Counter[tuple[str, str]], order: dict[str, int]) -> list[PairCell]:
    places = sorted(counts, key=lambda pair: (order[pair[0]], order[pair[1]]))
    return [PairCell(*pair, counts[pair]) for pair in places]


def _pair(
    answer_kind: AnswerKind, first: int, second: int, counts: Counter[tuple[str, str]]
) -> PairAgreement:
    numbers = answer_kind.numbers
    table = np.array([[numbers[left], numbers[other]] for left, other in counts.elements()])
    alpha = krippendorff_alpha(
        table, level="ordinal" if answer_kind.is_rating else "nominal", with_interval=False
    )
    kappa = cohen_kappa(
        table,
        weights="quadratic" if answer_kind.is_rating else "identity",
        scale=list(numbers.values()),
        with_interval=False,
    )
    return PairAgreement(
        first=first,
        second=second,
        items=len(table),
        share=float((table[:, 0] == table[:, 1]).mean()),
        cells=_cells(counts, {value: at for at, value in enumerate(answer_kind.values)}),
        kappa=kappa.value,
        alpha=alpha.value,
        reason=alpha.reason,
    )


def find_pair_cases(
    answers: Iterable[BlindAnswer],
    answer_kind: AnswerKind,
    row: str,
    column: str,
    pair: tuple[int, int] | None = None,
) -> list[PairCase]:
    """The cases of a cell in the order of games and transcripts.

    With a `pair` the first evaluator gave `row`; without one the order does not matter. Other answers are ignored.
    """
    by_item: dict[Item, list[BlindAnswer]] = defaultdict(list)
    for answer in answers:
        if make_kind_key(answer) == answer_kind.key and answer.value in (row, column):
            by_item[make_item(answer)].append(answer)
    found = []
    for item in sorted(by_item, key=make_item_sort_key):
        there = sorted(by_item[item], key=lambda answer: answer.evaluator)
        found += [_case(item, *two) for two in combinations(there, 2) if _is_in_cell(two, row, column, pair)]
    return found


def _is_in_cell(
    two: tuple[BlindAnswer, BlindAnswer], row: str, column: str, pair: tuple[int, int] | None
) -> bool:
    values = (two[0].value, two[1].value)
    if pair is None:
        return values in ((row, column), (column, row))
    return values == (row, column) and (two[0].evaluator, two[1].evaluator) == pair


def _case(item: Item, first: BlindAnswer, other: BlindAnswer) -> PairCase:
    return PairCase(
        *item,
        people=(first.evaluator, other.evaluator),
        values=(first.value, other.value),
        evaluations=(first.evaluation, other.evaluation),
    )
