"""Hidden repeats: dealt like any other game, in a place of its own, under a number that no game has."""

from datetime import datetime

from django.db.models import F

from discussions.actions.seeding import seed_of
from discussions.core.leases import lease_from
from discussions.core.moves import SUBMITTED
from discussions.core.repeats import is_due, repeated_game
from discussions.models import Evaluation, Game, Slot
from discussions.models.leading import why_barred
from discussions.models.queue_rules import rule_of
from discussions.models.slots import RATING, REPEAT
from discussions.models.standings import newest_measured
from workspace.actions.accounts import system_person
from workspace.actions.events import record_event
from workspace.models import Person, Project


def begin_repeat(*, project: Project, by: Person, now: datetime) -> Evaluation | None:
    """Begin an evaluation that repeats an earlier one of the person, where the project's rule has one due now.

    Called with the person locked.
    """
    percent = rule_of(project).repeat_percent
    if not percent:
        return None
    own = Evaluation.objects.filter(evaluator=by, game__project=project, purpose__in=(RATING, REPEAT))
    seed, dealt = f"repeat:{project.pk}:{by.pk}", own.count()
    if not is_due(seed, dealt, percent):
        return None
    handed_in = own.filter(purpose=RATING, state=SUBMITTED, game__withdrawn_at=None)
    in_order = list(handed_in.order_by("submitted_at", "pk").values_list("game", flat=True))
    repeated = set(own.filter(purpose=REPEAT).values_list("game", flat=True))
    chosen = repeated_game(seed, dealt, in_order, repeated)
    if chosen is None or why_barred(by, chosen):
        return None
    game = Game.objects.select_related("iteration").get(pk=chosen)
    return _begin(project, game, by, now)


def _begin(project: Project, game: Game, by: Person, now: datetime) -> Evaluation | None:
    measured = newest_measured(game)
    if measured is None:
        return None
    evaluation = Evaluation.objects.create(
        game=game,
        slot=_place(project, game, by, now),
        evaluator=by,
        purpose=REPEAT,
        measured=measured,
        seed=seed_of(f"sample:{game.pk}:repeat:{by.pk}"),
        identification=game.iteration.identification,
        shown_number=_number(project),
        created_at=now,
    )
    record_event(
        by=by,
        now=now,
        project=project,
        verb="game:taken",
        object_kind="evaluation",
        object_id=evaluation.pk,
        detail={"game": game.number, "order": REPEAT, "shown": evaluation.shown_number},
    )
    return evaluation


def _place(project: Project, game: Game, by: Person, now: datetime) -> Slot:
    """A place of the person's own on the game."""
    # Whoever repeats the same game at the same moment waits for this row, so that places have numbers of their own.
    Game.objects.select_for_update(no_key=True).get(pk=game.pk)
    return Slot.objects.create(
        project=project,
        game=game,
        purpose=REPEAT,
        number=Slot.objects.filter(game=game, purpose=REPEAT).count() + 1,
        shuffle=0,
        evaluator=by,
        taken_at=now,
        lease_until=lease_from(now),
        assigned_to=by,
        assigned_at=now,
        assigned_by=system_person(now=now),
    )


def _number(project: Project) -> int:
    """A number of the project that no game will have."""
    rows = Project.objects.filter(pk=project.pk)
    rows.update(next_game_number=F("next_game_number") + 1)
    return rows.values_list("next_game_number", flat=True)[0] - 1
