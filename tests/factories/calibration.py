"""Calibration rounds, reached through the real actions."""

from collections.abc import Sequence

from discussions.calibration.actions import RoundPlan, open_round, take_calibration
from discussions.models import CalibrationRound, Evaluation
from discussions.queue.actions import take_next_game
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.queue import finish
from tests.factories.rating import make_rating_project, say
from tests.factories.replays import replayed
from tests.factories.verdicts import recorded_verdict
from workspace.models import Person, Project


@replayed
def make_round(*, project: Project | None = None, games: int = 1, **given: object) -> CalibrationRound:
    """An open round on so many games, each rated by somebody of its own with a recorded verdict."""
    project = project or make_rating_project()
    numbers = [recorded_verdict(project=project).game.number for _game in range(games)]
    plan = RoundPlan(name="Before the first games", games=numbers, **given)
    return open_round(project=project, plan=plan, by=make_lead(project=project), now=NOW)


def make_trainee(opened: CalibrationRound) -> Person:
    """A new evaluator of the round's project."""
    return make_member(project=opened.project)


@replayed
def take(opened: CalibrationRound, person: Person) -> Evaluation:
    """What the person is given next, with its work."""
    taken = take_next_game(project=opened.project, by=person, now=NOW)
    assert taken is not None
    return Evaluation.objects.with_work().get(pk=taken.pk)


@replayed
def make_trained(*, leads: Sequence[Person], trainee: Person, slug: str) -> dict[str, object]:
    """A round of two games that the trainee is half-way through, with two answers unlike the key's: its arguments."""
    project = make_rating_project(slug=slug)
    for lead in leads:
        make_member(project=project, person=lead, role="lead")
    make_member(project=project, person=trainee)
    opened = make_round(project=project, games=2, is_required=False, pass_percent=100)
    taken = take_calibration(opened=opened, by=trainee, now=NOW)
    evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
    for question in "12":
        say(evaluation, "question", question, "no")
    finish(evaluation)
    return {
        "trained_slug": slug,
        "trained_round": opened.number,
        "trained_evaluation": evaluation.pk,
        "trainee": trainee.pk,
    }
