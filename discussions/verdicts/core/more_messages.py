"""Evaluators who contradict the rule of role consistency are asked for more messages until the result is clear."""

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from discussions.adjudication.core.judgeable import SampleRule, audit_sample, read_sample_rule, widen_sample
from discussions.core.judgement_kinds import CONSISTENT, ROLE_CONSISTENCY
from discussions.metrics.core.parameters import read_parameter
from discussions.verdicts.core.people_estimate import predict_people
from rubric.core.records import RubricRecord

LEVEL = 0.9


class MoreRule(Struct, frozen=True):
    """`count` more messages at a time (0: never), once `percent` of the sample contradict the rule."""

    sample: SampleRule
    count: int
    percent: int
    threshold: float

    def least(self, size: int) -> int:
        return -(-size * self.percent // 100)


class RoleSample(Struct, frozen=True):
    """The messages (from 1, ascending) that an evaluator judges for role consistency, whatever the rules say.

    `size` is the size of the accuracy sample; `times` counts how often more messages were asked for.
    """

    positions: tuple[int, ...]
    size: int
    times: int = 0


def read_more_rule(rubric: RubricRecord) -> MoreRule:
    """When a rubric version asks for more messages; versions without the parameters never do."""
    parameters: Mapping[str, Any] = rubric.parameters
    return MoreRule(
        sample=read_sample_rule(parameters),
        count=int(read_parameter(parameters, "role_more_count")),
        percent=int(read_parameter(parameters, "role_more_percent")),
        threshold=rubric.criterion(ROLE_CONSISTENCY).threshold or 0.0,
    )


def draw_role_sample(
    seed: str, machine: Mapping[str, str], values: Mapping[str, str], rule: MoreRule
) -> RoleSample:
    """The accuracy sample of role consistency, widened until one evaluator's judgements make the result clear.

    `machine` is the automatic value of every message, `values` the evaluator's own. When enough of the audit sample
    contradicts the automatic values, `rule.count` more are drawn, repeatedly, until the 90 % interval of the
    evaluator's share over all messages lies on one side of the threshold, or every message is judged.
    """
    count = len(machine)
    positions = audit_sample(seed, ROLE_CONSISTENCY, count, rule.sample)
    sample = RoleSample(positions, len(positions))
    if not rule.count or not _is_contradicted(positions, machine, values, rule):
        return sample
    while len(sample.positions) < count:
        times = sample.times + 1
        wider = widen_sample(seed, ROLE_CONSISTENCY, count, rule.sample, times * rule.count)
        sample = RoleSample(wider, sample.size, times)
        if not _is_judged(wider, values) or _is_clear(wider, machine, values, rule.threshold):
            break
    return sample


def _is_judged(positions: Collection[int], values: Mapping[str, str]) -> bool:
    return all(str(position) in values for position in positions)


def _is_contradicted(
    positions: Collection[int], machine: Mapping[str, str], values: Mapping[str, str], rule: MoreRule
) -> bool:
    if not positions or not _is_judged(positions, values):
        return False
    contradictions = sum(
        (values[str(position)] == CONSISTENT) != (machine[str(position)] == CONSISTENT)
        for position in positions
    )
    return contradictions >= rule.least(len(positions))


def _is_clear(
    positions: Collection[int], machine: Mapping[str, str], values: Mapping[str, str], threshold: float
) -> bool:
    """Whether the interval lies on one side of the threshold. Judgements beyond this sample do not count yet."""
    sampled = {str(position) for position in positions}
    known = {
        subject: value
        for subject, value in values.items()
        if subject in sampled or machine[subject] != CONSISTENT
    }
    _share, low, high = predict_people(ROLE_CONSISTENCY, machine, known, sampled, level=LEVEL)
    return low >= threshold or high < threshold
