"""What must hold of places on games: the part of `manage.py verify` about who holds what."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from discussions.core.moves import LAPSED, OPEN, SKIPPED, SUBMITTED
from discussions.models import Evaluation, Slot, Verdict
from discussions.models.games import NEEDED_OF_GAME
from discussions.models.slots import RATING
from workspace.models import Event


def places_hold(_now: datetime) -> Iterator[str]:
    """As many places as asked for, one person in each, nobody twice on a game; leases and kept places fit."""
    yield from _of_people()
    yield from _of_evaluations()
    yield from _leases_and_kept()
    yield from _awaiting()


def _of_people() -> Iterator[str]:
    people = (
        Slot.objects.exclude(evaluator=None).values("game", "purpose", "evaluator").annotate(n=Count("pk"))
    )
    for row in people.filter(n__gt=1).order_by("game"):
        yield f"Person {row['evaluator']} holds {row['n']} places on the game in row {row['game']}."
    for many in _too_many():
        yield (
            f"The game in row {many['game']} has {many['n']} places, {many['free']} of them free, "
            f"where {many['needed']} evaluators are asked for."
        )
    working = Evaluation.objects.filter(slot=OuterRef("pk"), evaluator=OuterRef("evaluator"))
    for slot in Slot.objects.filter(~Exists(working)).exclude(evaluator=None).order_by("pk"):
        yield f"Place {slot.number} (row {slot.pk}) is taken, but nobody works in it."


def _too_many() -> "QuerySet[Slot, Any]":
    """Games that more people could still rate than are asked for; places that were closed without anybody are none."""
    places = Slot.objects.filter(Q(is_closed=False) | Q(evaluator__isnull=False), purpose=RATING)
    counted = places.values("game").annotate(
        n=Count("pk"),
        free=Count("pk", filter=Q(evaluator=None)),
        needed=NEEDED_OF_GAME,
    )
    return counted.filter(free__gt=0, n__gt=F("needed")).order_by("game")


def _of_evaluations() -> Iterator[str]:
    rows = Evaluation.objects.select_related("slot")
    held = Q(slot__evaluator=F("evaluator"))
    is_open, is_in, is_back = (
        Q(state__in=OPEN),
        Q(state=SUBMITTED),
        Q(state__in=(SKIPPED, LAPSED)),
    )
    for one in rows.filter(is_open & ~held).order_by("pk"):
        yield f"Evaluation {one.pk} is open, but its place (row {one.slot_id}) is not its evaluator's."
    for one in rows.filter(is_open & held & Q(slot__is_closed=True)).order_by("pk"):
        yield f"Evaluation {one.pk} is open, but its place (row {one.slot_id}) is closed."
    for one in rows.filter(is_in & (~held | Q(slot__is_closed=False))).order_by("pk"):
        yield f"Evaluation {one.pk} is submitted, but its place (row {one.slot_id}) is not closed."
    for one in rows.filter(is_back & held).order_by("pk"):
        yield f"Evaluation {one.pk} is {one.state}, but its evaluator still holds place {one.slot_id}."


def _leases_and_kept() -> Iterator[str]:
    leased = Slot.objects.exclude(lease_until=None)
    for slot in leased.filter(Q(evaluator=None) | Q(is_closed=True)).order_by("pk"):
        yield f"A lease runs on place {slot.number} (row {slot.pk}), where nobody works."
    kept = Slot.objects.exclude(assigned_to=None)
    elsewhere = Q(evaluator__isnull=False) & ~Q(evaluator=F("assigned_to"))
    for slot in kept.filter(elsewhere).order_by("pk"):
        yield f"Place {slot.number} (row {slot.pk}) is kept for one person, and another is in it."
    own = Evaluation.objects.filter(
        game=OuterRef("game"), purpose=OuterRef("purpose"), evaluator=OuterRef("assigned_to")
    )
    busy = own.filter(state__in=(*OPEN, SUBMITTED)).exclude(slot=OuterRef("pk"))
    for slot in kept.filter(Exists(busy)).order_by("pk"):
        yield f"Place {slot.number} (row {slot.pk}) is kept for somebody who has another on that game."


def _awaiting() -> Iterator[str]:
    is_in = Q(purpose=RATING, is_closed=True, evaluator__isnull=False)
    waiting = Slot.objects.exclude(awaiting_since=None)
    for slot in waiting.exclude(is_in).order_by("pk"):
        yield f"Place {slot.number} (row {slot.pk}) waits for a verdict, and nothing was handed in there."
    recorded = Verdict.objects.filter(game=OuterRef("game"))
    for slot in Slot.objects.filter(is_in, ~Exists(recorded), awaiting_since=None).order_by("pk"):
        yield f"Place {slot.number} (row {slot.pk}) was handed in, and its game is not told to wait for a verdict."


def endings_are_told(_now: datetime) -> Iterator[str]:
    """The audit log tells of every evaluation that lapsed why its place was given back."""
    verbs = ("lease:ended", "place:released")
    told = set(Event.objects.filter(verb__in=verbs).values_list("object_id", flat=True))
    for key in Evaluation.objects.filter(state=LAPSED).order_by("pk").values_list("pk", flat=True):
        if str(key) not in told:
            yield f"Evaluation {key} lapsed, and the audit log does not tell why."
