"""The base of all commands: keeps line breaks in the help, and defines how a command ends."""

import argparse
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.utils import timezone

from workspace.core.refusals import Refusal
from workspace.database.damage import describe_damage, is_damage
from workspace.database.startup_checks import describe_newer, describe_older
from workspace.models import Person, Project
from workspace.people.actions.people import system_person

DONE, DIFFERS, BAD_INPUT = 0, 1, 2


class BadInput(Exception):
    """Nothing can be begun; the sentence says why."""


class SiteCommand(BaseCommand):
    """Exits with 0 when all was done, with 1 when something differs or failed, with 2 when the input is bad.

    `handle` may raise BadInput and refusals of actions: they are said, and it exits with 2. One with
    `requires_migrations_checks` says first on standard error if code and database are too far apart.
    """

    # Whether the answer is JSON.
    as_json = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(
            prog_name, subcommand, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Say in a sentence that the database does not answer, has no tables or is damaged; --traceback shows more."""
        self.as_json = bool(options.get("json") or options.get("as_json"))
        try:
            return super().execute(*args, **options)
        except (BadInput, Refusal) as reason:
            self.end(BAD_INPUT, str(reason))
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
            self.end(DIFFERS, said, code="no_database")

    def check_migrations(self) -> None:
        """Say that code and database are too far apart; what is missing, each command says itself."""
        if apart := describe_older(connection) or describe_newer(connection):
            self.stderr.write(apart, lambda text: text)

    def answer(self, facts: Mapping[str, object], lines: Iterable[str]) -> None:
        """Say the facts as JSON, or the lines."""
        for text in [json.dumps(facts, ensure_ascii=False)] if self.as_json else lines:
            self.stdout.write(text)

    def end(self, exit_code: int, sentence: str, *, code: str = "bad_input", place: str = "") -> NoReturn:
        if self.as_json:
            self.say_faults([(place, code, sentence)])
        else:
            self.stderr.write(sentence, lambda text: text)
        raise SystemExit(exit_code)

    def say_faults(self, faults: Iterable[tuple[str, str, str]]) -> None:
        """Say on standard error what is wrong: each place, code and sentence."""
        if self.as_json:
            rows = [dict(zip(("place", "code", "message"), fault, strict=True)) for fault in faults]
            self.stderr.write(json.dumps({"faults": rows}, ensure_ascii=False), lambda text: text)
            return
        for place, _code, sentence in faults:
            self.stderr.write(f"{place}: {sentence}")


class AccountCommand(SiteCommand):
    """Changes how somebody signs in, for a reason that the audit log keeps."""

    requires_migrations_checks = True
    act: Callable[..., object]
    says: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--reason", required=True, help="goes into the audit log of accounts")

    def handle(self, *_args: Any, **options: Any) -> None:
        person = Person.objects.filter(email=options["email"].strip().lower(), is_system=False).first()
        if person is None:
            raise CommandError(f"There is no account of {options['email']}.", returncode=BAD_INPUT)
        now = timezone.now()
        try:
            self.act(person=person, reason=options["reason"], by=system_person(now=now), now=now)
        except Refusal as refusal:
            raise CommandError(refusal.sentence, returncode=BAD_INPUT) from None
        self.stdout.write(f"{person.name} <{person.email}> {self.says}")


def find_person(email: str) -> Person:
    """The account of --by. Raises BadInput."""
    person = Person.objects.filter(email=email.lower(), is_active=True).first()
    if person is None:
        raise BadInput(f'There is no account "{email}" that can sign in. Correct --by.')
    return person


def find_project(slug: str, *, advice: str = "Correct --project.") -> Project:
    """The project of --project. Raises BadInput."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise BadInput(f'There is no project "{slug}". {advice}')
    return project


def sentence_of(fault: Exception) -> str:
    return f"{' '.join(str(fault).split()).rstrip('.')}."
