"""People's estimate for all messages of a game, from its accuracy samples, and how many more answers it needs."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, islice
from math import comb, sqrt
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.judgeable import (
    SampleRule,
    audit_sample,
    order_further,
    read_sample_rule,
    widen_sample,
)
from discussions.core import judgement_kinds
from discussions.core.outcome import PeopleShare
from discussions.metrics.core.parameters import (
    COUNTED,
    IF_CONTRADICTED,
    PEOPLE,
    WHILE_OPEN,
    read_message_score,
    read_parameter,
)
from rubric.core.records import RubricRecord
from workspace.statistics.means import JudgedStratum, expect_positive, log_evidence, predict_share

POSITIVE = {
    judgement_kinds.STRATEGIC_DEPTH: judgement_kinds.YES,
    judgement_kinds.COHERENCE: judgement_kinds.YES,
    judgement_kinds.ROLE_CONSISTENCY: judgement_kinds.CONSISTENT,
}
# What the rule counts, and what it does not.
RULE_STRATA = 2
# A score stays open while its interval of this level holds the threshold.
OPEN_LEVEL = 0.9


def build_strata(
    key: str,
    machine: Mapping[str, str],
    values: Mapping[str, str],
    sampled: Collection[str],
    judge: Mapping[str, str] | None = None,
) -> list[JudgedStratum]:
    """The messages that the rule counts, and those that it does not: people override them with other frequency.

    `machine` and `values` are the automatic and the effective value by message, `sampled` the messages of the accuracy
    samples. With the answers of a judge (docs/judges.md), both parts are divided by what it counts where either half
    holds a sampled message; but only if the sample is as likely under these strata as under the undivided ones.
    """
    positive = POSITIVE[key]
    judged = {subject: values[subject] for subject in machine if subject in values}
    if key == judgement_kinds.COHERENCE and "1" in machine:
        # Nothing was said before the first message: no sample holds it, and its automatic value is no guess.
        judged.setdefault("1", machine["1"])

    def divide(subjects: Collection[str], said: Mapping[str, str]) -> list[list[str]]:
        return [
            [subject for subject in subjects if (said[subject] == positive) is counts]
            for counts in (True, False)
        ]

    def build(parts: Sequence[Collection[str]]) -> list[JudgedStratum]:
        return [_build_stratum(part, judged, sampled, positive) for part in parts]

    parts = divide(machine, machine)
    strata = build(parts)
    if judge is None:
        return strata
    said = {**machine, **judge}
    halves = [(stratum, build(divide(part, said))) for part, stratum in zip(parts, strata, strict=True)]
    divided = [
        found
        for stratum, pair in halves
        for found in (pair if all(half.sampled for half in pair) else [stratum])
    ]
    return divided if log_evidence(divided) >= log_evidence(strata) else strata


def _build_stratum(
    subjects: Collection[str], values: Mapping[str, str], sampled: Collection[str], positive: str
) -> JudgedStratum:
    judged = [subject for subject in subjects if subject in values]
    drawn = [subject for subject in judged if subject in sampled]
    return JudgedStratum(
        judged=len(judged),
        positive=sum(values[subject] == positive for subject in judged),
        sampled=len(drawn),
        sampled_positive=sum(values[subject] == positive for subject in drawn),
        unjudged=len(subjects) - len(judged),
    )


def score_people(
    strata: Sequence[JudgedStratum],
    choice: str,
    counted: Fraction,
    threshold: Fraction,
    *,
    judged: int,
    batch: int = 0,
    helpers: Sequence[tuple[int, str]] = (),
) -> PeopleShare:
    """People's estimate as a line of a verdict has it, from so many `judged` messages. Raises ValueError without any.

    Under the choice "people" it is the score; under "people_if_contradicted" it is the score if its 95 % interval lies
    wholly on the other side of the threshold than the `counted` score. Further messages are asked for `batch` at a
    time, 0 for not at all. `helpers` said what may have divided the rule's two strata.
    """
    limit, total = float(threshold), sum(stratum.judged + stratum.unjudged for stratum in strata)
    _point, low, high = predict_share(strata)
    share = expect_positive(strata) / total
    is_contradicted = high < limit if counted >= threshold else low >= limit
    is_sampled = any(stratum.sampled for stratum in strata)
    counts = choice == PEOPLE or (choice == IF_CONTRADICTED and is_sampled and is_contradicted)
    return PeopleShare(
        numerator=share.numerator,
        denominator=share.denominator,
        low=low,
        high=high,
        judged=judged,
        total=total,
        counted=float(counted),
        counts=counts,
        is_open=counts and batch > 0 and holds_threshold(strata, limit, OPEN_LEVEL),
        flip=find_people_flip(strata, threshold),
        batch=batch,
        strata=list(strata),
        helpers=list(helpers) if len(strata) > RULE_STRATA else [],
    )


def holds_threshold(strata: Sequence[JudgedStratum], threshold: float, level: float) -> bool:
    """Whether the interval holds the threshold and messages are left to judge; a share of `threshold` passes."""
    if not any(stratum.unjudged for stratum in strata):
        return False
    _share, low, high = predict_share(strata, level)
    return low < threshold <= high


def find_people_flip(strata: Sequence[JudgedStratum], threshold: Fraction) -> int | None:
    """How many judged messages must be judged differently for people's share to cross `threshold` (percent).

    A message of a sample stands for unjudged ones too, so that those that weigh most need the fewest. None: it cannot.
    """
    needed = threshold / 100 * sum(stratum.judged + stratum.unjudged for stratum in strata)
    expected = expect_positive(strata)
    passes = expected >= needed
    weights: list[Fraction] = []
    for stratum in strata:
        drawn, others = stratum.sampled_positive, stratum.positive - stratum.sampled_positive
        if not passes:
            drawn, others = stratum.sampled - drawn, stratum.judged - stratum.sampled - others
        weights += [1 + Fraction(stratum.unjudged, stratum.sampled or 1)] * drawn + [Fraction(1)] * others
    for number, weight in enumerate(accumulate(sorted(weights, reverse=True)), start=1):
        if expected - weight < needed if passes else expected + weight >= needed:
            return number
    return None


# Whoever stops after a first sample has a clear one. With a lower level the lucky ones stop, and shares are biased: by
# up to 2 points at 90 %, by up to .6 at 99 %, for 2 more answers a game (docs/metrics.md).
ASK_LEVEL = 0.99


class MoreRule(Struct, frozen=True):
    """`count` more messages at a time (0: never), at most `batches` times, for one metric.

    They are asked for once `percent` of the sample contradict the rule; 0: whatever the evaluator said.
    """

    sample: SampleRule
    count: int
    percent: int
    threshold: float
    batches: int | None = None
    key: str = judgement_kinds.ROLE_CONSISTENCY

    def least(self, size: int) -> int:
        return -(-size * self.percent // 100)


class AccuracySample(Struct, frozen=True):
    """The messages (from 1, ascending) that an evaluator judges for a metric, whatever the rules say.

    `size` is the size of the accuracy sample; `times` counts how often more messages were asked for.
    """

    positions: tuple[int, ...]
    size: int
    times: int = 0


def read_more_rule(rubric: RubricRecord, key: str = judgement_kinds.ROLE_CONSISTENCY) -> MoreRule:
    """When a rubric version asks for more messages for a metric.

    By the choice "while_open" for each whose score is people's; else for role consistency alone, after contradictions.
    """
    parameters: Mapping[str, Any] = rubric.parameters
    is_symmetric = read_parameter(parameters, "more_messages") == WHILE_OPEN
    asks = (
        read_message_score(parameters, key) != COUNTED
        if is_symmetric
        else key == judgement_kinds.ROLE_CONSISTENCY
    )
    return MoreRule(
        key=key,
        sample=read_sample_rule(parameters),
        count=int(read_parameter(parameters, "role_more_count")) if asks else 0,
        percent=0 if is_symmetric else int(read_parameter(parameters, "role_more_percent")),
        threshold=rubric.criterion(key).threshold or 0.0,
        batches=int(read_parameter(parameters, "more_batches")) if is_symmetric else None,
    )


def draw_sample(
    seed: str, machine: Mapping[str, str], values: Mapping[str, str], rule: MoreRule, wished: int = 0
) -> AccuracySample:
    """The accuracy sample of a metric, widened as the rule asks, and by `wished` further batches.

    `machine` is the automatic value of every message, `values` the evaluator's own. More messages are drawn by
    `rule.count`, repeatedly, until the evaluator's share over all messages is clear, every message is judged, or the
    rule asks for no further batch.
    """
    count = len(machine)
    positions = audit_sample(seed, rule.key, count, rule.sample)
    sample = AccuracySample(positions, len(positions))
    while sample.times != rule.batches and _asks_more(sample, machine, values, rule):
        sample = _widen(sample, seed, machine, values, rule)
    for _batch in range(wished):
        sample = _widen(sample, seed, machine, values, rule)
    return sample


def _widen(
    sample: AccuracySample, seed: str, machine: Mapping[str, str], values: Mapping[str, str], rule: MoreRule
) -> AccuracySample:
    """One batch more. Under "while_open" a fifth of it is drawn from all messages, and the rest from the two strata of
    the rule in proportion to N_h √(p_h (1 - p_h)), with p_h from the sample so far; messages of one stratum are drawn
    with equal probability. Source: J. Neyman, J. R. Statist. Soc. 97 (1934), 558-625.
    """
    times = sample.times + 1
    if rule.percent or rule.batches is None:
        wider = widen_sample(seed, rule.key, len(machine), rule.sample, times * rule.count)
        return AccuracySample(wider, sample.size, times)
    chosen, order = set(sample.positions), order_further(seed, rule.key, len(machine))
    at_random = -(-rule.count // 5)
    chosen.update(islice((place for place in order if place not in chosen), at_random))
    left = [place for place in order if place not in chosen]
    strata = [
        [place for place in left if (machine[str(place)] == POSITIVE[rule.key]) is counts]
        for counts in (True, False)
    ]
    first = _share_of_first(strata, sample, machine, values, rule.key)
    for stratum, count in zip(strata, _allocate(rule.count - at_random, first, strata), strict=True):
        chosen.update(stratum[:count])
    return AccuracySample(tuple(sorted(chosen)), sample.size, times)


def _share_of_first(
    strata: Sequence[Sequence[int]],
    sample: AccuracySample,
    machine: Mapping[str, str],
    values: Mapping[str, str],
    key: str,
) -> float:
    """The share of the first stratum in N_h √(p_h (1 - p_h)); p_h has half an answer of each kind added."""
    sampled = {str(position) for position in sample.positions}
    weights = []
    for stratum, judged in zip(strata, build_strata(key, machine, values, sampled), strict=True):
        share = (judged.sampled_positive + 0.5) / (judged.sampled + 1)
        weights.append(len(stratum) * sqrt(share * (1 - share)))
    return weights[0] / sum(weights) if sum(weights) else 0.0


def _allocate(count: int, first: float, strata: Sequence[Sequence[int]]) -> tuple[int, int]:
    """So many messages of both strata, as far as each has them."""
    wanted = max(round(count * first), count - len(strata[1]))
    taken = min(wanted, len(strata[0]))
    return taken, count - taken


def _asks_more(
    sample: AccuracySample, machine: Mapping[str, str], values: Mapping[str, str], rule: MoreRule
) -> bool:
    positions = sample.positions
    if not rule.count or not positions or len(positions) >= len(machine):
        return False
    if any(str(position) not in values for position in positions):
        return False
    if sample.times or not rule.percent:
        return not _is_clear(positions, machine, values, rule)
    positive = POSITIVE[rule.key]
    contradictions = sum(
        (values[str(position)] == positive) != (machine[str(position)] == positive) for position in positions
    )
    return contradictions >= rule.least(len(positions))


def _is_clear(
    positions: Collection[int], machine: Mapping[str, str], values: Mapping[str, str], rule: MoreRule
) -> bool:
    """Whether the interval lies on one side of the threshold. Judgements beyond this sample do not count yet.

    All messages that violate a rule of role consistency are judged, so they count.
    """
    sampled = {str(position) for position in positions}
    is_whole = rule.key == judgement_kinds.ROLE_CONSISTENCY
    known = {
        subject: value
        for subject, value in values.items()
        if subject in sampled or (is_whole and machine[subject] != judgement_kinds.CONSISTENT)
    }
    level = OPEN_LEVEL if rule.percent else ASK_LEVEL
    strata = build_strata(rule.key, machine, known, sampled)
    return not holds_threshold(strata, rule.threshold, level)


LIKELY = 0.8


@lru_cache(maxsize=1024)
def find_label_budget(
    strata: tuple[JudgedStratum, ...], threshold: float, batch: int
) -> tuple[int, int] | None:
    """The answers that an open metric needs if they are asked for in batches until it is clear; None where it is clear.

    So many decide it with the probability LIKELY, and so many always.
    Messages are drawn at random from the stratum with the most unjudged ones. The answers of a batch have the
    beta-binomial distribution that follows from those before it (see `predict_share`). The metric is clear once its
    90 % interval no longer holds the threshold.
    """
    if not holds_threshold(strata, threshold, OPEN_LEVEL):
        return None
    place = max(range(len(strata)), key=lambda at: strata[at].unjudged)
    stratum, likely = strata[place], 0
    # The probability of each number of positive answers so far, while the metric is open.
    chances, asked = np.ones(1), 0
    while asked < stratum.unjudged:
        more = min(batch, stratum.unjudged - asked)
        chances, asked = _add_batch(chances, stratum, asked, more), asked + more
        first, last = _find_open_counts(strata, place, threshold, asked)
        chances[:first] = chances[last:] = 0
        if not likely and chances.sum() <= 1 - LIKELY:
            likely = asked
        if first >= last:
            break
    return likely or asked, asked


def _add_batch(
    chances: "np.ndarray[tuple[int], np.dtype[np.float64]]", stratum: JudgedStratum, asked: int, more: int
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The probabilities of the numbers of positive answers after `more` further ones."""
    counts = np.arange(len(chances))
    yes = stratum.sampled_positive + 0.5 + counts
    no = stratum.sampled - stratum.sampled_positive + 0.5 + asked - counts
    after = np.zeros(len(chances) + more)
    for positive in range(more + 1):
        factors = [yes + step for step in range(positive)] + [no + step for step in range(more - positive)]
        scale = [yes + no + step for step in range(more)]
        share = np.prod([up / down for up, down in zip(factors, scale, strict=True)], axis=0)
        after[positive : positive + len(chances)] += comb(more, positive) * share * chances
    return after


def _find_open_counts(
    strata: Sequence[JudgedStratum], place: int, threshold: float, asked: int
) -> tuple[int, int]:
    """The numbers of positive answers, from the first to before the last, that leave the metric open.

    The interval rises with the number, so the open ones follow one another.
    """

    def find_interval(positive: int) -> tuple[float, float]:
        _share, low, high = predict_share(_add(strata, place, asked, positive), OPEN_LEVEL)
        return low, high

    counts = range(asked + 1)
    first = bisect_left(counts, True, key=lambda positive: find_interval(positive)[1] >= threshold)
    last = bisect_left(counts, True, key=lambda positive: find_interval(positive)[0] >= threshold)
    is_finished = strata[place].unjudged == asked
    return (0, 0) if is_finished else (first, last)


def _add(strata: Sequence[JudgedStratum], place: int, asked: int, positive: int) -> list[JudgedStratum]:
    after = list(strata)
    stratum = strata[place]
    after[place] = replace(
        stratum,
        judged=stratum.judged + asked,
        positive=stratum.positive + positive,
        sampled=stratum.sampled + asked,
        sampled_positive=stratum.sampled_positive + positive,
        unjudged=stratum.unjudged - asked,
    )
    return after
