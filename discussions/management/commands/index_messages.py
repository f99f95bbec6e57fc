"""Indexes the messages of all games again, for the search."""

from typing import Any

from discussions.search.actions import index_again
from workspace.management.command import DONE, SiteCommand


class Command(SiteCommand):
    help = (
        "Indexes the messages of all games again, for the search; `verify` says when that is needed.\n"
        "A worker does it. Searches work meanwhile.\n"
        "Exit codes: 0 queued.\n"
        "Example: manage.py index_messages"
    )
    requires_migrations_checks = True

    def handle(self, *_: Any, **_options: Any) -> None:
        count = index_again()
        self.stdout.write(f"{count} games are queued. Workers take them within seconds.")
        raise SystemExit(DONE)
