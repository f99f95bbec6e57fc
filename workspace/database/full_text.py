"""Migration operations for searches in texts: each database has its own means, unknown to Django's models."""

from typing import Any

from django.contrib.postgres.indexes import GinIndex
from django.db import DatabaseError
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.state import ProjectState

from workspace.database.online_changes import AddIndexOnline


class CreateWordTable(CreateModel):
    """Make a table of words with its index: one of FTS5 on SQLite, a column of vectors with GIN on PostgreSQL.

    The model has a key in the column "rowid" and a column "words". The words come ready: FTS5 cuts them at spaces.
    """

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = to_state.apps.get_model(app_label, self.name)._meta.db_table
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5(words, tokenize='ascii', prefix='3')"
            )
            return
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        # A job fills the table; searches then do not read what waits to be put in order.
        schema_editor.execute(
            f"CREATE INDEX {table}_gin ON {table} USING gin (words) WITH (fastupdate = off)"
        )


class AddTrigramIndexOnline(AddIndexOnline):
    """Add an index for parts of texts on PostgreSQL, if the extension pg_trgm can be had; else all rows are read.

    Any owner of a database may create the extension, since it is trusted. The state does not change.
    """

    def __init__(self, model_name: str, name: str, field: str) -> None:
        self.given = (model_name, name, field)
        super().__init__(model_name, GinIndex(fields=[field], opclasses=["gin_trgm_ops"], name=name))

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, list(self.given), {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Nothing to change."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Build it, unless it is there or cannot be."""
        if schema_editor.connection.vendor != "postgresql":
            return
        with schema_editor.connection.cursor() as cursor:
            try:
                cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            except DatabaseError:
                cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'")
                if cursor.fetchone() is None:
                    return
        super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Drop it, if it is there."""
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {self.index.name}")
