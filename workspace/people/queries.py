"""Whose password a link changes."""

from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator

from workspace.models import Membership, Person


class PasswordLinks(PasswordResetTokenGenerator):
    """Django's tokens; a link closes, too, when the rights of its person change: it was made for those they had."""

    key_salt = "workspace.people.queries.PasswordLinks"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        present = Membership.objects.filter(person=user, ended_at=None).order_by("project")
        rights = [user.is_admin, *present.values_list("project", "role")]
        return f"{super()._make_hash_value(user, timestamp)}{rights}"


password_links = PasswordLinks()


def person_of_link(person: int, secret: str) -> Person | None:
    """The account for which a link chooses a new password; None when the link is used, too old or invented."""
    found = Person.objects.signing_in().filter(pk=person).first()
    return found if found is not None and password_links.check_token(found, secret) else None
