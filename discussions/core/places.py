"""How many places a game has and should have: which free ones close, which closed ones open again, which are new."""

from collections.abc import Iterable

from msgspec import Struct


class Place(Struct, frozen=True):
    """One place for rating: its row and number within the game, whether somebody has it, and whether it is closed.

    One that nobody has and that is closed is not needed at present. `is_kept` for somebody by name.
    """

    key: int
    number: int
    is_taken: bool
    is_closed: bool
    is_kept: bool = False


class Fit(Struct, frozen=True):
    """What makes the places of a game as many as it needs: rows to close and to open, and numbers to make."""

    close: list[int] = []
    open: list[int] = []
    make: list[int] = []


def fit_of(places: Iterable[Place], needed: int) -> Fit:
    """What is to be done so that as many places as needed are taken or free; taken ones are never touched.

    Of free ones those that are kept for somebody stay longest, and lower numbers before higher ones.
    """
    places = sorted(places, key=lambda place: place.number)
    taken = sum(place.is_taken for place in places)
    free = [place for place in places if not place.is_taken and not place.is_closed]
    room = max(0, needed - taken)
    if len(free) >= room:
        staying = sorted(free, key=lambda place: (not place.is_kept, place.number))
        return Fit(close=sorted(place.key for place in staying[room:]))
    idle = [place.key for place in places if not place.is_taken and place.is_closed][: room - len(free)]
    first = places[-1].number + 1 if places else 1
    return Fit(open=idle, make=list(range(first, first + room - len(free) - len(idle))))
