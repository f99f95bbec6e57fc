"""Find the players that a text names; every metric and every screen that marks names uses this module.

Offsets are half-open code points of the text as given: folding and lower-casing never change a text's length.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

_FOLDS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u02b9\u00b4\u2032\uff07", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d", "-"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02", '"'),
    "\u0130": "i",
}

_MARKS = "\x02\x03"
_ASCII = bytes(range(128))
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_PARTS = re.compile(r"[-\s]+")
_CLITIC = re.compile(r"'(?:s|ll|d|ve|re|m)(?![^\W_])")
_MANY_FORMS = 24
_PREFIX = 120
# What makes a number a player, in several languages; in East Asia also a sign after it. Of several, all are listed.
_ONE = (
    "player|seat|agent|no\\.|nr\\.|num\\.|n[°º]\\.?|spieler(?:in)?|sitz|joueu(?:r|se)|siège|jugadora?|asiento|jogadora?"
    "|giocat(?:ore|rice)|speler|stoel|spelare|spiller|gracz|hráč|oyuncu|игрок(?:а|у|ом|е)?|гравець"
)
_SEVERAL = "players|seats|agents|nos\\.|joueurs|jugadores|jogadores|giocatori|игроки|игроков"
_ALONE = r"(?![a-z0-9]|[.:]\d)"
_NUMBERED = re.compile(
    rf"(?<![^\W_])(?:{_SEVERAL})[ :#]{{1,2}}\d{{1,9}}(?:(?:,|,? (?:and|or|&|et|y|e|и)) \d{{1,9}}){{0,20}}{_ALONE}"
    rf"|(?:(?<![^\W_])(?:{_ONE})[ :_-]?(?:no\.? ?|nr\.? ?|#)?|[#№] ?)\d{{1,9}}{_ALONE}"
    rf"|(?:玩家|座位|プレイヤー|플레이어) ?\d{{1,9}}{_ALONE}"
    r"|(?<!\d)(?P<counted>\d{1,9} ?(?:号|號|番|번))"
)
_DIGITS = re.compile(r"\d{1,9}")
_NOT_DIGIT = re.compile(r"[^\d]*")
_AFTER = " .,;:!?-)\n"
_BEFORE = ' \n.,;:!?("'
Found = tuple[int, int, int, int]
_WORDS = re.compile(r"[^\W_]+")
_APART = "".join(char if char.isalnum() else " " for char in map(chr, range(128)))


class Span(Struct, frozen=True):
    """A player named at [start, end); `name_end` leaves out a following 's, which belongs to the span."""

    start: int
    end: int
    player: int
    name_end: int


class Form(Struct, frozen=True):
    """One spelling to look for: lower-cased `key`; `exact` when only that spelling counts.

    `longer` is the player's whole name when `key` is its last part: found first, it makes the longer span.
    """

    key: str
    player: int
    exact: str | None = None
    longer: str = ""
    longer_exact: str | None = None


class Roster(Struct, frozen=True):
    """The spellings of a game's players, prepared for lookup; `by_word` maps a key's last word to its forms.

    `numbers` maps names that are bare numbers to players, where such a name counts only after a word for a player. With
    `keeps_marks`, a word does not end before a combining mark, so a name does not, either.
    """

    forms: tuple[Form, ...]
    by_word: dict[str, tuple[Form, ...]]
    own: tuple[tuple[str, ...], ...]
    numbers: dict[str, int] = {}
    keeps_marks: bool = False


def fold(text: str) -> str:
    """The text with one style of apostrophe, dash and double quote, and blanks for NUL, the two control characters
    that names are padded with, and private characters; of the same length."""
    return fold_styles(text.replace("\x00", " ") if "\x00" in text else text)


def fold_styles(text: str) -> str:
    for char in _MARKS:
        if char in text:
            text = text.replace(char, " ")
    if text.isascii():
        return text
    present = not_ascii(text)
    for char in present & _FOLDS.keys():
        text = text.replace(char, _FOLDS[char])
    if any(_PRIVATE.match(char) for char in present):
        text = _PRIVATE.sub(" ", text)
    return text


def not_ascii(text: str) -> set[str]:
    return set(text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass"))


def is_mark(char: str) -> bool:
    """Whether a character continues the word before it: a combining mark or a joiner (UAX #29, rule WB4)."""
    return unicodedata.category(char)[0] == "M" or char in "\u200c\u200d"


def lowered(folded: str) -> str:
    """Lower case of a folded text, of exactly its length."""
    low = folded.lower()
    if len(low) == len(folded):
        return low
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in folded)


