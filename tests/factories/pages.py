"""What a page is made of, as its template and its reader see it."""

import html
from types import SimpleNamespace
from typing import Any


def as_seen(value: Any) -> Any:
    """Entries of dictionaries as attributes, at every depth."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: as_seen(part) for name, part in value.items()})
    return [as_seen(part) for part in value] if isinstance(value, list) else value


def get_text(answer: Any, status: int = 200) -> str:
    """What an answer with this status says, on one line."""
    assert answer.status_code == status
    return " ".join(html.unescape(answer.content.decode()).split())
