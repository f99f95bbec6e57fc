"""Tables of blind answers, items by evaluators: the input of all agreement statistics.

An evaluator without an answer is not in the row: submitting accepts every finding, but that is not an answer.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from workspace.statistics.ratings import Matrix

# Kinds with many items in a game. Their answers are dependent, so intervals leave out whole games.
PART_KINDS = (judgement_kinds.REFERENCE, *judgement_kinds.MESSAGE_KINDS, judgement_kinds.IDENTIFY)

# Kinds that can only be marked: leaving one unmarked is not an answer.
MARKS = (judgement_kinds.MISSED, judgement_kinds.PHRASE)
Item = tuple[int, str]


class BlindAnswer(Struct, frozen=True, gc=False):
    """An answer given before its reveal; `value` is never ""."""

    game: int
    evaluation: int
    evaluator: int
    purpose: str
    kind: str
    subject: str
    value: str


class AnswerKind(Struct, frozen=True):
    """A subject of agreement: a kind of judgement, or a question by its number."""

    kind: str
    question: str = ""

    @property
    def key(self) -> str:
        """The name in addresses and statistics: "coherence", "question-2"."""
        return f"{self.kind}-{self.question}" if self.question else self.kind

    @property
    def is_rating(self) -> bool:
        """Whether answers are points on a scale."""
        return self.kind == judgement_kinds.RATING

    @property
    def has_parts(self) -> bool:
        """Whether a game has many items of this kind."""
        return self.kind in PART_KINDS

    @property
    def values(self) -> tuple[str, ...]:
        """All possible answers, in order."""
        return judgement_kinds.VALUES[self.kind]

    @property
    def numbers(self) -> dict[str, float]:
        """The answers as numbers: points of the rating, else positions in the order of answers."""
        return {value: float(value) if self.is_rating else at for at, value in enumerate(self.values)}


def list_answer_kinds(question_count: int) -> list[AnswerKind]:
    """All subjects of agreement, in the order of the rubric."""
    parts = [AnswerKind(kind) for kind in PART_KINDS]
    questions = [AnswerKind(judgement_kinds.QUESTION, str(number)) for number in range(1, question_count + 1)]
    return [*parts, *questions, AnswerKind(judgement_kinds.RATING)]


def make_kind_key(answer: BlindAnswer) -> str:
    return f"{answer.kind}-{answer.subject}" if answer.kind == judgement_kinds.QUESTION else answer.kind


class AnswerTable(Struct, frozen=True, dict=True):
    """The blind answers on a subject: a row for each item, rater -> value, and the group of each row.

    Raters are evaluators; for self-agreement they are the first and the second evaluation.
    """

    answer_kind: AnswerKind
    rows: Sequence[Mapping[int, str]]
    groups: Sequence[Hashable]

    @cached_property
    def shared(self) -> list[Mapping[int, str]]:
        """The rows with two answers or more."""
        return [row for row in self.rows if len(row) > 1]

    @cached_property
    def matrix(self) -> Matrix:
        """Items x raters, NaN for no answer."""
        raters = sorted({rater for row in self.rows for rater in row})
        places = {rater: place for place, rater in enumerate(raters)}
        numbers = self.answer_kind.numbers
        table = np.full((len(self.rows), len(places)), np.nan)
        for at, row in enumerate(self.rows):
            for rater, value in row.items():
                table[at, places[rater]] = numbers[value]
        return table

    @cached_property
    def shared_groups(self) -> int:
        """Groups with a row of two answers or more."""
        return len({group for row, group in zip(self.rows, self.groups, strict=True) if len(row) > 1})


def by_evaluators(kinds: Iterable[AnswerKind], answers: Iterable[BlindAnswer]) -> Iterator[AnswerTable]:
    """A table for each subject, over the games with answers of two evaluators or more.

    Rows are in the order of games and transcripts; each game is a group.
    """
    found: dict[str, dict[Item, dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    for answer in in_shared_games(answers):
        found[make_kind_key(answer)][make_item(answer)][answer.evaluator] = answer.value
    for answer_kind in kinds:
        rows = found.get(answer_kind.key, {})
        places = sorted(rows, key=make_item_sort_key)
        yield AnswerTable(answer_kind, [rows[item] for item in places], [game for game, _subject in places])


def in_shared_games(answers: Iterable[BlindAnswer]) -> list[BlindAnswer]:
    """The answers in games with answers of two evaluators or more."""
    kept = list(answers)
    evaluators: dict[int, set[int]] = defaultdict(set)
    for answer in kept:
        evaluators[answer.game].add(answer.evaluator)
    return [answer for answer in kept if len(evaluators[answer.game]) > 1]


def make_item(answer: BlindAnswer) -> Item:
    """The game and the subject within it; a question is about the whole game."""
    return answer.game, "" if answer.kind == judgement_kinds.QUESTION else answer.subject


def make_item_sort_key(item: Item) -> tuple[int, tuple[int, int]]:
    """Sorts items in the order of games and transcripts."""
    game, subject = item
    return game, parse_subject(subject) if subject else (0, 0)
