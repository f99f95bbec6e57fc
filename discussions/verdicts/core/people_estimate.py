"""People's estimate for all messages of a game, from the messages that they judged."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from discussions.core import judgement_kinds
from discussions.core.outcome import PeopleShare
from discussions.metrics.core.parameters import IF_CONTRADICTED, PEOPLE
from workspace.statistics.proportions import JudgedStratum, expect_positive, log_evidence, predict_share

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
