"""How many evaluators a game needs: a lead can say, with a reason, that fewer are enough."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.actions.fitting import fit_places
from discussions.core.moves import SUBMITTED
from discussions.models import Evaluation, Game
from discussions.models.slots import RATING
from discussions.permissions_team import check_need_fewer
from workspace.actions.events import record_event
from workspace.actions.texts import clean_text
from workspace.core.refusals import Unacceptable
from workspace.models import Person


def need_fewer(*, game: Game, count: int, reason: str, by: Person, now: datetime) -> Game:
    """Say with a reason that fewer evaluations of this game are enough, at least as many as are in, at least one.

    Free places beyond that close. Whoever has begun keeps their place and may still hand in, which then counts; a place
    that they give back closes. Raises NotAllowed (not a lead, a verdict is recorded, not open for rating),
    Unacceptable for a number that is not lower than now, or lower than what is in, and without a reason.
    """
    with transaction.atomic():
        rows = Game.objects.select_related("iteration", "project")
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=game.pk)
        check_need_fewer(by, locked)
        before = locked.evaluator_count
        _refuse_count(locked, count)
        reason = clean_text(reason, ask=_("Say why fewer are enough: it stays beside the verdict."))
        stands = {"needed_count": count, "needed_at": now, "needed_by": by, "needed_reason": reason}
        Game.objects.filter(pk=locked.pk).update(**stands)
        for name, value in stands.items():
            setattr(locked, name, value)
        fitted = fit_places(games=[locked.pk])
        record_event(
            by=by,
            now=now,
            project=locked.project,
            verb="game:needs_fewer",
            object_kind="game",
            object_id=locked.pk,
            detail={"game": locked.number, "from": before, "to": count, "closed": fitted.closed},
        )
    return locked


def _refuse_count(game: Game, count: int) -> None:
    needed = game.evaluator_count
    if not 1 <= count < needed:
        raise Unacceptable(
            _("This game needs %(needed)d evaluations; choose a lower number, at least 1.")
            % {"needed": needed},
            field="count",
        )
    there = Evaluation.objects.filter(game=game, purpose=RATING, state=SUBMITTED).count()
    if count < there:
        raise Unacceptable(
            _("%(there)d evaluations are in, and all of them count; choose %(there)d or more.")
            % {"there": there},
            field="count",
        )
