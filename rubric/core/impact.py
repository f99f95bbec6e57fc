"""What publishing a draft would change, as plain records: outcomes that turn, places that move, figures that shift.

The same record serves games under a discussion rubric and comparisons under a response rubric, so that one page shows
both. A preview changes nothing: it says what would come out if the draft had been in force.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from msgspec import Struct

from rubric.core.records import DISCUSSION, RESPONSE

GAMES, COMPARISONS = "games", "comparisons"
# By the kind of a rubric: what is previewed, and the kind of the job that does it.
PARTS = {DISCUSSION: (GAMES, "preview_games"), RESPONSE: (COMPARISONS, "preview_rankings")}

MOST_FLIPS = 200
MOST_MOVES = 50

_WIDTHS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
_BINS_A_SIDE = 6
_NOTHING = 1e-9


class Where(Struct, frozen=True, omit_defaults=True):
    """A game by its project and number, or a comparison by the project, the set's number and its own (`within`)."""

    project: str
    number: int
    within: int = 0


# What has a place in a ranking: a game (the name is ""), or a response of a comparison by its name.
Item = tuple[Where, str]


class Flip(Struct, frozen=True):
    """One outcome that would be another: what it is and would be in words, and a sentence for each reason.

    `is_known` is false when the draft asks for something that nobody judged, so that it cannot be told.
    `is_recorded` is false of games that were rated and have no verdict yet.
    """

    where: Where
    before: str
    after: str
    reasons: list[str]
    is_known: bool = True
    is_recorded: bool = True


class Move(Struct, frozen=True, omit_defaults=True):
    """One change of place, from 1; `name` tells responses of one comparison apart."""

    where: Where
    before: float
    after: float
    place_before: int
    place_after: int
    name: str = ""


class Turned(Struct, frozen=True):
    """How often a criterion changed sides: how often it would pass now, and fail now."""

    label: str
    passes: int
    fails: int


class Transition(Struct, frozen=True):
    """How many outcomes that are `before` would be `after`, among recorded ones or those not recorded yet."""

    before: str
    after: str
    count: int
    is_recorded: bool = True


class Bin(Struct, frozen=True):
    """How many figures change by more than `low` and up to `high` (down: from `low` to less than `high`); 0, 0 is no
    change at all."""

    low: float
    high: float
    count: int


class Impact(Struct, frozen=True):
    """What was found. Lists hold the first of so many as the counts beside them say.

    `looked_at` counts recorded outcomes, `open_count` those that are not recorded yet; `unknown_count` are recorded
    ones that cannot be told under the draft. `ranked_count` figures have a place before and after. `notes` are
    sentences about how far to trust it.
    """

    part: str
    looked_at: int
    flip_count: int
    unknown_count: int
    open_count: int
    open_flip_count: int
    flips: list[Flip]
    listed_of: int
    transitions: list[Transition]
    turned: list[Turned]
    ranked_count: int
    move_count: int
    moves: list[Move]
    distribution: list[Bin]
    notes: list[str]


def histogram(changes: Iterable[float]) -> list[Bin]:
    """How changes are distributed, from the deepest fall to the highest rise, with what did not change between.

    The width of the bins is a round number so that at most six stand on each side; every change is in exactly one.
    Empty without any change to count.
    """
    rounded = [0.0 if abs(change) < _NOTHING else change for change in changes]
    if not rounded:
        return []
    largest = max(abs(change) for change in rounded)
    width = next((each for each in _WIDTHS if largest <= each * _BINS_A_SIDE), largest / _BINS_A_SIDE)
    counts = Counter(_bin_of(change, width) for change in rounded)
    places = range(min(0, *counts), max(0, *counts) + 1)
    return [
        Bin(_edge(place - (place > 0), width), _edge(place + (place < 0), width), counts[place])
        for place in places
    ]


def _bin_of(change: float, width: float) -> int:
    """0 for no change, 1 for up to one width up, -1 for up to one width down, and so on."""
    steps = ceil(abs(change) / width - _NOTHING) if change else 0
    return steps if change > 0 else -steps


def _edge(place: int, width: float) -> float:
    return round(place * width, 10)


def places_of(values: Mapping[Item, float]) -> dict[Item, int]:
    """The place of each, from 1 for the highest; equal values share one, and the next stands behind all of them."""
    counts = Counter(values.values())
    numbers: dict[float, int] = {}
    above = 0
    for value in sorted(counts, reverse=True):
        numbers[value] = above + 1
        above += counts[value]
    return {item: numbers[value] for item, value in values.items()}


def moves_of(figures: Mapping[Item, tuple[float, float]]) -> list[Move]:
    """The places that change in one ranking, from the figures before and after."""
    old = places_of({item: before for item, (before, _after) in figures.items()})
    new = places_of({item: after for item, (_before, after) in figures.items()})
    return [
        Move(where, before, after, old[where, name], new[where, name], name)
        for (where, name), (before, after) in figures.items()
        if old[where, name] != new[where, name]
    ]


def farthest(moves: Iterable[Move]) -> list[Move]:
    """The moves to be listed: the farthest first, those that are alike in the order of their places."""
    return sorted(moves, key=_by_distance)[:MOST_MOVES]


def _by_distance(move: Move) -> tuple[int, str, int, int, str]:
    distance = abs(move.place_after - move.place_before)
    return -distance, move.where.project, move.where.number, move.where.within, move.name


def listed(flips: Sequence[Flip]) -> list[Flip]:
    """The outcomes to be listed: recorded before open, known before unknown, in the order of their places."""
    order = sorted(flips, key=lambda each: (not each.is_recorded, not each.is_known, *_place(each.where)))
    return order[:MOST_FLIPS]


def _place(where: Where) -> tuple[str, int, int]:
    return where.project, where.number, where.within


def subject_of(version: int) -> str:
    """What jobs about the rubric version with that key are about."""
    return f"rubric_version:{version}"
