"""Second factors in allauth's rows: a person's authenticator app and recovery codes, with encrypted secrets."""

from collections.abc import Iterable
from datetime import datetime

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.db.models import QuerySet

from workspace.database.locked_texts import lock_text, unlock_text
from workspace.models import Person

APP, CODES = Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES
STEP = 30
PURPOSE = "second_factor"

# A clock may be one step ahead or behind.
STEPS = (0, -1, 1)


class FactorRules(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Called by allauth before it stores a secret and after it reads one."""

    def encrypt(self, text: str) -> str:
        return lock_text(PURPOSE, text)

    def decrypt(self, encrypted_text: str) -> str:
        return unlock_text(PURPOSE, encrypted_text)


def factor_rows(person: Person) -> "QuerySet[Authenticator]":
    """The rows of a person: an authenticator app, recovery codes, or none."""
    rows: QuerySet[Authenticator] = Authenticator.objects.filter(user=person)
    return rows


def has_second_factor(person: Person) -> bool:
    return factor_rows(person).filter(type=APP).exists()


def people_with_factor(people: Iterable[Person]) -> set[int]:
    """The numbers of those among these people who sign in with a code."""
    return set(Authenticator.objects.filter(user__in=people, type=APP).values_list("user_id", flat=True))


def codes_left(row: Authenticator) -> list[str]:
    """The recovery codes of a row that were not used yet."""
    left: list[str] = RecoveryCodes(row).get_unused_codes()
    return left


def find_step(secret: str, code: str, now: datetime) -> int | None:
    """The time step (30 s) of this code: the present one or a neighbour; None when it is of none of them."""
    present = int(now.timestamp()) // STEP
    for step in (present + apart for apart in STEPS):
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, step))):
            return step
    return None
