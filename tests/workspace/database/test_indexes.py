"""SQLite has indexes of its own."""

import pytest
from django.db import connection, models
from django.db.migrations.operations import CreateModel, DeleteModel
from django.db.migrations.state import ProjectState

from workspace.database.online_changes import AddSQLiteIndex

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
