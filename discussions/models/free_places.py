"""Free places, as one person may take them: found by an index however many games there are."""

from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery

from discussions.models.evaluations import Evaluation
from discussions.models.measurements import Measured
from discussions.models.queue_rules import OLDEST
from discussions.models.slots import RATING, Slot
from workspace.models.prepared import Prepared

# So many are looked at in one go; of people who reach for the same place all but one take the next.
CANDIDATES = 8


class FreePlace(NamedTuple):
    """A free place, with what an evaluation that begins in it is made of.

    `measured` is None while its game is not measured under its iteration's rubric; nobody can judge it then.
    """

    key: int
    number: int
    shuffle: int
    game: int
    game_number: int
    identification: str
    measured: int | None


def free_places(person: Any, project: Any) -> "QuerySet[Slot]":
    """Free places of a project, kept for nobody, on games that count and that the person has nothing to do with yet.

    Whoever led the project once may not take all of them: see `models.leading`.
    """
    known = Evaluation.objects.filter(game=OuterRef("game"), evaluator=person)
    return Slot.objects.filter(
        ~Exists(known),
        project=project,
        purpose=RATING,
        evaluator=None,
        assigned_to=None,
        is_closed=False,
        game__withdrawn_at=None,
    )


def kept_places(person: Any) -> "QuerySet[Slot]":
    """Free places that leads keep for the person, the longest kept first."""
    kept = Slot.objects.filter(assigned_to=person, purpose=RATING, evaluator=None, is_closed=False)
    return kept.filter(game__withdrawn_at=None).order_by("assigned_at", "pk")


def kept_for(person: int, project: int, barred: int) -> list[FreePlace]:
    """The next places that are kept for the person in a project, on games behind `barred`."""
    return _places(_KEPT.rows(person, project, barred))


def next_free(
    order: str, *, person: int, project: int, barred: int, since: int, iteration: int = 0
) -> list[FreePlace]:
    """The next free places in an order, on games behind `barred`.

    They begin with the shuffle number `since`, or with that game where the oldest come first; an iteration narrows them
    to its games.
    """
    query = _BY_AGE if order == OLDEST else _BY_CHANCE
    given = (person, project, barred, since)
    if iteration:
        return _places(query[1].rows(*given, iteration))
    return _places(query[0].rows(*given))


def picks_of(person: int) -> int:
    """How many games the person was dealt so far."""
    found = _PICKS.rows(person)
    return int(found[0][0]) if found else 0


def _places(rows: list[tuple[Any, ...]]) -> list[FreePlace]:
    return [FreePlace(*row) for row in rows]


def _columns(places: "QuerySet[Slot]") -> "QuerySet[Slot, Any]":
    newest = Measured.objects.filter(
        game=OuterRef("game"), rubric_version=OuterRef("game__iteration__rubric_version")
    )
    with_measured = places.annotate(newest=Subquery(newest.order_by("-pk").values("pk")[:1]))
    return with_measured.values_list(
        "pk", "number", "shuffle", "game", "game__number", "game__iteration__identification", "newest"
    )[:CANDIDATES]


def _chance(person: int, project: int, barred: int, since: int, **more: int) -> "QuerySet[Slot, Any]":
    places = free_places(person, project).filter(game__gt=barred, shuffle__gte=since, **more)
    return _columns(places.order_by("shuffle", "pk"))


def _age(person: int, project: int, barred: int, since: int, **more: int) -> "QuerySet[Slot, Any]":
    places = free_places(person, project).filter(game__gt=barred, **more).filter(game__gte=since)
    return _columns(places.order_by("game", "number"))


# Asked while the person is locked and others wait. Dealing a game takes 10 ms of CPU with its queries prepared, here
# and in the action, and 19 ms without (bench_queue).
_BY_CHANCE = (
    Prepared(_chance, int, int, int, int),
    Prepared(lambda *given: _chance(*given[:4], game__iteration=given[4]), int, int, int, int, int),
)
_BY_AGE = (
    Prepared(_age, int, int, int, int),
    Prepared(lambda *given: _age(*given[:4], game__iteration=given[4]), int, int, int, int, int),
)
_KEPT = Prepared(
    lambda person, project, barred: _columns(kept_places(person).filter(project=project, game__gt=barred)),
    int,
    int,
    int,
)
_PICKS = Prepared(
    lambda person: (
        Evaluation.objects.filter(evaluator=person)
        .order_by()
        .values("evaluator")
        .annotate(count=Count("pk"))
        .values_list("count")
    ),
    int,
)
