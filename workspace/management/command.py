"""The base of all commands: keeps line breaks in the help, and defines how a command ends."""

import argparse
import json
from typing import Any, NoReturn

from django.core.management.base import BaseCommand
from django.db import DatabaseError, OperationalError, ProgrammingError, connection

from workspace.database.damage import describe_damage, is_damage
from workspace.database.startup_checks import describe_newer, describe_older

DONE, DIFFERS, BAD_INPUT = 0, 1, 2


class SiteCommand(BaseCommand):
    """Exits with 0 when all was done, with 1 when something differs or failed, with 2 when the input is bad.

    One with `requires_migrations_checks` says first on standard error if code and database are too far apart.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(
            prog_name, subcommand, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Say in a sentence that the database does not answer, has no tables or is damaged; --traceback shows more."""
        try:
            return super().execute(*args, **options)
        except DatabaseError as fault:
            is_known = isinstance(fault, OperationalError | ProgrammingError) or is_damage(fault)
            if options.get("traceback") or not is_known:
                raise
            said = (
                f"The database cannot be used: {sentence_of(fault)} Name the right one by DATABASE_URL or VAR_DIR, "
                "and run `manage.py migrate` when it is new."
            )
            if is_damage(fault):
                said = describe_damage(connection, str(fault))
            as_json = bool(options.get("json") or options.get("as_json"))
            self.end(DIFFERS, said, as_json=as_json, code="no_database")

    def check_migrations(self) -> None:
        """Say that code and database are too far apart; what is missing, each command says itself."""
        if apart := describe_older(connection) or describe_newer(connection):
            self.stderr.write(apart, lambda text: text)

    def end(self, exit_code: int, sentence: str, *, as_json: bool, code: str = "bad_input") -> NoReturn:
        fault = {"place": "", "code": code, "message": sentence}
        said = json.dumps({"faults": [fault]}, ensure_ascii=False) if as_json else sentence
        self.stderr.write(said, lambda text: text)
        raise SystemExit(exit_code)


def sentence_of(fault: Exception) -> str:
    return f"{' '.join(str(fault).split()).rstrip('.')}."
