"""Hide the names of a game's players in a message, also where they are written otherwise than in the game.

`find_names` of the metrics finds a name as the game spells it. For the test of who said it this is not enough: a
plural, a possessive without apostrophe, a typing error or another joint ("player_5" for "Player 5") tells as much.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct
from rapidfuzz.distance import OSA

from discussions.metrics.core.names import build_roster, find_names
from discussions.metrics.core.text import NAME, skeleton

_JOINT = re.compile(r"[-\s_.#\u2010-\u2015]{0,3}")
_MENTION = re.compile(r"@\w[\w.-]*\w")
_REPEATED = re.compile(r"(.)\1+")
_SPELLED = "one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS = {word: str(number) for number, word in enumerate(_SPELLED, start=1)}
# Shorter words are one letter away from too many others.
_LEAST_NEAR, _LEAST_PART, _LEAST_ANY, _LEAST_APART, _LEAST_LONG, _MOST_ATOMS = 4, 4, 3, 5, 8, 5
# From here on scripts write words without spaces, so a name may stand within a longer piece.
_UNSPACED = "\u2e80"
_look = lru_cache(maxsize=4096)(skeleton)


class _Atom(Struct, frozen=True):
    """A piece of a text that no joint, capital letter or digit parts any further; `plain` is without case and marks."""

    start: int
    end: int
    plain: str
    is_capital: bool


class _Form(Struct, frozen=True):
    """A spelling of a player: its pieces, and how it is written where only that counts.

    With `is_part` it is one word of a longer name, which without a capital letter may be an ordinary word.
    """

    atoms: tuple[str, ...]
    joined: str
    exact: str = ""
    is_part: bool = False

    @property
    def is_near(self) -> bool:
        """Whether a single word may be this form with an error."""
        size = _LEAST_ANY if not self.exact else _LEAST_NEAR + 1
        return self.joined.isalpha() and len(self.joined) >= size and len(self.atoms[-1]) >= _LEAST_ANY


class _Written(Struct, frozen=True, order=True):
    """Where a name is written; not `is_sure` if it may also be another word."""

    start: int
    end: int
    is_sure: bool = True


@lru_cache(maxsize=2048)
def hide_names(text: str, names: tuple[str, ...], ambiguous: frozenset[str]) -> str:
    """The text with `[name]` for everything that is or may be the name of a player."""
    spans = find_names(text, build_roster(names, ambiguous))
    places = [_Written(span.start, span.name_end) for span in spans] + _find_written(text, names, ambiguous)
    pieces, last = [], 0
    for start, end in _merged(sorted(places)):
        pieces += [text[last:start], NAME]
        last = end
    return "".join([*pieces, text[last:]]).strip()


@lru_cache(maxsize=8192)
def may_name(text: str, names: tuple[str, ...], ambiguous: frozenset[str]) -> bool:
    """Whether a word of the text may be a player's name or another word, so that hiding it could hide the wrong one."""
    return any(not place.is_sure for place in _find_written(text, names, ambiguous))


@lru_cache(maxsize=512)
def _list_forms(names: tuple[str, ...], ambiguous: frozenset[str]) -> tuple[_Form, ...]:
    """The spellings to look for: whole names, initials with a number, and words that only one name has."""
    pieces = [tuple(atom.plain for atom in _cut(name)) for name in names]
    forms = []
    for name, atoms in zip(names, pieces, strict=True):
        joined = "".join(atoms)
        if not joined:
            continue
        is_word = joined in ambiguous
        forms.append(_Form(atoms, joined, "".join(filter(str.isalnum, name)) if is_word else ""))
        if len(atoms) > 1 and atoms[-1].isdigit() and atoms[0].isalpha():
            initials = "".join(atom[0] for atom in atoms[:-1])
            forms.append(_Form((initials, atoms[-1]), initials + atoms[-1]))
        for number, atom in enumerate(atoms if len(atoms) > 1 else ()):
            is_own = sum(atom in others for others in pieces) == 1 and atom not in ambiguous
            if is_own and atom.isalpha() and len(atom) >= _LEAST_PART:
                forms.append(_Form((atom,), atom, is_part=number < len(atoms) - 1))
    return tuple(dict.fromkeys(forms))


