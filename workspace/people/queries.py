"""Open invitations; accounts by role and when they were last seen; the person whose password a link changes."""

from datetime import datetime
from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db.models import Q

from workspace.models import Invitation, Membership, Person, Project, SignIn

# The conditions of the roles by which accounts are listed.
PRESENT = Membership.objects.filter(ended_at=None)
ROLES = {
    "": Q(),
    "admin": Q(is_admin=True),
    "lead": Q(pk__in=PRESENT.filter(role="lead").values("person")),
    "evaluator": Q(pk__in=PRESENT.filter(role="evaluator").values("person")),
    "service": Q(is_service=True),
    "off": Q(is_active=False),
}


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
    account = Person.objects.signing_in().filter(pk=person).first()
    return account if account is not None and password_links.check_token(account, secret) else None


def open_invitations(project: Project | None, *, now: datetime) -> list[Invitation]:
    """The open invitations into a project, or (None) of admins, newest first."""
    rows = Invitation.objects.open(now=now).filter(project=project).select_related("created_by")
    return list(rows.order_by("-created_at", "-pk"))


def last_seen(people: list[Person]) -> dict[int, datetime]:
    """By person: when one of their sign-ins that have not ended was last used, else when they last signed in."""
    signed_in = {person.pk: person.last_login for person in people if person.last_login}
    used: dict[int, datetime] = {}
    for sign_in in SignIn.objects.filter(person__in=people):
        seen_at, person = sign_in.noted("seen"), sign_in.person_id
        if seen_at is not None and person is not None:
            used[person] = max(seen_at, used.get(person, seen_at))
    return signed_in | used
