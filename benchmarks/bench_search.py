"""Prints how long searches in 1,000,000 messages take, on SQLite and on a PostgreSQL of its own, as Markdown.

    python -m benchmarks.bench_search [MESSAGES]

Games of 12 messages of 10 to 40 words; words are as frequent as in a language (the second half as often as the first,
and so on), "trust me" is said in one game of 1,000. The page is asked for through all middleware; the test client's own
work is included. Cells: the median and the 95th percentile of its wall time, the same of the CPU time of this process
and of PostgreSQL's for it (on Linux), in milliseconds, and the blocks that PostgreSQL looked at.
"""

import gc
import re
import sys
import time
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

from benchmarks.preparing import on_postgresql, prepare, run_here

MESSAGES, A_GAME, VOCABULARY, BATCH = 1_000_000, 12, 30_000, 2_000
REPEATS = 30
SIZES = {
    "postgresql": "SELECT pg_total_relation_size('discussions_indexedmessage')",
    "sqlite": "SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'discussions_indexedmessage%'",
}
# What is asked, and the other parameters of the address; lower numbers are more frequent words.
SEARCHES: dict[str, tuple[str, dict[str, str]]] = {
    "a word of every second message": ("w0", {}),
    "of one in 100": ("w200", {}),
    "of one in 10,000": ("w20000", {}),
    "no such word": ("nowhere", {}),
    "two frequent words": ("w0 w1", {}),
    "six words that rarely meet": ("w0 w3 w7 w12 w20 w33", {}),
    "a phrase of frequent words": ('"w0 w1"', {}),
    "a rare phrase": ('"trust me"', {}),
    "begin*": ("w200*", {}),
    "frequent -frequent": ("w0 -w1", {}),
    "frequent, by role": ("w0", {"role": "MAFIA"}),
    "frequent, by agent and round": ("w0", {"agent": "Agent 3", "round": "2"}),
}


def talk(source: Random, words: list[str], number: int) -> Any:
    """The record of one game."""
    from discussions.core.records import GameRecord, Message, Player

    players = [Player(f"Agent {at}", role="MAFIA" if at < 3 else "VILLAGER") for at in range(1, 9)]
    messages = []
    for position in range(1, A_GAME + 1):
        start = source.randrange(len(words) - 40)
        text = " ".join(words[start : start + source.randint(10, 40)])
        if number % 1000 == 0 and position == 3:
            text += " trust me"
        messages.append(Message(position, source.randint(1, 8), text, (position - 1) // 4 + 1))
    return GameRecord(f"g{number}", players, messages)


def fill(game: Any, count: int) -> None:
    """Add games with their texts and words."""
    import msgspec
    from django.db import transaction

    from benchmarks.games_by_copy import copy_rows, newest, newest_number, renew_keys
    from discussions.models import Game, GameText, IndexedMessage
    from discussions.search.queries import build_rows
    from workspace.database.bulk_rows import insert_rows

    source = Random(7)
    names = [f"w{number}" for number in range(VOCABULARY)]
    shares = list(accumulate(1 / (number + 2) for number in range(VOCABULARY)))
    words = source.choices(names, cum_weights=shares, k=1_000_000)
    first, number = newest(Game) + 1, newest_number(game) + 1
    for begin in range(0, count, BATCH):
        part = range(begin, min(begin + BATCH, count))
        texts = [
            GameText(
                game=Game(pk=first + at, project_id=game.project_id, iteration_id=game.iteration_id),
                body=msgspec.json.encode(talk(source, words, at)).decode(),
            )
            for at in part
        ]
        for text in texts:
            text.game.text = text
        with transaction.atomic():
            copy_rows(
                game,
                part,
                lambda at: {
                    "id": first + at,
                    "number": number + at,
                    "source_id": f"g{number + at}",
                    "search_text": f"g{number + at}",
                    "content_sha256": f"{first + at:064x}",
                },
            )
            insert_rows(GameText, ("game_id", "body"), [(text.game_id, text.body) for text in texts])
            insert_rows(IndexedMessage, ("key", "words"), list(build_rows(text.game for text in texts)))
    renew_keys(Game)


def measure_here(messages: int) -> None:
    """Fill the database of TEST_DATABASE_URL, else SQLite, and print a line for each search."""
    prepare()
    from django.db import connection
    from django.urls import reverse

    from tests.factories.rating import make_game, make_rating_project
    from tests.factories.search import index_all

    game = make_game(project=make_rating_project())
    index_all()
    began = time.monotonic()
    fill(game, messages // A_GAME)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("VACUUM ANALYZE")
        cursor.execute(SIZES[connection.vendor])
        (size,) = cursor.fetchone()
    print(
        f"{connection.vendor}: filled in {time.monotonic() - began:,.0f} s, index {size / 2**20:,.0f} MB",
        flush=True,
    )
    print_searches(reverse("search", args=[game.project.slug]))


def print_searches(address: str) -> None:
    """A line for each search on the page at this address."""
    from django.db import connection
    from django.test import Client

    from benchmarks.bench_scale import count_blocks
    from tests.factories.people import make_admin

    client = Client()
    client.force_login(make_admin())
    client.get(address, {"q": "w5"})
    # As the server does before its first request: what the program itself is made of is not looked through again.
    gc.collect()
    gc.freeze()
    is_counted = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()" if is_counted else "SELECT 0")
        (backend,) = cursor.fetchone()
    for name, (text, given) in SEARCHES.items():
        times: list[tuple[float, float]] = []
        before = count_blocks() if is_counted else 0
        for _ in range(REPEATS):
            started = time.perf_counter(), read_cpu(backend)
            answer = client.get(address, {"q": text, **given})
            times.append((time.perf_counter() - started[0], read_cpu(backend) - started[1]))
            assert answer.status_code == 200, answer.content[:300]
        blocks = (count_blocks() - before) / REPEATS if is_counted else 0
        found = " ".join(
            re.sub("<[^>]+>", "", answer.content.decode().partition("<h1>")[2].partition("</h1>")[0]).split()
        )
        wall, cpu = (
            f"{1000 * median(each):,.0f}, {1000 * quantiles(each, n=20)[-1]:,.0f}"
            for each in zip(*times, strict=True)
        )
        print(f"| {name} | {found} | {wall} | {cpu} | {blocks:,.0f} |", flush=True)


def read_cpu(backend: int) -> float:
    """Seconds of CPU of this process and of that of PostgreSQL, if it has a number."""
    there = Path(f"/proc/{backend}/schedstat")
    return time.process_time() + (int(there.read_text().split()[0]) / 1e9 if backend else 0)


def main() -> int:
    """Measure SQLite, then PostgreSQL, each in a process of its own."""
    if sys.argv[1:2] == ["here"]:
        measure_here(int(sys.argv[2]))
        return 0
    arguments = sys.argv[1:] or [str(MESSAGES)]
    code = run_here("benchmarks.bench_search", arguments)
    on_server = on_postgresql("benchmarks.bench_search", arguments)
    return code or (1 if on_server is None else on_server)


if __name__ == "__main__":
    sys.exit(main())
