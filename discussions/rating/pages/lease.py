"""The lease in the head of the evaluator's page, and when a break is proposed."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from discussions.core.evaluation_states import LAPSED, OPEN, state_after, why_closed
from discussions.models import Evaluation, Revision, Slot
from discussions.rating.core.sittings import LONGEST_SITTING, break_due, find_sitting
from discussions.slots.core import LEASE, minutes_left
from discussions.slots.queries import set_aside
from workspace.core.refusals import Refusal
from workspace.database.prepared_queries import Prepared

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


_PLACES = Prepared(
    lambda person: Slot.objects.filter(evaluator=person, is_closed=False).values_list(
        "pk", "taken_at", "lease_until"
    ),
    int,
)

_JUDGED = Prepared(
    lambda person, since: (
        Revision.objects.filter(created_by=person, created_at__gt=since).order_by().values_list("created_at")
    ),
    int,
    datetime,
)


def build_lease(*, evaluation: Evaluation, now: datetime, refusal: Refusal | None = None) -> Lease:
    """The current lease, in two queries. `refusal` is why it was not renewed or resumed, or why an act failed."""
    places = _PLACES(evaluation.evaluator_id)
    if evaluation.state not in OPEN:
        return _not_held(evaluation, refusal)
    until = next((until for key, _taken, until in places if key == evaluation.slot_id), None)
    left = minutes_left(until, now)
    sitting = find_sitting(_acts(evaluation.evaluator_id, places, now), now)
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


def _acts(
    person: int, places: Sequence[tuple[int, datetime | None, datetime | None]], now: datetime
) -> list[datetime]:
    """When the person judged, took a slot, or renewed a lease; only the last renewal is stored."""
    times = [judged for (judged,) in _JUDGED(person, now - LONGEST_SITTING)]
    times += [taken for _key, taken, _until in places if taken]
    return times + [until - LEASE for _key, _taken, until in places if until]
