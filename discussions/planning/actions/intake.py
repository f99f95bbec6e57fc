"""Save the rules by which games enter the queue, and put single games in or take them out by hand."""

from datetime import datetime

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from discussions.core.intake import EVERYTHING, Filling, list_faults, tidy_filling
from discussions.metrics.core.registry import METRICS
from discussions.models import FillRules, Game, QueueDraw, Slot, Verdict
from discussions.models.queue_rules import load_fill_rules
from discussions.planning.queries import query_waiting
from discussions.queries import list_batches
from discussions.slots.actions import sync_slots
from discussions.slots.permissions import check_assign
from discussions.slots.queries import draw_games
from workspace.audit.actions import record_event
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project

MEASURED = [key for key, metric in METRICS.items() if not metric.is_rated]


def check_filling(filling: Filling) -> Filling:
    """The tidied rules. Raises Unacceptable for the first fault of them."""
    tidied = tidy_filling(filling)
    for fault in list_faults(tidied, MEASURED):
        raise fault
    return tidied


def save_filling(
    *, project: Project, filling: Filling, is_applied: bool, by: Person, now: datetime
) -> FillRules | None:
    """Make a new version of the rules, for games that are measured from now on; None where nothing changes.

    With `is_applied` also for those that wait; what somebody has started, assigned, put in or removed stays. Raises
    NotAllowed for everybody but leads, Unacceptable for faulty rules.
    """
    check_assign(by, project)
    tidied = check_filling(filling)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        last = load_fill_rules(project.pk)
        if tidied == (last.to_record() if last else EVERYTHING) and not is_applied:
            return last
        rules = FillRules.objects.create(
            project=project,
            number=last.number + 1 if last else 1,
            body=msgspec.json.encode(tidied).decode(),
            is_applied=is_applied,
            created_at=now,
            created_by=by,
        )
        entered, left = _apply(rules, now) if is_applied else (0, 0)
        detail = {"number": rules.number, "is_applied": is_applied, "entered": entered, "left": left}
        record_event("fill_rules:saved", rules, by=by, now=now, detail=detail)
    return rules


def _apply(rules: FillRules, now: datetime) -> tuple[int, int]:
    """Draw all waiting games again, and say how many entered and how many left.

    A game that is drawn twice keeps its number, so it is in by the larger of two shares; this is the chance of games
    that were started after a smaller one.
    """
    entered = left = 0
    for keys in list_batches(query_waiting(rules.project)):
        list(Game.objects.filter(pk__in=keys).order_by("pk").select_for_update(no_key=True).values_list("pk"))
        # Whoever takes a slot at this moment is first, or finds none.
        list(Slot.objects.filter(game__in=keys).order_by("pk").select_for_update().values_list("pk"))
        waiting = query_waiting(rules.project).filter(pk__in=keys)
        before = dict(waiting.values_list("pk", "queue_draw__is_in"))
        draws = draw_games(rules=rules, games=list(before), now=now)
        QueueDraw.objects.filter(game__in=before).delete()
        QueueDraw.objects.bulk_create(draws, batch_size=500)
        sync_slots(games=list(before))
        entered += sum(draw.is_in and before[draw.game_id] is False for draw in draws)
        left += sum(not draw.is_in and before[draw.game_id] is not False for draw in draws)
    _raise_chances(rules, now)
    return entered, left


def _raise_chances(rules: FillRules, now: datetime) -> None:
    games = Game.objects.filter(project=rules.project_id, queue_draw__is_in=True, queue_draw__placed_at=None)
    lower = games.filter(queue_draw__chance__lt=1).exclude(queue_draw__rules=rules)
    for keys in list_batches(lower):
        new = {draw.game_id: draw.chance for draw in draw_games(rules=rules, games=keys, now=now)}
        rows = list(QueueDraw.objects.filter(game__in=keys))
        for row in rows:
            row.chance = max(row.chance, new[row.game_id])
        QueueDraw.objects.bulk_update(rows, ["chance"], batch_size=500)


def place_game(*, game: Game, is_in: bool, by: Person, now: datetime) -> QueueDraw | None:
    """Put a game into the queue by hand, or remove it for good: no rule brings it back. None where nothing changes.

    Started evaluations of a removed game continue. A game put in that was not drawn counts in no weighted estimate.
    Raises NotAllowed for everybody but leads, and for a game that is withdrawn or has a verdict.
    """
    check_assign(by, game.project)
    with transaction.atomic():
        rows = Game.objects.select_related("iteration", "project").select_for_update(
            of=("self",), no_key=True
        )
        locked = rows.get(pk=game.pk)
        if locked.withdrawn_at or Verdict.objects.filter(game=locked).exists():
            raise NotAllowed(_("A game that is withdrawn or has a verdict is not in the queue."), code="over")
        draw = QueueDraw.objects.filter(game=locked).first() or QueueDraw(
            game=locked, is_in=True, drawn_at=now
        )
        if draw.is_in == is_in:
            return None
        if is_in and draw.placed_at is None:
            draw.chance = 0.0
        draw.is_in, draw.placed_at, draw.placed_by = is_in, now, by
        draw.save()
        if locked.iteration.has_slots and locked.measurements.exists():
            sync_slots(games=[locked.pk])
        verb = "game:put_in" if is_in else "game:taken_out"
        record_event(verb, locked, by=by, now=now, detail={"game": locked.number})
    return draw
