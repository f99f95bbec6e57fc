"""Arithmetic that metrics share whose messages people judge with yes or no."""

from collections.abc import Iterable, Mapping

from discussions.core import kinds
from discussions.core.metrics.metric import Judgements
from discussions.core.records import Measurement, MessageFinding, Score


def message_values(measurement: Measurement) -> dict[str, str]:
    """Yes for each message that counts, else no."""
    return {
        str(finding.message): kinds.YES if finding.counts else kinds.NO for finding in measurement.messages
    }


def recount_messages(measurement: Measurement, judgements: Judgements) -> Score:
    """Messages that count, of all."""
    return share_of_messages(measurement.metric, measurement.messages, judgements.values)


def share_of_messages(metric: str, findings: Iterable[MessageFinding], values: Mapping[str, str]) -> Score:
    """Messages that people say count, or of which they say nothing and the machine does, of these."""
    above = below = 0
    for finding in findings:
        value = values.get(str(finding.message))
        above += finding.counts if value is None else value == kinds.YES
        below += 1
    return Score(metric, above, below)
