"""M2, strategic depth: the share of messages in which a token matches a strategy keyword."""

from collections.abc import Mapping
from statistics import median

from discussions.core import judgement_kinds
from discussions.core.records import Measurement, MessageFinding
from discussions.metrics.core.metric import Metric, flip_by_messages, message_values, recount_messages
from discussions.metrics.core.parameters import STRATEGIC, Parameters
from discussions.metrics.core.prepared_game import Reading, plain_findings

KEY = "strategic_depth"


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """The share of strategic messages; a finding's words are the keywords found, in order. Source: rubric, Metric 2."""
    words: dict[int, list[str]] = {}
    places = reading.places(STRATEGIC)
    tokens = reading.tokens
    for message, place in zip(reading.of_message[places].tolist(), places.tolist(), strict=True):
        token = tokens[place]
        if message not in words:
            words[message] = [token]
        elif token not in words[message]:
            words[message].append(token)
    findings = plain_findings(reading.count, "no_keyword", counts=False)
    for message, seen in words.items():
        findings[message] = MessageFinding(message + 1, True, "keyword", seen)
    counted = [message + 1 for message in words]
    return Measurement(KEY, len(counted), len(findings), counted=counted, messages=findings)


def diagnostics(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    weak = parameters.weak_keywords
    strong = sum(any(not weak.holds(word) for word in finding.words) for finding in measurement.messages)
    lengths = [end - start - 1 for start, end in zip(reading.starts, reading.starts[1:], strict=False)]
    return {
        "words_per_message": float(median(lengths)) if lengths else None,
        "without_weak_keywords": 100 * strong / len(lengths) if lengths else None,
        "before_overrides": METRIC.value(measurement),
    }


METRIC = Metric(
    KEY,
    measure,
    diagnostics,
    judged=judgement_kinds.STRATEGIC_DEPTH,
    machine_values=message_values,
    recount=recount_messages,
    flip=flip_by_messages,
    step="depth",
    is_required=True,
)
