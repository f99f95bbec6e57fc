"""Words of messages, what a search asks for, and how both databases are asked.

One rule cuts texts and searches into words, in Python, so that PostgreSQL and SQLite find the same. Case, accents and
points of Arabic and Hebrew do not count. Scripts that write no spaces (Chinese, Japanese, Thai ...) are cut into
characters, and what stands together is found together. There are no stop words and no stems: names matter here.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate, islice

from msgspec import Struct

from discussions.core.records import GameRecord

# The key of message 3 of the game in row 5 is 5 * KEYS + 3; a game has at most 20,000 messages.
KEY_BITS = 20
KEYS = 1 << KEY_BITS
LONGEST_QUERY, MOST_TERMS, LONGEST_WORD, SHORTEST_PREFIX = 1000, 20, 60, 3
# What PostgreSQL keeps: positions up to this one, and so many of a word.
LAST_POSITION, MOST_POSITIONS = 16_383, 255
# It refuses vectors of 1 MiB. A letter takes up to four bytes, a word six more for its place.
MOST_BYTES = 1_040_000
PROJECT, ITERATION, AGENT, ROLE, MODEL, ROUND = "pisrmn"
# Begins a word that says where a message is. No text has it in a word.
SIGN = "¶"
_SPACELESS = (
    "\u0e00-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e80-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u1000-\u102a\u1780-\u17b3"
    "\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_WORD = re.compile(f"[{_SPACELESS}]|[^\0{_SPACELESS}]+")
_PLAIN = re.compile("[a-z0-9]+")
_TERM = re.compile(r'(-?)(?:["“”„«»]([^"“”„«»]*)(?:["“”„«»]|\Z)|([^\s"“”„«»]+))')


class _Letters(dict[int, str]):
    """Character -> itself where it belongs to a word, else NUL."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_letter = unicodedata.category(character)[0] in "LNM" or character in "\u200c\u200d"
        return self.setdefault(code, character if is_letter else "\0")


_LETTERS = _Letters()


class Term(Struct, frozen=True):
    """Words that stand next to each other; the last one only begins so where `is_prefix`."""

    words: tuple[str, ...]
    is_prefix: bool = False


class Asked(Struct, frozen=True):
    """What a message must hold, and what it must not."""

    wanted: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()


def list_words(text: str) -> list[str]:
    """The words of a text as they are compared."""
    if text.isascii():
        return [word[:LONGEST_WORD] for word in _PLAIN.findall(text.lower())]
    return [folded for word in _WORD.findall(text.translate(_LETTERS)) if (folded := _fold(word))]


Word = tuple[str, int, int]


def cut_words(text: str) -> Iterator[Word]:
    """Each word as it is compared, and its place in the text (half-open code points)."""
    for found in _WORD.finditer(text.translate(_LETTERS)):
        if word := _fold(found[0]):
            yield word, *found.span()


@lru_cache(maxsize=65_536)
def _fold(word: str) -> str:
    """The word without case and without marks that readers leave out; "" where nothing is left of it."""
    if word.isascii():
        return word.lower()[:LONGEST_WORD]
    spread = unicodedata.normalize("NFKD", word.casefold()).casefold()
    # Vowel signs of India and South-East Asia have classes below 10 and stay.
    letters = (sign for sign in spread if unicodedata.combining(sign) < 10)
    kept = "".join(sign for sign in letters if unicodedata.category(sign)[0] in "LNM")
    return unicodedata.normalize("NFC", kept)[:LONGEST_WORD]


def parse_search(text: str) -> Asked:
    """What somebody typed: words, "words in a row", -without, begin*. Nothing in it is an error."""
    wanted: list[Term] = []
    unwanted: list[Term] = []
    for minus, quoted, plain in islice(_TERM.findall(text[:LONGEST_QUERY]), MOST_TERMS):
        words = tuple(list_words(quoted or plain))
        is_prefix = plain.endswith("*") and bool(words) and len(words[-1]) >= SHORTEST_PREFIX
        if words:
            (unwanted if minus else wanted).append(Term(words, is_prefix))
    return Asked(tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(unwanted)))


