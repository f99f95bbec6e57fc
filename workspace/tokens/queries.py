"""The token of a request, and the first answers to keyed requests."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac
from msgspec import Struct

from workspace.models import AccessToken, KeptAnswer, Membership, Person
from workspace.models.sign_ins import load_person


class Bearer(Struct, frozen=True):
    """The person behind a request, and the token. `scopes` are the token's; `used_at` is its last recorded use."""

    token: int
    person: Person
    scopes: frozenset[str]
    expires_at: datetime
    revoked_at: datetime | None
    used_at: datetime | None
    used_address: str


def hash_secret(secret: str) -> str:
    """The stored hash of a secret: HMAC-SHA256 with a key made from AUDIT_KEY, so the database alone opens nothing."""
    key = settings.AUDIT_KEY
    return salted_hmac("evalsite.access_token", secret, secret=key, algorithm="sha256").hexdigest()


def find_bearer(secret: str) -> Bearer | None:
    """The token with that secret and its owner, whatever their state; None when there is none."""
    tokens = _tokens(hash_secret(secret))
    if not tokens:
        return None
    key, owner, scopes, *dates = tokens[0]
    person = load_person(owner)
    return None if person is None else Bearer(key, person, frozenset(scopes.split()), *dates)


def _tokens(secret_hash: str) -> "QuerySet[AccessToken, tuple[Any, ...]]":
    names = ("pk", "person", "scopes", "expires_at", "revoked_at", "used_at", "used_address")
    return AccessToken.objects.filter(secret_hash=secret_hash).values_list(*names)


def live_tokens(person: Person, *, now: datetime) -> int:
    return AccessToken.objects.filter(person=person, revoked_at=None, expires_at__gt=now).count()


def load_roles(person: Person) -> list[tuple[object, str]]:
    own = Membership.objects.filter(person=person, ended_at=None).order_by("project")
    return [("admin", str(person.is_admin)), *own.values_list("project", "role")]


def find_answer(person: Person, key: str) -> KeptAnswer | None:
    return KeptAnswer.objects.filter(person=person, key=key).first()
