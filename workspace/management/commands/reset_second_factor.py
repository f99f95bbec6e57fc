"""Removes a second factor on the command line: for the admin whom no other admin can help."""

from workspace.authentication.actions import reset_second_factor
from workspace.management.command import AccountCommand


class Command(AccountCommand):
    help = (
        "Takes away the second factor of somebody who lost phone and recovery codes; their sign-ins end.\n"
        "Exit codes: 0 done, 2 it could not be done.\n"
        "Example: manage.py reset_second_factor ada@example.org --reason 'Phone lost, asked by telephone'"
    )

    act, says = staticmethod(reset_second_factor), "signs in by password alone until a new one is set up."
