"""Who makes and revokes access tokens, and what a token lets a program do."""

from collections.abc import Collection
from datetime import datetime

from django.utils.translation import gettext as _

from workspace.access.permissions import check_admin, is_admin
from workspace.core.refusals import NotAllowed
from workspace.models import AccessToken, Person
from workspace.tokens.queries import Bearer


def check_manage_tokens(person: Person) -> None:
    check_admin(person, _("Only admins see the access tokens of others. Yours are in your settings."))


def check_create_token(person: Person, owner: Person) -> None:
    if owner.pk == person.pk:
        return
    check_manage_tokens(person)
    if not owner.is_service:
        raise NotAllowed(_("People make their own access tokens. Make one for a service account instead."))


def check_revoke_token(person: Person, token: AccessToken) -> None:
    if token.person_id != person.pk and not is_admin(person):
        raise NotAllowed(_("Only its owner and admins revoke an access token."))


def check_scope(scopes: Collection[str], scope: str) -> None:
    """The token's scopes must include the one that an operation needs."""
    if scope not in scopes:
        says = _("This access token has no scope “%(scope)s”. Make a token with it under Settings.")
        raise NotAllowed(says % {"scope": scope}, code="scope_missing")


def check_opens(bearer: Bearer | None, now: datetime) -> None:
    """The token must be known and valid, and the account of its owner active."""
    if bearer is None:
        raise NotAllowed(
            _(
                "Send a valid access token in the header “Authorization: Bearer ...”. It is made under Settings."
            )
        )
    if bearer.revoked_at is not None:
        raise NotAllowed(_("This access token was revoked. Make another one under Settings."))
    if bearer.expires_at <= now:
        raise NotAllowed(_("This access token has expired. Make another one under Settings."))
    if not bearer.person.is_active:
        raise NotAllowed(_("The account that this access token belongs to is deactivated. Ask an admin."))
