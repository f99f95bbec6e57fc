"""The table of the six measured metrics, in the order of the rubric, and measuring a whole game with it."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from discussions.core.metrics import (
    anti_repetition,
    coherence,
    memory_accuracy,
    personality_diversity,
    role_consistency,
    strategic_depth,
)
from discussions.core.metrics.parameters import Parameters, parameters_of
from discussions.core.metrics.reading import Reading, read
from discussions.core.records import GameRecord, Measurement
from rubric.core.records import RubricRecord

# Raise it whenever any measurement or companion can come out differently; a test of fingerprints asks for it.
CODE_VERSION = "1.0.0"


class Metric(Struct, frozen=True):
    """A metric as two pure functions of a reading of the game."""

    measure: Callable[[Reading, Parameters], Measurement]
    companions: Callable[[Reading, Measurement, Parameters], Mapping[str, object]]


METRICS: dict[str, Metric] = {
    "memory_accuracy": Metric(memory_accuracy.measure, memory_accuracy.companions),
    "strategic_depth": Metric(strategic_depth.measure, strategic_depth.companions),
    "coherence": Metric(coherence.measure, coherence.companions),
    "role_consistency": Metric(role_consistency.measure, role_consistency.companions),
    "personality_diversity": Metric(personality_diversity.measure, personality_diversity.companions),
    "anti_repetition": Metric(anti_repetition.measure, anti_repetition.companions),
}


def measure_game(game: GameRecord, rubric: RubricRecord) -> dict[str, Measurement]:
    """All six measurements from one reading of the game; the same game and version give the same bytes."""
    parameters = parameters_of(rubric)
    reading = read(game, parameters)
    return {key: metric.measure(reading, parameters) for key, metric in METRICS.items()}


def companions_of(
    game: GameRecord, rubric: RubricRecord, measurements: Mapping[str, Measurement]
) -> dict[str, Mapping[str, object]]:
    """The second look at each of a game's measurements: plain values that encode to JSON."""
    parameters = parameters_of(rubric)
    reading = read(game, parameters)
    return {
        key: metric.companions(reading, measurements[key], parameters)
        for key, metric in METRICS.items()
        if key in measurements
    }
