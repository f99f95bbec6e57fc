"""The queue: places on games are rows, and "next game" takes one by a single conditional update."""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from discussions.actions.calibrating import begin_required_calibration
from discussions.actions.fitting import SHUFFLES, fit_places
from discussions.actions.holding import hold_place, take_up
from discussions.actions.judging import lock
from discussions.actions.leasing import expire_leases
from discussions.actions.repeating import begin_repeat
from discussions.core.leases import lease_from
from discussions.core.moves import LAPSED, OPEN
from discussions.models import Evaluation, Game, Iteration, Slot
from discussions.models.free_places import FreePlace, kept_for, next_free, picks_of
from discussions.models.leading import barred_until, why_barred
from discussions.models.queue_rules import BY_CHANCE, OLDEST, rule_of
from discussions.models.slots import RATING
from discussions.permissions import check_take_game
from workspace.actions.accounts import system_person
from workspace.actions.events import record_event
from workspace.models import Person, Project
from workspace.models.prepared import Prepared, insert_row

PLACES_READ = ("iteration__state", "iteration__stage", "iteration__opened_at")
TRIES = 3


def open_slots(*, games: Iterable[Game]) -> None:
    """Make the places of measured games, as many as each needs; those that somebody has stay.

    Called in the transaction that stores a game's measurement, and when an iteration is opened for rating: only
    measured games can be taken, and in a stage only once their iteration is open. The games are locked, since somebody
    may be moving them into another iteration at this moment.
    """
    keys = sorted(game.pk for game in games)
    rows = Game.objects.filter(pk__in=keys).order_by("pk")
    # Read with their iterations only once all are locked: whoever was waited for may have moved one.
    list(rows.select_for_update(no_key=True).values_list("pk", flat=True))
    present = rows.select_related("iteration").only(*PLACES_READ)
    fit_places(games=[game.pk for game in present if game.iteration.has_places])


def take_next_game(
    *, project: Project, by: Person, now: datetime, iteration: Iteration | None = None
) -> Evaluation | None:
    """The evaluation that the person works on next in the project; None when there is nothing for them.

    What they began comes first, what was sent back to them before that; then a calibration that is required; then a
    place that a lead keeps for them; now and then a hidden repeat; then a free place by the project's rule, with an
    `iteration` of one of its games. Never two people in one place, never a person twice on one game. Raises NotAllowed
    for anybody but the project's evaluators, and for who did not pass a required calibration.
    """
    check_take_game(by, project)
    found = _next(project, by, now, iteration)
    if found is None and Slot.objects.filter(project=project, lease_until__lte=now).exists():
        # Somebody's lease ended since the last sweep: their place is free, too.
        expire_leases(by=system_person(now=now), now=now, project=project)
        found = _next(project, by, now, iteration)
    return found


def _next(project: Project, by: Person, now: datetime, iteration: Iteration | None) -> Evaluation | None:
    """The first thing that one of WAYS gives, in one transaction."""
    for _attempt in range(TRIES):
        try:
            with transaction.atomic():
                # One person takes one game at a time: this row is the lock. Without the key, since the audit line of
                # another act of the same person refers to the row and must not wait.
                _ONESELF.rows(by.pk)
                found = (way(project, by, now, iteration) for way in WAYS)
                return next((evaluation for evaluation in found if evaluation), None)
        except IntegrityError:
            continue  # somebody gave this person another place on the game at this very moment
    return None


# Prepared for the reason that `models.free_places` gives.
_ONESELF = Prepared(
    lambda key: Person.objects.select_for_update(no_key=True).filter(pk=key).values_list("pk"), int
)
_BEGUN = Prepared(
    lambda person, project: (
        Evaluation.objects.filter(evaluator=person, game__project=project, state__in=OPEN)
        # "returned" before "draft"
        .order_by("-state", "pk")
        .values_list("pk", "game")
    ),
    int,
    int,
)


def _begun(project: Project, by: Person, now: datetime, _iteration: Iteration | None) -> Evaluation | None:
    """What the person has open, held from now on; what they may not judge any more does not stand in the way."""
    for key, game in _BEGUN.rows(by.pk, project.pk):
        if not why_barred(by, game):
            evaluation = lock(Evaluation.objects.with_work().get(pk=key))
            if evaluation.state in OPEN:
                hold_place(evaluation=evaluation, by=by, now=now)
                return evaluation
    return None


