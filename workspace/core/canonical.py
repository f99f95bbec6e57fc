"""One normal form of plain values as bytes, its SHA-256 and seals: a value gives the same hash on both databases.

It is made here and not taken from the database: PostgreSQL reorders the keys of JSON and turns -0.0 into 0.0.
"""

import hashlib
import hmac
import json
from typing import Any

import msgspec


def canonical_bytes(value: Any) -> bytes:
    """The value as JSON in normal form: keys sorted, no spaces, UTF-8 unescaped, floats shortest, no negative zero.

    Records (msgspec structs), decimals (as text without trailing zeros kept as they are), dates and tuples are
    taken as msgspec turns them into plain values. Raises ValueError for NaN, infinities and lone surrogates.
    """
    plain = msgspec.to_builtins(value, str_keys=True)
    text = _encode(plain)
    if "-0.0" in text:
        text = _encode(_without_negative_zero(plain))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("a lone surrogate cannot be hashed; normalise the text first") from error


def canonical_hash(value: Any) -> str:
    """SHA-256 of the normal form, as 64 hexadecimal digits."""
    return bytes_hash(canonical_bytes(value))


def bytes_hash(data: bytes) -> str:
    """SHA-256 of raw bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def keyed_hash(value: Any, key: str) -> str:
    """HMAC-SHA256 of the normal form, as 64 hexadecimal digits: without the key nobody computes it."""
    return hmac.new(key.encode(), canonical_bytes(value), hashlib.sha256).hexdigest()


def seal(line: msgspec.Struct, previous: str, key: str) -> str:
    """The seal of an audit line that follows the line with the seal `previous` ("" for the first)."""
    return keyed_hash([previous, line], key)


def _encode(plain: Any) -> str:
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _without_negative_zero(plain: Any) -> Any:
    if isinstance(plain, float):
        return plain + 0.0
    if isinstance(plain, list | tuple):
        return [_without_negative_zero(part) for part in plain]
    if isinstance(plain, dict):
        return {key: _without_negative_zero(part) for key, part in plain.items()}
    return plain
