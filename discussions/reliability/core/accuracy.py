"""How far the machine's findings are right: measured on what people said blind, never on what they overrode.

For strategic depth, coherence and role consistency only the audit sample counts: messages drawn by chance, judged
before the machine's word was shown. Overrides say nothing of messages nobody looked at. Precision is the share of the
machine's yes that people confirm, recall the share of people's yes that the machine finds.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from discussions.rating.core.concealed import Evaluated
from discussions.reliability.core.anchoring import Anchoring, AnchoringTally
from discussions.reliability.core.crosstab import ANY, Answer, Crosstab, Share, Tally

# What is stored under another number was computed otherwise, and is computed anew.
CODE_VERSION = "1"


PRECISION, RECALL, SPECIFICITY = "precision", "recall", "specificity"


BY_PEOPLE, BY_MACHINE = "by_people", "by_machine"


OBJECTIONS, REFERENCES, CHECKS, PHRASES = "objections", "references", "checks", "phrases"


ASKED, TESTED = "asked", "tested"


COUNTED, POSSIBLE, MARKED, KEPT = "counted", "possible", "marked", "kept"


PASSES, FAILS, STANDS, REPEATED = "passes", "fails", "stands", "repeated"


SUPPORTED, CLOSE, CANNOT_CHECK = "supported", "close", "cannot_check"


SAMPLED = judgement_kinds.MESSAGE_KINDS


LABELS = (judgement_kinds.ACCURATE, judgement_kinds.INACCURATE, judgement_kinds.VAGUE)


class VersionAccuracy(Struct, frozen=True):
    """The figures under one rubric version and one version of the metrics: what they find differs from others."""

    rubric_version: int
    code_version: str
    games: int
    evaluators: int
    evaluations: int
    blind_evaluations: int
    tables: list[Crosstab]
    anchoring: list[Anchoring]

    def table(self, part: str) -> Crosstab:
        """The table of that part."""
        return next(table for table in self.tables if table.part == part)


class AccuracyFigures(Struct, frozen=True):
    """All of a project, the newest rubric version first; `evaluations` counts what they rest on."""

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


def compute_accuracy(evaluated: Iterable[Evaluated]) -> AccuracyFigures:
    """Every table of every version, in whichever order the evaluations come; they are read one by one."""
    counts: dict[tuple[int, str], _Counts] = {}
    for one in evaluated:
        key = (one.rubric_version, one.code_version)
        counts.setdefault(key, _Counts()).add(one)
    versions = [
        counted.figures(*key)
        for key, counted in sorted(counts.items(), key=lambda item: item[0], reverse=True)
    ]
    return AccuracyFigures(sum(each.evaluations for each in versions), versions)


def iter_answers(one: Evaluated) -> Iterator[Answer]:
    """Everything one evaluation says that the machine says too. Each judgement counts once."""
    if not one.is_blind:
        return
    yield from chain(_sampled(one), _objections(one), _references(one), _phrases(one))
    if one.identified is not None and one.found.passes is not None:
        is_test, passes = one.identified
        row, column = (PASSES if each else FAILS for each in (one.found.passes, passes))
        yield _answer(one, TESTED if is_test else ASKED, row, column, 0)


def _sampled(one: Evaluated) -> Iterator[Answer]:
    """The audit samples alone: other messages were judged because somebody looked at them."""
    for each in one.said:
        if each.kind in SAMPLED and each.blind_value:
            position = int(each.subject)
            sample = one.samples[each.kind]
            machine = one.found.values.get((each.kind, each.subject))
            if position in sample and machine is not None:
                weight = one.message_count / len(sample)
                yield _answer(one, each.kind, machine, each.blind_value, position, weight)


def _objections(one: Evaluated) -> Iterator[Answer]:
    """Every message that the rules of role consistency object to is labelled, sampled or not."""
    for each in one.said:
        if each.kind == judgement_kinds.ROLE_CONSISTENCY and each.blind_value:
            machine = one.found.values.get((each.kind, each.subject))
            if machine == judgement_kinds.INCONSISTENT:
                yield _answer(one, OBJECTIONS, machine, each.blind_value, int(each.subject))


def _references(one: Evaluated) -> Iterator[Answer]:
    """Sentences that were found, taken from the wider net, or marked: kept as references, or not; then their checks."""
    labels = {
        each.subject: each.blind_value
        for each in one.said
        if each.kind == judgement_kinds.REFERENCE and each.blind_value
    }
    for subject, label in labels.items():
        is_counted, check = one.found.references.get(subject, (False, ""))
        row = COUNTED if is_counted else POSSIBLE if check else MARKED
        column = judgement_kinds.NOT_A_REFERENCE if label == judgement_kinds.NOT_A_REFERENCE else KEPT
        message = parse_subject(subject)[0]
        yield _answer(one, REFERENCES, row, column, message, detail=subject)
        if check and label in LABELS:
            yield _answer(one, CHECKS, check, label, message, detail=subject)


def _phrases(one: Evaluated) -> Iterator[Answer]:
    accepted = {each.subject for each in one.said if each.kind == judgement_kinds.PHRASE and each.blind_value}
    for subject, message in one.found.phrases.items():
        column = judgement_kinds.ACCEPTABLE if subject in accepted else STANDS
        yield _answer(one, PHRASES, REPEATED, column, message, detail=subject)


def _answer(
    one: Evaluated, part: str, row: str, column: str, message: int, weight: float = 1.0, detail: str = ""
) -> Answer:
    return Answer(part, row, column, one.game, message, one.evaluator, one.evaluation, weight, detail)


class _Counts:
    """One version as it is counted."""

    def __init__(self) -> None:
        self.tallies = {part: Tally(part) for part in SHARES}
        self.anchoring = AnchoringTally()
        self.games: set[int] = set()
        self.evaluators: set[int] = set()
        self.evaluations = self.blind = 0

    def add(self, one: Evaluated) -> None:
        self.games.add(one.game)
        self.evaluators.add(one.evaluator)
        self.evaluations += 1
        self.blind += one.is_blind
        for answer in iter_answers(one):
            self.tallies[answer.part].add(answer)
        self.anchoring.add(one)

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
        )
