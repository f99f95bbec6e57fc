"""A bare Django site for the floor: sessions, sign-in, CSRF, gzip, three pages, SQLite as the site uses it. No more.

    python -m benchmarks.floor GAMES PORT

Stores GAMES games of 50 messages under VAR_DIR, prints how many a second, and serves with granian, a process of four
threads for each core. What the site costs beyond this pays for permissions, audit, versions and a page to work on.
"""

import json
import os
import sys
import time
from pathlib import Path

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path

MESSAGES = 50
EMAIL, PASSWORD = "floor@example.org", "only-for-benchmarks"
BATCH = 250
FORM = '<form method="post">{% csrf_token %}<input name="login"><input name="password"></form>'
LIST = (
    "<table>{% for row in rows %}<tr><td>{{ row.0 }}<td>{{ row.1 }}<td>{{ row.2 }}</tr>{% endfor %}</table>"
)
GAME = "<form>{% csrf_token %}</form>{% for row in rows %}<article><b>{{ row.0 }}</b>{{ row.1 }}</article>{% endfor %}"
TABLES = (
    "CREATE TABLE game (id INTEGER PRIMARY KEY, name TEXT, count INTEGER)",
    "CREATE TABLE message (id INTEGER PRIMARY KEY, game INTEGER, position INTEGER, player TEXT, text TEXT)",
    "CREATE INDEX of_game ON message (game, position)",
    "CREATE TABLE judgement (id INTEGER PRIMARY KEY, person INTEGER, game INTEGER, value TEXT)",
)


def configure() -> None:
    """Settings, tables of Django and the cached templates."""
    settings.configure(
        SECRET_KEY="only-for-benchmarks" * 3,
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="benchmarks.floor",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"],
        MIDDLEWARE=[
            "django.middleware.gzip.GZipMiddleware",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {"loaders": [(
                "django.template.loaders.locmem.Loader", {"form": FORM, "list": LIST, "game": GAME}
            )]},
        }],
        DATABASES={"default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(Path(os.environ["VAR_DIR"]) / "floor.sqlite3"),
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE", "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            },
        }},
    )  # fmt: skip
    django.setup()


def sign_in(request: HttpRequest) -> HttpResponse:
    """Show the sign-in form, and handle it."""
    from django.contrib.auth import authenticate, login
    from django.shortcuts import redirect, render

    if request.method != "POST":
        return render(request, "form")
    login(request, authenticate(username=request.POST["login"], password=request.POST["password"]))
    return redirect("/list/")


def show_list(request: HttpRequest) -> HttpResponse:
    """The newest 30 games."""
    from django.shortcuts import render

    rows = ask("SELECT id, name, count FROM game ORDER BY id DESC LIMIT 30") if request.user.pk else []
    return render(request, "list", {"rows": rows})


def show_game(request: HttpRequest, game: int) -> HttpResponse:
    """All messages of a game; the form has the token for saves."""
    from django.shortcuts import render

    rows = ask("SELECT player, text FROM message WHERE game = %s ORDER BY position", game)
    return render(request, "game", {"rows": rows if request.user.pk else []})


def save(request: HttpRequest, game: int) -> HttpResponse:
    """Store one judgement."""
    from django.db import transaction

    with transaction.atomic():
        values = [request.user.pk, game, request.POST["act"]]
        ask("INSERT INTO judgement (person, game, value) VALUES (%s, %s, %s)", *values)
    return HttpResponse("saved")


def ask(statement: str, *values: object) -> list[tuple[object, ...]]:
    """The rows of a statement; empty when it returns none."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def fill(games: list[str]) -> float:
    """Store games given as JSON, and an account; return games per second."""
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection, transaction

    call_command("migrate", verbosity=0)
    User.objects.create_user(EMAIL, password=PASSWORD)
    for statement in TABLES:
        ask(statement)
    began = time.perf_counter()
    for first in range(0, len(games), BATCH):
        with transaction.atomic(), connection.cursor() as cursor:
            for number, text in enumerate(games[first : first + BATCH], start=first):
                messages = json.loads(text)["messages"]
                cursor.execute("INSERT INTO game VALUES (%s, %s, %s)", [number, f"g{number}", len(messages)])
                cursor.executemany(
                    "INSERT INTO message (game, position, player, text) VALUES (%s, %s, %s, %s)",
                    [(number, row["turn"], row["playerName"], row["message"]) for row in messages],
                )
    return len(games) / (time.perf_counter() - began)


urlpatterns = [
    path("sign-in/", sign_in),
    path("list/", show_list),
    path("game/<int:game>/", show_game),
    path("game/<int:game>/save/", save),
]


def main(games: int, port: int) -> None:
    """Fill and serve."""
    from django.core.wsgi import get_wsgi_application
    from granian import Granian
    from granian.constants import Interfaces

    from benchmarks.bench_import import native

    configure()
    made = [json.dumps(native(number)) for number in range(games)]
    print(fill(made), flush=True)
    from django.db import connection

    connection.close()
    Granian(
        "benchmarks.floor", address="127.0.0.1", port=port, interface=Interfaces.WSGI,
        workers=os.cpu_count() or 1, blocking_threads=4, websockets=False,
    ).serve(target_loader=lambda *_: get_wsgi_application(), wrap_loader=False)  # fmt: skip


if __name__ == "__main__":
    sys.modules["benchmarks.floor"] = sys.modules["__main__"]  # ROOT_URLCONF names this module
    main(int(sys.argv[1]), int(sys.argv[2]))
