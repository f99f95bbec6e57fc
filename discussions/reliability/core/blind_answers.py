"""Blind answers, items by evaluators: the input of agreement statistics, pairs, and what goes with the rating.

An evaluator without an answer is not in the row: submitting accepts every finding, but that is not an answer.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from discussions.core.outcome import ENGAGEMENT
from discussions.metrics.core.registry import METRICS
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import cohen_kappa
from workspace.statistics.estimates import Agreement
from workspace.statistics.means import wilson
from workspace.statistics.ratings import Matrix
from workspace.statistics.within_groups import Within, centre, correlate_within, disattenuate

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


class PairCell(Struct, frozen=True, array_like=True):
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
    game: int
    subject: str
    people: tuple[int, int]
    values: tuple[str, str]
    evaluations: tuple[int, int]


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
        return self.kind == judgement_kinds.RATING

    @property
    def has_parts(self) -> bool:
        return self.kind in PART_KINDS

    @property
    def values(self) -> tuple[str, ...]:
        return judgement_kinds.VALUES[self.kind]

    @property
    def numbers(self) -> dict[str, float]:
        """The answers as numbers: points of the rating, else positions in the order of answers."""
        return {value: float(value) if self.is_rating else at for at, value in enumerate(self.values)}


def list_answer_kinds(question_count: int) -> list[AnswerKind]:
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


def compare_pairs(answered: AnswerTable) -> tuple[list[PairCell], list[PairAgreement]]:
    """All pairs of answers in one table, and a table for each pair of evaluators."""
    by_pair: dict[tuple[int, int], Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in answered.shared:
        for (number, first), (other, second) in combinations(sorted(row.items()), 2):
            by_pair[number, other][first, second] += 1
    order = answered.answer_kind.values.index
    whole: Counter[tuple[str, str]] = Counter()
    for counts in by_pair.values():
        for pair, count in counts.items():
            whole[tuple(sorted(pair, key=order))] += count  # type: ignore[index]
    pairs = [_pair(answered.answer_kind, *pair, counts) for pair, counts in sorted(by_pair.items())]
    return _cells(whole, answered.answer_kind), pairs


def _cells(counts: Counter[tuple[str, str]], answer_kind: AnswerKind) -> list[PairCell]:
    order = answer_kind.values.index
    places = sorted(counts, key=lambda pair: (order(pair[0]), order(pair[1])))
    return [PairCell(*pair, counts[pair]) for pair in places]


def _pair(
    answer_kind: AnswerKind, first: int, second: int, counts: Counter[tuple[str, str]]
) -> PairAgreement:
    numbers, is_rating = answer_kind.numbers, answer_kind.is_rating
    table = np.array([[numbers[left], numbers[other]] for left, other in counts.elements()])
    alpha = krippendorff_alpha(table, level="ordinal" if is_rating else "nominal", with_interval=False)
    kappa = cohen_kappa(table, weights="quadratic" if is_rating else "identity", scale=list(numbers.values()))
    share = float((table[:, 0] == table[:, 1]).mean())
    cells = _cells(counts, answer_kind)
    return PairAgreement(first, second, len(table), share, cells, kappa.value, alpha.value, alpha.reason)


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
        for two in combinations(sorted(by_item[item], key=lambda answer: answer.evaluator), 2):
            people, values, evaluations = zip(
                *((answer.evaluator, answer.value, answer.evaluation) for answer in two), strict=True
            )
            is_in_cell = values == (row, column) or (pair is None and values == (column, row))
            if is_in_cell and pair in (None, people):
                found.append(PairCase(*item, people, values, evaluations))
    return found


# Fewer games have no sentence.
LEAST_GAMES = 20
# Two-sided. The table in docs/agreement.md says how often a sentence is right and wrong.
LEVEL = 0.045
GOES_WITH, NO_SIGN, AGAINST, TOO_FEW = "goes_with", "no_sign", "against", "too_few"


class RatedGame(Struct, frozen=True):
    """A game with a recorded verdict: the scores of metrics that apply, the mean rating, whether M1 to M6 all pass.

    Games of one `prompt` are compared with each other; None where it is not known. `threshold` is that of the rating.
    """

    number: int
    prompt: Hashable | None
    iteration: int | None
    scores: dict[str, float]
    rating: float
    is_pass: bool
    threshold: float


class MetricWithRating(Struct, frozen=True):
    """One metric and the rating over `games`, with their distances from the means of their prompts in `points`.

    `word` is "goes_with", "no_sign", "against" or "too_few". The corrected values are tau-b and rho, divided by
    the root of the rating's reliability.
    """

    key: str
    games: list[RatedGame]
    points: list[tuple[float, float]]
    word: str
    within: Within
    tau_b_corrected: Agreement | None
    rho_corrected: Agreement | None


class EngagementFigures(Struct, frozen=True):
    """`alone` games are left out of `metrics`: no other game of their prompt is known.

    Of `passing` games that pass M1 to M6, `watchable` have a rating of `threshold` or more; `share` is Wilson's
    interval in percent. `reliability` is the rating's ICC(2,k).
    """

    games: int
    prompts: int
    alone: int
    reliability: float | None
    metrics: list[MetricWithRating]
    passing: int
    watchable: int
    threshold: float | None
    share: tuple[float, float] | None


def compute_engagement(games: Sequence[RatedGame], reliability: float | None) -> EngagementFigures:
    """The figures of these games, the newest first."""
    counts = Counter(game.prompt for game in games if game.prompt is not None)
    compared = [game for game in games if counts[game.prompt] > 1]
    threshold = games[0].threshold if games else None
    passing = [game for game in games if game.is_pass]
    watchable = sum(game.rating >= (threshold or 0) for game in passing)
    return EngagementFigures(
        games=len(compared),
        prompts=sum(count > 1 for count in counts.values()),
        alone=len(games) - len(compared),
        reliability=reliability,
        metrics=[_relate(key, compared, reliability) for key in METRICS if key != ENGAGEMENT],
        passing=len(passing),
        watchable=watchable,
        threshold=threshold,
        share=wilson(watchable, len(passing)),
    )


def choose_word(within: Within) -> str:
    """The word for what these games show."""
    if within.items < LEAST_GAMES or within.p is None:
        return TOO_FEW
    if within.p > LEVEL:
        return NO_SIGN
    return GOES_WITH if within.slope > 0 else AGAINST


def _relate(key: str, games: Sequence[RatedGame], reliability: float | None) -> MetricWithRating:
    rows = [(game.prompt, game.scores[key], game.rating) for game in games if key in game.scores]
    within, tables = correlate_within(rows), centre(rows)
    placed = {prompt: iter(table.tolist()) for prompt, table in tables.items()}
    shown = [game for game in games if key in game.scores and game.prompt in placed]
    return MetricWithRating(
        key=key,
        games=shown,
        points=[tuple(next(placed[game.prompt])) for game in shown],
        word=choose_word(within),
        within=within,
        tau_b_corrected=disattenuate(within.tau, reliability),
        rho_corrected=disattenuate(within.rho, reliability),
    )
