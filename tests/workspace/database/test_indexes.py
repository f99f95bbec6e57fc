"""Indexes of foreign keys that older databases have are dropped, and nothing else is; SQLite has some of its own."""

import pytest
from django.db import connection, models
from django.db.migrations.operations import CreateModel, DeleteModel
from django.db.migrations.state import ProjectState

from workspace.database.indexes import AddSQLiteIndex, DropIndexes

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def run(operation, before):
    """The state after the operation, which was run."""
    after = before.clone()
    operation.state_forwards("shelves", after)
    with connection.schema_editor() as editor:
        operation.database_forwards("shelves", editor, before, after)
    return after


def indexes():
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "shelves_book")
    return sorted(tuple(made["columns"]) for made in found.values() if made["index"])


def test_only_the_index_of_the_key_is_dropped_and_only_once():
    key = ("id", models.BigAutoField(primary_key=True))
    shelf = models.ForeignKey("shelves.Shelf", models.PROTECT)
    places = {"indexes": [models.Index(fields=["shelf"], name="own"), models.Index(fields=["no"], name="no")]}
    state = run(CreateModel("Shelf", [key]), ProjectState())
    state = run(CreateModel("Book", [key, ("no", models.IntegerField()), ("shelf", shelf)], places), state)
    before = indexes()
    try:
        assert before == [("no",), ("shelf_id",), ("shelf_id",)]
        for _ in range(2):
            state = run(DropIndexes("Book", "shelf"), state)
            assert indexes() == [("no",), ("shelf_id",)]
    finally:
        state = run(DeleteModel("Book"), state)
        run(DeleteModel("Shelf"), state)


def test_an_index_of_sqlite_is_made_there_alone_and_goes_again():
    fields = [("id", models.BigAutoField(primary_key=True)), ("text", models.TextField())]
    state = run(CreateModel("Book", fields), ProjectState())
    operation = AddSQLiteIndex("Book", "book_by_text", "text", "id")
    try:
        run(operation, state)
        assert indexes() == ([("text", "id")] if connection.vendor == "sqlite" else [])
        with connection.schema_editor() as editor:
            operation.database_backwards("shelves", editor, state, state)
        assert indexes() == []
    finally:
        run(DeleteModel("Book"), state)
