"""Showing a lead who said what of a game: an act of its own, for answers are to be weighed without names."""

from datetime import datetime

from django.db import transaction

from discussions.models import Game
from discussions.models.named import SHOWN, has_seen_names
from discussions.permissions import check_see_games
from workspace.actions.events import record_event
from workspace.models import Person


def show_names(*, game: Game, by: Person, now: datetime) -> bool:
    """Let this person see the names of the game's evaluators, written into the audit log once; whether it was now."""
    with transaction.atomic():
        check_see_games(by, game.project)
        if has_seen_names(by, game):
            return False
        record_event(by=by, now=now, project=game.project, verb=SHOWN, object_kind="game", object_id=game.pk)
    return True
