"""Regular expressions of a rubric version, each with literals of which a text must hold one before it is worth trying."""

import re

from msgspec import Struct

from discussions.core.tokens import NAME_CHARS, OWNED, PAD

_NAME = f"(?:[{NAME_CHARS}]{PAD}*+(?!{OWNED}))"
_HOLE = "\ue000"
_UNREADABLE = re.compile(r"\\[xunN0-9]|\(\?[^:]|\{[^}0-9,]|\{[0-9,]*$")
_WORD_RUN = re.compile(r"[^\W_]+")


class Pattern(Struct, frozen=True):
    """A compiled pattern for lower-cased marked text. No `literals` means: always try."""

    source: str
    regex: re.Pattern[str]
    literals: tuple[str, ...]

    def search(self, text: str) -> re.Match[str] | None:
        """The first match, or None."""
        if self.literals and not any(literal in text for literal in self.literals):
            return None
        return self.regex.search(text)


class PatternGroup(Struct, frozen=True):
    """The patterns that mean one thing; `words` are pieces of which some token of a matching text holds one."""

    patterns: tuple[Pattern, ...]
    words: tuple[str, ...] | None

    def search(self, text: str) -> re.Match[str] | None:
        """The first match of the first pattern that matches, or None."""
        for pattern in self.patterns:
            found = pattern.search(text)
            if found:
                return found
        return None

    def first(self, text: str) -> Pattern | None:
        """The first pattern that matches, or None."""
        for pattern in self.patterns:
            if pattern.search(text):
                return pattern
        return None


def compile_group(sources: list[str], mafia_words: list[str]) -> PatternGroup:
    """Compiles the sources; `{name}` stands for a player named, `{mafia_word}` for any of those patterns.

    Raises re.error when a source is no regular expression.
    """
    patterns = tuple(compile_pattern(source, mafia_words) for source in sources)
    words: list[str] = []
    for pattern in patterns:
        if not pattern.literals:
            return PatternGroup(patterns, None)
        for literal in pattern.literals:
            runs = _WORD_RUN.findall(literal)
            if not runs:
                return PatternGroup(patterns, None)
            words.append(max(runs, key=len))
    return PatternGroup(patterns, tuple(dict.fromkeys(words)))


def compile_pattern(source: str, mafia_words: list[str]) -> Pattern:
    """One pattern, ready for marked text. A possessive ("Alpha's") is not `{name}`: trusting a reasoning is no vouching."""
    full = source.replace("{mafia_word}", "(?:" + "|".join(mafia_words) + ")")
    regex = full.replace("\\b{name}", "{name}").replace("{name}\\b", "{name}").replace("{name}", _NAME)
    flags = re.IGNORECASE if full != full.lower() else re.NOFLAG
    compiled = re.compile(regex, flags)
    literals = _Literals(full.replace("{name}", _HOLE).lower()).whole()
    return Pattern(source, compiled, literals or ())


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
        """The best literals of one sequence, up to `|` or `)`."""
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
        candidates = [words for words in candidates if words and all(words)]
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
