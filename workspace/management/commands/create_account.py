"""Makes an account on the command line: the first admin's, and any other."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction
from django.utils import timezone

from workspace.core.refusals import Refusal
from workspace.management.command import BAD_INPUT, SiteCommand
from workspace.models import Project
from workspace.people.actions.people import create_account, system_person
from workspace.people.actions.projects import add_member


class Command(SiteCommand):
    help = (
        "Makes an account that can sign in at once. The password is asked for, or read from standard input; it is\n"
        "never on the command line, where others could see it.\n"
        "Exit codes: 0 made, 2 it could not be made.\n"
        "Example: manage.py create_account ada@example.org --name 'Ada Byron' --admin"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", required=True)
        parser.add_argument("--admin", action="store_true", help="an admin of the whole installation")
        parser.add_argument("--project", metavar="SLUG", help="a project to belong to")
        parser.add_argument(
            "--role", choices=("evaluator", "lead"), default="evaluator", help="the role there"
        )
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password from the first line of standard input",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        project = None
        if options["project"]:
            project = Project.objects.filter(slug=options["project"]).first()
            if project is None:
                raise CommandError(
                    f"There is no project {options['project']}. Open it first, or leave --project out.",
                    returncode=BAD_INPUT,
                )
        password = self._password(from_stdin=options["password_stdin"])
        now = timezone.now()
        system = system_person(now=now)
        try:
            with transaction.atomic():
                person = create_account(
                    email=options["email"],
                    name=options["name"],
                    password=password,
                    is_admin=options["admin"],
                    by=system,
                    now=now,
                )
                if project is not None:
                    add_member(project=project, person=person, role=options["role"], by=system, now=now)
        except Refusal as refusal:
            raise CommandError(refusal.sentence, returncode=BAD_INPUT) from None
        self.stdout.write(f"Made the account of {person.name} <{person.email}>.")

    def _password(self, *, from_stdin: bool) -> str:
        if from_stdin:
            return sys.stdin.readline().rstrip("\r\n")
        first = getpass.getpass("Password (12 characters or more): ")
        if getpass.getpass("The same again: ") != first:
            raise CommandError("The two passwords differ. Nothing was made; try again.", returncode=BAD_INPUT)
        return first