def mark_terms(text: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    """Where the text has these terms: sorted, half-open code points that do not overlap."""
    words = list(cut_words(text))
    spans = sorted(
        (words[at][1], words[at + len(term.words) - 1][2])
        for term in terms
        for at in range(len(words) - len(term.words) + 1)
        if _is_at(term, words, at)
    )
    marked: list[tuple[int, int]] = []
    for start, end in spans:
        if marked and start <= marked[-1][1]:
            marked[-1] = (marked[-1][0], max(end, marked[-1][1]))
        else:
            marked.append((start, end))
    return marked


def _is_at(term: Term, words: Sequence[Word], at: int) -> bool:
    said = [word for word, _start, _end in words[at : at + len(term.words)]]
    last, end = term.words[-1], said[-1]
    return said[:-1] == [*term.words[:-1]] and (end.startswith(last) if term.is_prefix else end == last)


@lru_cache(maxsize=65_536)
def sign(kind: str, value: str | int) -> str:
    """The word by which messages of this project, agent, role ... are found."""
    name = str(value).strip().casefold()
    return f"{SIGN}{kind}{blake2b(name.encode(errors='replace'), digest_size=5).hexdigest()}"


def index_game(
    record: GameRecord, *, key: int, project: int, iteration: int
) -> Iterator[tuple[int, list[str], list[str]]]:
    """For each message that the table heard: its key, its words in order, and the words that say where it is."""
    whole = [sign(PROJECT, project), sign(ITERATION, iteration)]
    if record.model_build:
        whole.append(sign(MODEL, record.model_build))
    for message in record.messages:
        player = record.players[message.player - 1]
        signs = [*whole, sign(AGENT, player.name), sign(ROUND, message.round)]
        if player.role:
            signs.append(sign(ROLE, player.role))
        yield key * KEYS + message.position, list_words(message.text), signs


def write_vector(words: Sequence[str], signs: Iterable[str]) -> str:
    """The words as PostgreSQL reads a tsvector, the first ones if these are too many for one.

    They hold letters, digits and marks alone.
    """
    if 4 * sum(map(len, words)) + 6 * len(words) > MOST_BYTES:
        sizes = accumulate(4 * len(word) + 6 for word in words)
        words = [word for word, size in zip(words, sizes, strict=True) if size <= MOST_BYTES]
    places: dict[str, list[str]] = {}
    for at, word in enumerate(words, start=1):
        known = places.setdefault(word, [])
        if len(known) < MOST_POSITIONS and at <= LAST_POSITION:
            known.append(str(at))
    said = (f"'{word}':{','.join(known)}".removesuffix(":") for word, known in places.items())
    return " ".join([*said, *(f"'{name}'" for name in signs)])


def write_tsquery(asked: Asked, signs: Iterable[str], places: Sequence[str] = ()) -> str:
    """The search as PostgreSQL reads a tsquery; a message has all of `signs` and one of `places`."""

    def write(term: Term) -> str:
        row = " <-> ".join(f"'{word}'" for word in term.words)
        return f"({row}{':*' if term.is_prefix else ''})"

    wanted = [*(f"'{name}'" for name in signs), *map(write, asked.wanted)]
    if places:
        one = " | ".join(f"'{name}'" for name in places)
        wanted.append(f"({one})")
    return " & ".join([*wanted, *(f"!{write(term)}" for term in asked.unwanted)])


def write_match(asked: Asked, signs: Iterable[str], places: Sequence[str] = ()) -> str:
    """The search as FTS5 of SQLite reads it."""

    def write(term: Term) -> str:
        row = " ".join(term.words)
        return f'"{row}"{" *" if term.is_prefix else ""}'

    wanted = [*(f'"{name}"' for name in signs), *map(write, asked.wanted)]
    if places:
        one = " OR ".join(f'"{name}"' for name in places)
        wanted.append(f"({one})")
    unwanted = " OR ".join(map(write, asked.unwanted))
    return " NOT ".join(f"({part})" for part in (" AND ".join(wanted), unwanted) if part)
