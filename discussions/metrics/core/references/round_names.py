"""How the texts of a game name its rounds (rules 1.1): the words, and how their numbers differ from the file's."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from discussions.core.records import GameRecord
from discussions.metrics.core.patterns import with_boundary_later

ROUND = "round"
OFFSETS = (-1, 0, 1)
_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip

_OTHER_WORDS = ("day", "night", "quest")
_NAMED = re.compile(with_boundary_later(rf"\b(round|day|night|quest)s? ?(\d{{1,6}}|{'|'.join(_NUMBERS)})\b"))
_RELATIVE = re.compile(with_boundary_later(r"\b(last|previous|this) (?:round|day|quest)\b"))
_WORD = re.compile(with_boundary_later(r"\b(round|day|night|quest)s?(?![a-z])"))
_NEAR = 1


class NamedRound(Struct, frozen=True):
    """A round that a text names at [start, end), by the file's number."""

    start: int
    end: int
    number: int


class RoundNames(Struct, frozen=True):
    """How the texts of one game name its rounds.

    `words` are "round" and those of day, night and quest that stand for a round; `offset` is added to a number in a
    text to get the file's ("round 0" with the offset 1 is the file's round 1).
    """

    words: frozenset[str] = frozenset({ROUND})
    offset: int = 0

    def calls(self, matched: str) -> bool:
        """Whether a match uses one of these words for the round that it names, or names no round."""
        word = _WORD.search(matched)
        return word is None or word[1] in self.words

    def is_earlier(self, said: str, own_round: int) -> bool:
        """Whether a number in a text means a round before `own_round`; true if it is not a number."""
        number = read_number(said)
        if number is None:
            return not said.isdecimal()
        return number + self.offset < own_round

    def find_rounds(self, low: str, own_round: int) -> list[NamedRound]:
        """The rounds that a lower-cased text names, from left to right; "this round" is `own_round`."""
        found = [
            NamedRound(match.start(), match.end(), number + self.offset)
            for match in _NAMED.finditer(low)
            if match[1] in self.words and (number := read_number(match[2])) is not None
        ]
        for match in _RELATIVE.finditer(low):
            number = own_round if match[1] == "this" else own_round - 1
            found.append(NamedRound(match.start(), match.end(), number))
        return sorted(found, key=lambda named: named.start)


def read_number(text: str) -> int | None:
    """The number written in at most six digits, or in words from zero to twelve; None for anything else."""
    if text.isdecimal():
        return int(text) if len(text) <= 6 else None
    return _NUMBERS.index(text) if text in _NUMBERS else None


def find_round_names(game: GameRecord, marked: str, bounds: list[int]) -> RoundNames:
    """The names of a game's rounds; `marked` and `bounds` as in `Reading`.

    "Day", "night" or "quest" means a round of the file if at least half of its uses with a number name the round of
    their message or a neighbouring one. If the file's rounds are shorter than a day, its texts name days that are
    farther away.
    """
    uses: Counter[str] = Counter()
    near: Counter[str] = Counter()
    for word, number, own_round in _list_uses(game, marked, bounds):
        uses[word] += 1
        near[word] += abs(number + game.round_offset - own_round) <= _NEAR
    words = {word for word, count in uses.items() if 2 * near[word] >= count}
    return RoundNames(frozenset({ROUND, *words}), game.round_offset)


def _list_uses(game: GameRecord, marked: str, bounds: list[int]) -> Iterator[tuple[str, int, int]]:
    for word in _OTHER_WORDS:
        start = marked.find(word)
        while start >= 0:
            match = _NAMED.match(marked, start)
            number = read_number(match[2]) if match else None
            if number is not None:
                message = game.messages[bisect_right(bounds, start) - 1]
                yield word, number, message.round
            start = marked.find(word, start + len(word))
