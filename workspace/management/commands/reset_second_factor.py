"""Removes a second factor on the command line: for the admin whom no other admin can help."""

from django.utils import timezone

from workspace.authentication.actions import reset_second_factor
from workspace.management.command import AccountCommand
from workspace.models import Person
from workspace.people.actions.people import system_person


class Command(AccountCommand):
    help = (
        "Takes away the second factor of somebody who lost phone and recovery codes; their sign-ins end.\n"
        "Exit codes: 0 done, 2 it could not be done.\n"
        "Example: manage.py reset_second_factor ada@example.org --reason 'Phone lost, asked by telephone'"
    )

    def change(self, person: Person, reason: str) -> str:
        now = timezone.now()
        reset_second_factor(person=person, reason=reason, by=system_person(now=now), now=now)
        return f"{person.name} <{person.email}> signs in by password alone until a new one is set up."
