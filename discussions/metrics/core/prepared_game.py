"""One reading of a game: names are found and texts folded and cut once, for all metrics and their diagnostics.

Also findings with nothing but a rule: built once and shared by every game that needs them.
"""

from bisect import bisect_right
from hashlib import sha256
from itertools import accumulate

import numpy as np
from msgspec import Struct

from discussions.core.records import GameRecord, MessageFinding
from discussions.metrics.core import names
from discussions.metrics.core.parameters import ENDS, Parameters, compute_bits, parse_side
from discussions.metrics.core.patterns import Numbers, join_bits
from discussions.metrics.core.text import END, blank_lone_marks, compose, cut, mark, odd_characters
from discussions.metrics.core.text import NAME as SHOWN_NAME

_GAP = f" {END} "


class Reading(Struct, frozen=True, eq=False):
    """What the metrics read. `marked` is the whole game as one lower-cased, folded, marked text, in which the message
    with index i (from 0) begins at `bounds[i]` and keeps the length of its text. `game` is the `stored` game, or in the
    Unicode form NFC if the version counts combining marks to their words.

    `tokens` are the tokens of all messages, with END behind each message. Each token has an id in `ids` (the first
    place of the same token), its bits in `flags` and the index of its message in `of_message`. `starts` are the
    places where messages begin (one more than there are messages); `message_flags` joins the bits of a message's
    tokens. `shown` has, by id, the words with the players' names; `masked` has `[name]` in place of names. `sides`
    has each player's side.
    """

    game: GameRecord
    stored: GameRecord
    sides: list[str | None]
    marked: str
    bounds: list[int]
    tokens: list[str]
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
        return len(self.starts) - 1

    def places(self, bits: int) -> Numbers:
        found: Numbers = ((self.flags & bits) != 0).nonzero()[0]
        return found

    def low(self, index: int) -> str:
        return self.marked[self.bounds[index] : self.bounds[index + 1] - len(_GAP)]

    def seed(self, purpose: str) -> int:
        """A seed that depends on the texts and their speakers, not on the players' names."""
        content = sha256(purpose.encode())
        is_first = self.ids == np.arange(len(self.ids))
        content.update((np.cumsum(is_first) - 1)[self.ids].tobytes())
        content.update(self.speakers.tobytes())
        return int.from_bytes(content.digest()[:8], "big")


def read(game: GameRecord, parameters: Parameters) -> Reading:
    """Read a game of any number of messages; linear in their length."""
    stored, keeps_marks = game, bool(parameters.choice("combining_marks"))
    game = compose(game) if keeps_marks else game
    marked, bounds, odd = _marked(game, parameters, keeps_marks=keeps_marks)
    tokens = cut(marked, odd)
    words = parameters.vocabulary.look_up(tokens, lambda token: compute_bits(token, parameters))
    ids, flags = words.ids, words.flags
    # Compare first, and use methods instead of functions: with such short arrays, the calls dominate the cost.
    starts = np.zeros(len(game.messages) + 1, np.int64)
    starts[1:] = ((flags & ENDS) != 0).nonzero()[0] + 1
    of_message = np.arange(len(game.messages)).repeat(starts[1:] - starts[:-1])
    places = (words.players != 0).nonzero()[0]
    name_players = words.players[places]
    is_first = ids[places] == places
    shown, masked = _names_among(tokens, places[is_first], name_players[is_first], game)
    sides = {role: parse_side(role, parameters.role_map) for role in {player.role for player in game.players}}
    return Reading(
        game=game,
        stored=stored,
        sides=[sides[player.role] for player in game.players],
        marked=marked,
        bounds=bounds,
        tokens=tokens,
        shown=shown,
        masked=masked,
        ids=ids,
        flags=flags,
        of_message=of_message,
        starts=starts.tolist(),
        message_flags=join_bits(words.halves, starts[:-1]) if tokens else [],
        speakers=np.array([message.player for message in game.messages], np.int64),
        name_messages=of_message[places],
        name_players=name_players,
    )


def _marked(game: GameRecord, parameters: Parameters, *, keeps_marks: bool) -> tuple[str, list[int], str]:
    """The marked text of the game, where each message begins in it, and its odd characters."""
    roster = names.build_roster(
        tuple(player.name for player in game.players),
        parameters.ambiguous_names,
        are_numbers_marked=True,
        keeps_marks=keeps_marks,
        aliases=game.aliases,
    )
    whole, bounds = _joined(game)
    styled = names.fold_styles(blank_lone_marks(whole) if keeps_marks else whole)
    folded = _without_prefixes(game, styled, bounds, roster)
    low = names.lowered(folded)
    marked = mark(low, names.names_in_game(low, folded, bounds, roster)).replace("_", " ")
    return marked, bounds, odd_characters(low, keeps_marks=keeps_marks)


def _names_among(
    tokens: list[str], ids: Numbers, players: Numbers, game: GameRecord
) -> tuple[list[str], list[str]]:
    """The words by id, with names as people and as phrases show them; `ids` and `players` belong to the names."""
    shown, masked = tokens.copy(), tokens.copy()
    for number, player in zip(ids.tolist(), players.tolist(), strict=True):
        shown[number] = game.players[player - 1].name
        masked[number] = SHOWN_NAME
    return shown, masked


def _joined(game: GameRecord) -> tuple[str, list[int]]:
    """All texts joined, with a gap after each; and where each text begins, plus the end of the whole."""
    texts = [message.text for message in game.messages]
    whole = _GAP.join([*texts, ""])
    if whole.count(END) != len(texts):
        whole = _GAP.join([*(text.replace(END, " ") for text in texts), ""])
    gap = len(_GAP)
    return whole, list(accumulate([len(text) + gap for text in texts], initial=0))


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


_KEPT_AT_MOST = 10_000
_KNOWN: dict[tuple[str, bool], list[MessageFinding]] = {}


def plain_findings(count: int, rule: str, *, counts: bool) -> list[MessageFinding]:
    """A new list of the findings of messages 1 to `count`, all of one rule and without words."""
    known = _KNOWN.get((rule, counts), [])
    if len(known) < count:
        # A new, longer list replaces the shorter one, because other threads may be reading it.
        known = [MessageFinding(position, counts, rule) for position in range(1, count + 1)]
        if count <= _KEPT_AT_MOST:
            _KNOWN[rule, counts] = known
    return known[:count]
