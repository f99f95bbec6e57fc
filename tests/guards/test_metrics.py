"""The metrics are one table: whatever else is keyed by metric has all of them, and the apps below name none."""

import ast
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from discussions.core import judgement_kinds
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS
from rubric.versions.core.game_specs import game_specs
from tests.factories import eighth_metric
from tests.guards.layout import module_name, nodes_of, python_files, short

LEAST = 3
APPS = ("discussions", "rubric", "workspace")


def whole_tables() -> tuple[set[str], ...]:
    """What a table may be keyed by: every metric, or every one that people judge, or every kind of message judgement.

    Three kinds are called as their metrics are.
    """
    judged = {key for key, metric in METRICS.items() if metric.judged}
    return set(METRICS), judged, set(judgement_kinds.MESSAGE_KINDS)


def _value(node: ast.expr | None, names: dict[str, object]) -> object:
    """What a constant, a name or an attribute of a module is; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, names), node.attr, None)
    return None


def _is_metric(value: object) -> bool:
    return isinstance(value, str) and value in METRICS


def _literals(source: str) -> Iterator[tuple[int, Sequence[ast.expr | None]]]:
    """Line and keys, or members, of every dict, tuple, list and set that is written out."""
    for node in nodes_of(source):
        if isinstance(node, ast.Dict):
            yield node.lineno, node.keys
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            yield node.lineno, node.elts


def partial_tables(source: str, names: dict[str, object]) -> list[int]:
    """Lines of tables that are keyed by metric and lack some; a table with other keys as well is none."""
    found = []
    for line, written in _literals(source):
        if len(written) < LEAST or not all(_is_metric(_value(node, names)) for node in written):
            continue
        if {_value(node, names) for node in written} not in whole_tables():
            found.append(line)
    return found


def metrics_named(source: str) -> list[int]:
    """Lines with the key of a metric as a text of its own."""
    return [
        node.lineno for node in nodes_of(source) if isinstance(node, ast.Constant) and _is_metric(node.value)
    ]


def _wing_files() -> list[Path]:
    return [path for path in python_files() if module_name(path).split(".")[0] in APPS]


def _imported(path: Path) -> ModuleType:
    return importlib.import_module(module_name(path))


def test_every_table_keyed_by_metric_has_every_metric():
    faults = [
        f"{short(path)}:{line}"
        for path in _wing_files()
        for line in partial_tables(path.read_text(), vars(_imported(path)))
    ]
    assert not faults, (
        f"{faults}: a table has all metrics or all that people judge. Add the metric, or iterate over "
        "METRICS and put what is special about a metric into its record or its labels"
    )


def test_labels_and_specs_have_every_metric():
    assert list(LABELS) == list(METRICS), (
        "LABELS in discussions/metrics/labels.py has the metrics of METRICS, in order"
    )
    assert list(game_specs().metrics) == list(METRICS)
    for key, metric in METRICS.items():
        others = set(LABELS[key].parameters) - metric.parameters.names
        assert not others, f"{others}: not among `parameters` of the metric {key}"


def test_a_table_of_what_people_judge_leaves_out_a_metric_that_nobody_judges(monkeypatch):
    judged = [key for key, metric in METRICS.items() if metric.judged]
    eighth_metric.register(monkeypatch)
    assert partial_tables(f"X = {judged}", {}) == []
    assert partial_tables(f"X = {judged[1:]}", {}) == [1]


def test_wings_to_the_left_name_no_metric():
    faults = [
        f"{short(path)}:{line}"
        for path in _wing_files()
        if not module_name(path).startswith("discussions")
        for line in metrics_named(path.read_text())
    ]
    assert not faults, f"{faults}: discussions registers what rubric needs to know of metrics"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("X = {'coherence': 1, 'engagement': 2, 'strategic_depth': 3}", [1]),
        ("X = ('coherence', 'engagement', kinds.STRATEGIC_DEPTH)", [1]),
        ("def f():\n    return {'coherence': 1, 'engagement': 2, KEY: 3}", [2]),
        ("X = {'coherence': 1, 'engagement': 2}", []),
        ("X = {'coherence': 1, 'engagement': 2, 'strategic_depth': 3, 'cost': 4}", []),
        ("X = {key: 1 for key in METRICS}", []),
        (f"X = {list(METRICS)}", []),
        ("X = (kinds.STRATEGIC_DEPTH, kinds.COHERENCE, kinds.ROLE_CONSISTENCY)", []),
    ],
)
def test_a_partial_table_is_seen(source: str, lines: list[int]):
    assert partial_tables(source, {"kinds": judgement_kinds, "KEY": "anti_repetition"}) == lines
