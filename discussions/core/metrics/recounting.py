"""Arithmetic on a stored measurement with people's judgements; a transcript is never read again for it."""

from collections import Counter
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from discussions.core.records import Measurement, Score

ACCURATE, INACCURATE, VAGUE, NOT_A_REFERENCE = "accurate", "inaccurate", "vague", "not_a_reference"
CONSISTENT = "consistent"
YES = "yes"
ACCEPTABLE = "acceptable"


def recount(
    measurement: Measurement,
    values: Mapping[str, str],
    parameters: Mapping[str, Any],
    *,
    added: Collection[str] = (),
    sample: Collection[str] = (),
) -> Score:
    """The score of a measurement when `values` (subject -> value) are what people hold to be so.

    Subjects: "19" a message, "19.2" the second sentence of message 19, "3|i think that" a phrase of player 3
    (0 when phrases are pooled). `added` are references that people accepted or found missing, which may still wait
    for a label; `sample` the messages whose role consistency must be labelled although no rule speaks against them.
    `parameters` are those of the rubric version; raises KeyError for a metric that this module does not know.
    """
    return _RECOUNTS[measurement.metric](measurement, values, parameters, frozenset(added), frozenset(sample))


def passes(score: Score, threshold: float) -> bool | None:
    """Whether the unrounded score reaches the threshold, on whole numbers (79.96 fails 80); None while unknown."""
    if score.is_pending or score.value is None:
        return None
    if not score.is_applicable:
        return True
    return Fraction(100 * score.numerator, score.denominator) >= Fraction(str(threshold))


def score_of(measurement: Measurement) -> Score:
    """The score of a measurement before any person judged."""
    return Score(
        measurement.metric,
        measurement.numerator,
        measurement.denominator,
        is_applicable=measurement.is_applicable,
        is_pending=measurement.is_pending,
    )


def without_deliberate(
    measurement: Measurement,
    values: Mapping[str, str],
    deliberate: Collection[str],
    *,
    added: Collection[str] = (),
) -> Score:
    """Memory accuracy with the deliberate falsehoods left out: a lie is good play, not bad memory."""
    kept = {subject: NOT_A_REFERENCE if subject in deliberate else value for subject, value in values.items()}
    return _memory(measurement, kept, {}, frozenset(added), frozenset())


def _memory(
    measurement: Measurement,
    values: Mapping[str, str],
    parameters: Mapping[str, Any],
    added: frozenset[str],
    sample: frozenset[str],
) -> Score:
    """Accurate references of those that are references; whatever counts and has no label is missing."""
    counted = [
        f"{finding.message}.{finding.sentence}" for finding in measurement.references if finding.is_counted
    ]
    subjects = list(dict.fromkeys([*counted, *sorted(added | values.keys(), key=_place)]))
    counts = Counter(values[subject] for subject in subjects if subject in values)
    missing = [subject for subject in subjects if subject not in values]
    below = counts[ACCURATE] + counts[INACCURATE] + counts[VAGUE]
    return Score(
        measurement.metric,
        counts[ACCURATE],
        below,
        is_applicable=below > 0 or bool(missing),
        is_pending=bool(missing),
        missing=missing,
        counts={label: counts[label] for label in (ACCURATE, INACCURATE, VAGUE, NOT_A_REFERENCE)},
    )


def _place(subject: str) -> tuple[int, ...]:
    return tuple(int(part) for part in subject.split("."))


def _messages(
    measurement: Measurement,
    values: Mapping[str, str],
    parameters: Mapping[str, Any],
    added: frozenset[str],
    sample: frozenset[str],
) -> Score:
    """Messages that count, of all messages (coherence: of all after the first, by that choice)."""
    skipped = measurement.metric == "coherence" and parameters["coherence_denominator"] != "all"
    findings = measurement.messages[1:] if skipped else measurement.messages
    above = 0
    for finding in findings:
        value = values.get(str(finding.message))
        above += finding.counts if value is None else value == YES
    return Score(measurement.metric, above, len(findings))


def _roles(
    measurement: Measurement,
    values: Mapping[str, str],
    parameters: Mapping[str, Any],
    added: frozenset[str],
    sample: frozenset[str],
) -> Score:
    """Consistent messages of all; a message held inconsistent by the rules, or in the sample, must have a label.

    Every game with a message has a sample, so without any label nobody has judged it yet.
    """
    above = 0
    missing = []
    for finding in measurement.messages:
        subject = str(finding.message)
        value = values.get(subject)
        above += finding.counts if value is None else value == CONSISTENT
        is_suspect = not finding.counts and finding.rule != "unknown_side"
        if value is None and (is_suspect or subject in sample):
            missing.append(subject)
    is_unjudged = bool(measurement.messages) and not values
    return Score(
        measurement.metric,
        above,
        len(measurement.messages),
        is_pending=is_unjudged or bool(missing),
        missing=missing,
    )


def _players(
    measurement: Measurement,
    values: Mapping[str, str],
    parameters: Mapping[str, Any],
    added: frozenset[str],
    sample: frozenset[str],
) -> Score:
    """As measured: no judgement changes the count of unique players."""
    return score_of(measurement)


def _phrases(
    measurement: Measurement,
    values: Mapping[str, str],
    parameters: Mapping[str, Any],
    added: frozenset[str],
    sample: frozenset[str],
) -> Score:
    """A phrase marked acceptable counts as not repeated; the denominator stays."""
    accepted = sum(
        finding.count
        for finding in measurement.phrases
        if values.get(f"{finding.player}|{finding.phrase}") == ACCEPTABLE
    )
    return Score(
        measurement.metric,
        measurement.numerator + accepted,
        measurement.denominator,
        is_applicable=measurement.is_applicable,
    )


_RECOUNTS = {
    "memory_accuracy": _memory,
    "strategic_depth": _messages,
    "coherence": _messages,
    "role_consistency": _roles,
    "personality_diversity": _players,
    "anti_repetition": _phrases,
}
