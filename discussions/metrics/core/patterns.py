"""Regular expressions of a rubric version, each with literals of which a text must hold one to be worth trying.

The words met so far, numbered and read once for all games: a game's words are looked up in one pass.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from threading import Lock

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from discussions.metrics.core.text import NAME_CHARS, OWNED, PAD, decode_player

_NAME = f"(?:[{NAME_CHARS}]{PAD}*+(?!{OWNED}))"
_OWNER = f"(?:[{NAME_CHARS}]{PAD}*+{OWNED}++)"
_HOLE = "\ue000"
_UNREADABLE = re.compile(r"\\[xunN0-9]|\(\?[^:]|\{[^}0-9,]|\{[0-9,]*$")
_ONE_WORD = re.compile(r"\\b(?:[a-z]|\((?!\?)|[)|]|(?<=[a-z])\?|\\b$)+")
_RUN = re.compile(r"[a-z][a-z' ]*(?![?*+{])")
_ALTERNATIVE = re.compile(r"(?:[^()|]|\([^()]*\))+")
_ALTERNATIVES = re.compile(r"\\b\((?:\?:)?(?P<inner>(?:[^()\[\]{}\\]|\([^()\[\]{}\\]*\))*)\)(?![?*+{])")
_MEMORY = 10_000
_WORD_RUN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


class Pattern(Struct, frozen=True):
    """A compiled pattern for lower-cased marked text, and what has to be there for it to match.

    A matching text holds one of `literals`, and one of its tokens, between spaces, one of `words`; empty means:
    always try. `literal` is the only literal of a pattern that has just one, and else empty.
    `bit` says the same of the flags of a message's tokens. `is_word`: it matches inside one token, or nowhere.
    """

    source: str
    regex: re.Pattern[str]
    literals: tuple[str, ...]
    literal: str = ""
    words: tuple[str, ...] = ()
    bit: int = 0
    is_word: bool = False

    def search(self, text: str) -> re.Match[str] | None:
        """The first match, or None."""
        for literal in self.literals or ("",):
            if literal in text:
                return self.regex.search(text)
        return None


class PatternGroup(Struct, frozen=True, eq=False):
    """The patterns that mean one thing; `mask` has the bits of them all."""

    patterns: tuple[Pattern, ...]
    mask: int = 0
    _active: dict[int, tuple[Pattern, ...]] = {}

    def active(self, flags: int) -> tuple[Pattern, ...]:
        """The patterns that can match in a message whose tokens have those flags."""
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
        """The first match of the first pattern that matches, or None; `flags` as for `active`."""
        bits = flags & self.mask
        if not bits:
            return None
        for pattern in self._active.get(bits) or self.active(bits):
            # Where the flags speak for a pattern, asking for several literals costs more than it saves.
            if pattern.literal in text:
                found = pattern.regex.search(text)
                if found:
                    return found
        return None


class Clues(Struct, frozen=True, eq=False):
    """What one token says of all patterns of a version: a text can match a pattern only if a token has its bit.

    `by_word` leads from a word to the bits of the patterns that have it, and to those patterns of one word that must
    match the token themselves; `always` has the bits of the patterns without words.
    """

    by_word: Mapping[str, tuple[int, tuple[Pattern, ...]]]
    always: int

    def bits(self, token: str) -> int:
        """The bits of the patterns that a text with this token may match, beside `always`."""
        between = f" {token} "
        found = 0
        for word, (bits, exact) in self.by_word.items():
            if word in between:
                found |= bits
                for pattern in exact:
                    if pattern.regex.search(token):
                        found |= pattern.bit
        return found


def build_clues(groups: Iterable[PatternGroup]) -> Clues:
    """The clues to the patterns of those groups; every word is looked for once, however many patterns have it."""
    by_word: dict[str, tuple[int, tuple[Pattern, ...]]] = {}
    always = 0
    for pattern in (pattern for group in groups for pattern in group.patterns):
        for word in pattern.words:
            bits, exact = by_word.get(word, (0, ()))
            by_word[word] = (bits, (*exact, pattern)) if pattern.is_word else (bits | pattern.bit, exact)
        if not pattern.words:
            always |= pattern.bit
    return Clues(by_word, always)


def compile_group(sources: list[str], mafia_words: list[str], bits: Iterator[int]) -> PatternGroup:
    """Compiles the sources; `{name}` stands for a player named, `{mafia_word}` for any of those patterns.

    Every pattern takes its bit from `bits`. Raises re.error when a source is no regular expression.
    """
    patterns = tuple(compile_pattern(source, mafia_words, next(bits)) for source in sources)
    return PatternGroup(patterns, reduce(or_, (pattern.bit for pattern in patterns), 0), {})


def join_groups(*groups: PatternGroup) -> PatternGroup:
    """The patterns of several groups as one, in that order."""
    patterns = tuple(pattern for group in groups for pattern in group.patterns)
    return PatternGroup(patterns, reduce(or_, (group.mask for group in groups)), {})


def compile_pattern(source: str, mafia_words: list[str], bit: int = 0) -> Pattern:
    """One pattern for marked text. A possessive ("Alpha's") is not `{name}`: to trust a reasoning is no vouching.

    `{owner}` stands for a name with 's (or 'll, 'd, 've, 're, 'm).
    """
    full = source.replace("{mafia_word}", "(?:" + "|".join(mafia_words) + ")")
    regex = full.replace("\\b{name}", "{name}").replace("{name}\\b", "{name}").replace("{name}", _NAME)
    regex = regex.replace("{owner}", _OWNER)
    flags = re.IGNORECASE if full != full.lower() else re.NOFLAG
    compiled = re.compile(with_boundary_later(regex), flags)
    literals = _Literals(full.replace("{name}", _HOLE).replace("{owner}", _HOLE).lower()).whole() or ()
    words = tuple(dict.fromkeys(_find_longest_word(literal) for literal in literals))
    words = words if all(words) else ()
    return Pattern(
        source,
        compiled,
        literals,
        literal=literals[0] if len(literals) == 1 else "",
        words=words,
        bit=bit,
        is_word=bool(words) and _ONE_WORD.fullmatch(full) is not None,
    )


def with_boundary_later(regex: str) -> str:
    """The same regular expression, with the word boundary that opens it asked for behind the first letters instead.

    Python's search leaps to a first letter, but tries everything at every character when a boundary comes first:
    `you(?<=\\byou)` takes a tenth of the time of `\\byou`. What opens in a way not understood here stays as it is.
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
    """The regular expression with a word boundary before it, asked for behind its first letters; "" without any."""
    run = _RUN.match(regex)
    return f"{run[0]}(?<=\\b{run[0]}){regex[run.end() :]}" if run else ""


