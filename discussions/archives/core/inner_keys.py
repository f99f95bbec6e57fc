"""Keys of rows inside of stored JSON, such as the basis of a verdict: found by their paths, and replaced."""

from collections.abc import Callable
from typing import Any


def replace_keys(value: Any, path: str, swap: Callable[[Any], Any]) -> Any:
    """The plain value with the keys at the path replaced; None stays, and paths that do not exist are ignored.

    A path is names joined by dots; "*" is every item of a list: "evaluations.*.id".
    """
    if not path:
        return swap(value)
    name, _, rest = path.partition(".")
    if name == "*":
        return [replace_keys(part, rest, swap) for part in value] if isinstance(value, list) else value
    if isinstance(value, dict) and value.get(name) is not None:
        return value | {name: replace_keys(value[name], rest, swap)}
    return value
