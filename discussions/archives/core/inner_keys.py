"""Keys of rows inside of stored JSON, such as the basis of a verdict: found by their paths, and replaced."""

from collections.abc import Callable
from typing import Any

Swap = Callable[[Any], Any]


def replace_keys(value: Any, path: str, swap: Swap) -> Any:
    """The plain value with the keys at the path replaced; None stays, and paths that do not exist are ignored.

    A path is names joined by dots; "*" is every item of a list: "evaluations.*.id".
    """
    name, _, rest = path.partition(".")
    if name == "*":
        return [_go_on(part, rest, swap) for part in value] if isinstance(value, list) else value
    if isinstance(value, dict) and value.get(name) is not None:
        return value | {name: _go_on(value[name], rest, swap)}
    return value


def _go_on(value: Any, rest: str, swap: Swap) -> Any:
    return replace_keys(value, rest, swap) if rest else swap(value)
