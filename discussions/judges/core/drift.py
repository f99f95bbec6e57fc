"""Whether a judge agrees with people less than when it was tried: a test that may be looked at after every answer."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vector = NDArray[np.float64]
# Suspended at this evidence: by the inequality of Ville a steady judge gets there with a probability of 1 in 20.
SUSPENDED_FROM = 20.0
# A fall by less is none.
TOLERATED = 0.05
# Falls are looked for from the beginning, and from every so many answers on.
STEP = 50
# The prior probability of a fall at the beginning; later ones share the rest.
AT_ONCE = 0.5
# After a fall the rate is one of these shares of the expected rate less TOLERATED.
RATES = 0.5 + (np.arange(10) + 0.5) / 20


class Baseline(Struct, frozen=True):
    """Of `items` with the judge and people, on how many the judge agreed with a person (shares of several added).

    So many items as `effect` says tell as much as one would if games had no influence (`find_design_effect`).
    """

    agreed: float
    items: int
    effect: float = 1.0


class Drift(Struct, frozen=True):
    """`evidence` for a fall after each answer, and the number of the answer (from 1) that suspends, None if none does.

    `agreement` is the share of running answers that the judge agrees with, None without any.
    """

    answers: int
    agreement: float | None
    evidence: list[float]
    suspended_at: int | None


def watch_drift(baseline: Baseline, answers: Sequence[float]) -> Drift:
    """Evidence that the judge agrees less with `answers` of people, in their order, than it did in the baseline.

    Each answer is 1 if the judge gave the same, else 0, or the share of several people of one item, which varies less.
    The evidence is a Bayes factor. Without a fall one rate, with the prior of Jeffreys, holds for baseline and answers.
    With a fall, the rate from some answer on is between half and all of the rate expected before it, less TOLERATED
    (ten values, equally likely). Answers count divided by the baseline's effect, as they depend on each other within
    games.
    Averaged over the prior, the probability that the factor ever reaches 20 is at most 1/20. Sources: J. Ville, Etude
    critique de la notion de collectif (1939); G. Shafer et al., Statistical Science 26 (2011), 84-101, for Bayes
    factors; J. Shin, A. Ramdas, A. Rinaldo, New England J. Statist. Data Science (2024), doi 10.51387/23-NEJSDS51, for
    mixtures over the beginning of a change.
    """
    if not answers:
        return Drift(0, None, [], None)
    yes = baseline.agreed / baseline.effect + 0.5
    no = (baseline.items - baseline.agreed) / baseline.effect + 0.5
    sums = np.concatenate([[0.0], np.cumsum(np.array(answers, dtype=np.float64))]) / baseline.effect
    counts = np.arange(len(sums), dtype=np.float64) / baseline.effect
    steady = _log_chance(yes, no, sums, counts)
    evidence, left = np.zeros(len(sums)), 1.0
    for number, start in enumerate(range(0, len(answers), STEP)):
        weight = AT_ONCE if number == 0 else (1 - AT_ONCE) / (number * (number + 1))
        left -= weight
        before = steady[start]
        expected = (yes + sums[start]) / (yes + no + counts[start])
        fallen = _log_chance_below(
            sums[start:] - sums[start], counts[start:] - counts[start], max(TOLERATED, expected - TOLERATED)
        )
        evidence[:start] += weight
        evidence[start:] += weight * np.exp(before + fallen - steady[start:])
    found = (evidence + left)[1:]
    reached = np.flatnonzero(found >= SUSPENDED_FROM)
    return Drift(
        answers=len(answers),
        agreement=float(sum(answers) / len(answers)),
        evidence=found.tolist(),
        suspended_at=int(reached[0]) + 1 if len(reached) else None,
    )


def _log_chance(yes: float, no: float, agreed: Vector, count: Vector) -> Vector:
    """The log probability of answers of which so many agree, with a rate distributed Beta(yes, no)."""
    from scipy.special import betaln

    return np.asarray(betaln(yes + agreed, no + count - agreed) - betaln(yes, no), dtype=np.float64)


def _log_chance_below(agreed: Vector, count: Vector, top: float) -> Vector:
    """The same with a rate that is one of RATES, as shares of `top`, each as likely."""
    logs = agreed[:, None] * np.log(top * RATES) + (count - agreed)[:, None] * np.log1p(-top * RATES)
    most = logs.max(axis=1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).mean(axis=1)), dtype=np.float64)
