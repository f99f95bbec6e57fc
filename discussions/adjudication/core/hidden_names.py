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


class _Place(Struct, frozen=True, order=True):
    """Where a name is written; not `is_sure` if it may also be another word."""

    start: int
    end: int
    is_sure: bool = True


@lru_cache(maxsize=2048)
def hide_names(text: str, names: tuple[str, ...], ambiguous: frozenset[str]) -> str:
    """The text with `[name]` for everything that is or may be the name of a player."""
    spans = find_names(text, build_roster(names, ambiguous))
    places = [_Place(span.start, span.name_end) for span in spans] + _find_written(text, names, ambiguous)
    pieces, last = [], 0
    for start, end in _merged(sorted(places)):
        pieces += [text[last:start], NAME]
        last = end
    return "".join([*pieces, text[last:]]).strip()


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


@lru_cache(maxsize=512)
def _index_forms(names: tuple[str, ...], ambiguous: frozenset[str]) -> dict[str, list[_Form]]:
    """The forms by the ways to write them without an error: whole, or as a plural."""
    index: dict[str, list[_Form]] = {}
    for form in _list_forms(names, ambiguous):
        has_plural = len(form.joined) >= _LEAST_ANY or not (form.joined.isalpha() or form.joined.isdigit())
        for ending in ("", "s", "es") if has_plural else ("",):
            index.setdefault(form.joined + ending, []).append(form)
    return index


def _find_written(text: str, names: tuple[str, ...], ambiguous: frozenset[str]) -> list[_Place]:
    """Every place where a name is written, in whatever way."""
    forms, index = _list_forms(names, ambiguous), _index_forms(names, ambiguous)
    near = _sort_forms(names, ambiguous)
    atoms = list(_cut(text))
    joints = [_JOINT.fullmatch(text, one.end, two.start) is not None for one, two in pairwise(atoms)]
    found = []
    for first, atom in enumerate(atoms):
        for last in range(first, min(first + _MOST_ATOMS, len(atoms))):
            if last > first and not joints[last - 1]:
                break
            window = atoms[first : last + 1]
            if (is_sure := _match(text, window, near, index)) is not None:
                found.append(_Place(atom.start, window[-1].end, is_sure))
    for form in forms:
        if form.joined >= _UNSPACED:
            found += [_Place(*same.span()) for same in re.finditer(re.escape(form.joined), text)]
    keys = [form.joined for form in forms if len(form.joined) >= _LEAST_ANY]
    for mention in _MENTION.finditer(text):
        whole = "".join(atom.plain for atom in _cut(mention[0]))
        is_named = any(key in whole for key in keys)
        if is_named or any(mention.start() <= place.start < mention.end() for place in found):
            found.append(_Place(*mention.span()))
    return found


@lru_cache(maxsize=512)
def _sort_forms(names: tuple[str, ...], ambiguous: frozenset[str]) -> dict[int, list[_Form]]:
    """The forms by what they are compared with: under 1 those of a single word, else those of as many pieces."""
    forms = _list_forms(names, ambiguous)
    sorted_forms: dict[int, list[_Form]] = {1: [form for form in forms if form.is_near]}
    for form in forms:
        if len(form.atoms) > 1:
            sorted_forms.setdefault(len(form.atoms), []).append(form)
    return sorted_forms


def _match(
    text: str, window: list[_Atom], near: dict[int, list[_Form]], index: dict[str, list[_Form]]
) -> bool | None:
    """Whether these pieces surely are a name (True), may be (False), or are something else (None)."""
    written = "".join(atom.plain for atom in window)
    spelled = text[window[0].start : window[-1].end]
    is_apart = len(window) > 1 and any(char.isspace() for char in spelled)
    is_capital = window[0].is_capital
    found = [
        is_capital or not form.is_part
        for form in index.get(written, ())
        if _is_written(spelled, form, is_apart=is_apart, is_whole=len(window) == len(form.atoms))
    ]
    size = len(window)
    if size == 1:
        for form in near[1]:
            for said in {written, written.removesuffix("s")}:
                is_sure = _compare(said, form.joined, is_capital)
                if is_sure is not None and (is_capital or not (form.exact or form.is_part)):
                    found.append(is_sure)
        return True if True in found else False if False in found else None
    if any(_is_near(window, form) for form in near.get(size, ())):
        return True
    if not is_apart and not written.isalpha():
        look = _look(written)
        found += [True for form in near[1] if len(form.atoms) != size and look == _look(form.joined)]
    return True if True in found else False if False in found else None


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
    return any(len(name) >= _LEAST_NEAR and name.isalpha() for name in form.atoms)


def _is_piece(said: str, name: str) -> bool:
    if len(name) < _LEAST_NEAR or not name.isalpha():
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
    """Whether the piece before this character goes on with it."""
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


def _merged(places: list[_Place]) -> Iterator[tuple[int, int]]:
    """The places from left to right, those that overlap as one."""
    start, end = -1, -1
    for place in places:
        if place.start >= end:
            if end > 0:
                yield start, end
            start = place.start
        end = max(end, place.end)
    if end > 0:
        yield start, end
