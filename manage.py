#!/usr/bin/env python
"""Django's command line for evalsite."""

import os
import sys


def main() -> None:
    """Run one management command with the site's settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    from django.core.management import execute_from_command_line

    from evalsite.environment import read_settings, stand_in

    if sys.argv[1:2] == ["measure_file"]:
        stand_in()
    read_settings()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
