"""Small transcripts written for the tests, as values, as bytes and as rows."""

from datetime import datetime

from discussions.iterations.actions import open_project
from discussions.models import Game, Transcript
from discussions.transcripts.actions import Upload, import_files
from tests.factories.jobs import run_waiting_jobs
from tests.factories.native_games import TEXTS, as_bytes, native_game, native_message, repeated_messages
from tests.factories.numbers import numbers
from tests.factories.people import NOW
from tests.factories.replays import replayed
from workspace.models import Person, Project
from workspace.people.actions.people import system_person

__all__ = [
    "TEXTS",
    "as_bytes",
    "import_game",
    "make_games_project",
    "native_game",
    "native_message",
    "repeated_messages",
    "upload",
]


@replayed
def make_games_project(*, slug: str = "", now: datetime = NOW) -> Project:
    """A project with its unsorted iteration under the shipped rubric."""
    slug = slug or f"project-{next(numbers)}"
    return open_project(slug=slug, name=slug.capitalize(), by=system_person(now=now), now=now)


@replayed
def upload(
    *, project: Project, by: Person, games: object = None, name: str = "game.json", now: datetime = NOW
) -> Transcript:
    """A transcript that was uploaded and waits; `games` is a native game or a list of them, or raw bytes."""
    data = games if isinstance(games, bytes) else as_bytes(native_game() if games is None else games)
    return import_files(project=project, files=[Upload(name, data)], by=by, now=now).imported[0].transcript


@replayed
def import_game(*, project: Project, by: Person, now: datetime = NOW, **changes: object) -> Game:
    """A game that came in and was measured; `changes` go to the native game."""
    changes.setdefault("gameId", f"game-{next(numbers)}")
    transcript = upload(project=project, by=by, games=native_game(**changes), now=now)
    run_waiting_jobs(now=now)
    return Game.objects.get(transcript=transcript)
