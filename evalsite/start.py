"""What a process checks before it serves: migrations are applied and every check passes."""

import logging
import sys

from django.conf import settings
from django.core.checks import ERROR, CheckMessage, Tags
from django.core.checks.registry import registry
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from workspace.database.damage import find_damage
from workspace.database.startup_checks import describe_newer, missing_migrations

_is_ready = False
logger = logging.getLogger("evalsite.checks")


def assert_ready(*, with_addresses: bool = False) -> None:
    """Raise ImproperlyConfigured, naming everything that is wrong, unless work can begin; log that the code is too old.

    The checks of addresses load the API, which takes half a second and 20 MB.
    """
    # Before the checks: Django's own open the database, too.
    if damage := find_damage(connection):
        raise ImproperlyConfigured(damage)
    if faults := _find_faults(with_addresses):
        raise ImproperlyConfigured("The site does not start: " + " ".join(str(fault) for fault in faults))
    if missing := missing_migrations(connection):
        raise ImproperlyConfigured(
            f"The database is {missing} migrations behind. Run `manage.py migrate` first, then start again."
        )
    if newer := describe_newer(connection):
        logger.warning(newer)
    connection.close()


def _find_faults(with_addresses: bool) -> list[CheckMessage]:
    checks = [check for check in registry.get_checks() if with_addresses or Tags.urls not in check.tags]
    found = [fault for check in checks for fault in check(app_configs=None, databases=["default"])]
    return [fault for fault in found if fault.level >= ERROR]


def take_as_ready(is_ready: bool) -> None:
    """Say whether forks may begin unchecked, since another process has just checked; checks touch a sixth of memory."""
    global _is_ready  # noqa: PLW0603  what forks inherit
    _is_ready = is_ready


def end_unless_ready(*, with_addresses: bool = False) -> None:
    """End the process with the sentence when work cannot begin. Celery would log any other fault and go on."""
    if _is_ready:
        return
    try:
        assert_ready(with_addresses=with_addresses)
    except ImproperlyConfigured as fault:
        sys.exit(str(fault))


def limit_waiting() -> None:
    """For processes that answer pages: a PostgreSQL that hangs blocks no thread for ever."""
    if connection.vendor == "postgresql":
        from workspace.database.postgresql.base import DatabaseWrapper

        DatabaseWrapper.longest_wait = settings.WEB_STATEMENT_SECONDS
