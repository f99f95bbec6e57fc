"""Findings that say nothing but their rule: built once, then the same objects in every game that needs them."""

from discussions.core.records import MessageFinding

_KEPT_AT_MOST = 10_000
_KNOWN: dict[tuple[str, bool], list[MessageFinding]] = {}


def plain_findings(count: int, rule: str, *, counts: bool) -> list[MessageFinding]:
    """A new list of the findings of messages 1 to `count`, all of one rule and without words."""
    known = _KNOWN.get((rule, counts), [])
    if len(known) < count:
        # A longer list replaces the shorter one whole: other threads may be reading it.
        known = [MessageFinding(position, counts, rule) for position in range(1, count + 1)]
        if count <= _KEPT_AT_MOST:
            _KNOWN[rule, counts] = known
    return known[:count]
