"""Effective values: the adjudication, else the majority of submitted evaluations, else the automatic value."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from discussions.adjudication.core.authorship_test import AnswerKey, AuthorshipResult
from discussions.core import judgement_kinds
from discussions.core.records import Measurement
from discussions.metrics.core.registry import METRICS
from workspace.statistics.means import exact_mean

Key = tuple[str, str]


# A tie on these kinds stays open until a lead decides; the others do not affect a verdict.
ADJUDICATED_KINDS = (
    judgement_kinds.REFERENCE,
    judgement_kinds.MISSED,
    judgement_kinds.STRATEGIC_DEPTH,
    judgement_kinds.COHERENCE,
    judgement_kinds.ROLE_CONSISTENCY,
    judgement_kinds.PHRASE,
    judgement_kinds.IDENTIFY,
    judgement_kinds.IDENTIFY_DECIDES,
)


# Labels that a metric counts alike. A tie between them needs no decision; the first one counts.
COUNTED_ALIKE: dict[str, tuple[str, ...]] = {
    judgement_kinds.REFERENCE: (judgement_kinds.VAGUE, judgement_kinds.INACCURATE),
    judgement_kinds.ROLE_CONSISTENCY: (judgement_kinds.NOT_ASSESSABLE, judgement_kinds.INCONSISTENT),
}


# An evaluator without an answer accepts the automatic value of these kinds. The others have none.
SILENCE_ACCEPTS = (
    judgement_kinds.STRATEGIC_DEPTH,
    judgement_kinds.COHERENCE,
    judgement_kinds.ROLE_CONSISTENCY,
    judgement_kinds.PHRASE,
    judgement_kinds.IDENTIFY_DECIDES,
)


class Judged(Struct, frozen=True):
    evaluation: int
    kind: str
    subject: str
    value: str
    blind_value: str = ""
    is_submitted: bool = False


class JudgeAnswers(Struct, frozen=True):
    """What a judge says of messages of a game, by subject, for one metric: it only divides them (docs/judges.md).

    `judge` is its key, `identity` the hash of what it is; `number` and `name` are how people know it. The admissions
    are keys of rows, one for each side.
    """

    judge: int
    identity: str
    number: int
    name: str
    metric: str
    admissions: list[int]
    answers: dict[str, str]


class Effective(Struct, frozen=True):
    """The effective values of one game: kind -> subject -> value, without unset values.

    `added` are references that people added or accepted, `ties` what a lead must decide, `rating` the mean rating,
    `answers` those to the questions, `identification` (yes, asked) of the manual check, `test` the result of the blind
    test, and `identify_decides` whether that check or test replaces pass or fail of its metric. What `judges` say is no
    value.
    """

    values: dict[str, dict[str, str]]
    added: frozenset[str] = frozenset()
    ties: tuple[Key, ...] = ()
    rating: Fraction | None = None
    answers: dict[str, str] = {}
    identification: tuple[int, int] | None = None
    identify_decides: bool = False
    test: AuthorshipResult | None = None
    judges: tuple[JudgeAnswers, ...] = ()


def machine_values(measurements: Mapping[str, Measurement]) -> dict[Key, str]:
    """The automatic value of each subject that a person can judge.

    Counted references are listed with the value "": they were found, but not labelled.
    """
    return {
        (METRICS[key].judged, subject): value
        for key, measurement in measurements.items()
        for subject, value in METRICS[key].machine_values(measurement).items()
    }


class CountedJudgements(Struct, frozen=True):
    """The values that count: subject -> evaluation -> value, without unset ones; and the automatic values.

    `silence_votes` is the rule of verdicts recorded before basis format 2: an evaluator who did not judge a message
    counted as a vote for the automatic value.
    """

    values: dict[Key, dict[int, str]]
    evaluations: frozenset[int]
    machine: Mapping[Key, str] = {}
    silence_votes: bool = False

    def is_silent(self, evaluation: int, kind: str, subject: str) -> bool:
        labelled = kind == judgement_kinds.MISSED and evaluation in self.values.get(
            (judgement_kinds.REFERENCE, subject), {}
        )
        return evaluation not in self.values.get((kind, subject), {}) and not labelled


def collect_counted_judgements(
    judged: Iterable[Judged],
    machine: Mapping[Key, str] | None = None,
    *,
    own: int | None = None,
    silence_votes: bool = False,
) -> CountedJudgements:
    """The judgements that count: those of submitted evaluations, or with `own` those of that evaluation alone."""
    counting = [
        judgement
        for judgement in judged
        if (judgement.is_submitted if own is None else judgement.evaluation == own)
    ]
    values: dict[Key, dict[int, str]] = defaultdict(dict)
    for judgement in counting:
        if judgement.value:
            values[judgement.kind, judgement.subject][judgement.evaluation] = judgement.value
    return CountedJudgements(
        dict(values), frozenset(judgement.evaluation for judgement in counting), machine or {}, silence_votes
    )


def find_effective_values(
    judged: Iterable[Judged],
    adjudicated: Mapping[Key, str],
    *,
    machine: Mapping[Key, str] | None = None,
    tests: Mapping[int, AnswerKey] | None = None,
    own: int | None = None,
    silence_votes: bool = False,
) -> Effective:
    """The effective values of one game from everybody's newest judgements.

    Only submitted evaluations count; with `own`, that evaluation alone counts, submitted or not (one's own preview).
    The majority of those who judged a message decides; submitting accepts automatic values (`machine`, see
    machine_values) only of messages that nobody judged. A reference is added when more than half of the evaluations
    have it. Equal halves are ties, unless the metric counts them alike. `silence_votes`: see CountedJudgements. `tests`
    are the blind tests of who said it, by evaluation; those of the evaluations that count are combined.
    """
    counted = collect_counted_judgements(judged, machine, own=own, silence_votes=silence_votes)
    added, ties = _added(counted, adjudicated)
    values: dict[str, dict[str, str]] = defaultdict(dict)
    for kind, subject in counted.values:
        if (kind, subject) in adjudicated or not _has_effective_value(kind, subject, added, counted):
            continue
        value = find_majority(find_sides(counted, kind, subject), kind)
        if value is None:
            ties.append((kind, subject))
        elif value:
            values[kind][subject] = value
    for (kind, subject), value in adjudicated.items():
        if _has_effective_value(kind, subject, added, counted) and value:
            values[kind][subject] = value
    keys = {evaluation: key for evaluation, key in (tests or {}).items() if evaluation in counted.evaluations}

    def find_answer(evaluation: int, place: int) -> str:
        return counted.values.get((judgement_kinds.ATTRIBUTION, str(place)), {}).get(evaluation, "")

    return _build_effective(values, added, ties, counted, combine_tests(keys, find_answer))


def list_decided_items(counted: CountedJudgements, adjudicated: Mapping[Key, str]) -> list[Key]:
    """Every subject that evaluators or leads judged and that is decided by majority, unordered.

    A sentence is judged twice: first whether it is a reference, and only then what kind of reference it is.
    """
    added, _halves = _added(counted, adjudicated)
    found = [(judgement_kinds.MISSED, subject) for subject in _marked(counted)]
    found += [key for key in counted.values if _has_effective_value(*key, added, counted)]
    return list(dict.fromkeys([*found, *adjudicated]))


def find_sides(counted: CountedJudgements, kind: str, subject: str) -> Mapping[int, str]:
    """Evaluation -> its value for this subject: the sides whose majority counts.

    Only those who judged a message count for it; a message that nobody judged has the automatic value. The other kinds
    in SILENCE_ACCEPTS were shown to every evaluator: without an answer an evaluation has the automatic value. A
    sentence that it marked or labelled is a reference, unless the label says that it is none; for all others the value
    is "".
    """
    said = counted.values.get((kind, subject), {})
    if kind == judgement_kinds.MISSED:
        labels = counted.values.get((judgement_kinds.REFERENCE, subject), {})
        having = {
            number for number in (*said, *labels) if labels.get(number) != judgement_kinds.NOT_A_REFERENCE
        }
        return {
            evaluation: judgement_kinds.YES if evaluation in having else ""
            for evaluation in counted.evaluations
        }
    if said and kind in judgement_kinds.MESSAGE_KINDS and not counted.silence_votes:
        return said
    return add_silent_sides(counted, kind, subject)


def add_silent_sides(counted: CountedJudgements, kind: str, subject: str) -> Mapping[int, str]:
    """Evaluation -> its value; without an answer the automatic value, if the kind is in SILENCE_ACCEPTS."""
    said = counted.values.get((kind, subject), {})
    if kind not in SILENCE_ACCEPTS:
        return said
    machine = counted.machine.get((kind, subject), "")
    return {evaluation: said.get(evaluation, machine) for evaluation in counted.evaluations}


def find_majority(sides: Mapping[int, str], kind: str = "") -> str | None:
    """The value with the most evaluations; None for a tie that changes a score, and without values."""
    # Nobody, or one evaluator, as after every save.
    if len(sides) < 2:
        return next(iter(sides.values()), None)
    (first, most), *others = Counter(sides.values()).most_common()
    tied = {first, *(value for value, count in others if count == most)}
    if len(tied) == 1:
        return first
    alike = COUNTED_ALIKE.get(kind, ())
    return next(iter(alike), None) if tied <= set(alike) else None


def _has_effective_value(kind: str, subject: str, added: frozenset[str], counted: CountedJudgements) -> bool:
    """Whether the subject has an effective value: no marks, ratings, test answers, or non-references."""
    if kind in judgement_kinds.SENTENCE_KINDS:
        return kind != judgement_kinds.MISSED and (
            subject in added or (judgement_kinds.REFERENCE, subject) in counted.machine
        )
    return kind not in (judgement_kinds.RATING, judgement_kinds.ATTRIBUTION)


def _marked(counted: CountedJudgements) -> set[str]:
    return {
        subject
        for kind, subject in counted.values
        if kind in (judgement_kinds.MISSED, judgement_kinds.REFERENCE)
        and (judgement_kinds.REFERENCE, subject) not in counted.machine
    }


def _added(counted: CountedJudgements, adjudicated: Mapping[Key, str]) -> tuple[frozenset[str], list[Key]]:
    """The references that people added, and those with an unresolved tie."""
    resolved = {
        subject: bool(value)
        for (kind, subject), value in adjudicated.items()
        if kind == judgement_kinds.MISSED
    }
    added = {subject for subject, is_in in resolved.items() if is_in}
    halves = []
    for subject in _marked(counted) - resolved.keys():
        value = find_majority(find_sides(counted, judgement_kinds.MISSED, subject))
        if value is None:
            halves.append((judgement_kinds.MISSED, subject))
        elif value:
            added.add(subject)
    return frozenset(added), halves


def _build_effective(
    values: dict[str, dict[str, str]],
    added: frozenset[str],
    ties: list[Key],
    counted: CountedJudgements,
    test: AuthorshipResult | None,
) -> Effective:
    ratings = [Fraction(value) for value in counted.values.get((judgement_kinds.RATING, ""), {}).values()]
    identified = values.get(judgement_kinds.IDENTIFY, {})
    decides = judgement_kinds.YES in values.get(judgement_kinds.IDENTIFY_DECIDES, {}).values()
    yes = sum(value == judgement_kinds.YES for value in identified.values())
    open_ties = [
        (kind, subject)
        for kind, subject in ties
        if kind in ADJUDICATED_KINDS and (decides or kind != judgement_kinds.IDENTIFY)
    ]
    return Effective(
        values=dict(values),
        added=added,
        ties=tuple(sorted(open_ties)),
        rating=exact_mean(ratings),
        answers=dict(values.get(judgement_kinds.QUESTION, {})),
        identification=(yes, len(identified)) if identified else None,
        identify_decides=decides,
        test=test,
    )


class AdjudicatedAnswer(Struct, frozen=True):
    id: int
    kind: str
    subject: str
    value: str


def combine_tests(
    keys: Mapping[int, AnswerKey], find_answer: Callable[[int, int], str]
) -> AuthorshipResult | None:
    """The result of several evaluators' tests, counted as one test; None if there are none.

    `keys` are by evaluation. `find_answer` returns an evaluation's answer to its n-th message: an agent's number, or
    anything else for a miss. If the numbers of agents differ, the smallest counts: guesses are then right more often,
    so the test is stricter. Tests by agents count an agent as identified if most of those who were asked about it said
    so; a test that its evaluator skipped counts nothing.
    """
    if any(key.needed for key in keys.values()):
        return _combine_agents(keys, find_answer)
    if not keys:
        return None
    hits = [
        find_answer(evaluation, place) == str(author)
        for evaluation, key in keys.items()
        for place, author in enumerate(key.authors, start=1)
    ]
    return AuthorshipResult(sum(hits), len(hits), min(key.agents for key in keys.values()))


def _combine_agents(
    keys: Mapping[int, AnswerKey], find_answer: Callable[[int, int], str]
) -> AuthorshipResult | None:
    asked: dict[int, list[bool]] = {}
    decided = []
    for evaluation, key in keys.items():
        said = {str(place): find_answer(evaluation, place) for place in range(1, len(key.authors) + 1)}
        if not key.is_over(said):
            continue
        decided.append(key)
        for author, value in zip(key.authors, said.values(), strict=True):
            if value:
                asked.setdefault(author, []).append(value == str(author))
    if not decided:
        return None
    hits = sum(2 * sum(right) > len(right) for right in asked.values())
    return AuthorshipResult(
        hits, len(asked), min(key.agents for key in decided), max(key.needed for key in decided)
    )
