"""Indexes and values for large tables: made online, begun again after a kill; `migrate` undoes nothing."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction
from django.db.migrations.operations import CreateModel, DeleteModel
from django.db.migrations.state import ProjectState

from discussions.models import Adjudication, Decision, ManualFigure, Verdict
from workspace.database.online_changes import AddIndexOnline, ChangeInBatches

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

FIELDS = [("id", models.BigAutoField(primary_key=True)), ("text", models.TextField(null=True))]
INDEX = AddIndexOnline("book", models.Index(fields=["text"], name="book_by_text"))


def run(operation, before, *, is_atomic=False):
    """The state after the operation, which was run."""
    after = before.clone()
    operation.state_forwards("shelves", after)
    with connection.schema_editor(atomic=is_atomic) as editor:
        operation.database_forwards("shelves", editor, before, after)
    return after


@contextmanager
def shelf():
    """The state with a table of seven books; the table goes afterwards."""
    state = run(CreateModel("Book", FIELDS), ProjectState())
    try:
        book = state.apps.get_model("shelves", "Book")
        book.objects.bulk_create([book() for _ in range(7)])
        yield state
    finally:
        run(DeleteModel("Book"), state)


def names():
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "shelves_book")
    return [name for name, made in found.items() if made["index"]]


def test_an_index_is_made_once_also_when_its_build_was_cut_off():
    with shelf() as state:
        done = run(INDEX, state)
        assert names() == ["book_by_text"]
        if connection.vendor == "postgresql":
            run(INDEX, state)  # it was built to its end, and not recorded
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'book_by_text'::regclass"
                )
                run(INDEX, state)
                cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = 'book_by_text'::regclass")
                assert cursor.fetchone() == (True,)
        with connection.schema_editor(atomic=False) as editor:
            INDEX.database_backwards("shelves", editor, done, state)
        assert names() == []


def test_rows_change_some_at_a_time_and_what_was_done_stays():
    sizes = []

    def fill(_apps, rows):
        sizes.append(len(rows))
        if len(sizes) == 2:
            raise ConnectionError
        rows.update(text="a")

    with shelf() as state:
        with pytest.raises(ConnectionError):
            run(ChangeInBatches("Book", fill, size=3), state)
        books = state.apps.get_model("shelves", "Book").objects
        assert (sizes, books.filter(text="a").count()) == ([3, 3], 3)
        run(ChangeInBatches("Book", fill, size=3), state)
        assert (sizes[2:], books.filter(text="a").count()) == ([3, 3, 1], 7)
        editor = SimpleNamespace(connection=connection)
        with transaction.atomic(), pytest.raises(RuntimeError, match="atomic = False"):
            ChangeInBatches("Book", fill).database_forwards("shelves", editor, state, state)


@pytest.mark.parametrize("target", ["0001", "zero"])
def test_migrations_are_not_undone(target):
    with pytest.raises(CommandError, match="not undone"):
        call_command("migrate", "discussions", target, verbosity=0)
    with pytest.raises(CommandError, match="Cannot find a migration"):
        call_command("migrate", "discussions", "0999", verbosity=0)


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite finds what supersedes a row by an index"
)
@pytest.mark.parametrize("model", [Verdict, Adjudication, Decision, ManualFigure])
def test_postgresql_knows_how_many_rows_nothing_supersedes(model):
    """Otherwise it expects one row, and reads the whole table for each list."""
    assert "Anti Join" in model.objects.not_superseded().explain()