def _find_longest_word(literal: str) -> str:
    """The longest word of a literal, the last of equals, with the spaces beside it; empty when there is none."""
    runs = [found.span() for found in _WORD_RUN.finditer(literal)]
    if not runs:
        return ""
    start, end = max(reversed(runs), key=lambda run: run[1] - run[0])
    before = " " if literal[start - 1 : start] == " " else ""
    return before + literal[start:end] + (" " if literal[end : end + 1] == " " else "")


class _Literals:
    """Reads a pattern for literals of which every match holds at least one; gives up (None) rather than guess."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def whole(self) -> tuple[str, ...] | None:
        """The literals of the whole pattern, or None."""
        if _UNREADABLE.search(self.source):
            return None
        return self.alternatives()

    def alternatives(self) -> tuple[str, ...] | None:
        """Literals of `a|b|c`: those of every branch together, or None when a branch has none."""
        found: list[str] = []
        complete = True
        while True:
            branch = self.branch()
            if branch is None:
                complete = False
            else:
                found.extend(branch)
            if self.source[self.at : self.at + 1] != "|":
                break
            self.at += 1
        return tuple(dict.fromkeys(found)) if complete and found else None

    def branch(self) -> tuple[str, ...] | None:
        """The best literals of one sequence, up to `|` or `)`: the longest, and of equals the last ("has to go")."""
        candidates: list[tuple[str, ...]] = []
        run = ""
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            char, inner = self.item()
            lowest = self.quantifier()
            if lowest is None and char:
                run += char
                continue
            if lowest != 0:
                run += char
                candidates.append(inner or ())
            candidates.append((run,))
            run = ""
        candidates.append((run,))
        candidates = [words for words in reversed(candidates) if words and all(words)]
        return max(candidates, key=lambda words: (min(map(len, words)), -len(words)), default=None)

    def item(self) -> tuple[str, tuple[str, ...] | None]:
        """The next item: a literal character, or what a group holds, or neither."""
        char = self.source[self.at]
        self.at += 1
        if char == "\\":
            escaped = self.source[self.at : self.at + 1]
            self.at += 1
            return ("" if escaped.isalnum() else escaped), None
        if char == "[":
            self.skip_class()
            return "", None
        if char == "(":
            return "", self.group()
        return ("" if char in f".^$?*+{{}}{_HOLE}" else char), None

    def group(self) -> tuple[str, ...] | None:
        """The literals of a plain group."""
        if self.source.startswith("?:", self.at):
            self.at += 2
        inner = self.alternatives()
        self.at += 1
        return inner

    def skip_class(self) -> None:
        """Moves behind the `]` that ends a character class."""
        self.at += 1
        while self.at < len(self.source) and self.source[self.at] != "]":
            self.at += 2 if self.source[self.at] == "\\" else 1
        self.at += 1

    def quantifier(self) -> int | None:
        """Reads the quantifier of the item before, if there is one: 0 when the item may be missing, else 1."""
        mark = self.source[self.at : self.at + 1]
        if not mark or mark not in "?*+{":
            return None
        lowest = 0 if mark in "?*" else 1
        if mark == "{":
            closing = self.source.find("}", self.at)
            lowest = 0 if self.source[self.at + 1 : self.at + 2] in ("0", ",") else 1
            self.at = closing
        self.at += 1
        if self.source[self.at : self.at + 1] in ("?", "+"):
            self.at += 1
        return lowest


_VOCABULARY_MEMORY = 20_000
Numbers = NDArray[np.int64]


class Words(Struct, frozen=True, eq=False):
    """The words of a text: for each token the place of its word's first use, its bits, and the player it names or 0."""

    ids: Numbers
    flags: Numbers
    players: Numbers


