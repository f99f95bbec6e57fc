"""The lease in the head of the evaluator's page, and when a break is proposed."""

from datetime import datetime
from typing import Any

from django.db.models import DateTimeField, QuerySet, Value
from msgspec import Struct

from discussions.core.evaluation_states import LAPSED, OPEN, state_after, why_closed
from discussions.models import Evaluation, Revision, Slot
from discussions.rating.core.sittings import LONGEST_SITTING, break_due, find_sitting
from discussions.slots.core import LEASE, minutes_left
from discussions.slots.queries import set_aside
from workspace.core.refusals import Refusal
from workspace.database.prepared_queries import prepared

HELD, OVER, ENDED, CLOSED = "held", "over", "ended", "closed"


TAKEN = frozenset({"place_gone", "place_taken"})


TOLD = frozenset({"released", "closed"})


class Lease(Struct, frozen=True, kw_only=True):
    """The slot of one evaluation. `minutes` is the time left, None while no lease runs.

    `state` is "held", "over" (the lease ended and the slot is not yet taken back), "ended" (the slot went back; the
    work is kept) or "closed" (submitted or skipped). `says` is why the slot is no longer held, `released` the reason of
    a lead who released it; `is_free` means that the work can be resumed, `is_gone` that resuming failed because no slot
    was free. `break_minutes` is 0 unless a break is proposed.
    """

    evaluation_id: int
    state: str
    minutes: int | None = None
    says: str = ""
    released: str = ""
    is_free: bool = False
    is_gone: bool = False
    break_minutes: int = 0


@prepared
def _list_moments(person: int, since: datetime) -> "QuerySet[Any, Any]":
    """The person's slots: their keys, when they were taken, the ends of their leases; with key 0, when they judged."""
    places = Slot.objects.filter(evaluator=person, is_closed=False)
    acts = Revision.objects.filter(created_by=person, created_at__gt=since).order_by()
    never = Value(None, output_field=DateTimeField())
    return places.values_list("pk", "taken_at", "lease_until").union(
        acts.values_list(Value(0), "created_at", never), all=True
    )


def build_lease(*, evaluation: Evaluation, now: datetime, refusal: Refusal | None = None) -> Lease:
    """The current lease, in one query. `refusal` is why it was not renewed or resumed, or why an act failed."""
    if evaluation.state not in OPEN:
        return _not_held(evaluation, refusal)
    moments = _list_moments(evaluation.evaluator_id, now - LONGEST_SITTING)
    until = next((until for key, _at, until in moments if key == evaluation.slot_id), None)
    left = minutes_left(until, now)
    # When they judged, took a slot, or renewed a lease; only the last renewal is stored.
    acts = [at for _key, at, _until in moments if at]
    sitting = find_sitting(acts + [until - LEASE for _key, _at, until in moments if until], now)
    return Lease(
        evaluation_id=evaluation.pk,
        state=OVER if left == 0 else HELD,
        minutes=left,
        says=refusal.sentence if refusal else "",
        break_minutes=break_due(sitting),
    )


def _not_held(evaluation: Evaluation, refusal: Refusal | None) -> Lease:
    is_lapsed = evaluation.state == LAPSED
    released = evaluation.released_reason if is_lapsed else ""
    says = why_closed(evaluation.state, is_released=bool(released))
    if refusal and refusal.code not in TOLD:
        says = refusal.sentence
    return Lease(
        evaluation_id=evaluation.pk,
        state=ENDED if is_lapsed else CLOSED,
        says=says,
        released=released,
        is_free=state_after(evaluation.state, "resume") is not None
        and set_aside(evaluation.evaluator, [evaluation.game.project_id]).filter(pk=evaluation.pk).exists(),
        is_gone=refusal is not None and refusal.code in TAKEN,
    )
