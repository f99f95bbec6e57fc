"""The table of metrics, in the order of the rubric. A new metric is a line here, its own file and its labels."""

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from discussions.core.records import GameRecord, Measurement, Score
from discussions.metrics.core import (
    anti_repetition,
    coherence,
    engagement,
    memory_accuracy,
    personality_diversity,
    role_consistency,
    strategic_depth,
)
from discussions.metrics.core.metric import Metric, as_measured
from discussions.metrics.core.parameters import SHARED, get_parameters
from discussions.metrics.core.prepared_game import read
from rubric.core.records import RubricRecord
from rubric.versions.core.game_specs import GameSpecs, MetricSpec
from workspace.core.words import say
from workspace.exports.core.score_events import Score as ScoreOut

# Raise it whenever any measurement or diagnostic can change, on any Python; golden hashes enforce this.
CODE_VERSION = "1.0.2"

METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        memory_accuracy.METRIC,
        strategic_depth.METRIC,
        coherence.METRIC,
        role_consistency.METRIC,
        personality_diversity.METRIC,
        anti_repetition.METRIC,
        engagement.METRIC,
    )
}

# The stored figures of a measurement: metric -> numerator, denominator, is applicable, is pending.
FIGURES = msgspec.json.Decoder(dict[str, tuple[int, int, bool, bool]])


def game_specs() -> GameSpecs:
    metrics = {
        key: MetricSpec(
            low=metric.scale.low,
            high=metric.scale.high,
            is_required=metric.is_required,
            symbol=metric.scale.symbol,
            parameters=metric.parameters,
        )
        for key, metric in METRICS.items()
    }
    return GameSpecs(metrics, SHARED)


def uses_round_offset(rubric: RubricRecord) -> bool:
    """Whether a version applies the round offset to rounds in texts; version 1.0 reads them unchanged."""
    return bool((SHARED.defaults | rubric.parameters)["rules"] != "1.0")


def measured_keys(rubric: RubricRecord) -> list[str]:
    keys = {criterion.key for criterion in rubric.criteria}
    return [key for key, metric in METRICS.items() if metric.measure is not None and key in keys]


def measure_game(game: GameRecord, rubric: RubricRecord) -> dict[str, Measurement]:
    """The version's measurements from one reading of the game; the same game and version give the same bytes."""
    parameters = get_parameters(rubric)
    reading = read(game, parameters)
    return {
        key: measure(reading, parameters)
        for key in measured_keys(rubric)
        if (measure := METRICS[key].measure) is not None
    }


def build_diagnostics(
    game: GameRecord, rubric: RubricRecord, measurements: Mapping[str, Measurement]
) -> dict[str, Mapping[str, object]]:
    parameters = get_parameters(rubric)
    reading = read(game, parameters)
    return {
        key: METRICS[key].diagnostics(reading, measurements[key], parameters)
        for key in measured_keys(rubric)
        if key in measurements
    }


def build_score(measurement: Measurement) -> Score:
    return as_measured(measurement)


def figure_value(figure: Measurement | Score) -> float | None:
    """The figure in the scale of its metric, unrounded; None while it is unknown."""
    return METRICS[figure.metric].value(figure)


def measured_value(
    key: str, numerator: int, denominator: int, is_applicable: bool, is_pending: bool
) -> float | None:
    """An automatic figure in the metric's unit; None while it is pending, or where there was nothing to count."""
    if key not in METRICS or is_pending or not is_applicable or not denominator:
        return None
    return float(METRICS[key].scale.value(numerator, denominator))


def list_measured(figures: str | bytes) -> list[ScoreOut]:
    """The automatic scores for other programs. They have no label: whether a metric passes is in the verdict."""
    return [
        {
            "name": key,
            "value": value,
            "label": "",
            "explanation": say("{n} of {total} by the rule.", n=counted[0], total=counted[1]),
        }
        for key, counted in FIGURES.decode(figures).items()
        if (value := measured_value(key, *counted)) is not None
    ]


def passes(score: Score, threshold: float) -> bool | None:
    """Whether the unrounded score reaches the threshold, on whole numbers (79.96 fails 80); None while unknown."""
    if score.is_pending or figure_value(score) is None:
        return None
    if not score.is_applicable:
        return True
    return METRICS[score.metric].scale.value(score.numerator, score.denominator) >= Fraction(str(threshold))
