"""Regular expressions of a rubric version. Each has literals and is tried only on texts that contain one of them.

Also the words seen so far, numbered and analysed once for all games: a game's words are looked up in one pass.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, reduce
from operator import or_
from threading import Lock

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from discussions.metrics.core.text import NAME_CHARS, OWNED, PAD, decode_player

_NAME = f"(?:[{NAME_CHARS}]{PAD}*+(?!{OWNED}))"
_OWNER = f"(?:[{NAME_CHARS}]{PAD}*+{OWNED}++)"
# The signs for any name and for a word boundary in the parsed pattern; OWNED is a name with a possessive ending.
ANY_NAME, _EDGE = "\ue000", "\x01"
_BLANK = frozenset((" ", _EDGE))
_UNREADABLE = re.compile(r"\\[xunN0-9]|\(\?[^:]|\{[^}0-9,]|\{[0-9,]*$")
# What makes a match depend on the text around it, beyond a word boundary: lookarounds, anchors, possessive quantifiers.
_LOOKS_AROUND = re.compile(r"\(\?[^:]|\\[BAZ]|[\^$]|[*+?}]\+")
_ONE_WORD = re.compile(r"\\b(?:[a-z]|\((?!\?)|[)|]|(?<=[a-z])\?|\\b$)+")
_RUN = re.compile(r"[a-z][a-z' ]*(?![?*+{])")
_ALTERNATIVE = re.compile(r"(?:[^()|]|\([^()]*\))+")
_ALTERNATIVES = re.compile(r"\\b\((?:\?:)?(?P<inner>(?:[^()\[\]{}\\]|\([^()\[\]{}\\]*\))*)\)(?![?*+{])")
_MEMORY = 10_000
_WORD_RUN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# How many texts are kept that a piece of a pattern may match, and the length that a name counts as in a need.
_MOST_TEXTS, _NAME_LENGTH = 80, 3
Texts = tuple[str, ...]
# The bits of a token for the first need of patterns, and for the second. Both fit into two numbers of 63 bits.
Bits = tuple[int, int]
HALF = 63


class Pattern(Struct, frozen=True):
    """A compiled pattern for lower-cased marked text, and what a text must contain for it to match.

    A matching text contains `literal`. For each of the `needs` (at most two), one of the text's tokens, between spaces,
    holds one of the need's words; ANY_NAME stands for any name. If there are fewer than two needs, nothing more is
    known. `bit` says the same of a message: both of its flags have it. `is_word` says that it matches only inside one
    token.
    """

    source: str
    regex: re.Pattern[str]
    literal: str = ""
    needs: tuple[Texts, ...] = ()
    bit: int = 0
    is_word: bool = False

    def search(self, text: str) -> re.Match[str] | None:
        return self.regex.search(text) if self.literal in text else None


class PatternGroup(Struct, frozen=True, eq=False):
    """The patterns with one meaning; `mask` has the bits of them all.

    `is_local`: what matches in a clause matches in the text that it was cut from.
    """

    patterns: tuple[Pattern, ...]
    mask: int = 0
    is_local: bool = False
    _active: dict[int, tuple[Pattern, ...]] = {}

    def active(self, flags: int) -> tuple[Pattern, ...]:
        """The patterns that can match in a message if its tokens have those flags."""
        bits = flags & self.mask
        if not bits:
            return ()
        found = self._active.get(bits)
        if found is None:
            found = tuple(pattern for pattern in self.patterns if pattern.bit & bits)
            if len(self._active) > _MEMORY:
                self._active.clear()
            self._active[bits] = found
        return found

    def search(self, text: str, flags: int = -1) -> re.Match[str] | None:
        bits = flags & self.mask
        if not bits:
            return None
        for pattern in self._active.get(bits) or self.active(bits):
            if pattern.literal in text:
                found = pattern.regex.search(text)
                if found:
                    return found
        return None


# From a word to the bits of patterns, and to those patterns of one word that must match the token themselves.
ByWord = dict[str, tuple[int, tuple[Pattern, ...]]]


class Clues(Struct, frozen=True, eq=False):
    """Which patterns of a version one token allows: a text can match a pattern only if its tokens have its two bits.

    `first` and `second` map a word to the patterns that need it, first or second; `always` has the bits of
    patterns without such a need.
    """

    first: ByWord
    second: ByWord
    always: Bits

    def bits(self, token: str) -> Bits:
        # An apostrophe also makes a word boundary.
        between = f" {token} " + token.replace("'", " ") + " "
        return _find_bits(self.first, token, between), _find_bits(self.second, token, between)


def _find_bits(words: ByWord, token: str, between: str) -> int:
    found = 0
    for word, (bits, exact) in words.items():
        if word in between:
            found |= bits
            for pattern in exact:
                if pattern.regex.search(token):
                    found |= pattern.bit
    return found


def build_clues(groups: Iterable[PatternGroup]) -> Clues:
    """The clues to the patterns of those groups; every word is searched for once, however many patterns need it."""
    first: ByWord = {}
    second: ByWord = {}
    always = [0, 0]
    for pattern in (pattern for group in groups for pattern in group.patterns):
        for place, by_word in enumerate((first, second)):
            if place >= len(pattern.needs):
                always[place] |= pattern.bit
                continue
            for word in pattern.needs[place]:
                bits, exact = by_word.get(word, (0, ()))
                by_word[word] = (bits, (*exact, pattern)) if pattern.is_word else (bits | pattern.bit, exact)
    return Clues(first, second, (always[0], always[1]))


def compile_group(sources: list[str], mafia_words: list[str], bits: Iterator[int]) -> PatternGroup:
    """Compile the sources; `{name}` stands for a player's name, `{mafia_word}` for any of those patterns.

    Every pattern takes its bit from `bits`. Raises re.error when a source is not a regular expression.
    """
    patterns = tuple(compile_pattern(source, mafia_words, next(bits)) for source in sources)
    mask = reduce(or_, (pattern.bit for pattern in patterns), 0)
    is_local = not any(_LOOKS_AROUND.search(source) for source in (*sources, *mafia_words))
    return PatternGroup(patterns, mask, is_local, {})


def join_groups(*groups: PatternGroup) -> PatternGroup:
    patterns = tuple(pattern for group in groups for pattern in group.patterns)
    mask = reduce(or_, (group.mask for group in groups))
    return PatternGroup(patterns, mask, all(group.is_local for group in groups), {})


def compile_pattern(source: str, mafia_words: list[str], bit: int = 0) -> Pattern:
    """One pattern for marked text. A possessive ("Alpha's") is not `{name}`: trust in an argument vouches for nobody.

    `{owner}` stands for a name with 's (or 'll, 'd, 've, 're, 'm).
    """
    full = source.replace("{mafia_word}", "(?:" + "|".join(mafia_words) + ")")
    regex = full.replace("\\b{name}", "{name}").replace("{name}\\b", "{name}").replace("{name}", _NAME)
    regex = regex.replace("{owner}", _OWNER)
    flags = re.IGNORECASE if full != full.lower() else re.NOFLAG
    compiled = re.compile(with_boundary_later(regex), flags)
    needs = _Needs(full.replace("{name}", ANY_NAME).replace("{owner}", OWNED)).whole()
    needs.sort(key=_worth, reverse=True)
    return Pattern(
        source,
        compiled,
        literal=max(map(_find_common, needs), key=len, default=""),
        needs=tuple(tuple(dict.fromkeys(map(_find_longest_word, need))) for need in needs[:2]),
        bit=bit,
        is_word=bool(needs) and _ONE_WORD.fullmatch(full) is not None,
    )


def with_boundary_later(regex: str) -> str:
    """The same regular expression, with its leading word boundary checked after the first letters instead.

    Python's search skips to a first letter, but tries every character when a boundary comes first: `you(?<=\\byou)`
    takes a tenth of the time of `\\byou`. An expression with any other beginning is returned unchanged.
    """
    group = _ALTERNATIVES.match(regex)
    if not group:
        return _run_first(regex[2:]) or regex if regex.startswith("\\b") else regex
    branches = _ALTERNATIVE.findall(group["inner"])
    later = [_run_first(branch) for branch in branches]
    if not all(later) or "|".join(branches) != group["inner"]:
        return regex
    return regex[2 : group.start("inner")] + "|".join(later) + regex[group.end("inner") :]


def _run_first(regex: str) -> str:
    """The regular expression with a word boundary before it, checked after its first letters; "" if it has none."""
    run = _RUN.match(regex)
    return f"{run[0]}(?<=\\b{run[0]}){regex[run.end() :]}" if run else ""


@lru_cache(maxsize=_MEMORY)
def _find_longest_word(text: str) -> str:
    """The longest word of a text (of equals, the last), with a space where a boundary is known; "" without any."""
    best = ANY_NAME if text in (ANY_NAME, OWNED) else ""
    for run in _WORD_RUN.finditer(text):
        before, after = text[: run.start()][-1:], text[run.end() :][:1]
        word = f"{' ' * (before in _BLANK)}{run[0]}{' ' * (after in _BLANK)}"
        best = max(word, best, key=len)
    return best


def _worth(need: Texts) -> tuple[int, int]:
    """How selective a need is: longer and fewer words are better; (0, 0) if one of its texts has no word."""
    words = [_find_longest_word(text) for text in need]
    lengths = [_NAME_LENGTH if word == ANY_NAME else len(word) for word in words]
    return (min(lengths), -len(words)) if all(lengths) else (0, 0)


def _find_common(need: Texts) -> str:
    """A longest piece, without word boundaries, that all texts of a need contain; empty for a name."""
    plain = [text.replace(_EDGE, "") for text in need]
    shortest = min(plain, key=len)
    for size in range(len(shortest), 0, -1):
        for start in range(len(shortest) - size + 1):
            piece = shortest[start : start + size]
            if all(piece in text for text in plain):
                return "" if ANY_NAME in piece else piece
    return ""


class _Piece(Struct, frozen=True):
    """What a piece of a pattern may match: all its texts if they are few, and the needs of every match."""

    texts: Texts | None
    needs: list[Texts] = []


class _Needs:
    """Parses a pattern for what every match contains; gives up on a piece rather than guess."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def whole(self) -> list[Texts]:
        return [] if _UNREADABLE.search(self.source) else self.alternatives().needs

    def alternatives(self) -> _Piece:
        """`a|b|c`: the needs of a single branch, else the best need of every branch combined."""
        branches = [self.branch()]
        while self.source[self.at : self.at + 1] == "|":
            self.at += 1
            branches.append(self.branch())
        if len(branches) == 1:
            return branches[0]
        texts = _joined([branch.texts for branch in branches])
        best = _joined([max(branch.needs, key=_worth, default=None) for branch in branches], most=1_000)
        return _Piece(texts, [best] if best else [])

    def branch(self) -> _Piece:
        """One sequence, up to `|` or `)`: texts are combined as long as they are few."""
        needs: list[Texts] = []
        run: Texts = ("",)
        is_whole = True
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            piece = self.item()
            lowest, is_many = self.quantifier()
            texts = piece.texts if lowest or piece.texts is None else (*piece.texts, "")
            longer = _append(run, texts)
            if longer is not None and not is_many:
                run = longer
                continue
            needs.append(longer if longer is not None and lowest else run)
            run, is_whole = ("",), False
            if texts is not None and not is_many:
                run = texts
            elif longer is None and lowest:
                needs += piece.needs
        needs = [need for need in (*needs, run) if _worth(need) > (0, 0)]
        return _Piece(run if is_whole else None, needs)

    def item(self) -> _Piece:
        char = self.source[self.at]
        self.at += 1
        if char == "\\":
            self.at += 1
            return self.escaped(self.source[self.at - 1 : self.at])
        if char == "[":
            return self.characters()
        if char == "(":
            self.at += 2 * self.source.startswith("?:", self.at)
            inner = self.alternatives()
            self.at += 1
            return inner
        if char in "^$":
            return _Piece(("",))
        if char in (ANY_NAME, OWNED):
            return _Piece(None, [(char,)])
        return _Piece(None) if char in ".*+?{}" else _Piece((char.lower(),), [(char.lower(),)])

    def escaped(self, char: str) -> _Piece:
        if char in ("b", "B"):
            return _Piece((_EDGE if char == "b" else "",))
        return _Piece(None) if char.isalnum() else _Piece((char,))

    def characters(self) -> _Piece:
        start = self.at
        self.at += 1
        while self.at < len(self.source) and self.source[self.at] != "]":
            self.at += 2 if self.source[self.at] == "\\" else 1
        inner = "0123456789" if self.source[start : self.at] == "0-9" else self.source[start : self.at]
        self.at += 1
        return _Piece(tuple(inner.lower()) if inner.isascii() and inner.isalnum() else None)

    def quantifier(self) -> tuple[int, bool]:
        """Read the quantifier of the preceding item, if any: 0 when the item may be missing; whether it may repeat."""
        mark = self.source[self.at : self.at + 1]
        if not mark or mark not in "?*+{":
            return 1, False
        lowest = 0 if mark in "?*" else 1
        if mark == "{":
            lowest = 0 if self.source[self.at + 1 : self.at + 2] in ("0", ",") else 1
            self.at = self.source.find("}", self.at)
        self.at += 1
        if self.source[self.at : self.at + 1] in ("?", "+"):
            self.at += 1
        return lowest, mark != "?"


