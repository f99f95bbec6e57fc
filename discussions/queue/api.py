"""The next game of a project, and games assigned to people, for programs."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import Field

from discussions.models import Slot
from discussions.queue.actions import assign_games, take_next_game, unassign_game
from discussions.queue.permissions import check_see_team
from discussions.queue.views import HeldSlot, TeamPage
from discussions.rating.api import EvaluationAnswer
from discussions.rating.views import evaluation_or_404
from discussions.slots.permissions import check_assign, check_take_game
from discussions.slots.queries import evaluators_in, find_evaluator
from workspace.models import Person, Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Number, Operations
from workspace.web.views import SignedIn

router = Operations()


class NextAnswer(Answer):
    """The evaluation to work on next; null when no game is free."""

    evaluation: EvaluationAnswer | None


class EvaluatorAnswer(Answer, of=Person, fields="id name"):
    """Somebody who rates in the project."""


class AssignmentAnswer(Answer, of=Slot, fields="id game:game.number person:assigned_to_id"):
    """A game that is assigned to a person who has not started it."""

    person: int


class HeldAnswer(
    Answer,
    of=HeldSlot,
    fields="evaluation:evaluation.pk game:evaluation.game.number person:evaluation.evaluator_id "
    "state:evaluation.state held_until:evaluation.slot.lease_until",
):
    """An open evaluation: how much is judged of what is needed, and until when its place is held."""

    judged: int
    needed: int


class TeamAnswer(Answer, fields="held:holds.held assigned:holds.kept"):
    """Who rates in the project, what they work on, what is assigned, and how many games have free slots."""

    evaluators: list[EvaluatorAnswer]
    held: list[HeldAnswer]
    assigned: list[AssignmentAnswer]
    free_count: int


class AssignGiven(Given):
    """Numbers of games, and the id of the evaluator."""

    person: int
    games: list[Number] = Field(max_length=1_000)


@router.post("/projects/{slug:slug}/next/", "api_next_game", "take_game", "rate")
def next_game(request: SignedIn, slug: str) -> NextAnswer:
    """Take the next game of a project.

    An evaluation that you have started comes first. Your place on the game is held as long as you work on it.
    """
    project = project_or_404(request.user, slug, check_take_game)
    taken = take_next_game(project=project, by=request.user, now=timezone.now())
    row = taken and evaluation_or_404(request.user, taken.pk)
    return NextAnswer.read(None, evaluation=row)


@router.get("/projects/{slug:slug}/team/", "api_team", "see_team")
def show_team(request: SignedIn, slug: str) -> TeamAnswer:
    """Read who rates in a project, and on what."""
    project = project_or_404(request.user, slug, check_see_team)
    return _team(project)


@router.post("/projects/{slug:slug}/assignments/", "api_assign", "assign", "admin")
def assign(request: SignedIn, slug: str, given: AssignGiven) -> TeamAnswer:
    """Assign games to an evaluator: all of these games, or none."""
    project = project_or_404(request.user, slug, check_assign)
    person = find_evaluator(project, given.person)
    assign_games(
        project=project, numbers=sorted(set(given.games)), person=person, by=request.user, now=timezone.now()
    )
    return _team(project)


@router.post("/projects/{slug:slug}/assignments/{int:slot}/end/", "api_unassign", "assign", "admin")
def unassign(request: SignedIn, slug: str, slot: int) -> TeamAnswer:
    """End an assignment that its person has not started."""
    project = project_or_404(request.user, slug, check_assign)
    rows = Slot.objects.select_related("project", "game__project")
    row = get_object_or_404(rows, pk=slot, project=project)
    unassign_game(slot=row, by=request.user, now=timezone.now())
    return _team(project)


def _team(project: Project) -> TeamAnswer:
    return TeamAnswer.read(TeamPage(project=project, now=timezone.now()), evaluators=evaluators_in(project))
