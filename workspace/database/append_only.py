"""Rows that the database itself refuses to change: a migration operation, and the check that it still holds.

An erasure passes: for each row that it deletes or empties, it has a row in the table `PASSES` within its transaction.
SQLite drops triggers silently when Django rebuilds an altered table, so a migration that alters a guarded table ends
with the same `ForbidChange` again, and start, `verify` and the checks compare the triggers that exist with those that
must exist: the `frozen_models` of each app, which a test compares with the migrations.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

FUNCTION = "evalsite_refuse_change"
PASSES = "workspace_erasurepass"


class ForbidChange(Operation):
    """Rows of `table` are never updated nor deleted, nor the table truncated.

    With `columns`, only those are frozen; the others may change. `once` is a condition on the old row, in SQL that both
    databases read, without which the row is still free (a draft). Applying it again renews the triggers.
    """

    reversible = True
    reduces_to_sql = True
    atomic = True

    def __init__(self, table: str, *, columns: tuple[str, ...] = (), once: str = "") -> None:
        self.table, self.columns, self.once = table, tuple(columns), once

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return self.__class__.__name__, [self.table], {"columns": self.columns, "once": self.once}

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Triggers are not part of the models' state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self.put_up(schema_editor.connection)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self.take_down(schema_editor.connection)

    def describe(self) -> str:
        return f"Forbid changes of {self.table}"

    @property
    def names(self) -> tuple[str, ...]:
        """The triggers that must exist on every database."""
        return trigger_names(self.table)

    def put_up(self, connection: BaseDatabaseWrapper) -> None:
        self.take_down(connection)
        make = self._for_postgresql if connection.vendor == "postgresql" else self._for_sqlite
        with connection.cursor() as cursor:
            key = connection.introspection.get_primary_key_column(cursor, self.table)
            if key is None:
                raise LookupError(
                    f"The table {self.table} has no primary key, by which erasures pass its triggers."
                )
            for statement in make(key):
                cursor.execute(statement)

    def take_down(self, connection: BaseDatabaseWrapper) -> None:
        names = self.names
        on_table = ""
        if connection.vendor == "postgresql":
            names, on_table = (*names, f"{self.table}_frozen_truncate"), f' ON "{self.table}"'
        with connection.cursor() as cursor:
            for name in names:
                cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"{on_table}')

    def _conditions(self, differs: str) -> tuple[list[str], list[str]]:
        """When an update and when a deletion is refused: the row is frozen, and a frozen column would change."""
        changes = " OR ".join(f'OLD."{name}" {differs} NEW."{name}"' for name in self.columns)
        once = [f"({self.once})"] if self.once else []
        return [*once, *([f"({changes})"] if changes else [])], once

    def _for_sqlite(self, key: str) -> Iterator[str]:
        refuse = f"BEGIN SELECT RAISE(ABORT, 'rows of {self.table} are never changed or deleted'); END"
        passed = f'SELECT 1 FROM "{PASSES}" WHERE "table" = \'{self.table}\' AND "row" = OLD."{key}"'  # noqa: S608
        for name, act, conditions in zip(
            self.names, ("UPDATE", "DELETE"), self._conditions("IS NOT"), strict=True
        ):
            when = _when([*conditions, f"NOT EXISTS ({passed})"])
            yield f'CREATE TRIGGER "{name}" BEFORE {act} ON "{self.table}" {when} {refuse}'

    def _for_postgresql(self, key: str) -> Iterator[str]:
        named = f'SELECT EXISTS (SELECT FROM {PASSES} WHERE "table" = $2 AND "row" = ($1).%I)'  # noqa: S608
        yield (
            f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            "DECLARE passes boolean; BEGIN IF TG_NARGS > 0 THEN "
            f"EXECUTE format('{named}', "
            "TG_ARGV[0]) INTO passes USING OLD, TG_TABLE_NAME::text; "
            "IF passes AND TG_OP = 'DELETE' THEN RETURN OLD; ELSIF passes THEN RETURN NEW; END IF; END IF; "
            "RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME "
            "USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        run = f"EXECUTE FUNCTION {FUNCTION}('{key}')"
        for name, act, conditions in zip(
            self.names, ("UPDATE", "DELETE"), self._conditions("IS DISTINCT FROM"), strict=True
        ):
            when = _when(conditions)
            yield f'CREATE TRIGGER "{name}" BEFORE {act} ON "{self.table}" FOR EACH ROW {when} {run}'
        yield (
            f'CREATE TRIGGER "{self.table}_frozen_truncate" BEFORE TRUNCATE ON "{self.table}" '
            f"EXECUTE FUNCTION {FUNCTION}()"
        )


def _when(conditions: list[str]) -> str:
    return f"WHEN ({' AND '.join(conditions)})" if conditions else ""


def trigger_names(table: str) -> tuple[str, str]:
    """The triggers that guard a table on every database."""
    return f"{table}_frozen_update", f"{table}_frozen_delete"


def frozen_tables() -> list[str]:
    """The tables that must be guarded, as the apps name them; this does not import the migrations, which say how."""
    return [
        apps.get_model(app.label, model)._meta.db_table
        for app in apps.get_app_configs()
        for model in getattr(app, "frozen_models", ())
    ]


@cache
def guards() -> dict[str, ForbidChange]:
    """Table -> the newest `ForbidChange` of it that the migrations hold."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    order = [node for leaf in sorted(loader.graph.leaf_nodes()) for node in loader.graph.forwards_plan(leaf)]
    found: dict[str, ForbidChange] = {}
    for node in dict.fromkeys(order):
        for operation in loader.graph.nodes[node].operations:
            if isinstance(operation, ForbidChange):
                found[operation.table] = operation
    return found


def missing_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """Names of triggers that should guard a table but are missing (or disabled)."""
    if connection.vendor == "postgresql":
        sql = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
    else:
        sql = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    with connection.cursor() as cursor:
        cursor.execute(sql)
        there = {name for (name,) in cursor.fetchall()}
    return [name for table in frozen_tables() for name in trigger_names(table) if name not in there]
