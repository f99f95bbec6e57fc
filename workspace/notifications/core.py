"""Of what people are told, to which kind each occasion belongs, where it leads, and when an e-mail with it is due."""

import re
from collections.abc import Iterable
from datetime import datetime, time, timedelta, tzinfo

from msgspec import Struct

ASSIGNED, RETURNED, MENTIONED, SECOND_ROUND = "assigned", "returned", "mentioned", "second_round"
TIE, FLAG, IMPORT_FAILED, JOB_FAILED = "tie", "flag", "import_failed", "job_failed"
# What each person chooses by; only leads and admins are ever told of the latter ones.
KINDS_FOR_ALL = (ASSIGNED, RETURNED, MENTIONED, SECOND_ROUND, JOB_FAILED)
KINDS_FOR_LEADS = (FLAG, TIE, IMPORT_FAILED)
KINDS = (*KINDS_FOR_ALL, *KINDS_FOR_LEADS)

AT_ONCE, DAILY, OFF = "at_once", "daily", "off"
DIGESTS = (AT_ONCE, DAILY, OFF)
# A digest is due in the morning of its person; others come together, at most one e-mail in so many minutes.
DIGEST_AT = time(7)
PAUSE = timedelta(minutes=10)
NOTIFICATIONS_STAY = timedelta(days=90)


class Occasion(Struct, frozen=True):
    """One thing that happens: its kind, and the page it leads to, with the names of its numbers ("slug" the project's).

    `fragment` is the part of the page, with a number in it.
    """

    kind: str
    page: str
    arguments: tuple[str, ...] = ()
    fragment: str = ""


OCCASIONS = {
    "game_assigned": Occasion(ASSIGNED, "queue", ("slug",)),
    "set_assigned": Occasion(ASSIGNED, "reviews"),
    "evaluation_returned": Occasion(RETURNED, "rate", ("evaluation",)),
    "flag_answered": Occasion(MENTIONED, "flags", ("slug",), "flag-{flag}"),
    "flag_mentioned": Occasion(MENTIONED, "flags", ("slug",), "flag-{flag}"),
    "second_round": Occasion(SECOND_ROUND, "reviews"),
    "flag_opened": Occasion(FLAG, "flags", ("slug",), "flag-{flag}"),
    "game_tied": Occasion(TIE, "adjudicate", ("slug", "game")),
    "import_failed": Occasion(IMPORT_FAILED, "import_show", ("slug", "transcript")),
    "import_faults": Occasion(IMPORT_FAILED, "import_show", ("slug", "transcript")),
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


def find_due(digest: str, now: datetime, zone: tzinfo) -> datetime | None:
    """When an e-mail with what happens now is due: now, in the next morning of the zone, or never."""
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
    """Whom a text names as @Name: keys of `names`, by the whole name, whatever its case. The longer name wins."""
    found, rest = set(), text.casefold()
    for key, name in sorted(names.items(), key=lambda pair: -len(pair[1])):
        # Not within a longer word, nor within an address of e-mail.
        rest, count = re.subn(rf"(?<!\w)@{re.escape(name.casefold())}(?!\w)", " ", rest)
        if name and count:
            found.add(key)
    return found
