"""Turns untrusted text and unrounded figures into what a page shows, and checks typed text; no markup here.

Characters that cannot be seen or that change what is seen are named instead of drawn (UTS #39, CVE-2021-42574).
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct

from workspace.core.limits import LONGEST_REASON
from workspace.core.refusals import Unacceptable
from workspace.core.words import say

MARKS_PER_BASE = 8
MOST_BADGES = 1000
_PLAIN = "\n\t"
MINUS = "\N{MINUS SIGN}"

# Every character that may need a closer look; plain text of any script is skipped in one match.
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u0300-\u036f\u034f\u0483-\u0489\u0591-\u05c7\u0600-\u0605\u0610-\u061a\u061c"
    "\u064b-\u065f\u06d6-\u06ed\u0e31-\u0e4e\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u20d0-\u20ff\u2400\u2800\u3000\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff"
    "\uffa0\ufff0-\uffff\ud800-\udfff\ue000-\uf8ff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]+"
)
_ODD_SPACES = frozenset(
    "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\u2800"
)
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5\u034f")
_JOINING_SCRIPTS = re.compile(
    "[\u0600-\u06ff\u0700-\u074f\u0900-\u0dff\u0e80-\u109f\u1780-\u17ff\u1800-\u18af]"
)
_PICTURES = re.compile("[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff\u0023\u002a\u0030-\u0039]")


class Piece(Struct, frozen=True):
    """A run of text that is shown in one way; `title` is the character's name when `text` is its badge."""

    text: str
    is_marked: bool = False
    title: str = ""


def pieces(text: str, spans: Sequence[tuple[int, int]] = ()) -> list[Piece]:
    """The text in order, cut at the edges of `spans` (half-open code points, sorted) and at hidden characters.

    From the 1,001st hidden one each is only hinted at by "⟨…⟩": a text made of nothing else would fill the page.
    """
    found: list[Piece] = []
    at = 0
    for start, end in spans:
        start, end = max(start, at), min(end, len(text))
        if start >= end:
            continue
        found.extend(_shown(text, at, start, is_marked=False))
        found.extend(_shown(text, start, end, is_marked=True))
        at = end
    found.extend(_shown(text, at, len(text), is_marked=False))
    return found if len(found) <= MOST_BADGES else _bounded(found)


def _bounded(found: list[Piece]) -> list[Piece]:
    kept: list[Piece] = []
    texts: list[str] = []
    badges = 0
    for piece, after in zip(found, [*found[1:], None], strict=True):
        badges += bool(piece.title)
        if badges <= MOST_BADGES:
            kept.append(piece)
            continue
        texts.append("⟨…⟩" if piece.title else piece.text)
        if after is None or after.is_marked != piece.is_marked:
            kept.append(Piece("".join(texts), piece.is_marked))
            texts = []
    return kept


def _shown(text: str, start: int, end: int, *, is_marked: bool) -> Iterator[Piece]:
    at = start
    for match in _SUSPECT.finditer(text, start, end):
        if match.start() > at:
            yield Piece(text[at : match.start()], is_marked)
        yield from _suspects(text, match.start(), match.end(), is_marked=is_marked)
        at = match.end()
    if at < end:
        yield Piece(text[at:end], is_marked)


def _suspects(text: str, start: int, end: int, *, is_marked: bool) -> Iterator[Piece]:
    kept = ""
    marks = 0
    resume = start
    for at in range(start, end):
        if at < resume:
            continue
        character = text[at]
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if is_hidden(character, text[at - 1] if at else "", text[at + 1] if at + 1 < len(text) else ""):
            if kept:
                yield Piece(kept, is_marked)
                kept = ""
            resume = _end_of_run(text, at, end)
            yield Piece(badge(character, resume - at), is_marked, unicodedata.name(character, "no name"))
        elif marks <= MARKS_PER_BASE:
            kept += character
        elif marks == MARKS_PER_BASE + 1:
            kept += "…"
    if kept:
        yield Piece(kept, is_marked)


