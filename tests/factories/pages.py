"""What a page is made of, as its template reads it."""

from types import SimpleNamespace
from typing import Any


def as_seen(value: Any) -> Any:
    """Entries of dictionaries as attributes, at every depth."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: as_seen(part) for name, part in value.items()})
    return [as_seen(part) for part in value] if isinstance(value, list) else value
