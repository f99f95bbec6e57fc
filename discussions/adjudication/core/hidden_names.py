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
# A sign of ASCII always ends a piece.
_UNBROKEN = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")
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
    places = [_Written(span.start, span.name_end) for span in spans]
    places += _find_written(text, names, ambiguous)
    pieces, last = [], 0
    for start, end in _merged(sorted(places)):
        pieces += [text[last:start], NAME]
        last = end
    return "".join([*pieces, text[last:]]).strip()


def may_name(text: str, names: tuple[str, ...], ambiguous: frozenset[str]) -> bool:
    """Whether a word of the text may be a player's name or another word, so that hiding it could hide the wrong one."""
    return any(not place.is_sure for place in _find_written(text, names, ambiguous))


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


class _Search(Struct, frozen=True, eq=False):
    """What to compare the pieces of a text with.

    `index` holds the forms by the ways to write them without an error: whole, or as a plural. `words` are those that a
    single piece may be with an error, `longer` those of several pieces that may have one.
    """

    forms: tuple[_Form, ...]
    index: dict[str, list[_Form]]
    words: list[_Form]
    longer: list[_Form]


@lru_cache(maxsize=512)
def _prepare(names: tuple[str, ...], ambiguous: frozenset[str]) -> _Search:
    forms = _list_forms(names, ambiguous)
    index: dict[str, list[_Form]] = {}
    for form in forms:
        has_plural = len(form.joined) >= _LEAST_ANY or not (form.joined.isalpha() or form.joined.isdigit())
        for ending in ("", "s", "es") if has_plural else ("",):
            index.setdefault(form.joined + ending, []).append(form)
    longer = [form for form in forms if len(form.atoms) > 1 and any(map(_may_err, form.atoms))]
    return _Search(forms, index, [form for form in forms if form.is_near], longer)


@lru_cache(maxsize=8192)
def _find_written(text: str, names: tuple[str, ...], ambiguous: frozenset[str]) -> tuple[_Written, ...]:
    search = _prepare(names, ambiguous)
    atoms = list(_cut(text))
    found = list(_find_longer(text, atoms, search))
    for atom in atoms:
        is_sure = _match_word(text[atom.start : atom.end], atom.plain, atom.is_capital, search)
        if is_sure is not None:
            found.append(_Written(atom.start, atom.end, is_sure))
    for form in search.forms:
        if form.joined >= _UNSPACED:
            found += [_Written(*same.span()) for same in re.finditer(re.escape(form.joined), text)]
    keys = [form.joined for form in search.forms if len(form.joined) >= _LEAST_ANY]
    for mention in _MENTION.finditer(text):
        whole = "".join(atom.plain for atom in _cut(mention[0]))
        is_named = any(key in whole for key in keys)
        if is_named or any(mention.start() <= place.start < mention.end() for place in found):
            found.append(_Written(*mention.span()))
    return tuple(found)


def _find_longer(text: str, atoms: list[_Atom], search: _Search) -> Iterator[_Written]:
    """Names of several pieces."""
    plain = [atom.plain for atom in atoms]
    endings = [_list_ending(piece, search) for piece in plain]
    joints = [None, *(_JOINT.fullmatch(text, before.end, atom.start) for before, atom in pairwise(atoms))]
    for first, atom in enumerate(atoms):
        is_apart = False
        for last in range(first + 1, min(first + _MOST_ATOMS, len(atoms))):
            if (joint := joints[last]) is None:
                break
            is_apart = is_apart or any(map(str.isspace, joint[0]))
            pieces = plain[first : last + 1]
            written = "".join(pieces)
            if any(_is_near(pieces, form) for form in endings[last]):
                yield _Written(atom.start, atoms[last].end)
            elif not is_apart or written in search.index:
                spelled, size = text[atom.start : atoms[last].end], len(pieces)
                found = _match_index(spelled, written, search, atom.is_capital, is_apart=is_apart, size=size)
                if not is_apart and not written.isalpha():
                    found += [True for form in search.words if _looks_like(written, form, size)]
                if found:
                    yield _Written(atom.start, atoms[last].end, max(found))


@lru_cache(maxsize=65536)
def _list_ending(last: str, search: _Search) -> tuple[_Form, ...]:
    """The longer forms that end with this piece or nearly."""
    return tuple(form for form in search.longer if _is_piece(last, form.atoms[-1]))


def _looks_like(written: str, form: _Form, size: int) -> bool:
    return len(form.atoms) != size and _look(written) == _look(form.joined)


@lru_cache(maxsize=65536)
def _match_word(spelled: str, written: str, is_capital: bool, search: _Search) -> bool | None:
    """Whether a piece surely is a name (True), may be one (False), or is something else (None)."""
    found = _match_index(spelled, written, search, is_capital, is_apart=False, size=1)
    for form in search.words:
        for word in {written, written.removesuffix("s")}:
            is_sure = _compare(word, form.joined, is_capital)
            if is_sure is not None and (is_capital or not (form.exact or form.is_part)):
                found.append(is_sure)
    return max(found, default=None)


def _match_index(
    spelled: str, written: str, search: _Search, is_capital: bool, *, is_apart: bool, size: int
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


def _is_near(pieces: list[str], form: _Form) -> bool:
    """Whether pieces are those of a longer name, with a small error in its words; numbers are the same."""
    return len(pieces) == len(form.atoms) and all(map(_is_piece, pieces, form.atoms))


def _may_err(name: str) -> bool:
    return len(name) >= _LEAST_NEAR and name.isalpha()


def _is_piece(said: str, name: str) -> bool:
    said = _NUMBERS.get(said, said)
    if said == name or not _may_err(name):
        return said == name
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
    for word in _UNBROKEN.finditer(text):
        for atom in _cut_word(word[0]):
            yield _Atom(word.start() + atom.start, word.start() + atom.end, atom.plain, atom.is_capital)


@lru_cache(maxsize=4096)
def _cut_word(word: str) -> tuple[_Atom, ...]:
    start, atoms = 0, []
    while start < len(word):
        if not word[start].isalnum():
            start += 1
            continue
        end = start + 1
        while end < len(word) and _goes_on(word, end):
            end += 1
        atoms.append(_Atom(start, end, _plain(word[start:end]), word[start].isupper()))
        start = end
    return tuple(atoms)


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
