"""What the main pages may cost: queries, steps of SQLite's virtual machine, and calls of functions.

All are counted, so they are the same in each run, on a slow or busy machine, too. Steps tell when a query reads rows
that it does not need, by a wrong index or without one; calls tell when Python works more than it has to. What this
takes in time is measured by benchmarks/bench_pages.py. A budget is raised only with a reason. Pages that ask plain
querysets (docs/adr/0024) may take more calls.
"""

import itertools
from typing import NamedTuple

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmarks.bench_pages import fill_games
from discussions.metrics.actions import ask_for_diagnostics
from tests.factories.effort import count_calls
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead
from tests.factories.rating import make_game, start
from tests.factories.verdicts import recorded_verdict
from workspace.models import Person

pytestmark = pytest.mark.django_db

GAMES, MESSAGES = 300, 60
STEPS_AT_ONCE = 50  # how many steps SQLite does before it says so


class Budget(NamedTuple):
    """At most so many queries, so many thousand calls, and so many thousand steps."""

    queries: int
    calls: float
    steps: float


BUDGETS = {
    # With the size of the next game, which only its draw tells, and the person's week.
    "home of an evaluator": Budget(9, 8, 3.3),
    "home of a lead": Budget(6, 5, 0.6),
    # One query has the facts of all games: SQLite takes more steps for it than for four, and Django less time.
    "list of games": Budget(10, 26, 6),
    # Of a version that scores by people's estimate, with the further batches that evaluators asked for.
    "game": Budget(18, 73, 5.2),
    # With an answer that alone would turn a metric, where one would: the metric is counted again with it.
    "verdict": Budget(17, 31, 4),
    "report": Budget(13, 30, 3.1),
    "dashboard": Budget(18, 46, 9.5),
    "evaluator's page": Budget(8, 50, 0.6),
    "saving a judgement": Budget(15, 15, 1.3),
    "next game": Budget(19, 10, 2.1),
}


class Visit(NamedTuple):
    """What somebody asks for; `sent` is the form, None for a page. `leads_to` is a part of where a form leads."""

    person: Person
    address: str
    sent: dict[str, str] | None = None
    leads_to: str = ""


def make_visits() -> dict[str, Visit]:
    """What every budget is for: a project of many games, one of which has a verdict, and two games being rated."""
    verdict = recorded_verdict(message_count=MESSAGES)
    make_game(project=verdict.game.project, message_count=MESSAGES)  # the oldest that the queue gives
    game = fill_games(verdict, GAMES)
    evaluator, lead = game.evaluations.get().evaluator, make_lead(project=game.project)
    ask_for_diagnostics(game=game, measured=verdict.measured_id, by=lead, now=NOW)
    run_waiting_jobs()
    started = start(message_count=MESSAGES)
    project, rated = [game.project.slug], reverse("rate", args=[started.pk])
    answer = {"kind": "question", "subject": "1", "value": "no", "version": "0", "key": "budget"}
    return {
        "home of an evaluator": Visit(evaluator, reverse("home")),
        "home of a lead": Visit(lead, reverse("home")),
        "list of games": Visit(lead, reverse("games", args=project)),
        "game": Visit(lead, reverse("game", args=[*project, game.number])),
        "verdict": Visit(lead, reverse("verdict", args=[*project, game.number])),
        "report": Visit(lead, reverse("report", args=[*project, game.number])),
        "dashboard": Visit(lead, reverse("project", args=project)),
        "evaluator's page": Visit(started.evaluator, rated),
        "saving a judgement": Visit(started.evaluator, f"{rated}judge/", answer),
        "next game": Visit(evaluator, reverse("next_game", args=project), {"key": "next"}, "/rate/"),
    }


def ask(client: Client, visit: Visit) -> None:
    """Ask once; nothing of what the answer wrote stays."""
    with transaction.atomic():
        if visit.sent is None:
            answer = client.get(visit.address)
        else:
            answer = client.post(visit.address, visit.sent, headers={"HX-Request": "true"})
        transaction.set_rollback(True)
    assert answer.status_code == 200, answer.content
    assert visit.leads_to in answer.headers.get("HX-Redirect", "")


def count_queries(client: Client, visit: Visit) -> int:
    """How many queries an answer takes, without savepoints."""
    with CaptureQueriesContext(connection) as asked:
        ask(client, visit)
    return sum("SAVEPOINT" not in query["sql"] for query in asked.captured_queries)


def count_steps(client: Client, visit: Visit) -> float:
    """How many thousand steps SQLite does for an answer; 0 on PostgreSQL."""
    if connection.vendor != "sqlite":
        return 0
    said = itertools.count()
    connection.connection.set_progress_handler(lambda: next(said) < 0, STEPS_AT_ONCE)
    ask(client, visit)
    connection.connection.set_progress_handler(None, STEPS_AT_ONCE)
    return next(said) * STEPS_AT_ONCE / 1000


def measure(visit: Visit) -> Budget:
    """What an answer takes once everything is loaded."""
    client = Client()
    client.force_login(visit.person)
    for _ in range(2):
        ask(client, visit)
    calls = count_calls(lambda: ask(client, visit)) / 1000
    return Budget(count_queries(client, visit), calls, count_steps(client, visit))


def is_over(cost: Budget, budget: Budget) -> bool:
    return any(found > most for found, most in zip(cost, budget, strict=True))


def test_the_main_pages_keep_their_budgets():
    visits = make_visits()
    assert visits.keys() == BUDGETS.keys()
    found = {name: measure(visit) for name, visit in visits.items()}
    over = {name: (cost, BUDGETS[name]) for name, cost in found.items() if is_over(cost, BUDGETS[name])}
    assert not over
