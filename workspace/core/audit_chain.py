"""The audit chain: every line is sealed with a key to the line before it, so that changes and gaps show.

HMAC-SHA256 over the canonical JSON of the line and the seal of the previous one. Whoever holds the key and the
database can rewrite everything after the last head that was kept elsewhere: that is why heads are also stored outside
the database (daily file, exports). A chain alone does not show that its tail was cut off; a kept head does.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from workspace.core.canonical import keyed_hash, seal


class Line(Struct, frozen=True):
    """One audit line. `at` is UTC, ISO 8601 with microseconds; `detail` is canonical JSON text."""

    chain: int
    seq: int
    at: str
    by: int
    role: str
    verb: str
    object_kind: str
    object_id: str
    detail: str


class Sealed(Struct, frozen=True):
    """A line with its seal (64 hexadecimal digits)."""

    line: Line
    mac: str


class Head(Struct, frozen=True):
    """The end of a chain: the number and seal of its last line; (0, "") when it has none."""

    chain: int
    seq: int
    mac: str


class Break(Struct, frozen=True):
    """The first place where a chain does not hold: `code` is altered, gap, cut or head."""

    chain: int
    seq: int
    code: str
    sentence: str


def pseudonym(kind: str, row: int, made_at: str, key: str) -> str:
    """64 hexadecimal digits in the place of what was erased; without the key nobody finds what they stand for."""
    return keyed_hash(["erased", kind, row, made_at], key)


def first_break(
    lines: Iterable[Sealed],
    head: Head,
    key: str,
    *,
    anchors: Iterable[Head] = (),
    erased: Mapping[int, str] | None = None,
) -> Break | None:
    """The first break of one chain, or None when it holds.

    `lines` are all lines of the chain in ascending order, `head` is what the chain's row says, `anchors` are heads
    that were kept outside of the database, `erased` what tombstones of the chain say: line -> its seal without the
    erased details. Reads the lines once, in constant memory.
    """
    kept = {anchor.seq: anchor for anchor in anchors if anchor.chain == head.chain and anchor.seq > 0}
    previous, count = "", 0
    for sealed in lines:
        reseal = (erased or {}).get(sealed.line.seq, "")
        found = _break_at(sealed, count, previous, key, kept.pop(sealed.line.seq, None), reseal)
        if found is not None:
            return found
        previous, count = sealed.mac, count + 1
    if kept:
        return _broken(
            head.chain, count + 1, "cut", f"lines up to {max(kept)} were there when a head was kept"
        )
    if (head.seq, head.mac) != (count, previous):
        return _broken(
            head.chain, count + 1, "head", f"the chain's head says {head.seq} lines, there are {count}"
        )
    return None


def _break_at(
    sealed: Sealed, count: int, previous: str, key: str, anchor: Head | None, reseal: str
) -> Break | None:
    line = sealed.line
    if line.seq != count + 1:
        return _broken(line.chain, count + 1, "gap", f"line {count + 1} is missing, line {line.seq} follows")
    if seal(line, previous, key) not in (sealed.mac, reseal):
        return _broken(line.chain, line.seq, "altered", f"line {line.seq} does not match its seal")
    if anchor is not None and anchor.mac != sealed.mac:
        return _broken(line.chain, line.seq, "altered", f"line {line.seq} is not the one whose head was kept")
    return None


def _broken(chain: int, seq: int, code: str, what: str) -> Break:
    return Break(chain, seq, code, f"Audit chain {chain} breaks at line {seq}: {what}.")
