"""Prints what pages cost with 3, 30 and 300 evaluators in a project, each with four submitted evaluations.

    python -m benchmarks.bench_evaluators [PEOPLE ...]

Two evaluators rate each game. On a SQLite file with the real pragmas, through all middleware, in this process; CPU time
as on a quiet core, and queries. Pages that list everybody are paginated: no figure may grow in proportion to people.
"""

import sys
from itertools import count
from typing import Any

from benchmarks.bench_pages import timed
from benchmarks.copies import copy, copy_evaluations, copy_games, copy_judgements, copy_measured
from benchmarks.preparing import prepare

PEOPLE = (3, 30, 300)
PAGES = (
    *("project", "games", "team", "team_holds", "team_pace"),
    *("members", "agreement", "accuracy", "packet"),
)
EACH = 4
_numbers = count(1)


def fill(people: int) -> Any:
    """A project whose evaluators submitted four evaluations each; its first game."""
    from django.db import transaction

    from discussions.models import Evaluation
    from tests.factories.adjudication import submitted_game
    from workspace.models import Membership, Person

    first = submitted_game(2)
    evaluations = list(Evaluation.objects.filter(game=first).select_related("slot").order_by("pk"))
    member = Membership.objects.get(project=first.project, person=evaluations[0].evaluator)
    number = f"{next(_numbers)}-"
    with transaction.atomic():
        persons = Person.objects.bulk_create(
            copy(member.person, email=f"{number}{at}@example.org", name=f"Evaluator {at}")
            for at in range(people)
        )
        Membership.objects.bulk_create(copy(member, person=person) for person in persons)
        games = copy_games(
            first,
            [
                {"number": 1_000 + at, "source_id": f"{number}{at}", "content_sha256": f"{number}{at}"}
                for at in range(EACH * people // 2)
            ],
        )
        rows = copy_measured(evaluations[0].measured, games)
        for nth, evaluation in enumerate(evaluations):
            raters = [persons[(2 * at + nth) % people] for at in range(len(games))]
            copy_judgements(evaluation, copy_evaluations(evaluation, games, rows, raters))
    return first


def main() -> int:
    """Run and print."""
    sizes = [int(size) for size in sys.argv[1:]] or list(PEOPLE)
    prepare()
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.urls import reverse

    from tests.factories.people import make_lead

    for people in sizes:
        game = fill(people)
        slug = game.project.slug
        client = Client()
        client.force_login(make_lead(project=game.project))
        for name in PAGES:
            address = reverse(name, args=[slug])
            client.get(address)
            with CaptureQueriesContext(connection) as queries:
                client.get(address)
            timed(client, f"{name}, {people} evaluators, {len(queries)} queries", address)
        client.force_login(game.evaluations.first().evaluator)
        timed(client, f"an evaluator's home, {people} evaluators", reverse("home"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
