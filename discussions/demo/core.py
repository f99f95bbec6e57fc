"""The demo's script as records: its people, its projects, and who does what when."""

from datetime import timedelta
from typing import Any

from msgspec import Struct


class Account(Struct, frozen=True):
    key: str
    email: str
    name: str
    password: str
    role: str
    hashed: str


class DemoProject(Struct, frozen=True):
    slug: str
    name: str
    scripts: list[str]


class DemoPlan(Struct, frozen=True):
    """The whole demo. The people came so long `ago`; all but the admin are members of all projects."""

    ago: timedelta
    people: list[Account]
    projects: list[DemoProject]


class ScriptLine(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a script: the key of a person, and the step that they take.

    `ago` is how long before the demo's present it happens; without it, right after the line before.
    """

    by: str
    do: str
    args: dict[str, Any] = {}
    ago: timedelta | None = None


class Opinion(Struct, frozen=True):
    """What an evaluator thinks of a game.

    References without a label are accurate, and the five answers are written like "yynyn". Samples get the automatic
    value, except that the share `differs` of them gets the opposite. If `most` is set, only so many things are
    judged, and the evaluation stays a draft. It also stays a draft if `stops_at_more` is set: so many batches
    are judged after the roles. `statements` are the labels of drawn statements, by the position of their message.
    """

    labels: dict[str, str] = {}
    questions: str = ""
    rating: str = ""
    differs: float = 0.0
    overrides: dict[str, list[str]] = {}
    remarks: list[dict[str, Any]] = []
    most: int | None = None
    stops_at_more: int = 0
    statements: dict[str, str] = {}


class Demo(Struct, frozen=True):
    """The counts of the first project, and whether the demo existed before."""

    game_count: int
    verdict_count: int
    was_there: bool
