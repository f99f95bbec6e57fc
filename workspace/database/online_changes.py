"""Migration operations for tables with many rows, while people save: on PostgreSQL none holds a lock for long.

They stand in migrations with `atomic = False`, without others, and are begun again after a kill. A guard
(`tests/guards/test_migrations.py`) refuses what would lock instead.
"""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddIndex
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.models import IndexOperation
from django.db.migrations.state import ProjectState
from django.db.models import Index

BATCH = 500
# A build that was cut off leaves an index that no query uses, or goes on to its end on the server.
IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


class AddIndexOnline(AddIndex):
    """Add an index; PostgreSQL builds it while rows change, SQLite at once."""

    atomic = False

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Build it, unless it is there; in place of one that was cut off."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        name = schema_editor.quote_name(self.index.name)
        with schema_editor.connection.cursor() as cursor:
            # It waits for transactions that began before, and nobody waits behind it.
            cursor.execute("SELECT current_setting('lock_timeout'), set_config('lock_timeout', '0', false)")
            (waits, _none) = cursor.fetchone()
            cursor.execute(IS_VALID, [name])
            if (found := cursor.fetchone()) and not found[0]:
                cursor.execute(f"DROP INDEX CONCURRENTLY {name}")  # waits for a build that goes on
            if not found or not found[0]:
                self._concurrently().database_forwards(app_label, schema_editor, from_state, to_state)
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [waits])

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Drop it."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
            return
        self._concurrently().database_backwards(app_label, schema_editor, from_state, to_state)

    def _concurrently(self) -> AddIndex:
        # Its module loads the driver of PostgreSQL, which migrations of SQLite do without.
        from django.contrib.postgres.operations import AddIndexConcurrently

        return AddIndexConcurrently(self.model_name, self.index)


class ChangeInBatches(Operation):
    """Call `change(apps, rows)` for all rows of a model, some at a time in the order of their keys.

    Each batch is a transaction of its own: what it changes is locked for milliseconds. `change` may be called again
    with rows that it changed already. Rows that are added meanwhile come from code that fills them itself.
    """

    reduces_to_sql = False
    reversible = True
    atomic = False

    def __init__(self, model: str, change: Callable[[Any, Any], object], *, size: int = BATCH) -> None:
        self.model, self.change, self.size = model, change, size

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.model, self.change], {"size": self.size}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Rows are no part of it."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Go through the table once. Raises RuntimeError within a transaction."""
        if schema_editor.connection.in_atomic_block:
            raise RuntimeError(
                f"The rows of {self.model} change in batches: give the migration atomic = False."
            )
        rows = from_state.apps.get_model(app_label, self.model)._base_manager.order_by("pk")
        done = 0
        while keys := list(rows.filter(pk__gt=done).values_list("pk", flat=True)[: self.size]):
            with transaction.atomic():
                self.change(from_state.apps, rows.filter(pk__gt=done, pk__lte=keys[-1]))
            done = keys[-1]

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """The columns that it filled go with the migration before."""

    def describe(self) -> str:
        """The line that `migrate --plan` shows."""
        return f"Change the rows of {self.model}, {self.size} at a time"


class AddSQLiteIndex(IndexOperation):
    """Add an index on SQLite only, for queries that then read no rows; PostgreSQL cannot index long texts.

    The state does not change, so a migration that rebuilds the table must add it again.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, model_name: str, name: str, *fields: str) -> None:
        self.model_name, self.name, self.fields = model_name, name, fields

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.model_name, self.name, *self.fields], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Nothing to change."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor == "sqlite":
            model = to_state.apps.get_model(app_label, self.model_name)
            schema_editor.add_index(model, Index(fields=self.fields, name=self.name))

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor == "sqlite":
            model = to_state.apps.get_model(app_label, self.model_name)
            schema_editor.remove_index(model, Index(fields=self.fields, name=self.name))

    def describe(self) -> str:
        """The line that `migrate --plan` shows."""
        return f"Add the index {self.name} on {self.model_name}, on SQLite"
