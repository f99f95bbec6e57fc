"""Django's `migrate`, which on PostgreSQL waits for no lock while others wait behind it, and undoes nothing."""

from contextlib import suppress
from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import Error, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.exceptions import AmbiguityError
from django.db.migrations.executor import MigrationExecutor

from workspace.database.transactions import DEADLOCK, LOCK_NOT_AVAILABLE

# A change of a table waits for the transactions that use it, and everybody who saves waits behind it: at most so long.
# It then lets them pass, and tries again.
WAITS, TRIES, PASSES = "2s", 60, (LOCK_NOT_AVAILABLE, DEADLOCK)
NOT_UNDONE = (
    "Migrations are not undone: what newer code saved would be lost. To go back to an older version, restore the "
    "backup that was made before the update."
)


class Command(migrate.Command):
    def handle(self, *names: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if options["migration_name"] and _is_back(
            connection, options["app_label"], options["migration_name"]
        ):
            raise CommandError(NOT_UNDONE)
        # Behind a pooler, the setting would stay with a connection that others use.
        if connection.vendor != "postgresql" or connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
            super().handle(*names, **options)
            return
        for turn in range(1, TRIES + 1):
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", [WAITS])
            try:
                super().handle(*names, **options)
                return
            except OperationalError as fault:
                if getattr(fault.__cause__, "sqlstate", "") not in PASSES or turn == TRIES:
                    raise
                self.stderr.write(f"A table is in use; trying again ({turn} of {TRIES}).")
            finally:
                with suppress(Error), connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")


def _is_back(connection: BaseDatabaseWrapper, app: str, name: str) -> bool:
    """Whether that is before what is applied. Names that Django refuses are left to it."""
    executor = MigrationExecutor(connection)
    if name == "zero":
        return any(app == applied for applied, _name in executor.loader.applied_migrations)
    try:
        target = executor.loader.get_migration_by_prefix(app, name)
    except (KeyError, AmbiguityError):
        return False
    return any(is_back for _migration, is_back in executor.migration_plan([(app, target.name)]))
