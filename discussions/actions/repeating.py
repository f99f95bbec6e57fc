"""Hidden repeats: dealt like any other game, in a place of its own, under a number that no game has."""

from datetime import datetime

from django.db.models import F

from discussions.actions.placing import begin_alone
from discussions.core.moves import SUBMITTED
from discussions.core.repeats import is_due, repeated_game
from discussions.models import Evaluation, Game
from discussions.models.leading import why_barred
from discussions.models.queue_rules import rule_of
from discussions.models.slots import RATING, REPEAT
from discussions.models.standings import newest_measured
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
    game = Game.objects.select_related("iteration", "project").get(pk=chosen)
    measured = newest_measured(game)
    if measured is None:
        return None
    first = Evaluation.objects.get(game=game, evaluator=by, purpose=RATING)
    number = _number(project)
    return begin_alone(
        game=game,
        purpose=REPEAT,
        measured=measured.pk,
        # The same messages are asked about, so that both answers to each can be compared.
        seed=first.seed,
        identification=first.identification,
        by=by,
        now=now,
        shown_number=number,
        detail={"shown": number},
    )


def _number(project: Project) -> int:
    """A number of the project that no game will have."""
    rows = Project.objects.filter(pk=project.pk)
    rows.update(next_game_number=F("next_game_number") + 1)
    return rows.values_list("next_game_number", flat=True)[0] - 1