class _Search(Struct, frozen=True):
    """What to compare the pieces of a text with.

    `index` holds the forms by the ways to write them without an error: whole, or as a plural. `words` are those that a
    single piece may be with an error. `longer` holds those of several pieces by their number, and by their last piece
    if that is written without an error, else under "". `longest` is the most letters that `index` has.
    """

    forms: tuple[_Form, ...]
    index: dict[str, list[_Form]]
    words: list[_Form]
    longer: dict[int, dict[str, list[_Form]]]
    longest: int


@lru_cache(maxsize=512)
def _prepare(names: tuple[str, ...], ambiguous: frozenset[str]) -> _Search:
    forms = _list_forms(names, ambiguous)
    index: dict[str, list[_Form]] = {}
    longer: dict[int, dict[str, list[_Form]]] = {}
    for form in forms:
        has_plural = len(form.joined) >= _LEAST_ANY or not (form.joined.isalpha() or form.joined.isdigit())
        for ending in ("", "s", "es") if has_plural else ("",):
            index.setdefault(form.joined + ending, []).append(form)
        if len(form.atoms) > 1:
            last = "" if _may_err(form.atoms[-1]) else form.atoms[-1]
            longer.setdefault(len(form.atoms), {}).setdefault(last, []).append(form)
    words = [form for form in forms if form.is_near]
    return _Search(forms, index, words, longer, max(map(len, index), default=0))


def _find_written(text: str, names: tuple[str, ...], ambiguous: frozenset[str]) -> list[_Written]:
    search = _prepare(names, ambiguous)
    atoms = list(_cut(text))
    found = []
    for first, atom in enumerate(atoms):
        spelled = text[atom.start : atom.end]
        if (is_sure := _match_word(spelled, atom.plain, atom.is_capital, names, ambiguous)) is not None:
            found.append(_Written(atom.start, atom.end, is_sure))
        found += _find_longer(text, atoms[first : first + _MOST_ATOMS], search)
    for form in search.forms:
        if form.joined >= _UNSPACED:
            found += [_Written(*same.span()) for same in re.finditer(re.escape(form.joined), text)]
    keys = [form.joined for form in search.forms if len(form.joined) >= _LEAST_ANY]
    for mention in _MENTION.finditer(text):
        whole = "".join(atom.plain for atom in _cut(mention[0]))
        is_named = any(key in whole for key in keys)
        if is_named or any(mention.start() <= place.start < mention.end() for place in found):
            found.append(_Written(*mention.span()))
    return found


def _find_longer(text: str, atoms: list[_Atom], search: _Search) -> Iterator[_Written]:
    written, is_apart = atoms[0].plain, False
    for size, (before, atom) in enumerate(pairwise(atoms), start=2):
        joint = text[before.end : atom.start]
        if not _JOINT.fullmatch(joint):
            return
        written += atom.plain
        is_apart = is_apart or any(map(str.isspace, joint))
        if is_apart and len(written) > search.longest and size not in search.longer:
            continue
        is_sure = _match_words(text, atoms[:size], written, search, is_apart=is_apart)
        if is_sure is not None:
            yield _Written(atoms[0].start, atom.end, is_sure)


@lru_cache(maxsize=65536)
def _match_word(
    spelled: str, written: str, is_capital: bool, names: tuple[str, ...], ambiguous: frozenset[str]
) -> bool | None:
    """Whether a piece surely is a name (True), may be one (False), or is something else (None)."""
    search = _prepare(names, ambiguous)
    found = _match_index(spelled, written, search, is_capital=is_capital, is_apart=False, size=1)
    for form in search.words:
        for word in {written, written.removesuffix("s")}:
            is_sure = _compare(word, form.joined, is_capital)
            if is_sure is not None and (is_capital or not (form.exact or form.is_part)):
                found.append(is_sure)
    return max(found, default=None)


