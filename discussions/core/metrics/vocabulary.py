"""The words met so far, numbered and read once for all games: a game's words are looked up in one pass."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from discussions.core.tokens import player_of

_MEMORY = 20_000
Numbers = NDArray[np.int64]


class Words(Struct, frozen=True, eq=False):
    """The words of a text: for each token the place of its word's first use, its bits, and the player it names or 0."""

    ids: Numbers
    flags: Numbers
    players: Numbers


class _Met:
    """Words with their numbers, and by number the bits and the player of those read so far.

    Several threads may use it: a word gets its number in one step that no thread can interrupt, and what is read is
    replaced as a whole, for at least the words that were numbered before.
    """

    def __init__(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        self.read: tuple[Numbers, Numbers] = (np.zeros(0, np.int64), np.zeros(0, np.int64))

    def learn(self, flags_of: Callable[[str], int]) -> tuple[Numbers, Numbers]:
        """Reads the words that have a number and are not read yet."""
        flags, players = self.read
        new = list(self.numbers)[len(flags) :]
        flags = np.concatenate([flags, np.array([flags_of(word) for word in new], np.int64)])
        players = np.concatenate([players, np.array([player_of(word) or 0 for word in new], np.int64)])
        self.read = flags, players
        return flags, players


class Vocabulary:
    """What a token can mean, remembered from game to game; starts anew when it has grown too large."""

    def __init__(self) -> None:
        self._met = _Met()

    def forget(self) -> None:
        """Starts anew; what is measured never depends on it."""
        self._met = _Met()

    def look_up(self, tokens: list[str], flags_of: Callable[[str], int]) -> Words:
        """The words of a text; `flags_of` says the bits of one that is new."""
        met = self._met
        if len(met.numbers) > _MEMORY:
            met = self._met = _Met()
        numbers = np.fromiter(map(met.numbers.__getitem__, tokens), np.int64, len(tokens))
        flags, players = met.read
        if len(met.numbers) > len(flags):
            flags, players = met.learn(flags_of)
        # Of several places given to one word the last stays: backwards, that is where the word is used first.
        first = np.empty(len(flags), np.int64)
        first[numbers[::-1]] = np.arange(len(tokens) - 1, -1, -1)
        return Words(first[numbers], flags[numbers], players[numbers])
