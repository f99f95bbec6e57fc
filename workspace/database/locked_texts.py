"""Encryption of stored secrets that must be readable again.

The keys are made from AUDIT_KEY, one for each purpose, so the database alone is not enough to read them.
"""

import base64
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac


def lock_text(purpose: str, text: str) -> str:
    """The text, encrypted (Fernet); `purpose` is a fixed name for the kind of secret."""
    locked: bytes = _lock(purpose, settings.AUDIT_KEY).encrypt(text.encode())
    return locked.decode()


def unlock_text(purpose: str, locked: str) -> str:
    """The decrypted text. Raises ValueError when it was encrypted with another key or purpose."""
    from cryptography.fernet import InvalidToken

    try:
        text: bytes = _lock(purpose, settings.AUDIT_KEY).decrypt(locked.encode())
    except InvalidToken:
        raise ValueError(f"{purpose}: locked with another key") from None
    return text.decode()


def keyed_text(purpose: str, text: str) -> str:
    """A keyed hash of a text, as 64 hexadecimal digits: nobody without the key can compute it."""
    return salted_hmac(f"evalsite.{purpose}", text, secret=settings.AUDIT_KEY, algorithm="sha256").hexdigest()


@lru_cache(maxsize=4)
def _lock(purpose: str, key: str) -> Any:
    from cryptography.fernet import Fernet  # imported late, here and above: 6 MB that few requests need

    derived = salted_hmac(f"evalsite.{purpose}", "1", secret=key, algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(derived))
