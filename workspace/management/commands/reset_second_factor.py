"""Removes a second factor on the command line: for the admin whom no other admin can help."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from workspace.authentication.actions import reset_second_factor
from workspace.core.refusals import Refusal
from workspace.management.command import BAD_INPUT, SiteCommand
from workspace.models import Person
from workspace.people.actions.people import system_person


class Command(SiteCommand):
    """manage.py reset_second_factor EMAIL --reason WHY"""

    help = (
        "Takes away the second factor of somebody who lost phone and recovery codes; their sign-ins end.\n"
        "Exit codes: 0 done, 2 it could not be done.\n"
        "Example: manage.py reset_second_factor ada@example.org --reason 'Phone lost, asked by telephone'"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--reason", required=True, help="goes into the audit log of accounts")

    def handle(self, *_args: Any, **options: Any) -> None:
        person = Person.objects.filter(email=options["email"].strip().lower(), is_system=False).first()
        if person is None:
            raise CommandError(f"There is no account of {options['email']}.", returncode=BAD_INPUT)
        now = timezone.now()
        try:
            reset_second_factor(person=person, reason=options["reason"], by=system_person(now=now), now=now)
        except Refusal as refusal:
            raise CommandError(refusal.sentence, returncode=BAD_INPUT) from None
        self.stdout.write(
            f"{person.name} <{person.email}> signs in by password alone until a new one is set up."
        )
