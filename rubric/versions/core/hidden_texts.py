"""Hidden characters in the texts of a rubric version, which every page of its work would show."""

from collections.abc import Iterator
from typing import Any

import msgspec

from rubric.core.records import RubricRecord
from workspace.core.text import pieces
from workspace.core.words import say


def list_hidden_texts(record: RubricRecord) -> list[tuple[str, str]]:
    """Each text of the version that holds a hidden character: a JSON pointer, and a sentence that says what to do."""
    return [
        (
            pointer,
            say(
                "The text at {pointer} has a hidden character, {badge}. Remove it; a pattern can have its escape "
                "instead, such as {escape}.",
                pointer="".join(piece.text for piece in pieces(pointer)),
                badge=badge.text,
                escape=r"\u200b",
            ),
        )
        for pointer, text in _walk(msgspec.to_builtins(record), "")
        for badge in [piece for piece in pieces(text.replace("\r", "")) if piece.title][:1]
    ]


def _walk(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Every text with its place; the names in objects are texts, too."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, f"{pointer}/{index}")
    elif isinstance(value, dict):
        for name, item in value.items():
            yield pointer, name
            yield from _walk(item, f"{pointer}/{name}")
