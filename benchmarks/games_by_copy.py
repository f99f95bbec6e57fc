"""Fills a database with games like one that is there, its rows with other keys; on PostgreSQL by COPY, fast."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

BATCH = 50_000
# Each stored text is that of the first game: disks hold many.
Change = Callable[[int], dict[str, Any]]


def add_games(game: Any, count: int) -> None:
    """Add measured games with two free slots each; if the game has a verdict, every third one has one, too.

    Raises ValueError when the game has no measurement. References are not checked, which takes most of the time.
    """
    from django.db import connection, transaction

    from discussions.models import Game, GameText, Measured, MeasuredFindings

    measured = Measured.objects.filter(game=game).order_by("pk").last()
    if measured is None:
        raise ValueError(f"game {game.pk} is not measured")
    first, number = newest(Game) + 1, newest_number(game) + 1
    rows = newest(Measured) + 1
    for begin in range(0, count, BATCH):
        part = range(begin, min(begin + BATCH, count))
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET LOCAL session_replication_role = replica")
            copy_rows(
                game,
                part,
                lambda at: {
                    "id": first + at,
                    "number": number + at,
                    "source_id": f"g{number + at}",
                    "search_text": game.search_text.replace(game.source_id.casefold(), f"g{number + at}"),
                    "content_sha256": f"{first + at:064x}",
                    "message_count": game.message_count + at % 50,
                },
            )
            copy_rows(GameText.objects.get(game=game), part, lambda at: {"game_id": first + at})
            copy_rows(measured, part, lambda at: {"id": rows + at, "game_id": first + at})
            findings = MeasuredFindings.objects.get(measured=measured)
            copy_rows(findings, part, lambda at: {"measured_id": rows + at})
            add_work(game, part, first, rows)
    project = game.project
    type(project).objects.filter(pk=project.pk).update(next_game_number=number + count)
    for model in (Game, Measured):
        renew_keys(model)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def add_work(game: Any, part: range, first: int, rows: int) -> None:
    """The slots of these games, and of every third one an evaluation and a verdict like those of the game."""
    from datetime import timedelta

    from discussions.models import Evaluation, Slot, Verdict

    slot = Slot.objects.filter(game=game, purpose="rating").order_by("number").first()
    verdict = Verdict.objects.filter(game=game).order_by("pk").last()
    evaluation = Evaluation.objects.filter(game=game, slot=slot).first()
    done = [at for at in part if verdict and at % 3 == 0]
    free = dict.fromkeys(
        ("evaluator_id", "taken_at", "lease_until", "assigned_to_id", "assigned_at", "assigned_by_id")
    )
    free |= {"awaiting_since": None, "is_closed": False}
    next_slot = newest(Slot) + 1
    if verdict and evaluation:
        next_evaluation, next_verdict = newest(Evaluation) + 1, newest(Verdict) + 1
        order = {at: place for place, at in enumerate(done)}
        copy_rows(slot, done, lambda at: {"id": next_slot + order[at], "game_id": first + at})
        copy_rows(
            evaluation,
            done,
            lambda at: {
                "id": next_evaluation + order[at],
                "game_id": first + at,
                "slot_id": next_slot + order[at],
                "measured_id": rows + at,
            },
        )
        copy_rows(
            verdict,
            done,
            lambda at: {
                "id": next_verdict + order[at],
                "game_id": first + at,
                "measured_id": rows + at,
                "composite": verdict.composite and verdict.composite + at % 97 / 10,
                "created_at": verdict.created_at - timedelta(days=at % 365),
            },
        )
        next_slot += len(done)
    places = [(at, number) for at in part if not verdict or at % 3 for number in (1, 2)]
    copy_rows(
        slot,
        range(len(places)),
        lambda place: (
            free
            | {
                "id": next_slot + place,
                "game_id": first + places[place][0],
                "number": places[place][1],
                "shuffle": (first + place) * 1103515245 % 2147483647,
            }
        ),
    )
    for model in (Slot, Evaluation, Verdict):
        renew_keys(model)


def copy_rows(row: Any, places: Any, change: Change) -> None:
    """Insert this row for each place, with the columns that `change` gives."""
    from workspace.database.bulk_rows import insert_rows

    kept = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    names = list(kept)

    def lines() -> Iterator[list[Any]]:
        for at in places:
            changed = kept | change(at)
            yield [changed[name] for name in names]

    made = lines()
    while some := list(islice(made, 10_000)):
        insert_rows(type(row), names, some)


def newest(model: Any) -> int:
    """The largest key, 0 without rows."""
    return int(model.objects.order_by("-pk").values_list("pk", flat=True).first() or 0)


def newest_number(game: Any) -> int:
    """The largest number of a game in the project."""
    games = type(game).objects.filter(project=game.project).order_by("-number")
    return int(games.values_list("number", flat=True).first())


def renew_keys(model: Any) -> None:
    """Let new rows begin after the copied ones."""
    from django.db import connection

    if connection.vendor == "sqlite":
        return
    with connection.cursor() as cursor:
        sql = "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)"
        cursor.execute(sql, [model._meta.db_table, max(1, newest(model))])
