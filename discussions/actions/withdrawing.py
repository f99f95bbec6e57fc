"""Games that do not count: withdrawn from every average, with a reason, and taken back in the same way."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists
from django.utils.translation import gettext as _

from discussions.actions.taking import open_slots
from discussions.models import Game, Withdrawal
from discussions.models.readiness import measured_for
from discussions.permissions import check_withdraw_game
from workspace.actions.events import record_event
from workspace.actions.texts import clean_text
from workspace.core.refusals import Conflict
from workspace.models import Person


def withdraw_game(*, game: Game, reason: str, by: Person, now: datetime) -> Withdrawal:
    """Take a game out of averages, comparisons and the gate; it stays where it is, with all that was said of it.

    What was decided on its figures stands as it was. Raises NotAllowed, Unacceptable without a reason, Conflict when it
    was withdrawn already.
    """
    return _turn(game, reason, by, now, is_withdrawn=True)


def restore_game(*, game: Game, reason: str, by: Person, now: datetime) -> Withdrawal:
    """Let a withdrawn game count again; it gets its places where its iteration gave them to the others meanwhile.

    Raises NotAllowed, Unacceptable without a reason, Conflict when it counts already.
    """
    return _turn(game, reason, by, now, is_withdrawn=False)


def _turn(game: Game, reason: str, by: Person, now: datetime, *, is_withdrawn: bool) -> Withdrawal:
    check_withdraw_game(by, game)
    reason = clean_text(reason, ask=_("Say why: the reason stays beside the game."))
    with transaction.atomic():
        # The row of the game is the lock: of two at once the second finds it turned.
        standing = Game.objects.filter(pk=game.pk, withdrawn_at__isnull=is_withdrawn)
        who: dict[str, object] = (
            {"withdrawn_at": now, "withdrawn_by": by, "withdrawn_reason": reason}
            if is_withdrawn
            else {"withdrawn_at": None, "withdrawn_by": None, "withdrawn_reason": ""}
        )
        if not standing.update(**who):
            raise _turned(game, is_withdrawn)
        made = Withdrawal.objects.create(
            game=game,
            number=Withdrawal.objects.filter(game=game).count() + 1,
            is_withdrawn=is_withdrawn,
            reason=reason,
            created_at=now,
            created_by=by,
        )
        if not is_withdrawn:
            open_slots(games=Game.objects.filter(Exists(measured_for(game.iteration)), pk=game.pk))
        _record(made, by, now)
    return made


def _turned(game: Game, is_withdrawn: bool) -> Conflict:
    says = (
        _("Somebody withdrew game %(number)d first; that reason stands.")
        if is_withdrawn
        else _("Game %(number)d counts again already; somebody was faster.")
    )
    return Conflict(says % {"number": game.number}, code="turned_first")


def _record(made: Withdrawal, by: Person, now: datetime) -> None:
    record_event(
        by=by,
        now=now,
        project=made.game.project,
        verb="game:withdrawn" if made.is_withdrawn else "game:restored",
        object_kind="withdrawal",
        object_id=made.pk,
        detail={"game": made.game.number, "number": made.number},
    )
