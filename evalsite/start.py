"""What a process makes sure of before it serves: migrations are applied and every check passes."""

import gc
import sys

from django.core.checks import ERROR, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from workspace.database.damage import find_damage
from workspace.database.startup_checks import missing_migrations


def assert_ready() -> None:
    """Raise ImproperlyConfigured, naming everything that is wrong, unless work can begin."""
    # Before the checks: Django's own open the database, too.
    if damage := find_damage(connection):
        raise ImproperlyConfigured(damage)
    faults = [fault for fault in run_checks(databases=["default"]) if fault.level >= ERROR]
    if faults:
        raise ImproperlyConfigured("The site does not start: " + " ".join(str(fault) for fault in faults))
    if missing := missing_migrations(connection):
        raise ImproperlyConfigured(
            f"The database is {missing} migrations behind. Run `manage.py migrate` first, then start again."
        )
    connection.close()


def end_unless_ready() -> None:
    """End the process with the sentence when work cannot begin. Celery would log any other fault and go on."""
    try:
        assert_ready()
    except ImproperlyConfigured as fault:
        sys.exit(str(fault))


def spare_the_collector() -> None:
    """Let the garbage collector pass over what is loaded by now, and come after more work: a tenth of each request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
