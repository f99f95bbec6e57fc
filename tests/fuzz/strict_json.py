"""The strict JSON pre-scan: never an exception, and readable exactly where the standard library, held strictly, is."""

import json
from typing import Any

from tests.factories.native_games import as_bytes, native_game
from tests.fuzz.promises import check_sentences, check_storable, in_time, longer
from workspace.core.canonical import canonical_bytes
from workspace.core.strict_json import MAX_DEPTH, MAX_DIGITS, Document, normalise_text, read_json

_BOM = b"\xef\xbb\xbf"


class _Suspect:
    """What the standard library read although the strict reader must not take it."""

    def __init__(self) -> None:
        self.is_there = False

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object; suspect with a key that is there twice or cannot be stored."""
        built = dict(pairs)
        self.is_there |= len(built) < len(pairs) or any(normalise_text(key)[0] != key for key in built)
        return built

    def integer(self, digits: str) -> int:
        """A whole number; suspect when it is long."""
        self.is_there |= len(digits.lstrip("-")) > MAX_DIGITS
        return 0 if len(digits) > 4000 else int(digits)

    def fraction(self, written: str) -> float:
        """A number with a point or an exponent; suspect when its whole part is long or it is infinite."""
        whole = written.lstrip("-").partition(".")[0].lower().partition("e")[0]
        number = float(written)
        self.is_there |= len(whole) > MAX_DIGITS or number in (float("inf"), float("-inf"))
        return number

    def constant(self, _name: str) -> None:
        """NaN or an infinity."""
        self.is_there = True


def check(data: bytes, read: Any = read_json) -> None:
    """Everything that holds of every document. Raises when it does not."""
    document: Document = in_time(read, data)
    assert document.is_readable or (document.problems and document.value is None)
    assert document.problem_count >= len(document.problems)
    assert bool(document.problem_count) == bool(document.problems)
    check_sentences(*(problem.message for problem in document.problems))
    check_storable(document.problems)
    assert all(problem.line >= 1 and problem.column >= 1 for problem in document.problems)
    is_read, is_suspect, value = _by_the_library(data)
    assert document.is_readable == is_read, f"readable: {document.is_readable}, the library says {is_read}"
    lenient = read_json(data, is_lenient=True)
    assert lenient.is_readable == is_read, f"lenient: {lenient.is_readable}, the library says {is_read}"
    assert {problem.code for problem in lenient.problems}.isdisjoint({"number", "not_finite"})
    if is_read:
        assert bool(document.problems) == is_suspect, f"{document.problems}, suspect: {is_suspect}"
    if is_read and not is_suspect:
        assert document.value == _normal(value), "the value is another than the library's"
        check_storable(document.value)
        again = read(canonical_bytes(document.value))
        assert (again.value, again.problems, again.replaced) == (document.value, [], {}), (
            "read twice, it differs"
        )


def check_long(data: bytes) -> None:
    """The same many times over is read in time."""
    for case in longer(data):
        in_time(read_json, case)


def seeds() -> list[bytes]:
    """A game, and small values with one thing each that is refused or replaced."""
    return [
        as_bytes(native_game()),
        _BOM + b'{"a": [1, 2.50, -0.0, 1e5, true, false, null, "x\\u00e9\\n\\"\\\\"]}',
        b'[{"a": 1, "a": 2}, NaN, -Infinity, 1e999, 1234567890123456789, "\\u0000", "\\ud83d\\ude00", "\\udc00"]',
        b'{"a\\u0000": 1}',
        b"[" * 64 + b"]" * 64,
        b"[" * 65 + b"]" * 65,
        b'{"a": [1,]}',
        b"// no\n{}",
        b'"cut',
        b"\xff\xfe{\x00}\x00",
        b'"\xc3\xa9\xff"',
        b"{}{}",
        b"",
    ]


def _by_the_library(data: bytes) -> tuple[bool, bool, Any]:
    """Whether it is JSON of a bearable depth in UTF-8, whether anything in it is suspect, and the value."""
    body = data.removeprefix(_BOM)
    suspect = _Suspect()
    hooks = {
        "parse_int": suspect.integer,
        "parse_float": suspect.fraction,
        "parse_constant": suspect.constant,
    }
    try:
        if b"\0" in body[:4]:
            return False, False, None
        value = json.loads(body.decode("utf-8"), object_pairs_hook=suspect.pairs, **hooks)
    except (ValueError, RecursionError):
        return False, False, None
    return _depth(value) <= MAX_DEPTH, suspect.is_there, value


def _depth(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if parts is None else 1 + max(map(_depth, parts), default=0)


def _normal(value: Any) -> Any:
    if isinstance(value, str):
        return normalise_text(value)[0]
    if isinstance(value, list):
        return [_normal(part) for part in value]
    return {key: _normal(part) for key, part in value.items()} if isinstance(value, dict) else value
