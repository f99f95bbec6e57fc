"""Where the evaluators of one game differ: the sides, what counts now, and what a lead must decide.

The rule for what counts is in `discussions.adjudication.core.effective`.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec import Struct

from discussions.adjudication.core.effective import (
    ADJUDICATED_KINDS,
    CountedJudgements,
    Judged,
    Key,
    add_silent_sides,
    collect_counted_judgements,
    find_effective_values,
    find_majority,
    find_sides,
    list_decided_items,
)
from discussions.core import judgement_kinds
from workspace.core.canonical import canonical_hash

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


# A lead can answer "no" to these: no reference, phrase not accepted, the manual check does not decide.
CAN_BE_NO = (judgement_kinds.MISSED, judgement_kinds.PHRASE, judgement_kinds.IDENTIFY_DECIDES)
_KINDS = (*ADJUDICATED_KINDS, judgement_kinds.QUESTION, judgement_kinds.DELIBERATE)


class AdjudicationRecord(Struct, frozen=True):
    """The newest adjudication of a subject; `adopted` is the evaluation whose answer the lead adopted."""

    id: int
    kind: str
    subject: str
    number: int
    value: str
    reason: str
    adopted: int | None
    sides_sha256: str
    by: int
    by_name: str
    at: datetime


class Side(Struct, frozen=True):
    """The answer of one evaluation on a subject; `is_silent` without an answer, which accepts the automatic value.

    `evaluation` is its key, `alias` the letter that replaces its evaluator's name in this game. `blind_value` is the
    answer before the reveal.
    """

    evaluation: int
    alias: str
    value: str
    blind_value: str = ""
    reason: str = ""
    is_silent: bool = False

    @property
    def is_changed(self) -> bool:
        return bool(self.blind_value) and self.blind_value != self.value


class Disagreement(Struct, frozen=True):
    """A subject on which evaluators differ, or on which a lead decided. Sides are in the order of their letters.

    `machine` is the automatic value, "" for none; `majority` the value with the most evaluations, None when two have
    equally many. If `is_tie`, a lead must decide before a verdict can be recorded. The sides of a message are only
    the evaluators who judged it. `sides_sha256` is the hash of the answers, including silent ones. If `resolved`
    holds another hash, the answers changed since.
    """

    kind: str
    subject: str
    sides: tuple[Side, ...]
    machine: str
    majority: str | None
    is_tie: bool
    sides_sha256: str
    resolved: AdjudicationRecord | None = None

    @property
    def key(self) -> Key:
        return self.kind, self.subject

    @property
    def can_be_adjudicated(self) -> bool:
        return self.kind in ADJUDICATED_KINDS

    @property
    def is_changed_since(self) -> bool:
        return self.resolved is not None and self.resolved.sides_sha256 != self.sides_sha256

    @property
    def page_sha256(self) -> str:
        """The hash that a form carries: of the answers and the current adjudication."""
        return canonical_hash([self.sides_sha256, self.resolved.id if self.resolved else None])

    @property
    def is_open(self) -> bool:
        """Whether a lead's decision is open: none was made, or the sides changed since."""
        return self.can_be_adjudicated and (self.resolved is None or self.is_changed_since)

    @property
    def adopted_alias(self) -> str:
        adopted = self.resolved.adopted if self.resolved else None
        return next((side.alias for side in self.sides if side.evaluation == adopted), "")

    @property
    def is_split(self) -> bool:
        return len({side.value for side in self.sides}) > 1

    @property
    def is_alike(self) -> bool:
        """Whether the tied labels count alike in the metric, so that no lead has to decide."""
        most = [count for _value, count in Counter(side.value for side in self.sides).most_common(2)]
        return self.majority is not None and len(most) == 2 and most[0] == most[1]

    @property
    def counts(self) -> str | None:
        """The value that counts now: the adjudicated one, else the majority's; None while it is open."""
        return self.resolved.value if self.resolved else self.majority


