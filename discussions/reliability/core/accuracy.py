"""The accuracy of automatic values, measured against blind answers, never against overrides.

For strategic depth, coherence and role consistency only the accuracy sample counts: random messages, judged before
the automatic value was shown. Overrides are no sample, because nobody reads every message for them. Precision is the
share of automatic yes that people confirm. Recall is the share of people's yes that the metric finds.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from discussions.reliability.core.anchoring import Anchoring, AnchoringTally
from discussions.reliability.core.crosstab import ANY, Answer, Crosstab, Share, Tally
from discussions.reliability.core.submitted import SubmittedEvaluation

# Change it when the computation changes: statistics with another number are computed again.
CODE_VERSION = "3"
PRECISION, RECALL, SPECIFICITY = "precision", "recall", "specificity"
BY_PEOPLE, BY_MACHINE = "by_people", "by_machine"
OBJECTIONS, REFERENCES, CHECKS, PHRASES = "objections", "references", "checks", "phrases"
ASKED, TESTED = "asked", "tested"
COUNTED, POSSIBLE, MARKED, KEPT = "counted", "possible", "marked", "kept"
PASSES, FAILS, STANDS, REPEATED = "passes", "fails", "stands", "repeated"
SUPPORTED, CLOSE, CANNOT_CHECK = "supported", "close", "cannot_check"
SAMPLED = judgement_kinds.MESSAGE_KINDS
LABELS = (judgement_kinds.ACCURATE, judgement_kinds.INACCURATE, judgement_kinds.VAGUE)


class MetricTurns(Struct, frozen=True):
    """One metric in the recorded verdicts: `estimated` have people's estimate of it.

    In `turned` of these, the estimate is on the other side of the threshold; `verdicts` of them would flip with the
    metric.
    """

    key: str
    estimated: int
    turned: int
    verdicts: int


class VersionAccuracy(Struct, frozen=True):
    """The accuracy under one rubric version and one version of the metrics; findings differ between versions."""

    rubric_version: int
    code_version: str
    games: int
    evaluators: int
    evaluations: int
    blind_evaluations: int
    tables: list[Crosstab]
    anchoring: list[Anchoring]
    turns: list[MetricTurns] = []

    @property
    def key(self) -> str:
        """The name of the version in addresses."""
        return f"{self.rubric_version}-{self.code_version}"

    def table(self, part: str) -> Crosstab:
        return next(table for table in self.tables if table.part == part)


class AccuracyFigures(Struct, frozen=True):
    """The accuracy in a project, the newest rubric version first."""

    evaluations: int
    versions: list[VersionAccuracy]


def _binary(yes: str, no: str) -> tuple[Share, ...]:
    everything = ((yes, yes), (yes, no), (no, yes), (no, no))
    return (
        Share(PRECISION, ((yes, yes),), ((yes, yes), (yes, no))),
        Share(RECALL, ((yes, yes),), ((yes, yes), (no, yes))),
        Share(SPECIFICITY, ((no, no),), ((yes, no), (no, no))),
        Share(BY_PEOPLE, ((yes, yes), (no, yes)), everything),
        Share(BY_MACHINE, ((yes, yes), (yes, no)), everything),
    )


_OBJECTED = (
    (judgement_kinds.INCONSISTENT, judgement_kinds.INCONSISTENT),
    (judgement_kinds.INCONSISTENT, judgement_kinds.CONSISTENT),
)

SHARES: dict[str, tuple[Share, ...]] = {
    judgement_kinds.STRATEGIC_DEPTH: _binary(judgement_kinds.YES, judgement_kinds.NO),
    judgement_kinds.COHERENCE: _binary(judgement_kinds.YES, judgement_kinds.NO),
    judgement_kinds.ROLE_CONSISTENCY: _binary(judgement_kinds.CONSISTENT, judgement_kinds.INCONSISTENT),
    OBJECTIONS: (Share(PRECISION, _OBJECTED[:1], _OBJECTED),),
    REFERENCES: (
        Share(PRECISION, ((COUNTED, KEPT),), ((COUNTED, ANY),)),
        Share(RECALL, ((COUNTED, KEPT),), ((ANY, KEPT),)),
        Share("wide_recall", ((COUNTED, KEPT), (POSSIBLE, KEPT)), ((ANY, KEPT),)),
    ),
    CHECKS: (
        Share("supported_accurate", ((SUPPORTED, judgement_kinds.ACCURATE),), ((SUPPORTED, ANY),)),
        Share(
            "close_wrong",
            ((CLOSE, judgement_kinds.INACCURATE), (CLOSE, judgement_kinds.VAGUE)),
            ((CLOSE, ANY),),
        ),
        Share("unchecked_accurate", ((CANNOT_CHECK, judgement_kinds.ACCURATE),), ((CANNOT_CHECK, ANY),)),
        Share(BY_PEOPLE, ((ANY, judgement_kinds.ACCURATE),), ((ANY, ANY),)),
        Share(BY_MACHINE, ((SUPPORTED, ANY), (CLOSE, ANY)), ((ANY, ANY),)),
    ),
    PHRASES: (Share(PRECISION, ((REPEATED, STANDS),), ((REPEATED, ANY),)),),
    ASKED: _binary(PASSES, FAILS),
    TESTED: _binary(PASSES, FAILS),
}


class Turning(Struct, frozen=True):
    """A recorded verdict: (flips, flips the verdict too) for each metric that has people's estimate."""

    rubric_version: int
    code_version: str
    metrics: dict[str, tuple[bool, bool]]


