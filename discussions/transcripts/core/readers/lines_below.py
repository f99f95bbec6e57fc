"""Lines below messages of a chat that signs set apart: deeds, thoughts, and what may be hidden."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from discussions.transcripts.core.audience import LEAST_SPACES, SPEECH, is_hidden, kind_of_type
from discussions.transcripts.core.readers.chat_lines import ChatLine
from discussions.transcripts.core.readers.narration import split_named, tells
from discussions.transcripts.core.thoughts import LEAST_ASIDES, may_think, split_thoughts

# "[Ann -> Bea] psst" and "(Ann whispers to Bea) psst".
_BOXED_NAME = re.compile(
    r"[\[(<{](?P<name>[^\W\d_][\w'’-]{0,40})(?: ?(?:->|→|=>) ?|,? (?:whisper\w{0,3} )?to )[^\[\]()<>{}]{1,60}[\])>}]"
    r":? ?(?P<what>\S.*)"
)
# What a player does or thinks, as a chat tells it: "* Ann thinks that ...".
_DEED = re.compile(r"[*_~]{1,3} ?(?P<name>[^\W\d_]\S{0,40}) (?P<what>(?P<verb>[^\W\d_A-Z]\S*).*)")
_QUOTES, _LISTED = "\"'“”‘’„«»「」『』¿¡", frozenset("-–—*•")
# What begins lines that texts rarely have, and below how many messages it is asked about; where texts are brief, any
# sign sets apart a last line of several words, below one of so many messages.
_RARE, _LEAST_MARKS, _FEW = frozenset("([{（【~↳└→_"), 2, 20
_EMPHASISED = re.compile(r"(?P<sign>[*_~…·•^%/–-])(?!\*) ?[^\s*].*[^*](?P=sign)")


def read_deed(text: str, above: Mapping[str, Any]) -> tuple[str, str]:
    """Who does or thinks something below a message, and what, of others in secret; "* Bea is odd" may be an item."""
    found = _BOXED_NAME.fullmatch(text)
    if found is None and (found := _DEED.fullmatch(text)):
        kind, is_list = kind_of_type(found["verb"]), above["message"].rpartition("\n")[2].startswith(text[:1])
        is_own = found["name"] == above["playerName"] and not is_list and kind != SPEECH
        found = found if is_own or is_hidden(found["verb"]) else None
    return (found["name"], found["what"]) if found else ("", "")


def is_apart(text: str, names: Collection[str]) -> bool:
    """Whether a line is read as no part of a text: a deed of a player, what is said to one, a thought."""
    deed = _DEED.fullmatch(text)
    is_deed = (deed is not None and deed["name"] in names) or _BOXED_NAME.fullmatch(text) is not None
    return is_deed or (may_think(text) and split_thoughts(text)[1] != "")


def has_marks(found: list[ChatLine], names: Collection[str]) -> bool:
    """Whether a sign, or a margin where nearly all texts have one more line, sets lines apart so that it is asked."""
    if any(line.kind == "more" and split_named(line.text, names)[0] for line in found):
        return True
    texts = _public_texts(found, names)
    several = [lines for lines in texts if lines[1:]]
    signs = Counter(sign for lines in several for sign in _signs_below(lines))
    ends = Counter(filter(None, map(_sign_at_end, several)))
    even = sum(len(lines) == _LEAST_MARKS and lines[0][1] != "" for lines in texts)
    often = max(signs.values(), default=0)
    are_brief = 2 * sum(len(lines) <= _LEAST_MARKS for lines in texts) > len(texts)
    stands_apart = any(count >= _LEAST_MARKS or _FEW * count >= len(texts) for count in ends.values())
    is_rare = any(count >= _LEAST_MARKS for sign, count in signs.items() if sign in _RARE)
    is_usual = 4 * often >= len(texts) or 5 * even >= 4 * len(texts)
    return is_rare or (are_brief and stands_apart) or (max(often, even) >= LEAST_ASIDES and is_usual)


def _public_texts(found: Iterable[ChatLine], names: Collection[str]) -> list[list[tuple[str, str]]]:
    """The lines of each public message: the sign that begins a line below its first one, and its text."""
    texts: list[list[tuple[str, str]]] = []
    lines: list[tuple[str, str]] = []
    for line in found:
        text = line.text.strip()
        # A label in small letters is a sign, too.
        sign = line.name or ("_" if _EMPHASISED.fullmatch(text) else text.replace("->", "→", 1)[:1])
        if line.kind == "message":
            lines = [("", text)]
            texts += [] if line.audience else [lines]
        elif line.kind in ("heading", "night", "section"):
            lines = []
        elif line.kind == "more" and not is_apart(text, names):
            is_sign = sign.strip(_QUOTES) != "" and (line.name != "" or not sign.isalnum())
            lines.append((sign if is_sign else "", text))
    return texts


def _signs_below(lines: list[tuple[str, str]]) -> list[str]:
    """The signs that begin lines of a text; of those of lists, which texts have, only what begins a single one."""
    counts = Counter(sign for sign, _text in lines if sign)
    return [sign for sign, count in counts.items() if count == 1 or sign not in _LISTED]


def _sign_at_end(lines: list[tuple[str, str]]) -> str:
    """The sign of several words that end a text, unless they are an item of a list or the text above announces them."""
    sign, text = lines[-1]
    above = next((said for other, said in reversed(lines) if other != sign), "")
    is_label = sign[:1].isalnum() or text.startswith(("**", "@"))
    stands_apart = sign in _signs_below(lines) and text.count(" ") >= LEAST_SPACES and not is_label
    is_announced = not above or above.endswith((":", "："))
    return "" if not stands_apart or is_announced or tells(text.lstrip(sign)) else sign