def find_disagreements(
    judged: Iterable[Judged],
    machine: Mapping[Key, str],
    resolved: Iterable[AdjudicationRecord],
    *,
    seed: str,
    reasons: Mapping[tuple[int, str, str], str] | None = None,
) -> list[Disagreement]:
    """Everything on which the submitted evaluations of a game differ, and everything that a lead decided in it.

    Open ties come first. Then come decisions on answers that changed since, split majorities, and the other
    decisions, each by kind and in the order of the transcript. `reasons` are by (evaluation, kind, subject); `seed`
    is the seed for `letters`.
    """
    judged = list(judged)
    counted = collect_counted_judgements(judged, machine)
    decided = {(adjudication.kind, adjudication.subject): adjudication for adjudication in resolved}
    values = {key: adjudication.value for key, adjudication in decided.items()}
    ties = frozenset(find_effective_values(judged, values, machine=machine).ties)
    judgements = {
        (judgement.evaluation, judgement.kind, judgement.subject): judgement
        for judgement in judged
        if judgement.value
    }
    letter_of = letters(seed, counted.evaluations)
    found = []
    for kind, subject in list_decided_items(counted, values):
        counting = find_sides(counted, kind, subject)
        answers = (
            add_silent_sides(counted, kind, subject) if kind in judgement_kinds.MESSAGE_KINDS else counting
        )
        sides = _sides(kind, subject, answers, counted, judgements, reasons or {}, letter_of)
        disagreement = Disagreement(
            kind=kind,
            subject=subject,
            sides=tuple(side for side in sides if side.evaluation in counting),
            machine=machine.get((kind, subject), ""),
            majority=find_majority(counting, kind),
            is_tie=(kind, subject) in ties,
            sides_sha256=hash_sides(sides),
            resolved=decided.get((kind, subject)),
        )
        if disagreement.is_split or disagreement.resolved:
            found.append(disagreement)
    return sorted(found, key=_order)


def has_letters(evaluation_count: int, needed_count: int) -> bool:
    """Whether several people rate a game, or will, so that letters replace their names."""
    return evaluation_count > 1 or needed_count > 1


def letters(seed: str, evaluations: Iterable[int]) -> dict[int, str]:
    """Evaluation -> letter. The order depends on the secret `seed` of a game, so it cannot be derived from keys."""
    order = sorted(
        evaluations, key=lambda evaluation: hashlib.sha256(f"letter:{seed}:{evaluation}".encode()).digest()
    )
    return {number: LETTERS[place % len(LETTERS)] for place, number in enumerate(order)}


def hash_sides(sides: Iterable[Side]) -> str:
    said = [[side.evaluation, side.value, side.blind_value, side.is_silent] for side in sides]
    return canonical_hash(sorted(said))


def _sides(
    kind: str,
    subject: str,
    answers: Mapping[int, str],
    counted: CountedJudgements,
    judgements: Mapping[tuple[int, str, str], Judged],
    reasons: Mapping[tuple[int, str, str], str],
    letter_of: Mapping[int, str],
) -> tuple[Side, ...]:
    found = []
    for evaluation, value in answers.items():
        is_silent = counted.is_silent(evaluation, kind, subject)
        own = judgements.get((evaluation, kind, subject))
        found.append(
            Side(
                evaluation=evaluation,
                alias=letter_of[evaluation],
                value=value,
                blind_value=own.blind_value if own else "",
                reason=reasons.get((evaluation, kind, subject), "") if own else "",
                is_silent=is_silent,
            )
        )
    return tuple(sorted(found, key=lambda side: side.alias))


def _order(disagreement: Disagreement) -> tuple[int, int, tuple[int, ...], str]:
    if disagreement.is_tie:
        rank = 0
    elif disagreement.is_changed_since:
        rank = 1
    else:
        rank = 3 if disagreement.resolved else 2
    return rank, _KINDS.index(disagreement.kind), _locate(disagreement.subject), disagreement.subject


def _locate(subject: str) -> tuple[int, ...]:
    """The position in the transcript: (19, 2) for "19.2", (3,) for "3|i think that"; () for the whole game."""
    numbers = subject.partition("|")[0].split(".")
    return tuple(int(number) for number in numbers if number.isdigit())
