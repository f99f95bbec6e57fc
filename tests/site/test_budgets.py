"""What the main pages may cost: how many queries, and how much CPU time, scaled to a quiet core by a calibration loop.

A budget of time is about twice what was measured on a quiet core: on a busy one caches are cold, which no loop feels.
The least of several repeats is compared with the least of several loops. A budget is raised only with a reason.
"""

import time
from typing import NamedTuple

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmarks.bench_pages import fill_games
from benchmarks.calibration import QUIET_MS, loop_ms
from tests.factories.people import make_lead
from tests.factories.rating import make_game, start
from tests.factories.verdicts import recorded_verdict
from workspace.models import Person

pytestmark = pytest.mark.django_db

GAMES, MESSAGES, REPEATS, LOOPS_EVERY, TRIES = 300, 60, 9, 3, 3


class Budget(NamedTuple):
    """At most so many queries, and so much CPU time on a quiet core."""

    queries: int
    cpu_ms: float


BUDGETS = {
    "home of an evaluator": Budget(9, 7),
    "home of a lead": Budget(7, 7),
    "list of games": Budget(15, 14),
    "game": Budget(23, 33),
    "verdict": Budget(21, 16),
    "report": Budget(13, 22),
    "dashboard": Budget(17, 13),
    "evaluator's page": Budget(12, 24),
    "saving a judgement": Budget(16, 10),
    "next game": Budget(25, 9),
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
    game = fill_games(verdict, GAMES)
    evaluator, lead = game.evaluations.get().evaluator, make_lead(project=game.project)
    make_game(project=game.project, message_count=MESSAGES)
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


def ask(client: Client, visit: Visit) -> float:
    """The CPU time of an answer in milliseconds; nothing of what it wrote stays."""
    with transaction.atomic():
        began = time.process_time()
        if visit.sent is None:
            answer = client.get(visit.address)
        else:
            answer = client.post(visit.address, visit.sent, headers={"HX-Request": "true"})
        cost = 1000 * (time.process_time() - began)
        transaction.set_rollback(True)
    assert answer.status_code == 200, answer.content
    assert visit.leads_to in answer.headers.get("HX-Redirect", "")
    return cost


def count_queries(client: Client, visit: Visit) -> int:
    """How many queries an answer takes, without savepoints."""
    with CaptureQueriesContext(connection) as asked:
        ask(client, visit)
    return sum("SAVEPOINT" not in query["sql"] for query in asked.captured_queries)


def measure(visit: Visit) -> Budget:
    """What an answer takes once everything is loaded."""
    client = Client()
    client.force_login(visit.person)
    for _ in range(2):
        ask(client, visit)
    queries = count_queries(client, visit)
    costs, loops = [], []
    for number in range(REPEATS):
        if number % LOOPS_EVERY == 0:
            loops.append(loop_ms())
        costs.append(ask(client, visit))
    return Budget(queries, round(min(costs) * QUIET_MS / min(loops), 1))


def is_over(cost: Budget, budget: Budget) -> bool:
    return cost.queries > budget.queries or cost.cpu_ms > budget.cpu_ms


def test_the_main_pages_keep_their_budgets():
    visits, over = make_visits(), {}
    assert visits.keys() == BUDGETS.keys()
    for name, visit in visits.items():
        # A neighbour may take the caches for some seconds: what is over its budget is measured again, later.
        for _ in range(TRIES):
            found = measure(visit)
            if not is_over(found, BUDGETS[name]):
                break
            time.sleep(1)
        else:
            over[name] = (found, BUDGETS[name])
    assert not over
