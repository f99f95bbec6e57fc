"""Leases of places: renewed by work, ended by time or by a lead. Whatever was judged is kept as it is."""

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from discussions.actions.fitting import close_given_back
from discussions.actions.holding import give_back, hold_place, move, tell
from discussions.actions.judging import lock
from discussions.core.moves import LAPSED, OPEN
from discussions.models import Evaluation, Slot
from discussions.permissions import check_deal_out, check_rate
from workspace.actions.texts import clean_text
from workspace.core.refusals import Conflict
from workspace.models import Person, Project

MOST_AT_ONCE = 500


def renew_lease(*, evaluation: Evaluation, by: Person, now: datetime) -> datetime | None:
    """Hold the evaluator's place longer while they read; until when it is held. Writes only when that is due.

    What lapsed goes on, if its place is still free. Raises NotAllowed when the evaluation is not open.
    """
    with transaction.atomic():
        locked = lock(evaluation)
        hold_place(evaluation=locked, by=by, now=now)
        check_rate(by, locked)
        return locked.slot.lease_until


def expire_leases(*, by: Person, now: datetime, project: Project | None = None) -> int:
    """Give places back whose lease has ended, of one project or of all; how many. The work stays, as lapsed.

    Each in a transaction of its own: whoever saves at this moment keeps the place, or finds it free.
    """
    ended = Slot.objects.filter(lease_until__lte=now).order_by("lease_until")
    if project is not None:
        ended = ended.filter(project=project)
    holding = Evaluation.objects.filter(slot__in=ended[:MOST_AT_ONCE].values("pk"))
    held = holding.filter(evaluator=F("slot__evaluator"), state__in=OPEN)
    rows = held.select_related("slot", "game__project").order_by("slot__lease_until", "pk")
    return sum(_expire(evaluation, by, now) for evaluation in rows)


def _expire(evaluation: Evaluation, by: Person, now: datetime) -> bool:
    with transaction.atomic():
        locked = lock(evaluation)
        ended = Slot.objects.filter(pk=locked.slot_id, evaluator=locked.evaluator_id, lease_until__lte=now)
        if locked.state not in OPEN or not ended.update(evaluator=None, taken_at=None, lease_until=None):
            return False
        move(locked, "lapse", released_reason="", set_aside_at=now)
        close_given_back(game=locked.game_id)
        tell(evaluation=locked, verb="lease:ended", by=by, now=now, person=locked.evaluator_id)
    return True


def release_place(*, evaluation: Evaluation, reason: str, by: Person, now: datetime) -> Evaluation:
    """A lead takes a place back, also one that was sent back; the work stays, and goes on while a place is free.

    Releasing again changes nothing. Raises NotAllowed for anybody but leads, Conflict when it was handed in or given
    back meanwhile, Unacceptable for a reason that is too long.
    """
    check_deal_out(by, evaluation.game.project)
    reason = clean_text(reason) or _("no reason was given.")
    with transaction.atomic():
        locked = lock(evaluation)
        if locked.state == LAPSED:
            return locked
        if locked.state not in OPEN:
            raise Conflict(_given_back(locked), code="not_held")
        move(locked, "lapse", released_reason=reason, set_aside_at=now)
        give_back(locked)
        tell(evaluation=locked, verb="place:released", by=by, now=now, person=locked.evaluator_id)
    return locked


def _given_back(evaluation: Evaluation) -> str:
    return _(
        "%(name)s handed game %(number)d in, or gave its place back, meanwhile. Nothing was changed."
    ) % {
        "name": evaluation.evaluator.name,
        "number": evaluation.game.number,
    }
