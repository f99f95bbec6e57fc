"""Fills the gallery's database through the real actions; runs inside the stack's own Django."""

from datetime import datetime
from typing import Any

from django.test import Client
from django.utils import timezone

from discussions.models import Evaluation
from discussions.queue.actions import take_next_game
from discussions.rating.actions import reveal_roles
from tests.browser.transcripts import hostile_game, lively_game
from tests.factories import people as factories
from tests.factories.authorship import choose
from tests.factories.comparisons import make_set
from tests.factories.human_reviewers import begin, say, submitted
from tests.factories.jobs import run_waiting_jobs
from tests.factories.rating import say_what_is_missing
from tests.factories.sign_in import make_secured
from tests.factories.transcripts import import_game, make_games_project, upload
from tests.factories.world import make_world
from workspace.models import Person, Project


def fill() -> dict[str, Any]:
    """One of everything; arguments of addresses by name, and under "cookies" a signed-in one for each role."""
    now = timezone.now()
    world = make_world()
    people = world.pop("people")
    world |= _import_strange_games(Project.objects.get(slug=world["slug"]), people["lead"], now)
    world |= _hand_in_reviews(people)
    started = {
        "fresh": _begin(lively_game("fresh", rounds=2), now),
        "ready": _begin(lively_game("ready", rounds=2), now),
        "hostile": _begin(hostile_game(), now),
        "closed": _begin(lively_game("closed", rounds=2), now, identification="test"),
    }
    say_what_is_missing(started["ready"])
    reveal_roles(evaluation=started["ready"], by=started["ready"].evaluator, now=now)
    say_what_is_missing(started["ready"])
    people |= {state: evaluation.evaluator for state, evaluation in started.items()}
    make_secured(people["lead"], now=now)
    cookies = {role: _cookie(person) for role, person in people.items() if person}
    cookies["halfway"] = _halfway(people["lead"])
    return world | {state: evaluation.pk for state, evaluation in started.items()} | {"cookies": cookies}


def _begin(content: dict[str, Any], now: datetime, identification: str = "question") -> Evaluation:
    """Somebody with a project of their own has started this game."""
    project = make_games_project(now=now)
    choose(project=project, identification=identification)
    import_game(project=project, by=factories.make_lead(project=project, now=now), now=now, **content)
    return take_next_game(project=project, by=factories.make_member(project=project, now=now), now=now)


def _hand_in_reviews(people: dict[str, Person]) -> dict[str, int]:
    """A comparison of which both reviewers have submitted the first round, and one has started the second."""
    reviewers = [people["assigned"], people["same_project"]]
    made = make_set(
        by=people["lead"], people=reviewers, mode="both", has_second_round=True, name="Two rounds"
    )
    for person in reviewers:
        review = begin(made, by=person)
        say(review, "notes", "1", "Clear, but it forgets the salt.")
        submitted(review)
    second = begin(made, by=reviewers[0])
    first = second.reviewer.reviews.get(round=1)
    return {"first_round": first.pk, "second_round": second.pk}


def _import_strange_games(project: Project, lead: Person, now: datetime) -> dict[str, int]:
    game = import_game(project=project, by=lead, now=now, **hostile_game())
    broken = lively_game("broken")
    broken["messages"][3]["playerName"] = "Nobody"
    broken["votes"][0].pop("voterName")
    faulty = upload(project=project, by=lead, games=broken, name="broken.json", now=now)
    run_waiting_jobs(now=now)
    return {"hostile_number": game.number, "faulty": faulty.pk}


def _halfway(person: Person) -> str:
    """Of somebody who has given the password and is to give the code."""
    client = Client(headers={"host": "127.0.0.1"})
    client.post("/sign-in/", {"login": person.email, "password": factories.PASSWORD})
    return client.cookies["sessionid"].value


def _cookie(person: Person) -> str:
    client = Client()
    client.force_login(person)
    return client.cookies["sessionid"].value
