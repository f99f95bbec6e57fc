"""The accuracy of automatic values, measured against blind answers, never against overrides; and anchoring.

For strategic depth, coherence and role consistency only the accuracy sample counts: random messages, judged before
the automatic value was shown. Overrides are no sample, because nobody reads every message for them. Precision is the
share of automatic yes that people confirm. Recall is the share of people's yes that the metric finds.

Anchoring is how blind answers change after the automatic value is shown. An answer that differed may move to the
automatic value; an answer that was the same may move away. Second thoughts cause both, so the index is the difference
of the two shares: above 0 the automatic value attracts. After Fogliato et al., FAccT 2022 (arXiv 2205.09696), whose
readers answered before they saw the output of a model.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

import numpy as np
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from discussions.reliability.core.crosstab import ANY, CellShare, CrossedAnswer, Crosstab, Interval, Tally
from workspace.statistics.estimates import LEAST_FOR_INTERVAL, jackknife_t
from workspace.statistics.means import newcombe

# Change it when the computation changes: statistics with another number are computed again.
CODE_VERSION = "4"
PRECISION, RECALL, SPECIFICITY = "precision", "recall", "specificity"
BY_PEOPLE, BY_MACHINE = "by_people", "by_machine"
OBJECTIONS, REFERENCES, CHECKS, PHRASES = "objections", "references", "checks", "phrases"
ASKED, TESTED = "asked", "tested"
COUNTED, POSSIBLE, MARKED, KEPT = "counted", "possible", "marked", "kept"
PASSES, FAILS, STANDS, REPEATED = "passes", "fails", "stands", "repeated"
SUPPORTED, CLOSE, CANNOT_CHECK = "supported", "close", "cannot_check"
SAMPLED = judgement_kinds.MESSAGE_KINDS
LABELS = (judgement_kinds.ACCURATE, judgement_kinds.INACCURATE, judgement_kinds.VAGUE)
REVEALED = (judgement_kinds.REFERENCE, *SAMPLED)
APART, TOGETHER = "apart", "together"
TO_MACHINE, AWAY, ELSEWHERE, STAYED = "to_machine", "away", "elsewhere", "stayed"
TOWARD = "toward"
# A rubric version, and a version of the metrics; findings differ between versions.
Version = tuple[int, str]


class SubmittedAnswer(Struct, frozen=True):
    kind: str
    subject: str
    value: str
    blind_value: str


class AutomaticValues(Struct, frozen=True):
    """The automatic values of one game: by metric and message; references and phrases by subject.

    `references` are (is counted, check); `phrases` give the message that first has the repeated phrase; `passes` is
    whether personality diversity passes.
    """

    values: Mapping[tuple[str, str], str]
    references: Mapping[str, tuple[bool, str]]
    phrases: Mapping[str, int]
    passes: bool | None


class SubmittedEvaluation(Struct, frozen=True):
    """One submitted evaluation with the automatic values of its game.

    `game` is the game's number, `evaluator` and `evaluation` are keys. `samples` are the positions of the accuracy
    samples by metric, `drawn_from` how many messages each was drawn from. `identified` is the result of the manual
    check: (was it the blind test, passes), None without one.
    """

    game: int
    evaluator: int
    evaluation: int
    rubric_version: int
    code_version: str
    automatic: AutomaticValues
    samples: Mapping[str, Collection[int]]
    drawn_from: Mapping[str, int]
    answers: list[SubmittedAnswer]
    revealed: Collection[str]
    identified: tuple[bool, bool] | None = None

    @property
    def is_blind(self) -> bool:
        return any(answer.blind_value for answer in self.answers)

    def count(
        self, part: str, row: str, column: str, message: int, weight: float = 1.0, detail: str = ""
    ) -> CrossedAnswer:
        """An answer in a cell of the table `part`."""
        by = (self.evaluator, self.evaluation)
        return CrossedAnswer(part, row, column, self.game, message, *by, weight, detail)


class MetricTurns(Struct, frozen=True):
    """One metric in the recorded verdicts: `estimated` have people's estimate of it.

    In `turned` of these, the estimate is on the other side of the threshold; `verdicts` of them would flip with the
    metric.
    """

    key: str
    estimated: int
    turned: int
    verdicts: int


class EvaluatorMoves(Struct, frozen=True):
    """An evaluator: `toward` of `apart` differing answers moved to the value, `away` of `together` left it."""

    evaluator: int
    apart: int
    toward: int
    together: int
    away: int


class Anchoring(Struct, frozen=True):
    """A metric. `index` is share toward minus share away, in points from -100 to 100; None when a share is undefined.

    `interval` is Newcombe's; `over_games` is the jackknife over games, None with fewer than three games.
    """

    metric: str
    table: Crosstab
    index: float | None
    interval: Interval | None
    over_games: Interval | None
    people: list[EvaluatorMoves]


class VersionAccuracy(Struct, frozen=True):
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
        return f"{self.rubric_version}-{self.code_version}"

    def table(self, part: str) -> Crosstab:
        return next(table for table in self.tables if table.part == part)


class AccuracyFigures(Struct, frozen=True):
    """The accuracy in a project, the newest rubric version first."""

    evaluations: int
    versions: list[VersionAccuracy]


def _binary(yes: str, no: str) -> tuple[CellShare, ...]:
    everything = ((yes, yes), (yes, no), (no, yes), (no, no))
    return (
        CellShare(PRECISION, ((yes, yes),), ((yes, yes), (yes, no))),
        CellShare(RECALL, ((yes, yes),), ((yes, yes), (no, yes))),
        CellShare(SPECIFICITY, ((no, no),), ((yes, no), (no, no))),
        CellShare(BY_PEOPLE, ((yes, yes), (no, yes)), everything),
        CellShare(BY_MACHINE, ((yes, yes), (yes, no)), everything),
    )


_OBJECTED = (
    (judgement_kinds.INCONSISTENT, judgement_kinds.INCONSISTENT),
    (judgement_kinds.INCONSISTENT, judgement_kinds.CONSISTENT),
)

SHARES: dict[str, tuple[CellShare, ...]] = {
    judgement_kinds.STRATEGIC_DEPTH: _binary(judgement_kinds.YES, judgement_kinds.NO),
    judgement_kinds.COHERENCE: _binary(judgement_kinds.YES, judgement_kinds.NO),
    judgement_kinds.ROLE_CONSISTENCY: _binary(judgement_kinds.CONSISTENT, judgement_kinds.INCONSISTENT),
    OBJECTIONS: (CellShare(PRECISION, _OBJECTED[:1], _OBJECTED),),
    REFERENCES: (
        CellShare(PRECISION, ((COUNTED, KEPT),), ((COUNTED, ANY),)),
        CellShare(RECALL, ((COUNTED, KEPT),), ((ANY, KEPT),)),
        CellShare("wide_recall", ((COUNTED, KEPT), (POSSIBLE, KEPT)), ((ANY, KEPT),)),
    ),
    CHECKS: (
        CellShare("supported_accurate", ((SUPPORTED, judgement_kinds.ACCURATE),), ((SUPPORTED, ANY),)),
        CellShare(
            "close_wrong",
            ((CLOSE, judgement_kinds.INACCURATE), (CLOSE, judgement_kinds.VAGUE)),
            ((CLOSE, ANY),),
        ),
        CellShare("unchecked_accurate", ((CANNOT_CHECK, judgement_kinds.ACCURATE),), ((CANNOT_CHECK, ANY),)),
        CellShare(BY_PEOPLE, ((ANY, judgement_kinds.ACCURATE),), ((ANY, ANY),)),
        CellShare(BY_MACHINE, ((SUPPORTED, ANY), (CLOSE, ANY)), ((ANY, ANY),)),
    ),
    PHRASES: (CellShare(PRECISION, ((REPEATED, STANDS),), ((REPEATED, ANY),), is_asked=False),),
    ASKED: _binary(PASSES, FAILS),
    TESTED: _binary(PASSES, FAILS),
}


MOVES = (
    CellShare(TOWARD, ((APART, TO_MACHINE),), ((APART, TO_MACHINE), (APART, ELSEWHERE), (APART, STAYED))),
    CellShare(AWAY, ((TOGETHER, AWAY),), ((TOGETHER, AWAY), (TOGETHER, STAYED))),
)


def compute_accuracy(
    evaluated: Iterable[SubmittedEvaluation],
    recorded: Iterable[tuple[Version, Mapping[str, tuple[bool, bool]]]] = (),
) -> AccuracyFigures:
    """The figures of every version; the order of evaluations and verdicts does not matter, each is read once.

    `recorded` verdicts are given as (flips, flips the verdict too) for each metric that has people's estimate.
    """
    counts: dict[Version, _Counts] = defaultdict(_Counts)
    for evaluation in evaluated:
        counts[evaluation.rubric_version, evaluation.code_version].add(evaluation)
    for version, metrics in recorded:
        if version in counts:
            counts[version].add_turns(metrics)
    versions = [counts[version].figures(version) for version in sorted(counts, reverse=True)]
    return AccuracyFigures(sum(version.evaluations for version in versions), versions)


def iter_answers(evaluation: SubmittedEvaluation) -> Iterator[CrossedAnswer]:
    """The blind answers of an evaluation that have an automatic value; each judgement counts once."""
    if not evaluation.is_blind:
        return
    yield from _messages(evaluation)
    yield from _references(evaluation)
    accepted = {
        answer.subject
        for answer in evaluation.answers
        if answer.kind == judgement_kinds.PHRASE and answer.blind_value
    }
    for subject, message in evaluation.automatic.phrases.items():
        column = judgement_kinds.ACCEPTABLE if subject in accepted else STANDS
        yield evaluation.count(PHRASES, REPEATED, column, message, detail=subject)
    if evaluation.identified is not None and evaluation.automatic.passes is not None:
        is_test, passes = evaluation.identified
        row, column = (PASSES if result else FAILS for result in (evaluation.automatic.passes, passes))
        yield evaluation.count(TESTED if is_test else ASKED, row, column, 0)


def _messages(evaluation: SubmittedEvaluation) -> Iterator[CrossedAnswer]:
    """The accuracy samples only: other judged messages are not a random sample. All objections are labelled, though."""
    for answer in evaluation.answers:
        machine = evaluation.automatic.values.get((answer.kind, answer.subject))
        if answer.kind not in SAMPLED or not answer.blind_value or machine is None:
            continue
        position, sample = int(answer.subject), evaluation.samples[answer.kind]
        cell = (machine, answer.blind_value, position)
        if position in sample:
            yield evaluation.count(answer.kind, *cell, evaluation.drawn_from[answer.kind] / len(sample))
        if (answer.kind, machine) == (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.INCONSISTENT):
            yield evaluation.count(OBJECTIONS, *cell)


def _references(evaluation: SubmittedEvaluation) -> Iterator[CrossedAnswer]:
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
        yield evaluation.count(REFERENCES, row, column, message, detail=subject)
        if check and label in LABELS:
            yield evaluation.count(CHECKS, check, label, message, detail=subject)


def iter_revealed_answers(evaluation: SubmittedEvaluation) -> Iterator[CrossedAnswer]:
    """The blind answers after which the automatic value was shown, with their changes."""
    for answer in evaluation.answers:
        if answer.kind in REVEALED and answer.blind_value and (machine := _shown(evaluation, answer)):
            cell = _move(answer, machine)
            yield evaluation.count(answer.kind, *cell, parse_subject(answer.subject)[0])


def _shown(evaluation: SubmittedEvaluation, said: SubmittedAnswer) -> str:
    """The automatic value, if there is one and it was shown; else "".

    For a reference "supported" means accurate; the other results of the vote record mean nothing.
    """
    if said.kind == judgement_kinds.REFERENCE:
        is_shown = f"reference:{said.subject}" in evaluation.revealed
        check = evaluation.automatic.references.get(said.subject, (False, ""))[1]
        return judgement_kinds.ACCURATE if is_shown and check == "supported" else ""
    is_shown = f"metric:{said.kind}" in evaluation.revealed
    return evaluation.automatic.values.get((said.kind, said.subject), "") if is_shown else ""


def _move(said: SubmittedAnswer, machine: str) -> tuple[str, str]:
    """Row and column of a change. Undoing an override is accepting the automatic value."""
    after = said.value or (machine if said.kind in SAMPLED else "")
    if said.blind_value == machine:
        return TOGETHER, STAYED if after == machine else AWAY
    if after == machine:
        return APART, TO_MACHINE
    return APART, STAYED if after == said.blind_value else ELSEWHERE


class _Counts:
    def __init__(self) -> None:
        self.tallies = {part: Tally(part) for part in SHARES}
        self.moved = {metric: Tally(metric) for metric in REVEALED}
        self.moves: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
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
        for answer in iter_revealed_answers(evaluation):
            self.moved[answer.part].add(answer)
            self.moves[answer.part, answer.evaluator].update((answer.row, answer.column))

    def add_turns(self, metrics: Mapping[str, tuple[bool, bool]]) -> None:
        for metric, (is_turned, takes_verdict) in metrics.items():
            for place, is_counted in enumerate((True, is_turned, is_turned and takes_verdict)):
                self.turns[metric][place] += is_counted

    def figures(self, version: Version) -> VersionAccuracy:
        return VersionAccuracy(
            *version,
            games=len(self.games),
            evaluators=len(self.evaluators),
            evaluations=self.evaluations,
            blind_evaluations=self.blind,
            tables=[tally.table(SHARES[part]) for part, tally in self.tallies.items()],
            anchoring=[self._anchoring(metric) for metric in REVEALED],
            turns=[MetricTurns(metric, *counts) for metric, counts in self.turns.items()],
        )

    def _anchoring(self, metric: str) -> Anchoring:
        table = self.moved[metric].table(MOVES)
        toward, away = table.rate(TOWARD), table.rate(AWAY)
        apart = newcombe(toward.numerator, toward.denominator, away.numerator, away.denominator)
        return Anchoring(
            metric=metric,
            table=table,
            index=None if toward.value is None or away.value is None else toward.value - away.value,
            interval=(100 * apart[0], 100 * apart[1]) if apart else None,
            over_games=_over_games(self.moved[metric]),
            people=[
                EvaluatorMoves(person, moves[APART], moves[TO_MACHINE], moves[TOGETHER], moves[AWAY])
                for (moved, person), moves in sorted(self.moves.items(), key=lambda item: item[0])
                if moved == metric
            ],
        )


def _over_games(tally: Tally) -> Interval | None:
    """The jackknife interval of the index over games; None when a share has answers in one game only."""
    if len(tally.counts) < LEAST_FOR_INTERVAL:
        return None
    rows = np.array([tally.compute_sums(game, MOVES) for game in sorted(tally.counts)], dtype=float)
    sums = rows.sum(axis=0)
    without = sums - rows
    if not sums[1] or not sums[3] or not (without[:, 1] * without[:, 3]).all():
        return None
    index = float(sums[0] / sums[1] - sums[2] / sums[3])
    parts = without[:, 0] / without[:, 1] - without[:, 2] / without[:, 3]
    found, _reason = jackknife_t(index, parts)
    return (100 * found[0], 100 * found[1]) if found else None
