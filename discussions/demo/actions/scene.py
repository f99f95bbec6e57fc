"""Where and when a script is played."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from discussions.models import Game
from workspace.models import Person, Project

FOLDER = Path(__file__).resolve().parents[1]
Steps = dict[str, Callable[..., object]]


class Clock:
    """The demo's time: it advances seven seconds with every reading."""

    def __init__(self, start: datetime) -> None:
        self.moment = start

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=7)
        return self.moment

    def wait(self, until: datetime) -> None:
        self.moment = max(self.moment, until)


class Scene(NamedTuple):
    project: Project
    people: Mapping[str, Person]
    clock: Clock
    present: datetime

    def stamp(self, by: str) -> dict[str, Any]:
        return {"by": self.people[by], "now": self.clock()}

    def game(self, source_id: str) -> Game:
        rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
        return rows.get(project=self.project, source_id=source_id)
