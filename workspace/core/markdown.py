"""Escapes for Markdown: text that others wrote is never markup."""

import re

from workspace.core.text import pieces

# Every character that Markdown or HTML could read as markup.
_INLINE = re.compile(r"([\\`*_\[\]<>|~&])")
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&\"'$:@^=])")


def plain(text: str) -> str:
    """Text that stays text in Markdown: on one line, hidden characters named, every sign of markup escaped."""
    return _MARKUP.sub(r"\\\1", _one_line(text))


def escape_inline(text: str) -> str:
    """A sentence of the rubric or the program: signs of inline markup are escaped, hidden characters named."""
    return _INLINE.sub(r"\\\1", _one_line(text))


def fenced(text: str) -> str:
    shown = "".join(piece.text for piece in pieces(text.replace("\r", "\n")))
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"


def _one_line(text: str) -> str:
    return "".join(piece.text for piece in pieces(" ".join(text.split())))
