"""The one tokenizer: lower-cased runs of letters and digits with inner apostrophes; a player's name is one token.

Texts are joined, marked and cut as a whole, so that one pass in C feeds every metric. In marked text a name is one
private character that says which player, followed by padding: marking keeps every offset where it was.
"""

import re
from functools import lru_cache

from discussions.core.names import Found, Roster, fold, lowered, names_in, not_ascii

NAME = "[name]"
END = "\x00"
PAD = "\x02"
OWNED = "\x03"
_FIRST, _LAST = 0xE000, 0xF8FD
_PLANE = 0xF0000
NAME_CHARS = "\ue001-\uf8fd\U000f0000-\U0010fffd"

_LOOSE_APOSTROPHE = re.compile(r"'(?:(?![^\W_])|(?<![^\W_]'))")
_NAMES = re.compile(f"[{NAME_CHARS}]")
_PADDING = (PAD + OWNED).encode()
_TABLE = bytes(
    byte if byte >= 128 or byte == 0 or byte == 39 or chr(byte).isalnum() else 32 for byte in range(256)
)


@lru_cache(maxsize=10_000)
def name_token(player: int) -> str:
    """The token that stands for that player (from 1)."""
    return chr(_FIRST + player) if _FIRST + player <= _LAST else chr(_PLANE + player)


@lru_cache(maxsize=1_000)
def _padded(player: int, size: int, owned: int) -> str:
    """What stands for a name of `size` characters and `owned` more behind it."""
    return name_token(player) + PAD * (size - 1) + OWNED * owned


def players_in(marked: str) -> set[int]:
    """The players that a marked text names."""
    if marked.isascii():
        return set()
    return {player for char in _NAMES.findall(marked) if (player := player_of(char))}


def player_of(token: str) -> int | None:
    """The player that a token stands for; None for a word."""
    code = ord(token[0])
    if _FIRST < code <= _LAST:
        return code - _FIRST
    return code - _PLANE if code >= _PLANE else None


def mark(low: str, places: list[Found]) -> str:
    """The lower-cased text with every name replaced by its player's character and padding, of the same length."""
    pieces: list[str] = []
    last = 0
    for start, negative_end, player, name_end in places:
        pieces.append(low[last:start])
        last = -negative_end
        pieces.append(_padded(player, name_end - start, last - name_end))
    pieces.append(low[last:])
    return "".join(pieces)


def odd_characters(low: str) -> str:
    """The characters of a text that are neither ASCII nor letters nor digits: they part tokens like a space."""
    if low.isascii():
        return ""
    return "".join(char for char in not_ascii(low) if not char.isalnum())


def cut(marked: str, odd: str) -> list[str]:
    """The tokens of a marked text, with END between messages where it has it; `odd` are its odd characters."""
    plain = marked
    if not marked.isascii():
        for char in odd:
            plain = plain.replace(char, " ")
    if "'" in plain:
        plain = _LOOSE_APOSTROPHE.sub(" ", plain)
    return plain.encode().translate(_TABLE, _PADDING).decode().split()


def tokenise(text: str, roster: Roster | None = None) -> list[str]:
    """The tokens of one text; names of the roster come out as `[name]`."""
    folded = fold(text)
    low = lowered(folded)
    marked = mark(low, names_in(low, folded, roster)) if roster else low
    return [NAME if player_of(token) else token for token in cut(marked, odd_characters(low))]


def shown(marked: str) -> str:
    """A piece of marked text as a person reads it: names as `[name]`."""
    if marked.isascii():
        return marked.strip()
    plain = marked.replace(PAD, "").replace(OWNED, "")
    return _NAMES.sub(NAME, plain).strip()
