"""Games whose evaluators differ in a known way, and rows that make a printed table.

Figures of a team, computed as a worker does.
"""

from collections.abc import Mapping, Sequence

from discussions.agents.actions import ask_for_agents
from discussions.models import Evaluation, Game, Judgement, TeamFigures
from discussions.queue.actions import take_next_game
from discussions.reliability.actions import ask_for_team_figures
from discussions.reliability.queries import TEAM_STATISTICS
from tests.factories.adjudication import Key, list_evaluations, submit_as
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_game, make_rating_project
from tests.factories.replays import replayed
from workspace.core.words import decode_stored
from workspace.jobs.actions import run_job
from workspace.models import Person, Project

DIFFERING = [
    {
        ("rating", ""): ("4.0", "3.5"),
        ("question", "1"): ("yes", "no"),
        ("reference", "2.1"): ("accurate", "vague"),
    },
    {
        ("rating", ""): ("3.0", "3.0"),
        ("question", "1"): ("no", "no"),
        ("reference", "2.1"): ("vague", "vague"),
    },
    {("rating", ""): ("4.5", "5.0")},
]


@replayed
def make_agreeing_project(*, games: int = 3, k: int = 2, **given: object) -> Project:
    """Games that the same k evaluators have submitted; the first two of them differ as DIFFERING says."""
    project = make_rating_project(evaluator_count=k, **given)
    people = [make_member(project=project) for _number in range(k)]
    for number in range(games):
        add_game(project, people, DIFFERING[number % len(DIFFERING)])
    return project


@replayed
def add_game(project: Project, people: Sequence[Person], differing: Mapping[Key, tuple[str, str]]) -> Game:
    """One more game of the project, submitted by these people, of whom the first two differ like this."""
    game = make_game(project=project)
    for place, person in enumerate(people):
        taken = take_next_game(project=project, by=person, now=NOW)
        evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
        submit_as(evaluation, values={key: values[min(place, 1)] for key, values in differing.items()})
    return game


def list_people(project: Project) -> list[Person]:
    """The project's evaluators, in the order in which they came."""
    return list(
        Person.objects.filter(memberships__project=project, memberships__role="evaluator").order_by("pk")
    )


def write_labels(game: Game, kind: str, table: Sequence[Sequence[str]]) -> None:
    """Blind labels of the game's messages in order, a row for each message, as the save contract leaves them."""
    for place, evaluation in enumerate(list_evaluations(game)):
        stored = {row.subject: row for row in evaluation.judgements.filter(kind=kind)}
        for message, row in enumerate(table, start=1):
            said = stored.pop(str(message), None) or Judgement(
                evaluation=evaluation, kind=kind, subject=str(message), version=1
            )
            said.value = said.blind_value = row[place]
            said.save()
        Judgement.objects.filter(pk__in=[row.pk for row in stored.values()]).update(blind_value="")


@replayed
def figure_team(project: Project, *, by=None) -> None:
    """Compute what is not there of the project's figures."""
    job = ask_for_team_figures(project=project, by=by or make_lead(project=project), now=NOW)
    if job is not None:
        run_job(job=job.pk, clock=lambda: NOW)


@replayed
def figure_agents(project: Project, *, by=None) -> None:
    """Compute the files of the project's agents, if they are not there."""
    job = ask_for_agents(project=project, by=by or make_lead(project=project), now=NOW)
    if job is not None:
        run_job(job=job.pk, clock=lambda: NOW)


def team_figures(project: Project, kind: str, shape: type):
    """The stored figures of the present input."""
    row = TeamFigures.objects.get(pk=TEAM_STATISTICS.present(project).rows[kind])
    return decode_stored(row.body, shape)