def _append(run: Texts, texts: Texts | None) -> Texts | None:
    """Every text appended to every text of the run; None when there are too many."""
    if texts is None or len(run) * len(texts) > _MOST_TEXTS:
        return None
    return tuple(dict.fromkeys(before + text for before in run for text in texts))


def _joined(several: list[Texts | None], most: int = _MOST_TEXTS) -> Texts | None:
    if None in several:
        return None
    texts = tuple(dict.fromkeys(text for texts in several if texts for text in texts))
    return texts if len(texts) <= most else None


_VOCABULARY_MEMORY = 20_000
Numbers = NDArray[np.int64]


class Words(Struct, frozen=True, eq=False):
    """The words of a text: for each token the place of its word's first use, its bits, and the player it names or 0.

    `flags` are the first of the bits as far as HALF goes, `halves` all: two numbers for the first, two for the second.
    """

    ids: Numbers
    flags: Numbers
    players: Numbers
    halves: Numbers


class _Met:
    """Words with their numbers, and by number the bits and the player of those read so far."""

    def __init__(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        self.flags = self.players = np.zeros(0, np.int64)
        self.halves = np.zeros((0, 4), np.int64)

    def learn(self, bits_of: Callable[[str], Bits]) -> None:
        new = list(self.numbers)[len(self.flags) :]
        low = (1 << HALF) - 1
        halves = [
            (first & low, first >> HALF, second & low, second >> HALF) for first, second in map(bits_of, new)
        ]
        self.halves = np.concatenate([self.halves, np.array(halves, np.int64)])
        self.flags = self.halves[:, 0].copy()
        self.players = np.concatenate(
            [self.players, np.array([decode_player(word) or 0 for word in new], np.int64)]
        )


def join_bits(halves: Numbers, starts: Numbers) -> list[int]:
    """The bits of messages from those of their tokens; a message's tokens begin at its `starts`, and END is the last.

    A message has a bit when one token has it as first and one token, maybe another, has it as second.
    """
    of_message = np.bitwise_or.reduceat(halves, starts, axis=0)
    return [low | high << HALF for low, high in (of_message[:, :2] & of_message[:, 2:]).tolist()]


class Vocabulary:
    """What a token can mean, cached between games; cleared when it has grown too large.

    Threads may share one.
    """

    def __init__(self) -> None:
        self._met = _Met()
        # After a miss in the dictionary, Python may run garbage collection and another thread before the word gets
        # its number. Without the lock, both threads would number the word.
        self._lock = Lock()

    def forget(self) -> None:
        with self._lock:
            self._met = _Met()

    def look_up(self, tokens: list[str], bits_of: Callable[[str], Bits]) -> Words:
        with self._lock:
            if len(self._met.numbers) > _VOCABULARY_MEMORY:
                self._met = _Met()
            met = self._met
            numbers = np.fromiter(map(met.numbers.__getitem__, tokens), np.int64, len(tokens))
            if len(met.numbers) > len(met.flags):
                met.learn(bits_of)
            flags, players, halves = met.flags, met.players, met.halves
        # Of several positions assigned to one word, the last one wins: in reverse order, that is the word's first use.
        first = np.empty(len(flags), np.int64)
        first[numbers[::-1]] = np.arange(len(tokens) - 1, -1, -1)
        return Words(first[numbers], flags[numbers], players[numbers], halves.take(numbers, axis=0))
