"""Finds the person whose password a link changes."""

from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator

from workspace.models import Membership, Person


class PasswordLinks(PasswordResetTokenGenerator):
    """Django's tokens, which also expire when the rights of the person change: the link was made for the old rights."""

    key_salt = "workspace.people.queries.PasswordLinks"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        present = Membership.objects.filter(person=user, ended_at=None).order_by("project")
        rights = [user.is_admin, *present.values_list("project", "role")]
        return f"{super()._make_hash_value(user, timestamp)}{rights}"


password_links = PasswordLinks()


def person_of_link(person: int, secret: str) -> Person | None:
    """The account for which a link chooses a new password; None when the link is used, expired or forged."""
    found = Person.objects.signing_in().filter(pk=person).first()
    return found if found is not None and password_links.check_token(found, secret) else None
