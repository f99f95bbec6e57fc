"""Agreement of evaluators with themselves: first blind answers against hidden duplicates of the same game.

It limits how far people can agree with each other.
"""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from discussions.reliability.core.agreement import headline, share
from discussions.reliability.core.blind_answers import (
    AnswerKind,
    AnswerTable,
    BlindAnswer,
    Item,
    list_answer_kinds,
    make_item,
    make_item_sort_key,
    make_kind_key,
)
from workspace.statistics.estimates import Agreement

FIRST, AGAIN = "rating", "repeat"
_COLUMN = {FIRST: 1, AGAIN: 2}


class OwnAgreement(Struct, frozen=True):
    """A person and a subject: the share of `items` with the same answer twice, and alpha."""

    evaluator: int
    items: int
    share: float | None
    alpha: float | None
    reason: str


class SelfAgreement(Struct, frozen=True):
    """A subject over all people; each game of each person is a group."""

    key: str
    items: int
    games: int
    alpha: Agreement
    share: Agreement
    people: list[OwnAgreement]


def compute_self_agreement(answers: Iterable[BlindAnswer], question_count: int) -> list[SelfAgreement]:
    """Agreement of first answers with repeats; subjects without two answers are left out."""
    found: dict[str, dict[tuple[int, Item], dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    for answer in answers:
        if answer.purpose in _COLUMN:
            twice = found[make_kind_key(answer)][answer.evaluator, make_item(answer)]
            twice[_COLUMN[answer.purpose]] = answer.value
    lines = []
    for answer_kind in list_answer_kinds(question_count):
        rows = {key: row for key, row in found.get(answer_kind.key, {}).items() if len(row) > 1}
        if rows:
            lines.append(_agreed(answer_kind, rows))
    return lines


def _agreed(answer_kind: AnswerKind, rows: dict[tuple[int, Item], dict[int, str]]) -> SelfAgreement:
    whole = _table(answer_kind, rows)
    people = sorted({evaluator for evaluator, _item in rows})
    return SelfAgreement(
        key=answer_kind.key,
        items=len(rows),
        games=whole.shared_groups,
        alpha=headline(whole),
        share=share(whole),
        people=[_own(answer_kind, person, rows) for person in people],
    )


def _own(answer_kind: AnswerKind, person: int, rows: dict[tuple[int, Item], dict[int, str]]) -> OwnAgreement:
    own = _table(answer_kind, {key: row for key, row in rows.items() if key[0] == person})
    alpha = headline(own)
    same = sum(row[1] == row[2] for row in own.rows)
    return OwnAgreement(person, len(own.rows), same / len(own.rows), alpha.value, alpha.reason)


def _table(answer_kind: AnswerKind, rows: dict[tuple[int, Item], dict[int, str]]) -> AnswerTable:
    places = sorted(rows, key=lambda key: (key[0], make_item_sort_key(key[1])))
    groups = [(evaluator, game) for evaluator, (game, _subject) in places]
    return AnswerTable(answer_kind, [rows[key] for key in places], groups)
