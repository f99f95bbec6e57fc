"""Indexes and values for large tables: made online, begun again after a kill; `migrate` undoes nothing.

Tables made and changed by ChangeTables are those that the operations make one by one.
"""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction
from django.db.migrations import Migration
from django.db.migrations.operations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    CreateModel,
    DeleteModel,
    RemoveConstraint,
    RemoveField,
    RemoveIndex,
)
from django.db.migrations.state import ProjectState

from discussions.models import Adjudication, Decision, ManualFigure, Verdict
from workspace.database.online_changes import AddIndexOnline, ChangeInBatches
from workspace.database.table_changes import ChangeTables

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


COUNTED = models.UniqueConstraint(fields=["shelf", "number"], name="shelf_number_unique")
NAMED = models.CheckConstraint(condition=~models.Q(title=""), name="shelf_book_named")


def key():
    return ("id", models.BigAutoField(primary_key=True))


def made():
    """Two tables, each with a row soon."""
    return [
        CreateModel("Shelf", [key(), ("name", models.CharField(max_length=20, unique=True))]),
        CreateModel(
            "Book",
            [key(), ("number", models.IntegerField()), ("old", models.TextField(default=""))],
            {
                "constraints": [
                    models.CheckConstraint(condition=models.Q(number__gt=0), name="shelf_positive")
                ]
            },
        ),
    ]


def changed():
    """Columns that SQLite adds to the table, columns for which it makes the table anew, and all else."""
    return [
        AddField("book", "shelf", models.ForeignKey("shelf.shelf", models.PROTECT, null=True)),
        AddField("book", "title", models.CharField(max_length=20, default="None"), preserve_default=False),
        AddField("book", "after", models.OneToOneField("self", models.PROTECT, null=True)),
        RemoveConstraint("book", "shelf_positive"),
        AddConstraint("book", COUNTED),
        AddConstraint("book", NAMED),
        AddIndex("book", models.Index(fields=["title"], name="shelf_book_by_title")),
        AddIndex("book", models.Index(fields=["number"], name="shelf_book_by_number")),
        AlterField("book", "title", models.TextField(blank=True)),
        RemoveIndex("book", "shelf_book_by_number"),
        RemoveField("book", "old"),
        AddField("book", "state", models.CharField(max_length=9, default="here"), preserve_default=False),
        AddField(
            "shelf", "best", models.ForeignKey("shelf.book", models.PROTECT, null=True, related_name="+")
        ),
    ]


def migrate(state, operations):
    migration = Migration("0001", "shelf")
    migration.operations = operations
    with connection.schema_editor() as editor:
        return migration.apply(state, editor)


def undo(state, operations):
    migration = Migration("0001", "shelf")
    migration.operations = operations
    with connection.schema_editor() as editor:
        migration.unapply(state, editor)


def tables():
    """What the database has of both tables: columns in their order, keys, constraints and indexes, rows."""
    found = {}
    with connection.cursor() as cursor:
        for table in ("shelf_book", "shelf_shelf"):
            columns = connection.introspection.get_table_description(cursor, table)
            cursor.execute(f"SELECT * FROM {table}")
            rows = cursor.fetchall()
            found[table] = (
                [(column.name, column.type_code, column.null_ok, column.default) for column in columns],
                connection.introspection.get_constraints(cursor, table),
                connection.introspection.get_relations(cursor, table),
                rows,
            )
    return found


def fill():
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO shelf_shelf (id, name) VALUES (1, 'first')")
        cursor.execute("INSERT INTO shelf_book (id, number, old) VALUES (1, 7, '')")


def walk(wrapped, then=None):
    """The tables at each stop of a way there and back; and the last state."""
    first, second = wrapped(made()), (then or wrapped)(changed())
    before = migrate(ProjectState(), first)
    fill()
    stops = [tables()]
    kept, after = before.clone(), migrate(before, second)  # which changes the state, as `migrate` does
    stops.append(tables())
    undo(kept, second)
    stops.append(tables())
    undo(ProjectState(), first)
    assert not {"shelf_book", "shelf_shelf"} & set(connection.introspection.table_names())
    return stops, after


def test_tables_rows_and_state_are_those_of_the_operations_one_by_one():
    stops, state = walk(lambda operations: [ChangeTables(operations)])
    plain_stops, plain_state = walk(list)
    assert stops == plain_stops
    assert state == plain_state
    assert walk(lambda operations: [ChangeTables(operations)], then=list) == (plain_stops, plain_state)
    (columns, constraints, relations, rows), _shelf = stops[1].values()
    assert {name for name, *_ in columns} == {"id", "number", "shelf_id", "title", "after_id", "state"}
    assert {"shelf_number_unique", "shelf_book_named", "shelf_book_by_title"} <= set(constraints)
    assert sorted(rows[0], key=str) == sorted((1, 7, None, "None", None, "here"), key=str)
    assert {relation[1] for relation in relations.values()} == {"shelf_shelf", "shelf_book"}


def test_what_follows_sees_the_changed_models():
    state = ProjectState()
    for operation in made():
        operation.state_forwards("shelf", state)
    assert "old" in {field.name for field in state.apps.get_model("shelf", "book")._meta.get_fields()}
    ChangeTables(changed()).state_forwards("shelf", state)
    book, shelf = (state.apps.get_model("shelf", name) for name in ("book", "shelf"))
    assert book._meta.get_field("shelf").related_model is shelf
    assert [field.name for field in book._meta.local_fields] == [
        "id", "number", "shelf", "title", "after", "state"
    ]  # fmt: skip


def test_what_follows_and_asks_for_no_model_renders_none(monkeypatch):
    state, rendered = ProjectState(), []
    with monkeypatch.context() as patch:
        patch.setattr("django.db.migrations.state.ModelState.render", lambda *given: rendered.append(given))
        ChangeTables(made()).state_forwards("shelf", state)
        later = state.clone()
        ChangeTables(changed()).state_forwards("shelf", later)
        assert "apps" in state.__dict__ and "apps" in later.__dict__, "else Django renders before a migration"
    assert rendered == []
    names = [
        {field.name for field in each.apps.get_model("shelf", "book")._meta.local_fields}
        for each in (state, later, later.clone())
    ]
    assert names == [
        {"id", "number", "old"},
        *[{"id", "number", "shelf", "title", "after", "state"}] * 2,
    ]


def test_an_operation_that_follows_alone_sees_the_models_before_it():
    state = migrate(ProjectState(), [ChangeTables(made())])
    try:
        migrate(state, [AlterField("book", "old", models.TextField(null=True))])
        columns, *_others = tables()["shelf_book"]
        assert {name: null_ok for name, _type, null_ok, _default in columns} == {
            "id": False,
            "number": False,
            "old": True,
        }
    finally:
        migrate(state, [DeleteModel("Book"), DeleteModel("Shelf")])


def test_operations_that_other_models_depend_on_stay_outside():
    with pytest.raises(TypeError, match="DeleteModel cannot be in ChangeTables"):
        ChangeTables([DeleteModel("book")])
    with pytest.raises(TypeError, match="AlterField cannot be in ChangeTables"):
        ChangeTables([AlterField("shelf", "name", models.CharField(max_length=9, unique=True))])
