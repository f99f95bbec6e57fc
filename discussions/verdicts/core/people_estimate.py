"""People's estimate for all messages of a game, from the messages that they judged."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.outcome import OutcomeLine
from workspace.statistics.proportions import JudgedStratum, predict_share

POSITIVE = {
    judgement_kinds.STRATEGIC_DEPTH: judgement_kinds.YES,
    judgement_kinds.COHERENCE: judgement_kinds.YES,
    judgement_kinds.ROLE_CONSISTENCY: judgement_kinds.CONSISTENT,
}


class PeopleEstimate(Struct, frozen=True):
    """The share of messages that people would count for one metric, in percent, with its 95 % interval.

    `judged` of `total` messages were judged. `score` is the counted score, in percent; `turns` means that it and the
    estimate lie on different sides of the threshold.
    """

    key: str
    share: float
    low: float
    high: float
    judged: int
    total: int
    score: float
    passes: bool
    turns: bool


def estimate_people(
    line: OutcomeLine, machine: Mapping[str, str], values: Mapping[str, str], sampled: Collection[str]
) -> PeopleEstimate | None:
    """The estimate next to one line of a verdict; None without a judged message of a sample.

    `machine` and `values` are the automatic and the effective value by message, `sampled` the messages of the audit
    samples.
    """
    if line.score is None or not any(subject in values for subject in sampled):
        return None
    share, low, high = predict_people(line.key, machine, values, sampled)
    return PeopleEstimate(
        key=line.key,
        share=share,
        low=low,
        high=high,
        judged=sum(subject in values for subject in machine),
        total=len(machine),
        score=line.score,
        passes=share >= line.threshold,
        turns=(share >= line.threshold) != (line.score >= line.threshold),
    )


def predict_people(
    key: str,
    machine: Mapping[str, str],
    values: Mapping[str, str],
    sampled: Collection[str],
    *,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """The share of messages that people would count for a metric, in percent, and the ends of its interval.

    A judged message counts as judged. The others are predicted from the judged ones of the samples, separately for
    those that the rule counts and those that it does not, because people override the two with different frequency.
    """
    positive = POSITIVE[key]
    strata = [
        _stratum(
            [subject for subject, value in machine.items() if (value == positive) is counts],
            values,
            sampled,
            positive,
        )
        for counts in (True, False)
    ]
    return predict_share(strata, level)


def _stratum(
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
