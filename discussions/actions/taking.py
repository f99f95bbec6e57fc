"""The queue: places on games are rows, and "next game" takes one by a single conditional update."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet

from discussions.core.leases import lease_from
from discussions.core.moves import OPEN
from discussions.models import Evaluation, Game, Iteration, Slot
from discussions.models.leading import games_led_by
from discussions.models.slots import RATING
from discussions.models.standings import newest_measured
from discussions.permissions import check_take_game
from workspace.actions.events import record_event
from workspace.models import Person, Project

PRIME = 2**31 - 1
SHUFFLES = 2**31
CANDIDATES, TRIES = 8, 25


def open_slots(*, games: Iterable[Game]) -> None:
    """Make the places of measured games, as many as their iteration asks evaluators for; those that exist stay.

    Called in the transaction that stores a game's measurement, and when an iteration is opened for rating: only
    measured games can be taken, and in a stage only once their iteration is open. The games are locked, since somebody
    may be moving them into another iteration at this moment.
    """
    keys = [game.pk for game in games]
    rows = Game.objects.filter(pk__in=keys).order_by("pk").select_related("iteration")
    present = rows.only("project", "needed_count", "iteration__state", "iteration__evaluator_count")
    Slot.objects.bulk_create(
        (
            Slot(project_id=game.project_id, game=game, number=number, shuffle=secrets.randbelow(SHUFFLES))
            for game in present.select_for_update(of=("self",), no_key=True)
            if game.iteration.has_places
            for number in range(1, game.evaluator_count + 1)
        ),
        ignore_conflicts=True,
    )


def take_next_game(
    *, project: Project, by: Person, now: datetime, iteration: Iteration | None = None
) -> Evaluation | None:
    """The person's open evaluation in the project, else one of a game that has a free place; None without any.

    Never two people in one place, never a person twice on one game. Which free game comes next is random per person,
    by a seed of the person and the project; with an `iteration` it is one of its games. Raises NotAllowed for anybody
    but the project's evaluators.
    """
    check_take_game(by, project)
    with transaction.atomic():
        # Without the key: the audit line of another act of the same person refers to the row and must not wait.
        Person.objects.select_for_update(no_key=True).get(pk=by.pk)
        mine = Evaluation.objects.filter(game__project=project, evaluator=by, state__in=OPEN)
        if started := mine.exclude(game__in=games_led_by(by).values("pk")).order_by("pk").first():
            return started
        tried: set[int] = set()
        free = free_slots(project, by)
        if iteration is not None:
            free = free.filter(game__iteration=iteration)
        for _attempt in range(TRIES):
            candidates = list(free.exclude(pk__in=tried)[:CANDIDATES])
            if not candidates:
                return None
            for slot in candidates:
                if evaluation := _take(slot, by, now):
                    return evaluation
                tried.add(slot.pk)
    return None


def free_slots(project: Project, person: Person) -> QuerySet[Slot]:
    """Free places on games which the person has nothing to do with yet and never led, in the person's own order."""
    factor, offset = order_of(person, project)
    free = Slot.objects.filter(
        game__project=project,
        game__withdrawn_at=None,
        purpose=RATING,
        evaluator=None,
        is_closed=False,
    )
    known = Evaluation.objects.filter(evaluator=person, game__project=project).values("game")
    order = (F("game_id") % PRIME * factor + offset) % PRIME
    led = games_led_by(person).filter(project=project).values("pk")
    open_to = free.exclude(game__in=known).exclude(game__in=led)
    return open_to.order_by(order, "number").select_related("game__iteration")


def order_of(person: Person, project: Project) -> tuple[int, int]:
    """The person's order of games as (factor, offset): game g comes at (g * factor + offset) modulo a prime.

    It is fixed by the two numbers it is made of, so that it can be made again; the audit line of each taking holds it.
    """
    digest = hashlib.sha256(f"order:{project.pk}:{person.pk}".encode()).digest()
    return int.from_bytes(digest[:8]) % (PRIME - 1) + 1, int.from_bytes(digest[8:16]) % PRIME


def _take(slot: Slot, by: Person, now: datetime) -> Evaluation | None:
    """An evaluation in this place; None when somebody was faster or the game has no measurement."""
    measured = newest_measured(slot.game)
    if measured is None:
        return None
    try:
        with transaction.atomic():
            free = Slot.objects.filter(pk=slot.pk, evaluator=None, is_closed=False)
            if free.update(evaluator=by, taken_at=now, lease_until=lease_from(now)) != 1:
                return None
            evaluation = Evaluation.objects.create(
                game=slot.game,
                slot=slot,
                evaluator=by,
                measured=measured,
                seed=_seed(slot, by),
                identification=slot.game.iteration.identification,
                created_at=now,
            )
    except IntegrityError:
        return None
    factor, offset = order_of(by, slot.game.project)
    record_event(
        by=by,
        now=now,
        project=slot.game.project,
        verb="game:taken",
        object_kind="evaluation",
        object_id=evaluation.pk,
        detail={"game": slot.game.number, "order": [factor, offset]},
    )
    return evaluation


def _seed(slot: Slot, by: Person) -> str:
    """What deals the samples: from numbers only, so that nothing hidden in the game shows in which messages are drawn.

    Keyed, since the numbers can be guessed: who worked out the sample of role consistency before labelling would know
    that every other message asked about is one the rules object to.
    """
    drawn = f"sample:{slot.game_id}:{slot.number}:{by.pk}".encode()
    return hmac.new(settings.AUDIT_KEY.encode(), drawn, hashlib.sha256).hexdigest()[:32]
