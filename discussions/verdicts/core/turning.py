"""What would flip metrics of a verdict, and with them the verdict: people's estimate of all messages, or one answer."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.effective import Effective, Key
from discussions.core.judgement_kinds import (
    ACCURATE,
    COHERENCE,
    CONSISTENT,
    INACCURATE,
    INCONSISTENT,
    NO,
    REFERENCE,
    ROLE_CONSISTENCY,
    STRATEGIC_DEPTH,
    YES,
    parse_subject,
)
from discussions.core.outcome import Outcome, OutcomeLine
from discussions.core.records import Measurement
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.people_estimate import POSITIVE
from discussions.verdicts.core.rule import passes_with
from discussions.verdicts.core.scoring import Samples, compute_metric_lines, draw_samples, estimate_line
from rubric.core.records import RubricRecord


class JudgedVerdict(Struct, frozen=True):
    """A game as it was judged: its basis, its findings, and the outcome of the basis. `seeds` are by evaluation."""

    basis: Basis
    measurements: Mapping[str, Measurement]
    rubric: RubricRecord
    outcome: Outcome
    found: Effective
    seeds: Mapping[int, str]


def estimate_all(judged: JudgedVerdict) -> list[OutcomeLine]:
    """The lines of metrics that people sampled, with their estimate, but for those whose score it is."""
    lines = [line for line in judged.outcome.lines if line.key in POSITIVE and not line.is_scored_by_people]
    basis = judged.basis.complete(judged.seeds)
    samples = draw_samples(basis, judged.measurements, judged.rubric, [line.key for line in lines])
    found = [estimate_line(line, judged.found, judged.measurements, judged.rubric, samples) for line in lines]
    return [line for line in found if line is not None]


def would_turn(outcome: Outcome, key: str) -> bool:
    """Whether the verdict would flip if only this metric were on the other side of its threshold."""
    other = {line.key: not line.passes for line in outcome.lines if line.key == key}
    return passes_with(outcome, other) != passes_with(outcome, {})


# The answer that counts for a metric, and the one against it.
_SIDES = {
    REFERENCE: (ACCURATE, INACCURATE),
    STRATEGIC_DEPTH: (YES, NO),
    COHERENCE: (YES, NO),
    ROLE_CONSISTENCY: (CONSISTENT, INCONSISTENT),
}
# Where a sample is estimated from, not each answer turns it.
MOST_TRIED = 3


def find_turning_answer(
    line: OutcomeLine,
    found: Effective,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    samples: Samples,
) -> Key | None:
    """The answer on a message, as (kind, subject), that alone would turn a metric; None where there is none.

    Of several, answers against the automatic value come first, since they are most in doubt, then other answers, then
    what nobody judged.
    """
    metric = METRICS[line.key]
    kind = metric.judged
    if line.flip != 1 or kind not in _SIDES:
        return None
    machine, said = metric.machine_values(measurements[line.key]), found.values.get(kind, {})
    now, other = _SIDES[kind] if line.passes else _SIDES[kind][::-1]
    values = {**machine, **said}

    def in_doubt(subject: str) -> tuple[bool, bool, tuple[int, int]]:
        return subject not in said, said.get(subject) == machine.get(subject), parse_subject(subject)

    for subject in sorted((one for one in values if values[one] == now), key=in_doubt)[:MOST_TRIED]:
        changed = replace(found, values={**found.values, kind: {**said, subject: other}})
        (turned,) = compute_metric_lines([line.key], changed, measurements, rubric, samples)
        if turned.passes != line.passes:
            return kind, subject
    return None
