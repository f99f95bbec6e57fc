"""Prints what pages cost with 3, 30 and 300 evaluators in a project, each with four submitted evaluations.

    python -m benchmarks.bench_evaluators [PEOPLE ...]

Two evaluators rate each game. On a SQLite file with the real pragmas, through all middleware, in this process; CPU time
as on a quiet core, and queries. Pages that list everybody are paginated: no figure may grow in proportion to people.
"""

import sys
from itertools import count
from typing import Any

from benchmarks.bench_pages import copy, timed
from benchmarks.bench_saves import prepare

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

    from discussions.models import Evaluation, Game, GameText, Measured, MeasuredFindings, Slot
    from tests.factories.adjudication import submitted_game
    from workspace.models import Membership, Person

    first = submitted_game(2)
    evaluations = list(Evaluation.objects.filter(game=first).select_related("slot").order_by("pk"))
    member = Membership.objects.get(project=first.project, person=evaluations[0].evaluator)
    measured, findings = evaluations[0].measured, evaluations[0].measured.findings
    number = f"{next(_numbers)}-"
    with transaction.atomic():
        persons = Person.objects.bulk_create(
            copy(member.person, email=f"{number}{at}@example.org", name=f"Evaluator {at}")
            for at in range(people)
        )
        Membership.objects.bulk_create(copy(member, person=person) for person in persons)
        games = Game.objects.bulk_create(
            copy(first, number=1_000 + at, source_id=f"{number}{at}", content_sha256=f"{number}{at}")
            for at in range(EACH * people // 2)
        )
        GameText.objects.bulk_create(copy_text(first.text, game) for game in games)
        rows = Measured.objects.bulk_create(copy(measured, game=game) for game in games)
        MeasuredFindings.objects.bulk_create(
            MeasuredFindings(measured=row, body=findings.body) for row in rows
        )
        of = [
            (evaluation, game, row, persons[(2 * at + nth) % people])
            for at, (game, row) in enumerate(zip(games, rows, strict=True))
            for nth, evaluation in enumerate(evaluations)
        ]
        slots = Slot.objects.bulk_create(
            copy(evaluation.slot, game=game, evaluator=person) for evaluation, game, _row, person in of
        )
        made = Evaluation.objects.bulk_create(
            copy(evaluation, game=game, evaluator=person, slot=slot, measured=row)
            for (evaluation, game, row, person), slot in zip(of, slots, strict=True)
        )
        copy_judgements([(evaluation, new) for (evaluation, *_), new in zip(of, made, strict=True)])
    return first


def copy_text(text: Any, game: Any) -> Any:
    """Copy the text of a game for its copy."""
    return text.__class__(game=game, body=text.body)


def copy_judgements(pairs: list[Any]) -> None:
    """Copy the judgements of each first evaluation to the second."""
    from discussions.models import Judgement

    judged: dict[int, list[Any]] = {}
    for evaluation in {first.pk: first for first, _new in pairs}.values():
        judged[evaluation.pk] = list(evaluation.judgements.all())
    Judgement.objects.bulk_create(
        (copy(row, evaluation=new) for first, new in pairs for row in judged[first.pk]), batch_size=500
    )


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
        for name in (
            "project",
            "games",
            "team",
            "team_holds",
            "team_pace",
            "members",
            "agreement",
            "accuracy",
            "packet",
        ):
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
