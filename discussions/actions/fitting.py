"""Places that are as many as games need: further ones open, free ones that nobody needs close, taken ones stay."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import NamedTuple

from discussions.core.places import Fit, Place, fit_of
from discussions.models import Game, Slot
from discussions.models.games import NEEDED
from discussions.models.slots import RATING

SHUFFLES = 2**31
CHUNK = 500


class Fitted(NamedTuple):
    """How many free places closed, and how many opened."""

    closed: int
    opened: int


def fit_places(*, games: Collection[int]) -> Fitted:
    """Make the places of these games, all measured and open for rating, as many as each needs.

    The games must be locked: whoever opens, gives back or closes places of a game waits for that.
    """
    closed = opened = 0
    for keys in _chunks(games):
        fits = dict(_fits(keys))
        close = [key for fit in fits.values() for key in fit.close]
        again = [key for fit in fits.values() for key in fit.open]
        idle = Slot.objects.filter(evaluator=None)
        # Nobody is told any more that the place is kept for them.
        closed += idle.filter(pk__in=close, is_closed=False).update(
            is_closed=True, assigned_to=None, assigned_at=None, assigned_by=None
        )
        opened += idle.filter(pk__in=again, is_closed=True).update(is_closed=False)
        opened += len(_make(fits))
    return Fitted(closed, opened)


def close_given_back(*, game: int) -> None:
    """Close a place that was just given back, if the game needs fewer evaluators by now."""
    Game.objects.select_for_update(no_key=True).get(pk=game)
    fits = dict(_fits([game]))
    if excess := [key for fit in fits.values() for key in fit.close]:
        Slot.objects.filter(pk__in=excess, evaluator=None).update(is_closed=True)


def _chunks(games: Collection[int]) -> Iterator[list[int]]:
    keys = sorted(games)
    for start in range(0, len(keys), CHUNK):
        yield keys[start : start + CHUNK]


def _fits(games: list[int]) -> Iterator[tuple[int, Fit]]:
    needed = dict(Game.objects.filter(pk__in=games).values_list("pk", NEEDED))
    rows = Slot.objects.filter(game__in=games, purpose=RATING)
    places: dict[int, list[Place]] = defaultdict(list)
    for game, key, number, evaluator, is_closed, kept in rows.values_list(
        "game_id", "pk", "number", "evaluator_id", "is_closed", "assigned_to_id"
    ):
        places[game].append(Place(key, number, evaluator is not None, is_closed, kept is not None))
    for game in games:
        yield game, fit_of(places[game], needed[game])


def _make(fits: dict[int, Fit]) -> list[Slot]:
    projects = dict(Game.objects.filter(pk__in=fits).values_list("pk", "project_id"))
    return Slot.objects.bulk_create(
        Slot(
            project_id=projects[game],
            game_id=game,
            number=number,
            shuffle=shuffle_of(projects[game], game, number),
        )
        for game, fit in fits.items()
        for number in fit.make
    )


def shuffle_of(project: int, game: int, number: int) -> int:
    """Where a place stands among all of its project: by chance, and at the same place again in a second demo."""
    digest = hashlib.sha256(f"place:{project}:{game}:{number}".encode()).digest()
    return int.from_bytes(digest[:8]) % SHUFFLES
