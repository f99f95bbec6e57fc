"""The index of words: a job fills it after imports and moves, an erasure empties it, a command makes it again."""

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import OperationalError, connection, transaction

from discussions.models import Game, IndexedMessage, UnindexedGame
from discussions.search.core import KEYS
from discussions.search.queries import build_rows
from workspace.database.bulk_rows import insert_rows
from workspace.jobs.actions import Clock, enqueue, finish, hand_back, renew
from workspace.models import Job, Person

INDEX, SUBJECT = "index", "messages"
# Games whose words are written in one transaction, and how long the job works before others have their turn.
BATCH_GAMES, TURN = 50, timedelta(seconds=10)
MERGED_PAGES = 1000
_MERGE = "INSERT INTO discussions_indexedmessage (discussions_indexedmessage, rank) VALUES ('merge', %s)"


def ask_to_index(*, by: Person, now: datetime) -> None:
    """Queue the job when games wait for it; each sweep asks."""
    if UnindexedGame.objects.exists():
        with transaction.atomic():
            enqueue(project=None, kind=INDEX, subject=SUBJECT, input_hash="", by=by, now=now)


def index_games(*, job: Job, clock: Clock) -> None:
    """Write the words of all games that wait, newest first, some in each transaction. Raises JobLost."""
    until = clock() + TURN
    while clock() < until:
        with transaction.atomic():
            renew(job=job, now=clock())
            # An erasure locks the row of its game first: then it is left out here, or its words are deleted after this.
            rows = UnindexedGame.objects.select_for_update(skip_locked=connection.vendor == "postgresql")
            keys = list(rows.order_by("-game").values_list("game", flat=True)[:BATCH_GAMES])
            _write_words(keys)
            UnindexedGame.objects.filter(game__in=keys).delete()
            renew(job=job, now=clock(), done_count=job.done_count + len(keys))
        if not keys:
            with transaction.atomic():
                finish(job=job, now=clock())
            return
    hand_back(job=job, now=clock())


def _write_words(keys: list[int]) -> None:
    delete_words(keys)
    games = Game.objects.filter(pk__in=keys).exclude(text=None).select_related("text")
    insert_rows(IndexedMessage, ("key", "words"), list(build_rows(games.order_by("pk"))))


def delete_words(games: Collection[int]) -> None:
    """Delete what is indexed of these games, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.executemany(
            "DELETE FROM discussions_indexedmessage WHERE rowid BETWEEN %s AND %s",
            [(game * KEYS, game * KEYS + KEYS - 1) for game in games],
        )


def forget_words() -> None:
    """Take from the index itself what was deleted, outside of transactions; work goes on meanwhile.

    SQLite marks deleted words until it merges the parts of the index that have them, PostgreSQL keeps a word in its
    index for good.
    """
    if connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with suppress(OperationalError):
                cursor.execute("REINDEX INDEX CONCURRENTLY discussions_indexedmessage_gin")
            return
        pages = -MERGED_PAGES  # the first call gathers all parts, the others merge some pages each
        while True:
            changes = connection.connection.total_changes
            cursor.execute(_MERGE, [pages])
            if pages > 0 and connection.connection.total_changes - changes < 2:
                return
            pages = MERGED_PAGES


def index_again() -> int:
    """Queue all games once more; return how many. Searches find what is indexed meanwhile."""
    with transaction.atomic():
        keys = list(Game.objects.exclude(text=None).values_list("pk", flat=True))
        UnindexedGame.objects.queue(keys)
    return len(keys)