@lru_cache(maxsize=512)
def build_roster(
    names: tuple[str, ...],
    ambiguous: frozenset[str] = frozenset(),
    *,
    are_numbers_marked: bool = False,
    keeps_marks: bool = False,
    aliases: tuple[tuple[int, str], ...] = (),
) -> Roster:
    """The roster of players 1, 2, ... with those names, and the other names that somebody said they have.

    Besides the whole name, the last part of a hyphenated or multi-word name also identifies a player, if that part has
    three letters or more and ends no other player's name. Names and aliases in `ambiguous`, and names that differ in
    case only, match only as spelled here. With `are_numbers_marked`, a name that is a bare number counts only as
    "player 1", "seat 1", "No. 1", "#1" or their like in other languages: a "1" in a text may count anything.
    """
    spelled = [fold(name).strip() for name in names]
    lows = [lowered(name) for name in spelled]
    forms = []
    numbers: dict[str, int] = {}
    for number, (name, low) in enumerate(zip(spelled, lows, strict=True), start=1):
        if not low:
            continue
        if are_numbers_marked and low.isdecimal():
            numbers.setdefault(low, number)
            continue
        exact = name if low in ambiguous or lows.count(low) > 1 else None
        alias = _PARTS.split(name)[-1]
        alias_low = lowered(alias)
        if alias_low != low and _is_alias(alias_low, number, lows):
            alias_exact = alias if alias_low in ambiguous else None
            forms.append(Form(alias_low, number, alias_exact, longer=low, longer_exact=exact))
        else:
            forms.append(Form(low, number, exact))
    for number, alias in aliases:
        called = fold(alias).strip()
        low = lowered(called)
        if are_numbers_marked and low.isdecimal():
            numbers.setdefault(low, number)
        elif low and low not in lows:
            forms.append(Form(low, number, called if low in ambiguous else None))
    return _with_words(forms, lows, numbers, keeps_marks)


def _with_words(forms: list[Form], lows: list[str], numbers: dict[str, int], keeps_marks: bool) -> Roster:
    by_word: dict[str, tuple[Form, ...]] = {}
    for form in forms:
        word = _last_word(form.key)
        by_word[word] = (*by_word.get(word, ()), form)
    keys = [[low] for low in lows]
    for form in forms:
        keys[form.player - 1].append(form.key)
    own = tuple(tuple(dict.fromkeys(known)) if known[0] else () for known in keys)
    return Roster(tuple(forms), by_word, own, numbers, keeps_marks)


def _is_alias(alias: str, number: int, lows: list[str]) -> bool:
    """Whether the last part of player `number`'s name can stand for that player alone."""
    if sum(char.isalpha() for char in alias) < 3:
        return False
    return not any(low.endswith(alias) for other, low in enumerate(lows, start=1) if other != number)


def _last_word(key: str) -> str:
    words = _WORDS.findall(key)
    return words[-1] if words else ""


def find_names(text: str, roster: Roster) -> list[Span]:
    """Every player named in the text, from left to right, the longest spelling first; spans never overlap."""
    folded = fold(text)
    return [
        Span(start, -negative_end, player, name_end)
        for start, negative_end, player, name_end in names_in(lowered(folded), folded, roster)
    ]


def names_in(low: str, folded: str, roster: Roster) -> list[Found]:
    """`find_names` for a text that is folded already, with its lower-cased twin; as (start, -end, player, name_end)."""
    found: list[Found] = []
    spaced = low + " "
    for form in roster.forms:
        _search(spaced, folded, form, 0, len(low), found)
    found += _find_numbers(spaced, roster.numbers)
    return _without_overlaps(_whole_words(spaced, found) if roster.keeps_marks else found)


def names_in_parts(low: str, folded: str, parts: Iterator[tuple[int, int]], roster: Roster) -> list[Found]:
    """`names_in`, part by part: for long rosters, since a part is searched only for the players its words allow."""
    found: list[Found] = []
    spaced = low + " "
    for begin, end in parts:
        part = low[begin:end]
        words = part.translate(_APART).split() if part.isascii() else _WORDS.findall(part)
        for word in roster.by_word.keys() & words:
            for form in roster.by_word[word]:
                _search(spaced, folded, form, begin, end, found)
    found += _find_numbers(spaced, roster.numbers)
    return _without_overlaps(_whole_words(spaced, found) if roster.keeps_marks else found)


def _find_numbers(low: str, numbers: Mapping[str, int]) -> Iterator[Found]:
    """Where a word for a player makes a bare number a name; of several, each: "players 1, 2 and 3"."""
    for match in _NUMBERED.finditer(low) if numbers else ():
        start = match.start()
        for digits in _DIGITS.finditer(low, start, match.end()):
            player, name_end = numbers.get(digits.group()), digits.end()
            name_end = match.end() if match["counted"] else name_end
            if player is not None:
                yield start, -(_end_of_name(low, name_end) or name_end), player, name_end
            found = _NOT_DIGIT.match(low, name_end)
            start = found.end() if found else name_end