class _Met:
    """Words with their numbers, and by number the bits and the player of those read so far."""

    def __init__(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        self.flags = self.players = np.zeros(0, np.int64)

    def learn(self, flags_of: Callable[[str], int]) -> None:
        """Reads the words that have a number and are not read yet."""
        new = list(self.numbers)[len(self.flags) :]
        self.flags = np.concatenate([self.flags, np.array([flags_of(word) for word in new], np.int64)])
        self.players = np.concatenate(
            [self.players, np.array([decode_player(word) or 0 for word in new], np.int64)]
        )


class Vocabulary:
    """What a token can mean, remembered from game to game; starts anew when it has grown too large.

    Threads may share one.
    """

    def __init__(self) -> None:
        self._met = _Met()
        # Between a miss in the dictionary and the number given to the word, Python may run garbage collection and
        # another thread; without the lock, both would number the word.
        self._lock = Lock()

    def forget(self) -> None:
        """Starts anew; what is measured never depends on it."""
        with self._lock:
            self._met = _Met()

    def look_up(self, tokens: list[str], flags_of: Callable[[str], int]) -> Words:
        """The words of a text; `flags_of` says the bits of one that is new."""
        with self._lock:
            if len(self._met.numbers) > _VOCABULARY_MEMORY:
                self._met = _Met()
            met = self._met
            numbers = np.fromiter(map(met.numbers.__getitem__, tokens), np.int64, len(tokens))
            if len(met.numbers) > len(met.flags):
                met.learn(flags_of)
            flags, players = met.flags, met.players
        # Of several places given to one word the last stays: backwards, that is where the word is used first.
        first = np.empty(len(flags), np.int64)
        first[numbers[::-1]] = np.arange(len(tokens) - 1, -1, -1)
        return Words(first[numbers], flags[numbers], players[numbers])
