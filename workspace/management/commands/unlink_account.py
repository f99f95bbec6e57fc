"""Unlinks an account from its OpenID Connect subject: for somebody whose account at the issuer was created again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from workspace.authentication.actions import unlink_outside_account
from workspace.core.refusals import Refusal
from workspace.management.command import BAD_INPUT, SiteCommand
from workspace.models import Person
from workspace.people.actions.people import system_person


class Command(SiteCommand):
    """manage.py unlink_account EMAIL --reason WHY"""

    requires_migrations_checks = True

    help = (
        "Unlinks an account from the organisation's account (OpenID Connect) with which its person signed in. Whoever\n"
        "has the account's verified address there signs in next, and is linked.\n"
        "Exit codes: 0 done, 2 it could not be done.\n"
        "Example: manage.py unlink_account ada@example.org --reason 'Her account there was made again'"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--reason", required=True, help="goes into the audit log of accounts")

    def handle(self, *_args: Any, **options: Any) -> None:
        person = Person.objects.filter(email=options["email"].strip().lower(), is_system=False).first()
        if person is None:
            raise CommandError(f"There is no account of {options['email']}.", returncode=BAD_INPUT)
        now = timezone.now()
        try:
            unlink_outside_account(
                person=person, reason=options["reason"], by=system_person(now=now), now=now
            )
        except Refusal as refusal:
            raise CommandError(refusal.sentence, returncode=BAD_INPUT) from None
        self.stdout.write(f"{person.name} <{person.email}> is linked again at the next sign-in there.")
