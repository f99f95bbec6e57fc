"""Sending a submitted evaluation back to its evaluator, with a comment on what to look at again."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.core.moves import RETURNED, state_after
from discussions.models import Evaluation, Game, Slot
from discussions.permissions_team import check_return_evaluation
from workspace.actions.events import record_event
from workspace.actions.texts import clean_text
from workspace.core.refusals import Conflict
from workspace.models import Person


def return_evaluation(*, evaluation: Evaluation, comment: str, by: Person, now: datetime) -> Evaluation:
    """Send the evaluation back: it does not count until it is handed in again, and its place is its evaluator's.

    No lease runs before the evaluator opens it. Sending it back again with the same comment changes nothing. Raises
    Unacceptable without a comment, NotAllowed (not a lead, not submitted, a verdict rests on it, nobody could work on
    it), Conflict when it was changed at this moment.
    """
    ask = _("Say what to look at again: the evaluator sees this comment.")
    comment = clean_text(comment, field="comment", ask=ask)
    with transaction.atomic():
        rows = Evaluation.objects.select_related("game__project", "evaluator").select_for_update(of=("self",))
        locked = rows.get(pk=evaluation.pk)
        # Recording the verdict and sending back what it would rest on wait for one another; locked in this order
        # everywhere, the evaluation before its game.
        Game.objects.select_for_update(no_key=True).get(pk=locked.game_id)
        if locked.state == RETURNED and locked.returned_comment == comment:
            return locked
        check_return_evaluation(by, locked)
        state = state_after(locked.state, "return")
        assert state is not None
        now_open = {"state": state, "returned_comment": comment, "version": locked.version + 1}
        own = Evaluation.objects.filter(pk=locked.pk, state=locked.state, version=locked.version)
        place = Slot.objects.filter(pk=locked.slot_id, evaluator=locked.evaluator_id, is_closed=True)
        reopened = {"is_closed": False, "lease_until": None, "awaiting_since": None}
        if own.update(**now_open) != 1 or place.update(**reopened) != 1:
            raise Conflict(
                _("This evaluation was changed elsewhere meanwhile. Load the page again."), code="stale"
            )
        for name, value in now_open.items():
            setattr(locked, name, value)
        _record(locked, by, now)
    return locked


def _record(evaluation: Evaluation, by: Person, now: datetime) -> None:
    record_event(
        by=by,
        now=now,
        project=evaluation.game.project,
        verb="evaluation:returned",
        object_kind="evaluation",
        object_id=evaluation.pk,
        detail={"game": evaluation.game.number, "version": evaluation.version},
    )
