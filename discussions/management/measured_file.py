"""The one JSON object that `measure_file` prints: a game's metrics, its references, and their versions.

Also limits on the metrics of such an object, for use in continuous integration.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import msgspec

from discussions.core.records import Fault, GameRecord, Measurement, ReferenceFinding
from discussions.metrics.core import registry
from rubric.core.records import RubricRecord
from workspace.core.text import figure
from workspace.core.words import say


def measured_file(game: GameRecord, rubric: RubricRecord, warnings: Sequence[Fault]) -> dict[str, Any]:
    """Everything measured of one game and its warnings, as plain values in a fixed order. Scores are unrounded."""
    measurements = registry.measure_game(game, rubric)
    diagnostics = registry.build_diagnostics(game, rubric, measurements)
    cost = game.cost
    return {
        "game": {
            "id": game.game_id,
            "players": len(game.players),
            "messages": len(game.messages),
            "rounds": game.rounds,
            "votes": len(game.votes),
            "cost_usd": None if cost.total_usd is None else float(cost.total_usd),
            "cache_hit_rate": cost.cache_hit_rate,
        },
        "metrics": {
            key: _metric(game, measurement, rubric.criterion(key).threshold or 0.0, diagnostics[key])
            for key, measurement in measurements.items()
        },
        "references": [
            _reference(finding) for measurement in measurements.values() for finding in measurement.references
        ],
        "rubric": {"name": rubric.name, "version": rubric.version},
        "code_version": registry.CODE_VERSION,
        "warnings": [
            {"place": warning.place, "code": warning.code, "message": warning.message} for warning in warnings
        ],
    }


def _metric(
    game: GameRecord, measurement: Measurement, threshold: float, diagnostics: Mapping[str, object]
) -> dict[str, Any]:
    """One metric, with the players (by name) or the messages that counted."""
    score = registry.build_score(measurement)
    found = {
        "score": registry.figure_value(score),
        "numerator": score.numerator,
        "denominator": score.denominator,
        "threshold": threshold,
        "passes": registry.passes(score, threshold),
        "applicable": score.is_applicable,
        "pending": score.is_pending,
        "companions": dict(diagnostics),
    }
    if registry.METRICS[measurement.metric].counted == "players":
        return found | {"players": [game.players[player - 1].name for player in measurement.counted]}
    return found | {"messages": measurement.counted}


def _reference(finding: ReferenceFinding) -> dict[str, Any]:
    return {
        "message": finding.message,
        "start": finding.start,
        "end": finding.end,
        "text": finding.text,
        "counted": finding.is_counted,
        "check": finding.check,
        "evidence": None if finding.evidence is None else msgspec.to_builtins(finding.evidence),
    }


def parse_limits(given: Sequence[str], rubric: RubricRecord) -> dict[str, Decimal]:
    """Metric -> the lowest score that is accepted, from METRIC=VALUE. Raises ValueError with a sentence."""
    limits = {}
    known = registry.measured_keys(rubric)
    for text in given:
        key, _, value = text.partition("=")
        if key not in known:
            raise ValueError(f'"{key}" is no measured metric; there are {", ".join(known)}.')
        scale = registry.METRICS[key].scale
        try:
            limit = Decimal(value)
            is_inside = Decimal(scale.low) <= limit <= Decimal(scale.high)
        except InvalidOperation:
            is_inside = False
        if not is_inside:
            raise ValueError(f'"{text}" names no score; write a number from {scale.low:g} to {scale.high:g}.')
        limits[key] = limit
    return limits


def find_shortfalls(metrics: Mapping[str, Mapping[str, Any]], limits: Mapping[str, Decimal]) -> list[str]:
    """A sentence for each metric of a measured game that is below its limit, unrounded.

    Metrics without a score are not compared. A metric with nothing to count is not below its limit.
    """
    found = []
    for key, limit in limits.items():
        metric, scale = metrics[key], registry.METRICS[key].scale
        if metric["score"] is None or not metric["applicable"]:
            continue
        score = scale.value(metric["numerator"], metric["denominator"])
        if score < Fraction(limit):
            shown = figure(score, float(limit))
            found.append(
                say(
                    "{key} is {shown}{symbol}, below {limit:f}{symbol}.",
                    key=key,
                    shown=shown,
                    symbol=scale.symbol,
                    limit=limit,
                )
            )
    return found
