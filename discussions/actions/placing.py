"""Places of one person alone, beside those that a game has for rating: for hidden repeats and calibrations."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from discussions.core.leases import lease_from
from discussions.models import Evaluation, Game, Slot
from workspace.actions.accounts import system_person
from workspace.actions.events import record_event
from workspace.models import Person


def begin_alone(
    *,
    game: Game,
    purpose: str,
    measured: int,
    seed: str,
    identification: str,
    by: Person,
    now: datetime,
    shown_number: int | None = None,
    detail: Mapping[str, Any],
) -> Evaluation:
    """Begin an evaluation for that purpose in a place of the person's own, with its audit line.

    Called in a transaction. Fetch the game with its project.
    """
    evaluation = Evaluation.objects.create(
        game=game,
        slot=_place(game, purpose, by, now),
        evaluator=by,
        purpose=purpose,
        measured_id=measured,
        seed=seed,
        identification=identification,
        shown_number=shown_number,
        created_at=now,
    )
    record_event(
        by=by,
        now=now,
        project=game.project,
        verb="game:taken",
        object_kind="evaluation",
        object_id=evaluation.pk,
        detail={"game": game.number, "order": purpose} | dict(detail),
    )
    return evaluation


def _place(game: Game, purpose: str, by: Person, now: datetime) -> Slot:
    # Whoever begins the same game at the same moment waits for this row, so that places have numbers of their own.
    Game.objects.select_for_update(no_key=True).get(pk=game.pk)
    return Slot.objects.create(
        project_id=game.project_id,
        game=game,
        purpose=purpose,
        number=Slot.objects.filter(game=game, purpose=purpose).count() + 1,
        shuffle=0,
        evaluator=by,
        taken_at=now,
        lease_until=lease_from(now),
        assigned_to=by,
        assigned_at=now,
        assigned_by=system_person(now=now),
    )
