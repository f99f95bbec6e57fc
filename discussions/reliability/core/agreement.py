"""Agreement of evaluators of the same games, by subject, from blind answers only; and with themselves.

The headline is Krippendorff's alpha (nominal; ordinal for the rating). Gwet's AC1 is shown next to it (AC2 with
quadratic weights for the rating), because alpha is low when nearly all answers are the same. Intervals are
jackknife-t over games. Agreement with oneself compares first answers with hidden duplicates of the same game. It limits
how far people can agree with each other.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence

import msgspec
import numpy as np
from msgspec import Struct, field

from discussions.core import judgement_kinds
from discussions.reliability.core import blind_answers
from workspace.core.words import mark, mark_many, say, say_many
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import gwet_ac, observed_agreement, specific_agreement
from workspace.statistics.estimates import (
    CARRIES,
    LEAST_FOR_INTERVAL,
    LEAST_RARER,
    TENTATIVE,
    Agreement,
    classify_strength,
    raters_needed,
)
from workspace.statistics.intraclass import compute_icc
from workspace.statistics.ratings import two_or_more

# Change it when the computation changes: statistics with another number are computed again.
CODE_VERSION = "2"
# The two evaluations of a person as raters, by purpose.
TWICE = {"rating": 1, "repeat": 2}
SKEWED = 0.8
NOBODY = mark("Nobody has answered this blind in a game that two evaluators or more have submitted.")

SAMPLES_APART = mark(
    "Each evaluator is given a sample of their own, so few messages are shared. More evaluators for each game, or "
    "a larger sample in the rubric, make more of them shared."
)


class AgreementLine(Struct, frozen=True):
    """Agreement on one subject. `answered` items have a blind answer, `items` have two or more, in `games`.

    `shares` count the answers to those items; `specific` is the agreement on each single answer; `icc` of one evaluator
    and `panel` of the mean of all exist only for the rating. `common` is the most frequent answer, `strength` one word
    for alpha if its interval allows one.
    """

    key: str
    answered: int
    items: int
    games: int
    raters: int
    pairs: int
    shares: list[tuple[str, int]]
    alpha: Agreement
    # The stored name is the older one.
    gwet: Agreement = field(name="companion")
    share: Agreement
    specific: list[tuple[str, Agreement]]
    icc: Agreement | None
    panel: Agreement | None
    strength: str
    common: str
    common_share: float

    @property
    def needed_range(self) -> tuple[int, int | None] | None:
        """How many evaluators would do by either end of the interval of one; None as the second: no number known.

        None without an interval, or where even its better end reaches no number.
        """
        one = self.icc if self.icc and self.icc.value is not None else self.alpha
        most, least = map(raters_needed, one.interval or (None, None))
        return None if least is None else (least, most)

    @property
    def rare(self) -> list[str] | None:
        """The answers other than the most frequent one, if they are too few for an interval; else None."""
        others = {value: count for value, count in self.shares if value != self.common}
        if self.icc or self.alpha.interval or sum(others.values()) >= LEAST_RARER:
            return None
        return [value for value, count in others.items() if count]

    @property
    def is_skewed(self) -> bool:
        """Whether alpha is low because nearly all answers are the same; then it says little about the raters."""
        return self.common_share >= SKEWED and self.alpha.value is not None and self.alpha.value < TENTATIVE


class KindAgreement(AgreementLine, frozen=True):
    """The same with its tables: `cells` count pairs of answers of all evaluators, `people` compares each pair.

    The row of a cell is the answer that comes first in the order of answers.
    """

    cells: list[blind_answers.PairCell]
    people: list[blind_answers.PairAgreement]


class MarkCounts(Struct, frozen=True):
    """Subjects that can only be marked: how many one evaluator marked, and how many two or more."""

    kind: str
    by_one: int
    by_more: int


class TeamAgreement(Struct, frozen=True):
    """Agreement on all subjects; `games` have blind answers of two evaluators or more."""

    games: int
    evaluators: int
    evaluations: int
    things: list[KindAgreement]
    marks: list[MarkCounts]

    def find(self, key: str) -> KindAgreement | None:
        return next((answer_kind for answer_kind in self.things if answer_kind.key == key), None)


class OwnAgreement(Struct, frozen=True):
    """A person and a subject: the share of `items` with the same answer twice, and alpha."""

    evaluator: int
    items: int
    share: float | None
    alpha: float | None
    reason: str


class EvaluatorSelfAgreement(Struct, frozen=True):
    """A subject over all people; each game of each person is a group."""

    key: str
    items: int
    games: int
    alpha: Agreement
    share: Agreement
    people: list[OwnAgreement]


class EvaluatorAgreement(Struct, frozen=True):
    """Agreement of evaluators with each other and, by hidden duplicates, with themselves.

    `games` counts the games with two or more submitted evaluations, `submitted` these evaluations, blind or not.
    `questions` come from the newest rubric version.
    """

    games: int
    submitted: int
    questions: list[str]
    agreement: TeamAgreement
    own: list[EvaluatorSelfAgreement]


def compute_agreement(answers: Iterable[blind_answers.BlindAnswer], question_count: int) -> TeamAgreement:
    """Agreement over first blind answers (purpose rating), in any order."""
    first = blind_answers.in_shared_games(answer for answer in answers if answer.purpose == "rating")
    return TeamAgreement(
        games=len({answer.game for answer in first}),
        evaluators=len({answer.evaluator for answer in first}),
        evaluations=len({answer.evaluation for answer in first}),
        things=[
            agreed_on(answered)
            for answered in blind_answers.by_evaluators(
                blind_answers.list_answer_kinds(question_count), first
            )
        ],
        marks=[_marked(kind, first) for kind in blind_answers.MARKS],
    )


def agreed_on(answered: blind_answers.AnswerTable) -> KindAgreement:
    alpha = headline(answered)
    icc, panel = compute_correlations(answered)
    counts = Counter(value for row in answered.shared for value in row.values())
    shares = [(value, counts[value]) for value in answered.answer_kind.values] if counts else []
    gwet = gwet_ac(
        answered.matrix,
        weights="quadratic" if answered.answer_kind.is_rating else "identity",
        scale=list(answered.answer_kind.numbers.values()),
        groups=_groups(answered),
    )
    common, most = max(shares, key=lambda row: row[1]) if shares else ("", 0)
    cells, people = blind_answers.compare_pairs(answered)
    return KindAgreement(
        key=answered.answer_kind.key,
        answered=len(answered.rows),
        items=len(answered.shared),
        games=answered.shared_groups,
        raters=len({rater for row in answered.shared for rater in row}),
        pairs=sum(cell.count for cell in cells),
        shares=shares,
        alpha=alpha,
        gwet=_explained(gwet, answered),
        share=_share(answered),
        specific=_specific(answered),
        icc=icc,
        panel=panel,
        strength=classify_strength(alpha),
        common=common,
        common_share=most / counts.total() if counts else 0.0,
        cells=cells,
        people=people,
    )


def headline(answered: blind_answers.AnswerTable) -> Agreement:
    if answered.answer_kind.is_rating:
        return _explained(krippendorff_alpha(answered.matrix, level="ordinal"), answered)
    return _explained(
        krippendorff_alpha(answered.matrix, level="nominal", groups=_groups(answered)), answered
    )


def _share(answered: blind_answers.AnswerTable) -> Agreement:
    return _explained(observed_agreement(answered.matrix, groups=_groups(answered)), answered)


def _groups(answered: blind_answers.AnswerTable) -> Sequence[Hashable] | None:
    return answered.groups if answered.answer_kind.has_parts else None


def compute_correlations(answered: blind_answers.AnswerTable) -> tuple[Agreement | None, Agreement | None]:
    """ICC(2,1) and ICC(2,k) of the rating; from variance components when ratings are missing."""
    if not answered.answer_kind.is_rating:
        return None, None
    matrix = answered.matrix[two_or_more(answered.matrix)]
    matrix = matrix[:, ~np.isnan(matrix).all(axis=0)]
    single, mean = compute_icc(matrix, form="2,1"), compute_icc(matrix, form="2,k")
    return _explained(single, answered), _explained(mean, answered)


def _specific(answered: blind_answers.AnswerTable) -> list[tuple[str, Agreement]]:
    """Specific agreement on each answer; for yes and no: positive and negative agreement."""
    if answered.answer_kind.is_rating:
        return []
    matrix, groups = answered.matrix, _groups(answered)
    return [
        (value, _explained(specific_agreement(matrix, number, groups=groups), answered))
        for value, number in answered.answer_kind.numbers.items()
    ]


def _explained(found: Agreement, answered: blind_answers.AnswerTable) -> Agreement:
    """The same, with reasons that name games and messages."""
    if found.value is None and not answered.shared:
        return msgspec.structs.replace(found, reason=_why_not_shared(answered))
    if found.value is None or found.interval is not None:
        return found
    games = answered.shared_groups
    if games >= LEAST_FOR_INTERVAL and found.interval_reason not in map(say, CARRIES.values()):
        return found
    says = say("One game carries the whole value: without it there is none, so there is no interval.")
    if games < LEAST_FOR_INTERVAL:
        says = say_many(
            "An interval needs at least {least} games; there is {n}.",
            "An interval needs at least {least} games; there are {n}.",
            games,
            least=LEAST_FOR_INTERVAL,
        )
    return msgspec.structs.replace(found, interval_reason=says)


# Kind of judgement -> why none of its items was judged by two; other kinds have a game as item.
_NOT_SHARED = dict.fromkeys(
    blind_answers.PART_KINDS,
    mark_many(
        "{n} message was judged blind, none by two evaluators.",
        "{n} messages were judged blind, none by two evaluators.",
    ),
) | {
    judgement_kinds.REFERENCE: mark_many(
        "{n} reference was judged blind, none by two evaluators.",
        "{n} references were judged blind, none by two evaluators.",
    ),
    judgement_kinds.IDENTIFY: mark_many(
        "{n} agent was judged blind, none by two evaluators.",
        "{n} agents were judged blind, none by two evaluators.",
    ),
}
_NO_GAME_SHARED = mark_many(
    "{n} game was judged blind, none by two evaluators.",
    "{n} games were judged blind, none by two evaluators.",
)


def _why_not_shared(answered: blind_answers.AnswerTable) -> str:
    kind = answered.answer_kind.kind
    if not answered.rows:
        return say(NOBODY)
    says = say_many(*_NOT_SHARED.get(kind, _NO_GAME_SHARED), len(answered.rows))
    return f"{says} {say(SAMPLES_APART)}" if kind in judgement_kinds.MESSAGE_KINDS else says


def _marked(kind: str, answers: Sequence[blind_answers.BlindAnswer]) -> MarkCounts:
    by_whom: dict[tuple[int, str], set[int]] = defaultdict(set)
    for answer in answers:
        if answer.kind == kind:
            by_whom[answer.game, answer.subject].add(answer.evaluator)
    more = sum(len(people) > 1 for people in by_whom.values())
    return MarkCounts(kind, len(by_whom) - more, more)


def compute_self_agreement(
    answers: Iterable[blind_answers.BlindAnswer], question_count: int
) -> list[EvaluatorSelfAgreement]:
    """Agreement of first answers with repeats; subjects without two answers are left out."""
    found: dict[str, _Twice] = defaultdict(lambda: defaultdict(dict))
    for answer in answers:
        if answer.purpose in TWICE:
            row = found[blind_answers.make_kind_key(answer)][
                answer.evaluator, blind_answers.make_item(answer)
            ]
            row[TWICE[answer.purpose]] = answer.value
    lines = []
    for answer_kind in blind_answers.list_answer_kinds(question_count):
        rows = {key: row for key, row in found.get(answer_kind.key, {}).items() if len(row) > 1}
        if rows:
            whole = _table_twice(answer_kind, rows)
            people = [
                _own(
                    person,
                    _table_twice(answer_kind, {key: row for key, row in rows.items() if key[0] == person}),
                )
                for person in sorted({evaluator for evaluator, _item in rows})
            ]
            counts = (len(rows), whole.shared_groups)
            lines.append(
                EvaluatorSelfAgreement(answer_kind.key, *counts, headline(whole), _share(whole), people)
            )
    return lines


# By person and item: the answers at both times.
_Twice = dict[tuple[int, blind_answers.Item], dict[int, str]]


def _own(person: int, own: blind_answers.AnswerTable) -> OwnAgreement:
    alpha, same = headline(own), sum(row[1] == row[2] for row in own.rows)
    return OwnAgreement(person, len(own.rows), same / len(own.rows), alpha.value, alpha.reason)


def _table_twice(answer_kind: blind_answers.AnswerKind, rows: _Twice) -> blind_answers.AnswerTable:
    places = sorted(rows, key=lambda key: (key[0], blind_answers.make_item_sort_key(key[1])))
    groups = [(evaluator, game) for evaluator, (game, _subject) in places]
    return blind_answers.AnswerTable(answer_kind, [rows[key] for key in places], groups)
