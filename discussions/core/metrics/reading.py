"""One reading of a game: names found, texts folded and cut once; every metric and companion works from it."""

from bisect import bisect_right
from hashlib import sha256
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from discussions.core import names
from discussions.core.metrics.parameters import ENDS, NAME, Parameters
from discussions.core.records import GameRecord
from discussions.core.roles import side_of
from discussions.core.tokens import END, cut, mark, player_of

_GAP = f" {END} "
Numbers = NDArray[np.int64]


class Reading(Struct, frozen=True, eq=False):
    """What the metrics read. `low` is each message lower-cased, folded and marked, as long as its stored text.

    `tokens` are those of all messages with END behind each message; `ids` their places in `vocabulary`, `flags`
    their bits, `of_message` the index (from 0) of their message, `starts` where a message's tokens begin (one more
    than there are messages). `named` lists for each message the players that it names, `sides` each player's side.
    """

    game: GameRecord
    sides: list[str | None]
    low: list[str]
    tokens: list[str]
    vocabulary: list[str]
    ids: Numbers
    flags: Numbers
    of_message: Numbers
    starts: list[int]
    message_flags: list[int]
    speakers: Numbers
    name_messages: Numbers
    name_players: Numbers
    named: list[frozenset[int]]

    def tokens_of(self, index: int) -> list[str]:
        """The tokens of the message with that index (from 0)."""
        return self.tokens[self.starts[index] : self.starts[index + 1] - 1]

    def seed(self, purpose: str) -> int:
        """A seed that depends on what is said and by whom, not on what the players are called."""
        content = sha256(purpose.encode())
        content.update(self.ids.tobytes())
        content.update(self.speakers.tobytes())
        return int.from_bytes(content.digest()[:8], "big")


def read(game: GameRecord, parameters: Parameters) -> Reading:
    """Reads a game of any number of messages; linear in their length."""
    roster = names.roster_of(tuple(player.name for player in game.players), parameters.ambiguous_names)
    whole, bounds = _joined(game)
    folded = _without_prefixes(game, names.fold_styles(whole), bounds, roster)
    low = names.lowered(folded)
    if names.is_long(roster):
        spans = names.names_in_parts(low, folded, pairwise(bounds), roster)
    else:
        spans = names.names_in(low, folded, roster)
    marked = mark(low, spans)
    tokens = cut(marked + _GAP) if game.messages else []
    vocabulary = dict.fromkeys(tokens)
    numbers = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
    ids = np.fromiter(map(numbers.__getitem__, tokens), np.int64, len(tokens))
    word_flags = np.fromiter(map(parameters.word_flags[0].__getitem__, vocabulary), np.int64, len(vocabulary))
    flags = word_flags[ids] if tokens else ids
    ends = np.flatnonzero(flags & ENDS)
    starts = [0, *(ends + 1).tolist()]
    of_message = np.repeat(np.arange(len(ends)), np.diff(starts))
    places = np.flatnonzero(flags & NAME)
    name_messages = of_message[places]
    name_players = np.array([player_of(tokens[place]) for place in places.tolist()], np.int64)
    return Reading(
        game=game,
        sides=[side_of(player.role, parameters.role_map) for player in game.players],
        low=[marked[start : end - len(_GAP)] for start, end in pairwise(bounds)],
        tokens=tokens,
        vocabulary=list(vocabulary),
        ids=ids,
        flags=flags,
        of_message=of_message,
        starts=starts,
        message_flags=np.bitwise_or.reduceat(flags, starts[:-1]).tolist() if tokens else [],
        speakers=np.array([message.player for message in game.messages], np.int64),
        name_messages=name_messages,
        name_players=name_players,
        named=_named(len(game.messages), name_messages, name_players),
    )


def _joined(game: GameRecord) -> tuple[str, list[int]]:
    """All texts in one, a gap behind each; and where each text begins, with the end of the whole at last."""
    texts = [message.text for message in game.messages]
    whole = _GAP.join([*texts, ""])
    if whole.count(END) != len(texts):
        whole = _GAP.join([*(text.replace(END, " ") for text in texts), ""])
    bounds = [0]
    for text in texts:
        bounds.append(bounds[-1] + len(text) + len(_GAP))
    return whole, bounds


def _without_prefixes(game: GameRecord, folded: str, bounds: list[int], roster: names.Roster) -> str:
    """The whole text with every "Own-name:" at the start of a message blanked, of the same length."""
    pieces = []
    last = 0
    for message, start, end in zip(game.messages, bounds, bounds[1:], strict=False):
        length = names.own_prefix(folded, start, end, roster.own[message.player - 1])
        if length:
            pieces += [folded[last:start], " " * length]
            last = start + length
    return "".join([*pieces, folded[last:]]) if pieces else folded


def _named(count: int, messages: Numbers, players: Numbers) -> list[frozenset[int]]:
    """For each of `count` messages the players it names."""
    named: dict[int, set[int]] = {}
    for message, player in zip(messages.tolist(), players.tolist(), strict=True):
        named.setdefault(message, set()).add(player)
    nobody: frozenset[int] = frozenset()
    return [frozenset(named[index]) if index in named else nobody for index in range(count)]