def is_hidden(character: str, before: str, after: str) -> bool:
    """Whether the character, between its neighbours, would be invisible or would change how others look."""
    if character in _PLAIN or character == " " or character + after == "\r\n":
        return False
    if character == "\xa0" and after == "%" and before.isdigit():  # as our own figures are written
        return False
    if character in "\u200c\u200d" and _joins(before, after):
        return False
    if "\ufe00" <= character <= "\ufe0f":
        return not _PICTURES.match(before)
    if character in _ODD_SPACES or character in _BLANK_LETTERS or "\u180b" <= character <= "\u180f":
        return True
    if "\U000e0100" <= character <= "\U000e01ef":
        return True
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _joins(before: str, after: str) -> bool:
    letters = bool(_JOINING_SCRIPTS.match(before) and _JOINING_SCRIPTS.match(after))
    pictures = (before == "\ufe0f" or bool(_PICTURES.match(before))) and bool(_PICTURES.match(after))
    return letters or pictures


def _end_of_run(text: str, at: int, end: int) -> int:
    character = text[at]
    while at < end and text[at] == character:
        at += 1
    return at


def badge(character: str, count: int = 1) -> str:
    """The badge of a hidden character, or of several in a row: its code point in angle brackets."""
    times = f" ×{count}" if count > 1 else ""
    return f"⟨U+{ord(character):04X}{times}⟩"


def shorten(text: str, most: int) -> str:
    """The text, or as much of it as fits into `most` code points with an ellipsis that shows the cut."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def one_line(text: str, most: int) -> str:
    """The beginning of a text on one line: at most `most` code points, with an ellipsis where it is cut."""
    return shorten(" ".join(text[: 4 * most].split()), most)


def clean_text(text: str, *, field: str = "reason", ask: str = "", most: int = LONGEST_REASON) -> str:
    """The text without surrounding white space.

    Raises Unacceptable for the field when it is too long, or with the sentence `ask`, if given, when it is empty.
    """
    text = text.strip()
    if ask and not text:
        raise Unacceptable(ask, field=field, code="required")
    check_length(text, field=field, most=most)
    return text


def check_length(text: str, *, field: str, most: int = LONGEST_REASON) -> None:
    """Raise Unacceptable for the field when the text is too long."""
    if len(text) > most:
        says = say("This text is too long: write at most {most} characters.", most=f"{most:,}")
        raise Unacceptable(says, field=field, code="too_long")


def with_minus(shown: str) -> str:
    """A figure as pages show it: negative ones with a minus sign, which is as wide as a digit, not with a hyphen."""
    return f"{MINUS}{shown[1:]}" if shown.startswith("-") else shown


def figure(value: float | Fraction | Decimal, threshold: float | None = None, *, decimals: int = 1) -> str:
    """The value with `decimals` places, or with as many more as it needs to show on its own side of `threshold`.

    79.96 against 80 is "79.96", never "80.0"; a value equal to the threshold is shown as the threshold.
    """
    above, below = value.as_integer_ratio()
    limit = None if threshold is None else _limit(threshold)
    side = 0 if limit is None else _side(above, below, limit)
    for places in range(decimals, 16):
        shown, unit = _nearest(above * 10**places, below), 10**places
        if limit is None or _side(shown, unit, limit) == side:
            return _written(shown, places)
    return f"{'<' if side < 0 else '>'} {threshold}"


def signed_figure(value: float) -> str:
    """A difference as pages show it: with its sign, and with as many decimals as it takes not to show as 0."""
    shown = figure(value, 0.0)
    return with_minus(shown) if shown.startswith("-") else f"+{shown}"


@lru_cache(maxsize=256)
def _limit(threshold: float) -> tuple[int, int]:
    return Fraction(str(threshold)).as_integer_ratio()


def _nearest(above: int, below: int) -> int:
    """The whole number nearest to a fraction; of two, the one further from 0, as people round by hand."""
    whole, rest = divmod(abs(above), below)
    whole += 2 * rest >= below
    return -whole if above < 0 else whole


def _written(shown: int, places: int) -> str:
    digits = f"{abs(shown):0{places + 1}}"
    sign = "-" if shown < 0 else ""
    return (
        f"{sign}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}"
        if places
        else f"{sign}{digits}"
    )


def _side(above: int, below: int, limit: tuple[int, int]) -> int:
    difference = above * limit[1] - limit[0] * below
    return (difference > 0) - (difference < 0)


def number(value: float | None, places: int = 2) -> str:
    """A figure with that many decimals, with a minus sign below zero and never "-0.00"; "" without one."""
    if value is None:
        return ""
    return with_minus(figure(value, decimals=places))


def format_signed(value: float | None, places: int = 2) -> str:
    shown = number(value, places)
    return f"+{shown}" if value is not None and value > 0 and float(shown) else shown


def p_text(p: float | None) -> str:
    """A p value as pages show it: with three decimals, and never 0."""
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