def _search(low: str, folded: str, form: Form, begin: int, end: int, found: list[Found]) -> None:
    """Add the positions in [begin, end) where a form names its player; `low` has a space behind its end."""
    find, key, player = low.find, form.key, form.player
    size, whole = len(key), len(form.longer)
    joint = form.longer[-size - 1 : -size]
    is_plain = joint != " "
    # After an opening character, such a key cannot end the whole name: it must be spelled exactly, or it names nobody.
    is_joined = joint in ("", "-")
    exact, spaced = form.exact, " " + form.longer
    is_whole_plain = whole > 0 and form.longer_exact is None
    start = find(key, begin, end)
    while start >= 0:
        name_end = start + size
        after = low[name_end]
        if after in _AFTER:
            # At 0, index -1 gives the last character: a space.
            is_open = low[start - 1] in _BEFORE
            if is_open and is_plain and (not exact or folded[start:name_end] == exact):
                found.append((start, -name_end, player, name_end))
            elif is_whole_plain and low[name_end - whole - 1 : name_end] == spaced:
                found.append((name_end - whole, -name_end, player, name_end))
            elif not (is_open and is_joined) and (place := _match_form(low, folded, start, form)):
                found.append(place)
        elif not after.isalnum() and (place := _match_form(low, folded, start, form)):
            found.append(place)
        start = find(key, start + 1, end)


def names_in_game(low: str, folded: str, bounds: list[int], roster: Roster) -> list[Found]:
    """`names_in` for all messages of a game in one text, cut at `bounds`; chooses the cheaper way for the roster."""
    if len(roster.forms) > _MANY_FORMS and "" not in roster.by_word:
        return names_in_parts(low, folded, pairwise(bounds), roster)
    return names_in(low, folded, roster)


def _match_form(low: str, folded: str, start: int, form: Form) -> Found | None:
    """The place of a form found at `start`, or None when it is inside a longer word or spelled another way."""
    name_end = end = start + len(form.key)
    if low[name_end : name_end + 1] not in _AFTER:
        end = _end_of_name(low, name_end)
        if not end:
            return None
    begin = _start_of_whole(low, folded, name_end, form)
    if begin is None:
        if (form.exact is not None and folded[start:name_end] != form.exact) or not _starts_word(low, start):
            return None
        begin = start
    if begin and low[begin - 1] == "@" and not (begin > 1 and low[begin - 2].isalnum()):
        begin -= 1
    return begin, -end, form.player, name_end


def _start_of_whole(low: str, folded: str, name_end: int, form: Form) -> int | None:
    """The start of the player's whole name if its last part ends at `name_end` and the rest is before it."""
    begin = name_end - len(form.longer)
    if not form.longer or begin < 0 or not low.startswith(form.longer, begin) or not _starts_word(low, begin):
        return None
    is_spelled = form.longer_exact is None or folded[begin:name_end] == form.longer_exact
    return begin if is_spelled else None


def _end_of_name(low: str, name_end: int) -> int:
    """The end of a name, including an 's (or 'll, 'd, 've, 're, 'm) after it; 0 if the word continues."""
    after = low[name_end]
    if after.isalnum() or (after == "_" and low[name_end + 1 : name_end + 2].isalnum()):
        return 0
    if after != "'":
        return name_end
    clitic = _CLITIC.match(low, name_end)
    if clitic:
        return clitic.end()
    return 0 if low[name_end + 1 : name_end + 2].isalnum() else name_end


def _starts_word(low: str, start: int) -> bool:
    if not start:
        return True
    before = low[start - 1]
    if before in "'_":
        return not (start > 1 and low[start - 2].isalnum())
    return not before.isalnum()


def _whole_words(low: str, found: list[Found]) -> list[Found]:
    """The matches that no combining mark continues, and that follow none."""
    return [
        place
        for place in found
        if low.isascii() or not (is_mark(low[place[3]]) or (place[0] and is_mark(low[place[0] - 1])))
    ]


def _without_overlaps(found: list[Found]) -> list[Found]:
    """The matches from left to right; of two that overlap, the earlier stays; of two with one start, the longer."""
    found.sort()
    kept = []
    end = 0
    for place in found:
        if place[0] >= end:
            kept.append(place)
            end = -place[1]
    return kept


def own_prefix(folded: str, start: int, colon: int, spellings: Collection[str]) -> int:
    """How many characters of a message that begins at `start` only say who speaks ("Agent-J: "), by its first colon."""
    if colon - start > _PREFIX or lowered(folded[start:colon]).strip().lstrip("@") not in spellings:
        return 0
    return colon + 1 - start