def _kept(project: Project, by: Person, now: datetime, iteration: Iteration | None) -> Evaluation | None:
    """A place that a lead keeps for the person, where they may have begun before their time ended."""
    for place in kept_for(by.pk, project.pk, barred_until(by, project)):
        lapsed = Evaluation.objects.with_work().filter(game=place.game, evaluator=by, purpose=RATING).first()
        if lapsed is None:
            evaluation = _take(place, project, by, now, "assigned")
            if evaluation:
                return evaluation
        elif lock(lapsed).state == LAPSED and take_up(evaluation=lapsed, by=by, now=now):
            return lapsed
    return None


def _calibrated(
    project: Project, by: Person, now: datetime, iteration: Iteration | None
) -> Evaluation | None:
    """The next game of a calibration that is required. Of one iteration nothing but its own games is asked for."""
    return None if iteration else begin_required_calibration(project=project, by=by, now=now)


def _repeated(project: Project, by: Person, now: datetime, iteration: Iteration | None) -> Evaluation | None:
    """A hidden repeat, where one is due."""
    return None if iteration else begin_repeat(project=project, by=by, now=now)


def _dealt(project: Project, by: Person, now: datetime, iteration: Iteration | None) -> Evaluation | None:
    """A free place by the project's rule."""
    rule = rule_of(project).order
    deal = OLDEST if rule == OLDEST else _deal_of(by, project)
    for place in _in_order(deal, project, by, iteration):
        if evaluation := _take(place, project, by, now, deal):
            return evaluation
    return None


# What comes next is the first of these that gives something; each is called with the person locked.
WAYS = (_begun, _calibrated, _kept, _repeated, _dealt)


def _deal_of(person: Person, project: Project) -> tuple[int, int]:
    """The person's next draw: which one it is, and where among the shuffled places it points.

    Made of nothing but the two numbers and how many games the person was dealt, so that it can be made again; the audit
    line of each taking holds it.
    """
    number = picks_of(person.pk)
    return number, point_of(person, project, number)


def point_of(person: Person, project: Project, number: int) -> int:
    """Where among the shuffled places of a project a person's draw with that number points."""
    digest = hashlib.sha256(f"order:{project.pk}:{person.pk}:{number}".encode()).digest()
    return int.from_bytes(digest[:8]) % SHUFFLES


def _in_order(
    deal: str | tuple[int, int], project: Project, by: Person, iteration: Iteration | None
) -> Iterator[FreePlace]:
    """Free places for the person, the first one first: the oldest, or from a point among the shuffled ones, around."""
    order, start = (deal, 0) if isinstance(deal, str) else (BY_CHANCE, deal[1])
    given = {"person": by.pk, "project": project.pk, "barred": barred_until(by, project)}
    narrowed = iteration.pk if iteration else 0
    tried: set[int] = set()
    for since in (0,) if order == OLDEST else (start, 0):
        while found := next_free(order, **given, since=since, iteration=narrowed):
            new = [place for place in found if place.key not in tried]
            yield from new
            tried.update(place.key for place in new)
            last = found[-1].game if order == OLDEST else found[-1].shuffle
            since = last if new else last + 1


def _take(
    place: FreePlace, project: Project, by: Person, now: datetime, deal: str | tuple[int, int]
) -> Evaluation | None:
    """An evaluation in this place, taken by one conditional update; None when somebody was faster."""
    if place.measured is None:
        return None
    mine = Q(assigned_to=None) | Q(assigned_to=by)
    free = Slot.objects.filter(mine, pk=place.key, evaluator=None, is_closed=False)
    if free.update(evaluator=by, taken_at=now, lease_until=lease_from(now)) != 1:
        return None
    evaluation = Evaluation(
        game_id=place.game,
        slot_id=place.key,
        evaluator=by,
        measured_id=place.measured,
        seed=_seed(place, by),
        identification=place.identification,
        created_at=now,
    )
    insert_row(evaluation)
    record_event(
        by=by,
        now=now,
        project=project,
        verb="game:taken",
        object_kind="evaluation",
        object_id=evaluation.pk,
        detail={"game": place.game_number, "order": deal if isinstance(deal, str) else list(deal)},
    )
    return evaluation


def _seed(place: FreePlace, by: Person) -> str:
    """What deals the samples: from numbers only, so that nothing hidden in the game shows in which messages are drawn.

    Keyed, since the numbers can be guessed: who worked out the sample of role consistency before labelling would know
    that every other message asked about is one the rules object to.
    """
    drawn = f"sample:{place.game}:{place.number}:{by.pk}".encode()
    return hmac.new(settings.AUDIT_KEY.encode(), drawn, hashlib.sha256).hexdigest()[:32]
