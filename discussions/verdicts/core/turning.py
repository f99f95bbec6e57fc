"""What the people's estimate of all messages would flip: metrics of a verdict, and with them the verdict."""

from collections.abc import Mapping

from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.core.outcome import Outcome, OutcomeLine
from discussions.core.records import Measurement
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.people_estimate import POSITIVE
from discussions.verdicts.core.rule import passes_with
from discussions.verdicts.core.scoring import draw_samples, estimate_line
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
    basis = judged.basis.with_seeds(judged.seeds)
    samples = draw_samples(basis, judged.measurements, judged.rubric, [line.key for line in lines])
    found = [estimate_line(line, judged.found, judged.measurements, judged.rubric, samples) for line in lines]
    return [line for line in found if line is not None]


def would_turn(outcome: Outcome, key: str) -> bool:
    """Whether the verdict would flip if only this metric were on the other side of its threshold."""
    other = {line.key: not line.passes for line in outcome.lines if line.key == key}
    return passes_with(outcome, other) != passes_with(outcome, {})
