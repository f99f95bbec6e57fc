"""The metric table and what measures with it."""

from discussions.core.metrics.memory_accuracy import without_deliberate
from discussions.core.metrics.metric import PERCENT, RATING, Metric, Scale
from discussions.core.metrics.table import (
    CODE_VERSION,
    METRICS,
    companions_of,
    figure_value,
    game_specs,
    measure_game,
    measured_keys,
    passes,
    recount,
    score_of,
)

__all__ = [
    "CODE_VERSION",
    "METRICS",
    "PERCENT",
    "RATING",
    "Metric",
    "Scale",
    "companions_of",
    "figure_value",
    "game_specs",
    "measure_game",
    "measured_keys",
    "passes",
    "recount",
    "score_of",
    "without_deliberate",
]
