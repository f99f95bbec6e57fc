"""The occasions of notifications: their kinds, the pages they lead to, and when an e-mail about them is due."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, time, timedelta, tzinfo
from typing import Protocol, TypeVar

from msgspec import Struct

ASSIGNED, RETURNED, MENTIONED, SECOND_ROUND = "assigned", "returned", "mentioned", "second_round"
TIE, FLAG, IMPORT_FAILED, JOB_FAILED = "tie", "flag", "import_failed", "job_failed"
# The kinds that each person can choose; only leads and admins are ever notified of the latter ones.
KINDS_FOR_ALL = (ASSIGNED, RETURNED, MENTIONED, SECOND_ROUND, JOB_FAILED)
KINDS_FOR_LEADS = (FLAG, TIE, IMPORT_FAILED)
KINDS = (*KINDS_FOR_ALL, *KINDS_FOR_LEADS)

AT_ONCE, DAILY, OFF = "at_once", "daily", "off"
DIGESTS = (AT_ONCE, DAILY, OFF)
# A digest is due in the person's morning; other e-mails are bundled, at most one in so many minutes.
DIGEST_AT = time(7)
PAUSE = timedelta(minutes=10)
NOTIFICATIONS_STAY = timedelta(days=90)
# This many of one kind, each within this time of the one before it, are shown in one line.
FEWEST_JOINED = 3
JOINED_WITHIN = timedelta(minutes=10)
# From how many notifications a page joins its lines.
MOST_JOINED = 500


class Occasion(Struct, frozen=True):
    """One thing that happens: its kind, and the page it leads to, with the names of its numbers ("slug": the project).

    `fragment` is the part of the page, with a number in it. `many` is the page of a project that several of them lead
    to together, "" for the same page.
    """

    kind: str
    page: str
    arguments: tuple[str, ...] = ()
    fragment: str = ""
    many: str = ""


OCCASIONS = {
    "game_assigned": Occasion(ASSIGNED, "queue", ("slug",)),
    "set_assigned": Occasion(ASSIGNED, "reviews"),
    "evaluation_returned": Occasion(RETURNED, "rate", ("evaluation",), many="queue"),
    "flag_answered": Occasion(MENTIONED, "flags", ("slug",), "flag-{flag}"),
    "flag_mentioned": Occasion(MENTIONED, "flags", ("slug",), "flag-{flag}"),
    "second_round": Occasion(SECOND_ROUND, "reviews"),
    "flag_opened": Occasion(FLAG, "flags", ("slug",), "flag-{flag}"),
    "game_tied": Occasion(TIE, "adjudicate", ("slug", "game"), many="project"),
    "import_failed": Occasion(IMPORT_FAILED, "import_show", ("slug", "transcript"), many="imports"),
    "import_faults": Occasion(IMPORT_FAILED, "import_show", ("slug", "transcript"), many="imports"),
    "export_failed": Occasion(JOB_FAILED, "exports", ("slug",)),
    "job_failed": Occasion(JOB_FAILED, "project", ("slug",)),
    "site_job_failed": Occasion(JOB_FAILED, "status"),
}


def join_kinds(kinds: Iterable[str]) -> str:
    """The kinds as they are stored: each once, in the order of KINDS. Raises ValueError for another word."""
    chosen = set(kinds)
    if chosen - set(KINDS):
        raise ValueError("no kind of notifications")
    return " ".join(kind for kind in KINDS if kind in chosen)


class Told(Protocol):
    """The fields of a notification that joining needs."""

    code: str
    project_id: int | None
    created_at: datetime
    read_at: datetime | None


ToldT = TypeVar("ToldT", bound=Told)


def join_bursts(told: Iterable[ToldT]) -> Iterator[list[ToldT]]:
    """Group notifications in order of time (either way): those that follow each other closely and say the same.

    Read ones and unread ones are never joined, nor those of several projects. Fewer than `FEWEST_JOINED` stay apart.
    """
    burst: list[ToldT] = []
    for one in told:
        if burst and not _follows(burst[-1], one):
            yield from _whole_or_apart(burst)
            burst = []
        burst.append(one)
    yield from _whole_or_apart(burst)


def _follows(before: Told, one: Told) -> bool:
    is_same = (before.code, before.project_id) == (one.code, one.project_id)
    is_alike = (before.read_at is None) == (one.read_at is None)
    return is_same and is_alike and abs(one.created_at - before.created_at) <= JOINED_WITHIN


def _whole_or_apart(burst: list[ToldT]) -> Iterator[list[ToldT]]:
    if len(burst) >= FEWEST_JOINED:
        yield burst
    else:
        yield from ([one] for one in burst)


def find_due(digest: str, now: datetime, zone: tzinfo) -> datetime | None:
    """When an e-mail about what happens now is due: now, on the next morning in the time zone, or never."""
    if digest == AT_ONCE:
        return now
    if digest != DAILY:
        return None
    local = now.astimezone(zone)
    morning = datetime.combine(local.date(), DIGEST_AT, zone)
    if morning <= local:
        morning = datetime.combine(local.date() + timedelta(days=1), DIGEST_AT, zone)
    return morning


def find_mentioned(text: str, names: dict[int, str]) -> set[int]:
    """Whom a text mentions as @Name: keys of `names`, by the whole name, whatever its case. The longer name wins."""
    found, rest = set(), text.casefold()
    for key, name in sorted(names.items(), key=lambda pair: -len(pair[1])):
        # Not within a longer word, nor within an e-mail address.
        rest, count = re.subn(rf"(?<!\w)@{re.escape(name.casefold())}(?!\w)", " ", rest)
        if name and count:
            found.add(key)
    return found
