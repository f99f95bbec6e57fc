"""The metric table and what measures with it."""

from discussions.core.metrics.recounting import passes, recount, score_of, without_deliberate
from discussions.core.metrics.table import CODE_VERSION, METRICS, Metric, companions_of, measure_game

__all__ = [
    "CODE_VERSION",
    "METRICS",
    "Metric",
    "companions_of",
    "measure_game",
    "passes",
    "recount",
    "score_of",
    "without_deliberate",
]
