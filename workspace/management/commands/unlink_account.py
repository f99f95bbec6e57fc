"""Unlinks an account from its OpenID Connect subject: for somebody whose account at the issuer was created again."""

from workspace.authentication.actions import unlink_outside_account
from workspace.management.command import AccountCommand


class Command(AccountCommand):
    help = (
        "Unlinks an account from the organisation's account (OpenID Connect) with which its person signed in. Whoever\n"
        "has the account's verified address there signs in next, and is linked.\n"
        "Exit codes: 0 done, 2 it could not be done.\n"
        "Example: manage.py unlink_account ada@example.org --reason 'Her account there was made again'"
    )

    act, says = staticmethod(unlink_outside_account), "is linked again at the next sign-in there."
