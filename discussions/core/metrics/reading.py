"""One reading of a game: names found, texts folded and cut once; every metric and companion works from it."""

from bisect import bisect_right
from collections import defaultdict
from hashlib import sha256

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from discussions.core import names
from discussions.core.metrics.parameters import ENDS, NAME, Parameters
from discussions.core.records import GameRecord
from discussions.core.roles import side_of
from discussions.core.tokens import END, cut, mark, odd_characters, player_of
from discussions.core.tokens import NAME as SHOWN_NAME

_GAP = f" {END} "
Numbers = NDArray[np.int64]


class Reading(Struct, frozen=True, eq=False):
    """What the metrics read. `marked` is the whole game as one lower-cased, folded, marked text, in which the message
    with index i (from 0) begins at `bounds[i]` and keeps the length of its stored text.

    `tokens` are those of all messages with END behind each message; `ids` their places in `vocabulary`, `flags`
    their bits, `of_message` the index of their message, `starts` where a message's tokens begin (one more than there
    are messages), `message_flags` the bits of its tokens together. `shown` is the vocabulary with the players' names,
    `masked` the one with `[name]` for them; `sides` has each player's side.
    """

    game: GameRecord
    sides: list[str | None]
    marked: str
    bounds: list[int]
    tokens: list[str]
    vocabulary: list[str]
    shown: list[str]
    masked: list[str]
    ids: Numbers
    flags: Numbers
    of_message: Numbers
    starts: list[int]
    message_flags: list[int]
    speakers: Numbers
    name_messages: Numbers
    name_players: Numbers

    @property
    def count(self) -> int:
        """How many messages there are."""
        return len(self.starts) - 1

    def low(self, index: int) -> str:
        """The text of the message with that index (from 0): lower-cased, folded, marked, of its stored length."""
        return self.marked[self.bounds[index] : self.bounds[index + 1] - len(_GAP)]

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
    marked = mark(low, names.names_in_game(low, folded, bounds, roster)).replace("_", " ")
    tokens = cut(marked, odd_characters(low))
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    ids = np.fromiter(map(numbers.__getitem__, tokens), np.int64, len(tokens))
    vocabulary = list(numbers)
    word_flags = np.fromiter(map(parameters.word_flags[0].__getitem__, vocabulary), np.int64, len(vocabulary))
    flags = word_flags[ids] if tokens else ids
    ends = np.flatnonzero(flags & ENDS)
    starts = [0, *(ends + 1).tolist()]
    of_message = np.repeat(np.arange(len(ends)), np.diff(starts))
    places = np.flatnonzero(flags & NAME)
    player_by_id, shown, masked = _names_among(vocabulary, word_flags, game)
    sides = {role: side_of(role, parameters.role_map) for role in {player.role for player in game.players}}
    return Reading(
        game=game,
        sides=[sides[player.role] for player in game.players],
        marked=marked,
        bounds=bounds,
        tokens=tokens,
        vocabulary=vocabulary,
        shown=shown,
        masked=masked,
        ids=ids,
        flags=flags,
        of_message=of_message,
        starts=starts,
        message_flags=np.bitwise_or.reduceat(flags, starts[:-1]).tolist() if tokens else [],
        speakers=np.array([message.player for message in game.messages], np.int64),
        name_messages=of_message[places],
        name_players=player_by_id[ids[places]],
    )


def _names_among(
    vocabulary: list[str], word_flags: Numbers, game: GameRecord
) -> tuple[Numbers, list[str], list[str]]:
    """The player that each word names (0: none), and the vocabulary with names as people and as phrases show them."""
    player_by_id = np.zeros(len(vocabulary), np.int64)
    shown, masked = vocabulary.copy(), vocabulary.copy()
    for number in np.flatnonzero(word_flags & NAME).tolist():
        player = player_of(vocabulary[number]) or 0
        player_by_id[number] = player
        shown[number] = game.players[player - 1].name
        masked[number] = SHOWN_NAME
    return player_by_id, shown, masked


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
    colon = folded.find(":")
    while colon >= 0:
        index = bisect_right(bounds, colon) - 1
        start = bounds[index]
        length = names.own_prefix(folded, start, colon, roster.own[game.messages[index].player - 1])
        if length:
            pieces += [folded[last:start], " " * length]
            last = start + length
        colon = folded.find(":", bounds[index + 1])
    return "".join([*pieces, folded[last:]]) if pieces else folded
