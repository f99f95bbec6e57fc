#!/usr/bin/env python
"""Django's command line for evalsite."""

import atexit
import gc
import os
import sys

import evalsite  # noqa: F401  first: it says when this Python has no packages


def main() -> None:
    """Run one management command with the site's settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError, connection

    from evalsite.environment import read_settings, stand_in
    from workspace.database.damage import describe_damage, is_damage

    if sys.argv[1:2] == ["measure_file"]:
        stand_in()
    read_settings()
    atexit.register(gc.freeze)  # otherwise all objects are looked through at the end, for half a second
    try:
        execute_from_command_line(sys.argv)
    except DatabaseError as fault:
        # Django's own commands; those of the site say so themselves.
        if not is_damage(fault) or "--traceback" in sys.argv:
            raise
        sys.exit(describe_damage(connection, str(fault)))


if __name__ == "__main__":
    main()
