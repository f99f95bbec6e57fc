"""The parts of `verify`: named checks of the stored data and what each found; rights as the audit log records them."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from msgspec import Struct

MOST_KEPT = 100
Find = Callable[[datetime], Iterable[str]]


class Check(Struct, frozen=True):
    """One invariant: its code ("I7"), what holds when it does, and how to find every breach of it at a moment.

    A breach is one sentence that names the rows. So is what `note` finds: no breach, but something to do.
    """

    code: str
    says: str
    find: Find
    note: Find = lambda _now: ()


class Checks(list[Check]):
    """The checks of a module, in the order in which `verify` runs them; each is declared above its `find`."""

    def add(self, code: str, says: str, *, note: Find = lambda _now: ()) -> Callable[[Find], Find]:
        def declare(find: Find) -> Find:
            self.append(Check(code, says, find, note))
            return find

        return declare


class Checked(Struct, frozen=True):
    """What one check found: how many breaches and notes, and the sentences of the first hundred of each."""

    code: str
    says: str
    breach_count: int
    breaches: list[str]
    note_count: int = 0
    notes: list[str] = []


def run_check(check: Check, now: datetime) -> Checked:
    return Checked(check.code, check.says, *_keep_first(check.find(now)), *_keep_first(check.note(now)))


def _keep_first(sentences: Iterable[str]) -> tuple[int, list[str]]:
    kept: list[str] = []
    count = 0
    for sentence in sentences:
        count += 1
        if count <= MOST_KEPT:
            kept.append(sentence)
    return count, kept


class Rights(Struct, frozen=True):
    admins: set[int]
    switched_off: set[int]
    roles: dict[int, str]
    scopes: dict[int, set[str]]


# The verbs of the audit log that give or take a right, and what each does.
RIGHTS: dict[str, Callable[[Rights, int, dict[str, Any]], object]] = {
    "account:created": lambda rights, key, detail: rights.admins.update(
        {key} if detail.get("is_admin") else ()
    ),
    "account:deactivated": lambda rights, key, _detail: rights.switched_off.add(key),
    "account:reactivated": lambda rights, key, _detail: rights.switched_off.discard(key),
    "membership:added": lambda rights, key, detail: rights.roles.update({key: detail["role"]}),
    "membership:changed": lambda rights, key, detail: rights.roles.update({key: detail["to"]}),
    "membership:ended": lambda rights, key, _detail: rights.roles.pop(key, None),
    "access_token:created": lambda rights, key, detail: rights.scopes.update(
        {key: set(detail["scopes"].split())}
    ),
    "access_token:revoked": lambda rights, key, _detail: rights.scopes.pop(key, None),
}


def read_rights(acts: Iterable[tuple[str, str, dict[str, Any]]]) -> Rights:
    """Go through the acts of RIGHTS in their order, each as (key of its object, verb, detail)."""
    rights = Rights(set(), set(), {}, {})
    for text, verb, detail in acts:
        # Lines from an archive about things that it leaves out name no row.
        if text.isdigit():
            RIGHTS[verb](rights, int(text), detail)
    return rights
