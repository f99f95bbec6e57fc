"""Whether somebody asked to see who said what of a game: what they did is in the audit log, and nowhere else."""

from discussions.models.games import Game
from workspace.models import Event, Person

SHOWN = "names:shown"


def has_seen_names(person: Person, game: Game) -> bool:
    """Whether this person asked for the names of this game's evaluators."""
    lines = Event.objects.filter(by=person, chain__project=game.project_id, verb=SHOWN)
    return lines.filter(object_kind="game", object_id=str(game.pk)).exists()
