"""What waits for the leads of a project: games that are complete and have no verdict, imports with faults."""

from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet

from discussions.models.games import NEEDED_OF_GAME, Transcript
from discussions.models.slots import Slot
from discussions.models.verdicts import Verdict


def complete_games(project: Any) -> "QuerySet[Any, Any]":
    """Games of a project that as many evaluators handed in as they need, without a verdict, in the order they came in.

    A row for each game, with `game`, `game__number` and `game__iteration`. Found by an index of what waits, however
    much is done; what was handed in after the verdict is passed over.
    """
    handed_in = Slot.objects.filter(
        ~Exists(Verdict.objects.filter(game=OuterRef("game"))),
        project=project,
        awaiting_since__isnull=False,
        game__withdrawn_at=None,
    )
    games = handed_in.order_by("game").values(
        "game", "game__number", "game__iteration", needed=NEEDED_OF_GAME
    )
    return games.annotate(done=Count("pk")).filter(done__gte=F("needed"))


def complete_alone(project: Any, person: Any) -> "QuerySet[Any, Any]":
    """Of these games those that the person was enough for, and rated."""
    return complete_games(project).filter(evaluator=person, needed=1)


def faulty_transcripts(project: Any) -> "QuerySet[Transcript]":
    """Imports of a project with faults, the newest first."""
    return Transcript.objects.filter(project=project, fault_count__gt=0).order_by("-pk")
