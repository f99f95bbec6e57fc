"""Makes, uses and revokes access tokens, makes service accounts, and keeps the first answers to keyed requests.

A secret is shown once, to the person who made the token; only its keyed hash is stored.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils.translation import gettext as _

from workspace.audit.actions import record_event
from workspace.core.identifiers import plain_name
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import AccessToken, Counter, KeptAnswer, Person, Project
from workspace.people.actions.projects import add_member
from workspace.tokens import core
from workspace.tokens.permissions import check_create_token, check_manage_tokens, check_revoke_token
from workspace.tokens.queries import Bearer, hash_secret, live_tokens


def create_token(
    *, person: Person, name: str, scopes: Sequence[str], days: int, by: Person, now: datetime
) -> tuple[AccessToken, str]:
    """Make an access token for the person, oneself or a service account, that expires after `days` days.

    The second is its secret, which is shown once and stored nowhere. Raises NotAllowed; Unacceptable for a bad name, no
    or unknown scopes, and days outside of 1 to 366; Conflict when the person has the most tokens allowed.
    """
    check_create_token(by, person)
    plain = plain_name(name)
    if plain is None or len(plain) > core.LONGEST_TOKEN_NAME:
        says = _("Write a name of 1 to 100 visible characters, such as the program that uses it.")
        raise Unacceptable(says, field="name")
    if not scopes:
        raise Unacceptable(_("Choose at least one scope."), field="scopes")
    if set(scopes) - set(core.SCOPES):
        raise Unacceptable(_("Choose scopes from the list."), field="scopes")
    kept = " ".join(scope for scope in core.SCOPES if scope in scopes)
    if not 1 <= days <= core.MOST_DAYS:
        raise Unacceptable(_("A token lasts for 1 to 366 days."), field="days")
    secret = core.PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        # One token of a person at a time, so that the limit holds.
        Person.objects.select_for_update().only("pk").get(pk=person.pk)
        if live_tokens(person, now=now) >= core.MOST_TOKENS:
            says = _("There are %(most)d access tokens already. Revoke one that is not needed any more.")
            raise Conflict(says % {"most": core.MOST_TOKENS}, code="too_many_tokens")
        token = AccessToken.objects.create(
            person=person,
            name=plain,
            scopes=kept,
            start=secret[: core.SHOWN_CHARACTERS],
            secret_hash=hash_secret(secret),
            created_at=now,
            created_by=by,
            expires_at=now + timedelta(days=days),
        )
        _record_token("access_token:created", token, by, now, {"scopes": kept, "days": days})
    return token, secret


def revoke_token(*, token: AccessToken, by: Person, now: datetime) -> AccessToken:
    """Revoke a token from the next request on. Raises NotAllowed; Conflict when it was revoked before."""
    check_revoke_token(by, token)
    with transaction.atomic():
        valid = AccessToken.objects.filter(pk=token.pk, revoked_at=None)
        if not valid.update(revoked_at=now, revoked_by=by):
            raise Conflict(_("This access token was revoked already."), code="already_revoked")
        _record_token("access_token:revoked", token, by, now, {})
    token.revoked_at, token.revoked_by = now, by
    return token


def note_use(*, bearer: Bearer, address: str, by: Person, now: datetime) -> None:
    """Record when and from where a token was used, at most once a minute while the address is the same."""
    is_fresh = bearer.used_at is not None and now - bearer.used_at < core.USE_IS_NOTED_EVERY
    if not (is_fresh and bearer.used_address == address):
        AccessToken.objects.filter(pk=bearer.token).update(used_at=now, used_address=address[:45])


def create_service_account(*, name: str, project: Project, role: str, by: Person, now: datetime) -> Person:
    """Make an account for a program, with a role in a project: it has no password and never signs in.

    Raises NotAllowed unless `by` is an admin, Unacceptable for a bad name or role.
    """
    check_manage_tokens(by)
    plain = plain_name(name)
    if plain is None:
        raise Unacceptable(_("Write a name of 1 to 200 visible characters."), field="name")
    with transaction.atomic():
        account: Person = Person.objects.create(
            email=f"service-{secrets.token_hex(8)}@evalsite.invalid",
            name=plain,
            is_service=True,
            password=make_password(None),
            created_at=now,
        )
        record_event("service_account:created", account, by=by, now=now, project=None, detail={"role": role})
        add_member(project=project, person=account, role=role, by=by, now=now)
    return account


def keep_answer(
    *, key: str, request_sha256: str, status: int, body: str, by: Person, now: datetime
) -> KeptAnswer:
    """Keep the first answer under a key of the person, inside the transaction of the action.

    Raises IntegrityError when another request under the same key was faster.
    """
    return KeptAnswer.objects.create(
        person=by, key=key, request_sha256=request_sha256, status=status, body=body, created_at=now
    )


def forget_answers(*, by: Person, now: datetime) -> int:
    """Delete answers past their retention, and expired counts; return how many answers."""
    Counter.objects.filter(expires_at__lte=now).delete()
    return KeptAnswer.objects.filter(created_at__lte=now - core.ANSWERS_STAY).delete()[0]


def _record_token(
    verb: str, token: AccessToken, by: Person, now: datetime, detail: dict[str, object]
) -> None:
    told = {"person": token.person_id, "name": token.name, **detail}
    record_event(verb, token, by=by, now=now, project=None, detail=told)
