"""The one tokenizer: lower-cased runs of letters and digits with inner apostrophes; a player's name is one token.

Texts are joined, marked and cut as a whole, so that one pass in C feeds every metric. In marked text a name is one
private character that says which player, followed by padding: marking keeps every offset where it was.
"""

import re

from discussions.core.names import Roster, Span, find_names, fold, lowered

NAME = "[name]"
END = "\x00"
PAD = "\uf8ff"
OWNED = "\uf8fe"
_FIRST, _LAST = 0xE000, 0xF8FD
_PLANE = 0xF0000
NAME_CHARS = "\ue001-\uf8fd\U000f0000-\U0010fffd"

_LOOSE_APOSTROPHE = re.compile(r"'(?![^\W_])|(?<![^\W_])'")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_TABLE = bytes(
    byte if byte >= 128 or byte == 0 or byte == 39 or chr(byte).isalnum() else 32 for byte in range(256)
)


def name_token(player: int) -> str:
    """The token that stands for that player (from 1)."""
    return chr(_FIRST + player) if _FIRST + player <= _LAST else chr(_PLANE + player)


def player_of(token: str) -> int | None:
    """The player that a token stands for; None for a word."""
    code = ord(token[0])
    if _FIRST < code <= _LAST:
        return code - _FIRST
    return code - _PLANE if code >= _PLANE else None


def mark(low: str, spans: list[Span]) -> str:
    """The lower-cased text with every name replaced by its player's character and padding, of the same length."""
    pieces = []
    last = 0
    for span in spans:
        owned = span.end - span.name_end
        pieces.append(low[last : span.start])
        pieces.append(name_token(span.player) + PAD * (span.name_end - span.start - 1) + OWNED * owned)
        last = span.end
    pieces.append(low[last:])
    return "".join(pieces)


def cut(marked: str) -> list[str]:
    """The tokens of a marked text, with END between messages where the text has it."""
    if marked.isascii():
        plain = marked
    else:
        plain = marked.replace(PAD, "").replace(OWNED, "")
        for char in set("".join(set(_NOT_ASCII.findall(plain)))):
            if not char.isalnum() and not player_of(char):
                plain = plain.replace(char, " ")
    if "'" in plain:
        plain = _LOOSE_APOSTROPHE.sub(" ", plain)
    return plain.encode("utf-8").translate(_TABLE).decode("utf-8").split()


def tokenise(text: str, roster: Roster | None = None) -> list[str]:
    """The tokens of one text; names of the roster come out as `[name]`. Source: spec of the rubric's three-word phrases."""
    low = lowered(fold(text))
    spans = find_names(text, roster) if roster else []
    return [NAME if player_of(token) else token for token in cut(mark(low, spans))]


def shown(marked: str) -> str:
    """A piece of marked text as a person reads it: names as `[name]`."""
    if marked.isascii():
        return marked.strip()
    plain = marked.replace(PAD, "").replace(OWNED, "")
    return re.sub(f"[{NAME_CHARS}]", NAME, plain).strip()
