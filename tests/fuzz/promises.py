"""What every reader promises of whatever it is given: texts that can be stored, written numbers, bounded time."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import msgspec

from benchmarks.calibration import fits

# The processor's time that a text may take, generous enough for instrumented code on a busy machine; what grows
# faster than the text goes far over it.
SECONDS, SECONDS_PER_MIB = 1.0, 40.0
LONG_BYTES = 128 * 1024

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def in_time(read: Callable[[Any], Any], given: Any) -> Any:
    """What the reader makes of it, within the bound on a quiet core."""
    bound, found = SECONDS + SECONDS_PER_MIB * len(given) / (1024 * 1024), []
    if not fits(lambda: found.append(read(given)), 1000 * bound, tries=3):
        raise AssertionError(f"{len(given):,} bytes or characters took more than {bound:.1f} s")
    return found[-1]


def check_storable(record: Any) -> None:
    """No text of the record holds a NUL or a lone surrogate, which no database stores."""
    for text in _texts(msgspec.to_builtins(record, enc_hook=str, str_keys=True)):
        assert not _UNSTORABLE.search(text), f"{text!r} cannot be stored"


def numbers_in(text: str) -> set[float]:
    """Every number that is written in the text, an escaped character read as the one it stands for."""
    return {float(found[0]) for form in (text, unescaped(text)) for found in _NUMBER.finditer(form)}


def unescaped(text: str) -> str:
    r"""The text with \uXXXX as the characters that they are in JSON."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def check_sentences(*sentences: str) -> None:
    """Faults and flags are sentences."""
    for sentence in sentences:
        assert sentence.endswith((".", "]", "?")), f"{sentence!r} is no sentence"


def longer(data: bytes) -> list[bytes]:
    """The same many times over: its bytes, and, where it is JSON, one of its lists with its items repeated."""
    if not data:
        return []
    found = [data * (LONG_BYTES // len(data) + 1)]
    try:
        value = json.loads(data)
        lists = list(_lists(value))
    except (ValueError, RecursionError):
        return found
    if lists:
        items = lists[crc32(data) % len(lists)]
        items *= LONG_BYTES // len(json.dumps(items)) + 1
        found.append(json.dumps(value).encode("utf-8", "surrogatepass"))
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _texts(key)
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _lists(value: Any) -> Iterator[list[Any]]:
    """Every list in the value that is not empty."""
    if isinstance(value, list) and value:
        yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in list(parts):
        yield from _lists(part)
