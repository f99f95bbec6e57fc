"""Tables made and changed by ChangeTables are those that the operations make one by one."""

import pytest
from django.db import connection, models
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

from workspace.database.table_changes import ChangeTables

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

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
