"""Calibration rounds, reached through the real actions."""

from discussions.actions.calibrating import RoundPlan, open_round
from discussions.actions.taking import take_next_game
from discussions.models import CalibrationRound, Evaluation
from tests.factories import NOW, make_lead, make_member
from tests.rated import make_rating_project
from tests.settled import settled
from workspace.models import Person, Project


def make_round(*, project: Project | None = None, games: int = 1, **given: object) -> CalibrationRound:
    """An open round on so many games, each rated by somebody of its own with a recorded verdict."""
    project = project or make_rating_project()
    numbers = [settled(project=project).game.number for _game in range(games)]
    plan = RoundPlan(name="Before the first games", games=numbers, **given)
    return open_round(project=project, plan=plan, by=make_lead(project=project), now=NOW)


def trainee_of(opened: CalibrationRound) -> Person:
    """A new evaluator of the round's project."""
    return make_member(project=opened.project)


def take(opened: CalibrationRound, person: Person) -> Evaluation:
    """What the person is given next, with its work."""
    taken = take_next_game(project=opened.project, by=person, now=NOW)
    assert taken is not None
    return Evaluation.objects.with_work().get(pk=taken.pk)