def compute_accuracy(
    evaluated: Iterable[SubmittedEvaluation], recorded: Iterable[Turning] = ()
) -> AccuracyFigures:
    """The figures of every version; the order of evaluations and verdicts does not matter, each is read once."""
    counts: dict[tuple[int, str], _Counts] = {}
    for evaluation in evaluated:
        key = (evaluation.rubric_version, evaluation.code_version)
        counts.setdefault(key, _Counts()).add(evaluation)
    for verdict in recorded:
        if counted := counts.get((verdict.rubric_version, verdict.code_version)):
            counted.add_turning(verdict)
    versions = [
        counted.figures(*key)
        for key, counted in sorted(counts.items(), key=lambda item: item[0], reverse=True)
    ]
    return AccuracyFigures(sum(version.evaluations for version in versions), versions)


def iter_answers(evaluation: SubmittedEvaluation) -> Iterator[Answer]:
    """The blind answers of an evaluation that have an automatic value; each judgement counts once."""
    if not evaluation.is_blind:
        return
    yield from chain(
        _sampled(evaluation), _objections(evaluation), _references(evaluation), _phrases(evaluation)
    )
    if evaluation.identified is not None and evaluation.automatic.passes is not None:
        is_test, passes = evaluation.identified
        row, column = (PASSES if result else FAILS for result in (evaluation.automatic.passes, passes))
        yield _answer(evaluation, TESTED if is_test else ASKED, row, column, 0)


def _sampled(evaluation: SubmittedEvaluation) -> Iterator[Answer]:
    """The accuracy samples only: other judged messages are not a random sample."""
    for answer in evaluation.answers:
        if answer.kind in SAMPLED and answer.blind_value:
            position = int(answer.subject)
            sample = evaluation.samples[answer.kind]
            machine = evaluation.automatic.values.get((answer.kind, answer.subject))
            if position in sample and machine is not None:
                weight = evaluation.drawn_from[answer.kind] / len(sample)
                yield _answer(evaluation, answer.kind, machine, answer.blind_value, position, weight)


def _objections(evaluation: SubmittedEvaluation) -> Iterator[Answer]:
    """The messages that the rules of role consistency object to; all of them are labelled."""
    for answer in evaluation.answers:
        if answer.kind == judgement_kinds.ROLE_CONSISTENCY and answer.blind_value:
            machine = evaluation.automatic.values.get((answer.kind, answer.subject))
            if machine == judgement_kinds.INCONSISTENT:
                yield _answer(evaluation, OBJECTIONS, machine, answer.blind_value, int(answer.subject))


def _references(evaluation: SubmittedEvaluation) -> Iterator[Answer]:
    """Found, suggested and marked sentences: first whether people keep them as references, then their checks."""
    labels = {
        answer.subject: answer.blind_value
        for answer in evaluation.answers
        if answer.kind == judgement_kinds.REFERENCE and answer.blind_value
    }
    for subject, label in labels.items():
        is_counted, check = evaluation.automatic.references.get(subject, (False, ""))
        row = COUNTED if is_counted else POSSIBLE if check else MARKED
        column = judgement_kinds.NOT_A_REFERENCE if label == judgement_kinds.NOT_A_REFERENCE else KEPT
        message = parse_subject(subject)[0]
        yield _answer(evaluation, REFERENCES, row, column, message, detail=subject)
        if check and label in LABELS:
            yield _answer(evaluation, CHECKS, check, label, message, detail=subject)


def _phrases(evaluation: SubmittedEvaluation) -> Iterator[Answer]:
    accepted = {
        answer.subject
        for answer in evaluation.answers
        if answer.kind == judgement_kinds.PHRASE and answer.blind_value
    }
    for subject, message in evaluation.automatic.phrases.items():
        column = judgement_kinds.ACCEPTABLE if subject in accepted else STANDS
        yield _answer(evaluation, PHRASES, REPEATED, column, message, detail=subject)


def _answer(
    evaluation: SubmittedEvaluation,
    part: str,
    row: str,
    column: str,
    message: int,
    weight: float = 1.0,
    detail: str = "",
) -> Answer:
    return Answer(
        part,
        row,
        column,
        evaluation.game,
        message,
        evaluation.evaluator,
        evaluation.evaluation,
        weight,
        detail,
    )


class _Counts:
    """The counts of one version."""

    def __init__(self) -> None:
        self.tallies = {part: Tally(part) for part in SHARES}
        self.anchoring = AnchoringTally()
        self.games: set[int] = set()
        self.evaluators: set[int] = set()
        self.evaluations = self.blind = 0
        self.turns = {metric: [0, 0, 0] for metric in SAMPLED}

    def add(self, evaluation: SubmittedEvaluation) -> None:
        self.games.add(evaluation.game)
        self.evaluators.add(evaluation.evaluator)
        self.evaluations += 1
        self.blind += evaluation.is_blind
        for answer in iter_answers(evaluation):
            self.tallies[answer.part].add(answer)
        self.anchoring.add(evaluation)

    def add_turning(self, verdict: Turning) -> None:
        for metric, (is_turned, takes_verdict) in verdict.metrics.items():
            for place, is_counted in enumerate((True, is_turned, is_turned and takes_verdict)):
                self.turns[metric][place] += is_counted

    def figures(self, rubric_version: int, code_version: str) -> VersionAccuracy:
        return VersionAccuracy(
            rubric_version=rubric_version,
            code_version=code_version,
            games=len(self.games),
            evaluators=len(self.evaluators),
            evaluations=self.evaluations,
            blind_evaluations=self.blind,
            tables=[tally.table(SHARES[part]) for part, tally in self.tallies.items()],
            anchoring=self.anchoring.figures(),
            turns=[MetricTurns(metric, *counts) for metric, counts in self.turns.items()],
        )
