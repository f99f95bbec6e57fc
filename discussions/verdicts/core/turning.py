"""What the people's estimate of all messages would flip: metrics of a verdict, and with them the verdict."""

from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.adjudication.core.judgeable import audit_sample, read_sample_rule
from discussions.core.judgement_kinds import ROLE_CONSISTENCY
from discussions.core.outcome import Outcome
from discussions.core.records import Measurement
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.more_messages import draw_role_sample, read_more_rule
from discussions.verdicts.core.people_estimate import POSITIVE, PeopleEstimate, estimate_people
from rubric.core.records import RubricRecord


class JudgedVerdict(Struct, frozen=True):
    """A game as it was judged: its basis, its findings, and the outcome of the basis. `seeds` are by evaluation."""

    basis: Basis
    measurements: Mapping[str, Measurement]
    rubric: RubricRecord
    outcome: Outcome
    found: Effective
    seeds: Mapping[int, str]


def estimate_all(judged: JudgedVerdict) -> list[PeopleEstimate]:
    estimates = []
    for line in judged.outcome.lines:
        if line.key not in POSITIVE:
            continue
        machine = METRICS[line.key].machine_values(judged.measurements[line.key])
        values = judged.found.values.get(line.key, {})
        estimates.append(estimate_people(line, machine, values, _sampled(line.key, judged, machine)))
    return [estimate for estimate in estimates if estimate is not None]


def would_turn(outcome: Outcome, key: str) -> bool:
    """Whether the verdict would flip if only this metric were on the other side of its threshold."""
    passes = {line.key: bool(line.passes) != (line.key == key) for line in outcome.lines}
    is_pass = (
        sum(passes.values()) >= outcome.needed_count
        and all(passes[line.key] for line in outcome.lines if line.is_mandatory)
        and not any(reason.code == "cost" for reason in outcome.reasons)
    )
    return is_pass != outcome.passes


def _sampled(key: str, judged: JudgedVerdict, machine: Mapping[str, str]) -> set[str]:
    count, seeds = len(machine), judged.seeds
    keys = [evaluation.id for evaluation in judged.basis.evaluations if evaluation.id in seeds]
    if key != ROLE_CONSISTENCY:
        rule = read_sample_rule(judged.rubric.parameters)
        return {str(at) for pk in keys for at in audit_sample(seeds[pk], key, count, rule)}
    own: dict[int, dict[str, str]] = defaultdict(dict)
    for judgement in judged.basis.judgements:
        if judgement.kind == key and judgement.value:
            own[judgement.evaluation][judgement.subject] = judgement.value
    more = read_more_rule(judged.rubric)
    samples = (draw_role_sample(seeds[pk], machine, own[pk], more) for pk in keys)
    return {str(at) for sample in samples for at in sample.positions}
