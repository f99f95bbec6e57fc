"""Holding a place on a game while working there: its lease is renewed, and work that lapsed goes on."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from discussions.actions.fitting import close_given_back
from discussions.core.leases import is_due, lease_from
from discussions.core.moves import LAPSED, OPEN, state_after
from discussions.models import Evaluation, Slot
from discussions.models.slots import RATING, place_held
from discussions.permissions import check_return_to_game
from workspace.actions.events import record_event
from workspace.core.refusals import Conflict, NotAllowed
from workspace.models import Person

GONE = gettext_lazy(
    "Your place on this game went back, and somebody else has it now. What you judged is kept, but it cannot be handed "
    "in while no place is free. Take the next game from your home page."
)


def hold_place(*, evaluation: Evaluation, by: Person, now: datetime) -> None:
    """Keep the evaluator's place while they work. Every act calls this, on the locked evaluation, before its checks.

    Renews the lease when that is due. What lapsed goes on silently, if its place is still free; NotAllowed when it is
    not, or when a lead took it back. Whatever else is wrong is left to the checks of the act.
    """
    if evaluation.evaluator_id != by.pk:
        return
    if evaluation.state in OPEN:
        _renew(evaluation, by, now)
    elif evaluation.state == LAPSED:
        check_return_to_game(by, evaluation)
        if why := evaluation.released_reason:
            raise NotAllowed(_released(why), code="released")
        if not take_up(evaluation=evaluation, by=by, now=now):
            check_needed(evaluation)
            raise NotAllowed(str(GONE), code="place_gone")


def check_needed(evaluation: Evaluation) -> None:
    """What was set aside without finding a place: refuses if its own closed because fewer are needed by now."""
    if Slot.objects.filter(pk=evaluation.slot_id, evaluator=None, is_closed=True).exists():
        raise NotAllowed(
            _(
                "This game needs no further evaluation: fewer are asked for by now. What you judged is kept, but it "
                "cannot be handed in. Take the next game from your home page."
            ),
            code="enough",
        )


def _released(why: str) -> str:
    return _(
        "A team lead took this place back: %(why)s What you judged is kept. You can take the game up again from your "
        "home page while its place is free."
    ) % {"why": why if why.endswith((".", "!", "?")) else f"{why}."}


def _renew(evaluation: Evaluation, by: Person, now: datetime) -> None:
    if not is_due(evaluation.slot.lease_until, now):
        return
    until = lease_from(now)
    held = Slot.objects.filter(pk=evaluation.slot_id, evaluator=by, is_closed=False)
    if held.update(lease_until=until):
        evaluation.slot = place_held(evaluation.slot_id, until)


def take_up(*, evaluation: Evaluation, by: Person, now: datetime) -> bool:
    """Let a skipped or lapsed evaluation, locked, go on in a free place on its game; whether there was one.

    A place that is kept for the person comes first; one that is kept for somebody else is not free.
    """
    free = Slot.objects.filter(
        Q(assigned_to=None) | Q(assigned_to=by),
        game=evaluation.game_id,
        purpose=evaluation.purpose,
        evaluator=None,
        is_closed=False,
    )
    in_order = free.order_by(F("assigned_to").asc(nulls_last=True), "number")
    for slot in in_order.values_list("pk", flat=True):
        if take_place(slot=slot, by=by, now=now):
            move(evaluation, "resume", slot_id=slot, released_reason="", set_aside_at=None)
            evaluation.slot = place_held(slot, lease_from(now))
            tell(evaluation=evaluation, verb="evaluation:resumed", by=by, now=now)
            return True
    return False


def take_place(*, slot: int, by: Person, now: datetime) -> bool:
    """Take a free place by one conditional update; False when somebody was faster, or it is kept for another."""
    free = Slot.objects.filter(
        Q(assigned_to=None) | Q(assigned_to=by), pk=slot, evaluator=None, is_closed=False
    )
    try:
        with transaction.atomic():
            return free.update(evaluator=by, taken_at=now, lease_until=lease_from(now)) == 1
    except IntegrityError:
        return False


def give_back(evaluation: Evaluation) -> None:
    """Free the place of a locked evaluation, for anybody; it closes where fewer are needed by now. One that is of its
    person alone, for a repeat or a calibration, stays theirs.
    """
    place = Slot.objects.filter(pk=evaluation.slot_id)
    place.update(evaluator=None, taken_at=None, lease_until=None)
    if place.filter(purpose=RATING).update(assigned_to=None, assigned_at=None, assigned_by=None):
        close_given_back(game=evaluation.game_id)


def move(evaluation: Evaluation, move: str, **changes: object) -> None:
    """Change the state by the table of moves, if the row is still where it was read; the row is locked by then."""
    state = state_after(evaluation.state, move)
    if state is None:
        raise _stale()
    rows = Evaluation.objects.filter(pk=evaluation.pk, state=evaluation.state, version=evaluation.version)
    if rows.update(state=state, version=F("version") + 1, **changes) != 1:
        raise _stale()
    evaluation.state, evaluation.version = state, evaluation.version + 1
    for name, value in changes.items():
        setattr(evaluation, name, value)


def tell(*, evaluation: Evaluation, verb: str, by: Person, now: datetime, **detail: object) -> None:
    """The audit line of an act on a whole evaluation."""
    record_event(
        by=by,
        now=now,
        project=evaluation.game.project,
        verb=verb,
        object_kind="evaluation",
        object_id=evaluation.pk,
        detail={"game": evaluation.game.number, "version": evaluation.version} | detail,
    )


def _stale() -> Conflict:
    return Conflict(_("This evaluation was changed elsewhere meanwhile. Load the page again."), code="stale")
