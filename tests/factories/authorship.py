"""Evaluations that begin with the blind test of who said it, reached through the real actions."""

from discussions.iterations.actions import change_iteration
from discussions.models import Evaluation, Iteration
from discussions.rating.actions import open_transcript, reveal_roles, submit_evaluation
from discussions.rating.queries import load_state
from tests.factories.people import NOW, make_lead
from tests.factories.rating import game_of, make_rating_project, say, say_what_is_missing, start
from tests.factories.replays import replayed
from workspace.models import Project


@replayed
def make_testing_project(**given: object) -> Project:
    """A project whose evaluators take the test, by messages unless a later version is given."""
    project = make_rating_project(**{"number": "1.2"} | given)
    choose(project=project, identification="test")
    return project


@replayed
def choose(*, project: Project, identification: str) -> None:
    """What a lead of the project chooses."""
    iteration = Iteration.objects.select_related("project").get(project=project)
    change_iteration(
        iteration=iteration, identification=identification, by=make_lead(project=project), now=NOW
    )


def spoken_game(count: int = 48, **given: object) -> dict:
    """A game in which no two messages are alike."""
    content = game_of(count, **given)
    for number, message in enumerate(content["messages"], start=1):
        message["message"] = f"{message['playerName']}: {message['message']} Word{number}word."
    return content


@replayed
def start_test(*, project: Project | None = None, content: dict | None = None, **given: object) -> Evaluation:
    """An evaluation just started, its transcript closed."""
    project = project or make_testing_project(**given)
    return start(project=project, content=content or spoken_game())


def give_messages(evaluation: Evaluation, *, hits: int) -> None:
    """Answer the test with so many hits; of the others nothing can be told."""
    for number, author in enumerate(load_state(evaluation).drawn_test.authors, start=1):
        say(evaluation, "attribution", str(number), str(author) if number <= hits else "cannot_tell")


@replayed
def opened(*, hits: int = 6, **given: object) -> Evaluation:
    """An evaluation whose test is answered and whose transcript is open."""
    evaluation = start_test(**given)
    give_messages(evaluation, hits=hits)
    open_transcript(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    return evaluation


@replayed
def submitted_test(*, decides: bool = False, **given: object) -> Evaluation:
    """An evaluation with a test, submitted."""
    return finished(opened(**given), decides=decides)


@replayed
def finished(evaluation: Evaluation, *, decides: bool = False) -> Evaluation:
    """The evaluation with everything after the test judged, and submitted."""
    say_what_is_missing(evaluation)
    if decides:
        say(evaluation, "identify_decides", "", "yes")
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation)
    return submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
