"""What another number of evaluators per game would do to the unsorted games: rows in, one record out."""

from collections import defaultdict

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from msgspec import Struct

from discussions.core.moves import SUBMITTED
from discussions.core.places import Place, fit_of
from discussions.models.games import Game, GameQuerySet
from discussions.models.iterations import Iteration
from discussions.models.measurements import Measured
from discussions.models.slots import RATING, Slot
from discussions.models.verdicts import Verdict


class Effect(Struct, frozen=True):
    """What happens when `after` evaluators are asked for each game instead of `before`.

    `kept` games have a verdict and keep their number; of the others, `opened` places open and `closed` free ones close;
    `waiting` games were complete and wait for further evaluations, `complete` ones need no more; `beyond` evaluations
    are under way that are not needed any more and may still be handed in.
    """

    before: int
    after: int
    kept: int = 0
    opened: int = 0
    closed: int = 0
    waiting: int = 0
    complete: int = 0
    beyond: int = 0


def with_verdict(iteration: Iteration) -> GameQuerySet:
    """The iteration's games on which a verdict is recorded."""
    return Game.objects.filter(_recorded(), iteration=iteration)


def without_verdict(iteration: Iteration) -> GameQuerySet:
    """The iteration's measured games without a verdict: those whose places follow the number asked for."""
    measured = Measured.objects.filter(game=OuterRef("pk"), rubric_version=iteration.rubric_version_id)
    return Game.objects.filter(~_recorded(), Exists(measured), iteration=iteration)


def needed_if(own: int | None, count: int) -> int:
    """How many a game needs when so many are asked for; `own` is what a lead said is enough for it."""
    return min(own, count) if own else count


def effect_of(iteration: Iteration, count: int) -> Effect:
    """What asking for `count` evaluators would do now; three queries."""
    before = iteration.evaluator_count
    places = _places(without_verdict(iteration))
    is_in = Q(evaluations__state=SUBMITTED, evaluations__purpose=RATING)
    games = without_verdict(iteration).annotate(done=Count("evaluations", filter=is_in))
    opened = closed = waiting = complete = beyond = 0
    for key, own, done in games.values_list("pk", "needed_count", "done"):
        old, new = own or before, needed_if(own, count)
        fit = fit_of(places[key], new)
        opened += len(fit.open) + len(fit.make)
        closed += len(fit.close)
        waiting += old <= done < new
        complete += new <= done < old
        beyond += max(0, sum(place.is_taken for place in places[key]) - max(new, done))
    return Effect(
        before=before,
        after=count,
        kept=with_verdict(iteration).count(),
        opened=opened,
        closed=closed,
        waiting=waiting,
        complete=complete,
        beyond=beyond,
    )


def _places(games: "QuerySet[Game]") -> dict[int, list[Place]]:
    rows = Slot.objects.filter(game__in=games.values("pk"), purpose=RATING)
    found: dict[int, list[Place]] = defaultdict(list)
    for game, key, number, evaluator, is_closed, kept in rows.values_list(
        "game_id", "pk", "number", "evaluator_id", "is_closed", "assigned_to_id"
    ):
        found[game].append(Place(key, number, evaluator is not None, is_closed, kept is not None))
    return found


def _recorded() -> Exists:
    return Exists(Verdict.objects.filter(game=OuterRef("pk")))