def _match_words(
    text: str, window: list[_Atom], written: str, search: _Search, *, is_apart: bool
) -> bool | None:
    size = len(window)
    if near := search.longer.get(size):
        last = window[-1].plain
        forms = near.get(_NUMBERS.get(last, last), []) + near.get("", [])
        if any(_is_near(window, form) for form in forms):
            return True
    spelled = text[window[0].start : window[-1].end]
    is_capital = window[0].is_capital
    found = _match_index(spelled, written, search, is_capital=is_capital, is_apart=is_apart, size=size)
    if not is_apart and not written.isalpha():
        look = _look(written)
        found += [True for form in search.words if len(form.atoms) != size and look == _look(form.joined)]
    return max(found, default=None)


def _match_index(
    spelled: str, written: str, search: _Search, *, is_capital: bool, is_apart: bool, size: int
) -> list[bool]:
    """For each form that is written without an error, whether it surely is the name."""
    return [
        is_capital or not form.is_part
        for form in search.index.get(written, ())
        if _is_written(spelled, form, is_apart=is_apart, is_whole=size == len(form.atoms))
    ]


def _is_written(spelled: str, form: _Form, *, is_apart: bool, is_whole: bool) -> bool:
    """Whether pieces that make a form count as it; words that only together make a short name are none."""
    if form.exact and not "".join(filter(str.isalnum, spelled)).startswith(form.exact):
        return False
    size = len(form.joined)
    return not is_apart or (size >= _LEAST_ANY and (is_whole or size > _LEAST_APART))


def _is_near(window: list[_Atom], form: _Form) -> bool:
    """Whether pieces are those of a longer name, with a small error in its words; numbers are the same."""
    for atom, name in zip(reversed(window), reversed(form.atoms), strict=True):
        said = _NUMBERS.get(atom.plain, atom.plain)
        if said != name and not _is_piece(said, name):
            return False
    return any(map(_may_err, form.atoms))


def _may_err(name: str) -> bool:
    return len(name) >= _LEAST_NEAR and name.isalpha()


def _is_piece(said: str, name: str) -> bool:
    if not _may_err(name):
        return False
    most = 1 if len(name) < _LEAST_LONG else 2
    return abs(len(said) - len(name)) <= most and OSA.distance(said, name, score_cutoff=most) <= most


@lru_cache(maxsize=65536)
def _compare(said: str, name: str, is_capital: bool) -> bool | None:
    """Whether a word surely is that name with a small error, may be (False), or is something else (None).

    The error is small if it is one letter of five or more, or two of six or more: then with the same first letter, and
    surely only in a long name or with a capital letter.
    """
    size = len(name)
    if said and _look(said) == _look(name):
        return True
    if len(said) > size and _REPEATED.sub(r"\1", said) == _REPEATED.sub(r"\1", name):
        return True
    away = OSA.distance(said, name, score_cutoff=2)
    if away > 2 or size < _LEAST_NEAR or (away == 2 and size < 6):
        return None
    if size > _LEAST_NEAR and (away == 1 or size >= _LEAST_LONG):
        return True
    if said[:1] != name[:1]:
        return None
    return is_capital or (away == 1 and len(said) > size)


def _cut(text: str) -> Iterator[_Atom]:
    """The pieces of a text; marks and signs without width belong to the letter before them."""
    start = 0
    while start < len(text):
        if not text[start].isalnum():
            start += 1
            continue
        end = start + 1
        while end < len(text) and _goes_on(text, end):
            end += 1
        yield _Atom(start, end, _plain(text[start:end]), text[start].isupper())
        start = end


def _goes_on(text: str, at: int) -> bool:
    char = text[at]
    if not char.isalnum():
        return unicodedata.category(char)[0] == "M" or unicodedata.category(char) == "Cf"
    before = text[at - 1]
    if char.isupper() and before.islower():
        return False
    return not before.isalnum() or char.isdigit() == before.isdigit()


def _plain(piece: str) -> str:
    decomposed = unicodedata.normalize("NFKD", piece).casefold()
    return "".join(char for char in decomposed if char.isalnum())


def _merged(places: list[_Written]) -> Iterator[tuple[int, int]]:
    start, end = -1, -1
    for place in places:
        if place.start >= end:
            if end > 0:
                yield start, end
            start = place.start
        end = max(end, place.end)
    if end > 0:
        yield start, end
