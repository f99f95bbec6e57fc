"""What a rubric version for games must hold. The app that measures games registers it when the site starts.

This app checks versions against it and knows no metric or parameter of a metric by name.
"""

from collections.abc import Callable, Collection
from typing import Any

from msgspec import Struct, structs

from rubric.core.records import DISCUSSION, RubricRecord


class ParameterSpecs(Struct, frozen=True):
    """Parameters by name (legal choices, ranges of whole numbers, ranges of numbers), word lists and pattern groups.

    A version may lack a parameter that has a value in `defaults`, which then holds, and an optional pattern group,
    which is then empty: versions that were stored before these existed stay as they are.
    """

    choices: dict[str, tuple[object, ...]] = {}
    counts: dict[str, tuple[int, int]] = {}
    amounts: dict[str, tuple[float, float]] = {}
    word_lists: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    defaults: dict[str, object] = {}
    optional_patterns: tuple[str, ...] = ()

    @property
    def names(self) -> set[str]:
        """Every parameter; lists are not among them."""
        return {*self.choices, *self.counts, *self.amounts}

    def joined(self, other: "ParameterSpecs") -> "ParameterSpecs":
        pairs = zip(structs.astuple(self), structs.astuple(other), strict=True)
        return ParameterSpecs(*(one | two if isinstance(one, dict) else one + two for one, two in pairs))


class MetricSpec(Struct, frozen=True):
    """What a version must hold for a metric: a threshold from `low` to `high` in a unit, and these parameters.

    A version may lack a metric that is not required, and then lacks its parameters too.
    """

    low: float
    high: float
    is_required: bool
    symbol: str = "\u00a0%"
    parameters: ParameterSpecs = ParameterSpecs()


class GameSpecs(Struct, frozen=True):
    """The metrics by key, in their order, and the parameters that belong to no metric."""

    metrics: dict[str, MetricSpec] = {}
    parameters: ParameterSpecs = ParameterSpecs()

    def wanted(self, keys: Collection[str]) -> dict[str, MetricSpec]:
        """The metrics of a version with these criteria: the required ones, and those it has."""
        return {key: spec for key, spec in self.metrics.items() if spec.is_required or key in keys}

    def parameters_for(self, keys: Collection[str]) -> ParameterSpecs:
        found = self.parameters
        for spec in self.wanted(keys).values():
            found = found.joined(spec.parameters)
        count = len(self.wanted(keys))
        return found.joined(ParameterSpecs(counts={"pass_count": (1, count), "metric_count": (count, count)}))


_SOURCES: list[Callable[[], GameSpecs]] = []


def register_game_specs(source: Callable[[], GameSpecs]) -> None:
    _SOURCES[:] = [source]


def game_specs() -> GameSpecs:
    """The registered specs; empty when nothing registered any, so that every version for games is refused."""
    return _SOURCES[0]() if _SOURCES else GameSpecs()


def add_defaults(record: RubricRecord) -> dict[str, Any]:
    """The version's parameters, followed by those that it lacks with their default values."""
    if record.kind != DISCUSSION:
        return record.parameters
    wanted = game_specs().parameters_for([criterion.key for criterion in record.criteria])
    lacking = {name: value for name, value in wanted.defaults.items() if name not in record.parameters}
    return record.parameters | lacking


def choices_for(name: str) -> tuple[object, ...]:
    """The legal values of a parameter; () when it is a number."""
    specs = game_specs()
    return specs.parameters_for(specs.metrics).choices.get(name, ())
