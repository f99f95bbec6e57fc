"""`flush`, which Django runs after every test with real transactions: lifts the append-only triggers meanwhile."""

from django.core.management.commands.flush import Command as DjangoFlush
from django.db import connections

from workspace.models.append_only import guards


class Command(DjangoFlush):
    def handle(self, **options):
        """Empty the tables and put the triggers up again."""
        connection = connections[options["database"]]
        for guard in guards().values():
            guard.take_down(connection)
        try:
            super().handle(**options)
        finally:
            for guard in guards().values():
                guard.put_up(connection)
