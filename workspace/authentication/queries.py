"""Second factors in allauth's rows: a person's authenticator app and recovery codes, their secrets locked.

The key is made from AUDIT_KEY, so the database alone is not enough to compute a code.
"""

import base64
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.conf import settings
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from workspace.models import Person

APP, CODES = Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES
STEP = 30

# A clock may be one step ahead or behind.
STEPS = (0, -1, 1)


class FactorRules(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """What allauth asks before it stores a secret and after it read one."""

    def encrypt(self, text: str) -> str:
        """The secret, locked."""
        locked: bytes = _lock(settings.AUDIT_KEY).encrypt(text.encode())
        return locked.decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The secret again."""
        text: bytes = _lock(settings.AUDIT_KEY).decrypt(encrypted_text.encode())
        return text.decode()


@lru_cache(maxsize=2)
def _lock(key: str) -> Any:
    from cryptography.fernet import Fernet  # 6 MB that only signing in with a code needs

    derived = salted_hmac("evalsite.second_factor", "1", secret=key, algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(derived))


def factor_rows(person: Person) -> "QuerySet[Authenticator]":
    """The rows of a person: an authenticator app, recovery codes, or none."""
    rows: QuerySet[Authenticator] = Authenticator.objects.filter(user=person)
    return rows


def has_second_factor(person: Person) -> bool:
    """Whether the person signs in with a code."""
    return factor_rows(person).filter(type=APP).exists()


def people_with_factor(people: Iterable[Person]) -> set[int]:
    """The numbers of those among these people who sign in with a code."""
    return set(Authenticator.objects.filter(user__in=people, type=APP).values_list("user_id", flat=True))


def codes_left(row: Authenticator) -> list[str]:
    """The recovery codes of a row that were not used yet."""
    left: list[str] = RecoveryCodes(row).get_unused_codes()
    return left


def find_step(secret: str, code: str, now: datetime) -> int | None:
    """The half minute whose code this is, of the present one and its neighbours; None when it is of none."""
    present = int(now.timestamp()) // STEP
    for step in (present + apart for apart in STEPS):
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, step))):
            return step
    return None
