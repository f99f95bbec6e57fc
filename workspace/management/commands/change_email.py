"""Changes the e-mail address of an account on the command line: for the admin whom no other admin can help."""

from argparse import ArgumentParser
from functools import partial
from typing import Any

from workspace.management.command import AccountCommand
from workspace.people.actions.people import change_email


class Command(AccountCommand):
    help = (
        "Gives an account another e-mail address. Links for a new password go there.\n"
        "Exit codes: 0 done, 2 it could not be done.\n"
        "Example: manage.py change_email ada@example.org ada@example.net --reason 'New company address'"
    )

    says = "is the account's address now."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("new", help="the new address")

    def handle(self, *_args: Any, **options: Any) -> None:
        self.act = partial(change_email, email=options["new"])
        super().handle(**options)
