"""Indexes that Django does not know: those that older migrations made and nothing needs, and those for SQLite only."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Index


class _IndexesAlone(Operation):
    """Changes indexes of a table, but not Django's state of its model."""

    reduces_to_sql = True
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Nothing to change."""


class DropIndexes(_IndexesAlone):
    """Drop the separate indexes of a model's foreign keys.

    They have `db_index=False` in the migration that makes the table, because another index begins with their column. So
    newer databases never had these indexes: nothing is dropped there. The state does not change.
    """

    def __init__(self, model: str, *fields: str) -> None:
        self.model, self.fields = model, fields

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """The operation as a migration writes it."""
        return type(self).__name__, [self.model, *self.fields], {}

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop each of them that exists."""
        model = to_state.apps.get_model(app_label, self.model)
        named = {index.name for index in model._meta.indexes}
        for field in self.fields:
            column = model._meta.get_field(field).column
            for name in schema_editor._constraint_names(  # type: ignore[attr-defined]
                model, [column], index=True, unique=False, exclude=named
            ):
                schema_editor.execute(schema_editor._delete_index_sql(model, name))  # type: ignore[attr-defined]

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Nothing to restore: the site runs without them."""

    def describe(self) -> str:
        """The line that `migrate --plan` shows."""
        return f"Drop the indexes of {', '.join(self.fields)} on {self.model}"


class AddSQLiteIndex(_IndexesAlone):
    """Add an index on SQLite only, for queries that then read no rows; PostgreSQL cannot index long texts.

    The state does not change, so a migration that rebuilds the table must add it again.
    """

    def __init__(self, model: str, name: str, *fields: str) -> None:
        self.model, self.name, self.fields = model, name, fields

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """The operation as a migration writes it."""
        return type(self).__name__, [self.model, self.name, *self.fields], {}

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Make it."""
        if schema_editor.connection.vendor == "sqlite":
            model = to_state.apps.get_model(app_label, self.model)
            schema_editor.add_index(model, Index(fields=self.fields, name=self.name))

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop it."""
        if schema_editor.connection.vendor == "sqlite":
            model = to_state.apps.get_model(app_label, self.model)
            schema_editor.remove_index(model, Index(fields=self.fields, name=self.name))

    def describe(self) -> str:
        """The line that `migrate --plan` shows."""
        return f"Add the index {self.name} on {self.model}, on SQLite"
