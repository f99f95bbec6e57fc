"""An eighth metric as somebody would add it: its record, its labels, and a rubric version that has it."""

from statistics import fmean

from msgspec.structs import replace

from discussions.core.records import Measurement, MessageFinding
from discussions.metrics.core.metric import FigureScale, Metric
from discussions.metrics.core.parameters import Parameters
from discussions.metrics.core.prepared_game import Reading
from discussions.metrics.core.registry import METRICS
from discussions.metrics.core.text import END
from discussions.metrics.labels import LABELS, Look, MetricLabels
from rubric.core.records import Criterion, RubricRecord
from rubric.versions.core.game_specs import ParameterSpecs

KEY = "words_per_message"
LABEL = "Words a message"
WORDS = FigureScale("words", factor=1, low=0.0, high=200.0, material=2.0, symbol=" words", unit="words")


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """Mean words a message; a message counts when it has as many as the version wants."""
    counts = _counts(reading)
    enough = parameters.number("wordy_count")
    findings = [
        MessageFinding(position, count >= enough, "wordy" if count >= enough else "terse")
        for position, count in enumerate(counts, start=1)
    ]
    counted = [finding.message for finding in findings if finding.counts]
    return Measurement(KEY, sum(counts), len(counts), counted=counted, messages=findings)


def diagnostics(reading: Reading, _measurement: Measurement, _parameters: Parameters) -> dict[str, object]:
    """The longest message."""
    return {"longest": max(_counts(reading), default=0)}


def _counts(reading: Reading) -> list[int]:
    counts = [0] * reading.count
    for message, token in zip(reading.of_message.tolist(), reading.tokens, strict=True):
        counts[message] += token != END
    return counts


METRIC = Metric(
    KEY,
    measure,
    diagnostics,
    scale=WORDS,
    parameters=ParameterSpecs(counts={"wordy_count": (1, 100)}),
)
WORDS_LABELS = MetricLabels(
    column="Words",
    title=LABEL,
    count="%(above)d words in %(below)d messages",
    looks=lambda figures: [Look("Longest message", f"{figures['longest']} words")],
    rules={"wordy": "is a full sentence", "terse": "is a few words"},
    parameters={"wordy_count": "With so many words a message is wordy."},
)


def register(monkeypatch) -> None:
    """Add the metric to the table and to the labels until the test is over."""
    monkeypatch.setitem(METRICS, KEY, METRIC)
    monkeypatch.setitem(LABELS, KEY, WORDS_LABELS)


def with_words(record: RubricRecord, *, threshold: float = 4) -> RubricRecord:
    """The version with the eighth metric, which takes its weight from the last one."""
    *others, last = record.criteria
    share = last.weight / 2
    advice = ["Ask for whole sentences."]
    question = "Is this message long enough?"
    eighth = Criterion(
        KEY, LABEL, "How long messages are.", share, threshold, question=question, advice=advice
    )
    return replace(
        record,
        criteria=[*others, replace(last, weight=share), eighth],
        parameters={**record.parameters, "metric_count": 8, "wordy_count": 5},
    )


def mean_words(texts: list[str]) -> float:
    """The figure, counted another way."""
    return fmean(len(text.split()) for text in texts)
