"""Indexes that Django does not know."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Index


class AddSQLiteIndex(Operation):
    """Add an index on SQLite only, for queries that then read no rows; PostgreSQL cannot index long texts.

    The state does not change, so a migration that rebuilds the table must add it again.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, model: str, name: str, *fields: str) -> None:
        self.model, self.name, self.fields = model, name, fields

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.model, self.name, *self.fields], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Nothing to change."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
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
        if schema_editor.connection.vendor == "sqlite":
            model = to_state.apps.get_model(app_label, self.model)
            schema_editor.remove_index(model, Index(fields=self.fields, name=self.name))

    def describe(self) -> str:
        """The line that `migrate --plan` shows."""
        return f"Add the index {self.name} on {self.model}, on SQLite"
