"""Rules that fill a queue, and games that they meet."""

from discussions.core.intake import Filling, FillRow
from discussions.models import FillRules, Game
from discussions.planning.actions import save_filling
from tests.factories.people import NOW
from workspace.models import Person, Project


def fill_by(
    project: Project, by: Person, *rows: FillRow, rest: float = 100.0, is_applied: bool = False
) -> FillRules | None:
    return save_filling(project=project, filling=Filling(rows, rest), is_applied=is_applied, by=by, now=NOW)


def numbers_in_queue(project: Project) -> set[int]:
    """The games with an open slot that nobody has."""
    rows = Game.objects.filter(project=project, slots__is_closed=False, slots__evaluator=None)
    return set(rows.values_list("number", flat=True))
