"""Whether games differ from those of a base, by the measured metrics alone: for pull requests that change a prompt.

The rule of the comparison of iterations (docs/iterations.md). Nobody was asked, so nothing is called better or worse.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from discussions.comparison.core.comparison import get_material_difference
from discussions.comparison.core.difference import IMPROVED, SAME, UNCLEAR, WORSE, Difference, difference
from discussions.iterations.core.averages import pooled_spread
from discussions.metrics.core.registry import METRICS

ROSE, FELL, TOO_FEW = "rose", "fell", "too few games"
ANSWERS = {IMPROVED: ROSE, WORSE: FELL, SAME: SAME, UNCLEAR: TOO_FEW}
NOBODY_ASKED = "Nobody was asked: these are scores of the rule, and people may judge otherwise."


def compare_with_base(base: Sequence[dict[str, Any]], games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Each metric's means, difference with its interval and answer, in points, and the answer of all; plain values.

    Both are lists of what `measured_file` returns. Games in which a metric does not apply or waits for people are
    left out of it. All rose if one rose and none fell, fell if one fell; no material difference if all have none.
    """
    keys = games[0]["metrics"] if games else ()
    found = {key: _compare_metric(key, base, games) for key in keys}
    metrics = {
        key: {
            "base": _as_float(one.control_mean),
            "base_games": one.control_count,
            "mean": _as_float(one.change_mean),
            "games": one.change_count,
            "difference": _as_float(one.raw),
            "interval": one.interval,
            "answer": ANSWERS[one.answer],
        }
        for key, one in found.items()
    }
    answer = _sum_up([ANSWERS[one.answer] for one in found.values()])
    return {"answer": answer, "metrics": metrics, "note": NOBODY_ASKED}


def describe_comparison(compared: dict[str, Any]) -> list[str]:
    """The lines that the command prints and the summary holds: one a metric, then the answer."""
    lines = []
    for key, one in compared["metrics"].items():
        symbol = METRICS[key].scale.symbol
        means = " -> ".join(
            "none" if one[name] is None else f"{one[name]:.2f}{symbol}" for name in ("base", "mean")
        )
        interval = "" if one["interval"] is None else " ({:+.1f} to {:+.1f})".format(*one["interval"])
        by = "" if one["difference"] is None else f"{one['difference']:+.1f}{interval}"
        lines.append(f"{key:22} {means:>22} {by:>24}   {one['answer']}")
    return [*lines, f"Against the base, the rule's score: {compared['answer']}. {NOBODY_ASKED}"]


def _compare_metric(key: str, base: Sequence[dict[str, Any]], games: Sequence[dict[str, Any]]) -> Difference:
    control, change = _scores(key, base), _scores(key, games)
    material, span = get_material_difference(key), METRICS[key].scale.span
    return difference(control, change, pooled_spread([control, change]), material=material, span=span)


def _scores(key: str, games: Iterable[dict[str, Any]]) -> list[Fraction]:
    metrics = [game["metrics"][key] for game in games]
    return [
        Fraction(100 * one["numerator"], one["denominator"])
        for one in metrics
        if one["applicable"] and not one["pending"]
    ]


def _sum_up(answers: Sequence[str]) -> str:
    if FELL in answers:
        return FELL
    if ROSE in answers:
        return ROSE
    return SAME if answers and set(answers) == {SAME} else TOO_FEW


def _as_float(value: Fraction | float | None) -> float | None:
    return None if value is None else float(value)
