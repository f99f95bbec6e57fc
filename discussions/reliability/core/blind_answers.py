"""Blind answers put into tables of things and evaluators: what agreement of any kind is computed on.

Whoever says nothing of a thing is not in its row: submitting accepts every finding, but that is no answer.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from workspace.statistics.ratings import Matrix

# Things of which a game has many; their answers hang together, so that intervals leave out whole games.
PART_KINDS = (judgement_kinds.REFERENCE, *judgement_kinds.MESSAGE_KINDS, judgement_kinds.IDENTIFY)


# What can only be marked: nobody who leaves it unmarked has answered.
MARKS = (judgement_kinds.MISSED, judgement_kinds.PHRASE)


Item = tuple[int, str]


class BlindAnswer(Struct, frozen=True, gc=False):
    """What one evaluator said of one thing before anything of it was revealed to them; `value` is never ""."""

    game: int
    evaluation: int
    evaluator: int
    purpose: str
    kind: str
    subject: str
    value: str


class Thing(Struct, frozen=True):
    """What agreement is asked about: a kind of judgement, or one of the questions, by its number."""

    kind: str
    question: str = ""

    @property
    def key(self) -> str:
        """What it is called in addresses and figures: "coherence", "question-2"."""
        return f"{self.kind}-{self.question}" if self.question else self.kind

    @property
    def is_rating(self) -> bool:
        """Whether its answers are points on a scale, and not labels."""
        return self.kind == judgement_kinds.RATING

    @property
    def has_parts(self) -> bool:
        """Whether a game has many of them."""
        return self.kind in PART_KINDS

    @property
    def values(self) -> tuple[str, ...]:
        """Every answer there is, in order."""
        return judgement_kinds.VALUES[self.kind]

    @property
    def numbers(self) -> dict[str, float]:
        """The answers as numbers: points of the rating, else places in the order of answers."""
        return {value: float(value) if self.is_rating else at for at, value in enumerate(self.values)}


def list_things(question_count: int) -> list[Thing]:
    """Everything that agreement is computed on, as the rubric goes."""
    parts = [Thing(kind) for kind in PART_KINDS]
    questions = [Thing(judgement_kinds.QUESTION, str(number)) for number in range(1, question_count + 1)]
    return [*parts, *questions, Thing(judgement_kinds.RATING)]


def make_thing_key(answer: BlindAnswer) -> str:
    """The key of the thing that an answer is about."""
    return f"{answer.kind}-{answer.subject}" if answer.kind == judgement_kinds.QUESTION else answer.kind


class Answered(Struct, frozen=True, dict=True):
    """The blind answers about one thing: a row for each item, rater -> value, and the group that it belongs to.

    Raters are evaluators; where people are compared with themselves they are the first time and the second.
    """

    thing: Thing
    rows: Sequence[Mapping[int, str]]
    groups: Sequence[Hashable]

    @cached_property
    def shared(self) -> list[Mapping[int, str]]:
        """The rows with two answers or more."""
        return [row for row in self.rows if len(row) > 1]

    @cached_property
    def matrix(self) -> Matrix:
        """Items x raters, NaN for silence."""
        raters = sorted({rater for row in self.rows for rater in row})
        places = {rater: place for place, rater in enumerate(raters)}
        numbers = self.thing.numbers
        table = np.full((len(self.rows), len(places)), np.nan)
        for at, row in enumerate(self.rows):
            for rater, value in row.items():
                table[at, places[rater]] = numbers[value]
        return table

    @cached_property
    def shared_groups(self) -> int:
        """Groups with a row of two answers or more."""
        return len({group for row, group in zip(self.rows, self.groups, strict=True) if len(row) > 1})


def by_evaluators(things: Iterable[Thing], answers: Iterable[BlindAnswer]) -> Iterator[Answered]:
    """A table of each thing from first answers, over the games that two evaluators or more have answered in.

    Rows stand in the order of games and of the transcript; each game is a group.
    """
    found: dict[str, dict[Item, dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    for answer in in_shared_games(answers):
        found[make_thing_key(answer)][make_item(answer)][answer.evaluator] = answer.value
    for thing in things:
        rows = found.get(thing.key, {})
        places = sorted(rows, key=make_item_sort_key)
        yield Answered(thing, [rows[item] for item in places], [game for game, _subject in places])


def in_shared_games(answers: Iterable[BlindAnswer]) -> list[BlindAnswer]:
    """The answers in games that two evaluators or more have answered in."""
    kept = list(answers)
    evaluators: dict[int, set[int]] = defaultdict(set)
    for answer in kept:
        evaluators[answer.game].add(answer.evaluator)
    return [answer for answer in kept if len(evaluators[answer.game]) > 1]


def make_item(answer: BlindAnswer) -> Item:
    """The game, and which part of it an answer is about; a question is about the whole game."""
    return answer.game, "" if answer.kind == judgement_kinds.QUESTION else answer.subject


def make_item_sort_key(item: Item) -> tuple[int, tuple[int, int]]:
    """What sorts items as games and their transcripts go."""
    game, subject = item
    return game, parse_subject(subject) if subject else (0, 0)
