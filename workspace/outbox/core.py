"""What is sent to webhooks, how it is signed, and which addresses are allowed; kinds of notifications, how they are
joined in a line, and when an e-mail about them is due; how long everything is kept.

Messages are signed as Standard Webhooks defines (https://www.standardwebhooks.com): HMAC-SHA256 over
`identifier.timestamp.body`, in base64.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta, tzinfo
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address
from typing import Any

import msgspec

from workspace.core.retries import MOST_ATTEMPTS
from workspace.exports.core.score_events import Score

GAME_MEASURED = "game.measured"
EVALUATION_SUBMITTED = "evaluation.submitted"
VERDICT_RECORDED = "verdict.recorded"
ITERATION_DECIDED = "iteration.decided"
ITERATION_READY, GATE_OPENED, SET_CLOSED = "iteration.ready", "gate.opened", "set.closed"
IMPORT_FINISHED, GAME_TIED, JUDGE_SUSPENDED = "import.finished", "game.tied", "judge.suspended"
TEST = "test"

# The address in the API of what an event is about, for a token of a lead.
_PROJECT = "/api/v1/projects/{slug}/"
ADDRESSES = {
    IMPORT_FINISHED: _PROJECT + "imports/{import}/",
    GAME_MEASURED: _PROJECT + "games/{game}/",
    EVALUATION_SUBMITTED: _PROJECT + "games/{game}/",
    GAME_TIED: _PROJECT + "games/{game}/disagreements/",
    VERDICT_RECORDED: _PROJECT + "games/{game}/verdict/",
    ITERATION_READY: _PROJECT + "iterations/{iteration}/decision/",
    ITERATION_DECIDED: _PROJECT + "iterations/{iteration}/decision/",
    GATE_OPENED: _PROJECT + "stages/{stage}/gate/",
    JUDGE_SUSPENDED: _PROJECT + "judges/{judge}/",
    SET_CLOSED: _PROJECT + "comparison-sets/{set}/results/",
    TEST: _PROJECT + "webhooks/",
}
# Those that a webhook can choose.
EVENTS = tuple(event for event in ADDRESSES if event != TEST)
# Those that can bring scores.
SCORED = (GAME_MEASURED, VERDICT_RECORDED)

MOST_WEBHOOKS = 10
LONGEST_WEBHOOK_NAME, LONGEST_URL = 100, 1000
# For this long, a replaced secret also signs, so that no message is refused meanwhile.
OLD_SECRET_STAYS, MOST_OLD_SECRETS = timedelta(hours=24), 4
SECRET_PREFIX, SECRET_BYTES = "whsec_", (24, 64)

# While a webhook fails, its other deliveries wait just as long, but for a quarter of an hour at most.
LONGEST_PAUSE = timedelta(minutes=15)
GIVE_UP_AFTER = timedelta(days=3)
# The answer of a receiver that wants no more messages.
GONE = 410
DELIVERIES_STAY = EMAILS_STAY = timedelta(days=30)
NOTIFICATIONS_STAY = timedelta(days=90)

# An e-mail that could not be delivered for a day is no longer news.
EMAIL_TRIED_FOR = timedelta(days=1)
NOTIFICATIONS, PASSWORD_RESET, INVITATION = "notifications", "password_reset", "invitation"
LONGEST_EMAIL_ERROR, LONGEST_HEADER = 300, 200

ASSIGNED, RETURNED, MENTIONED, SECOND_ROUND = "assigned", "returned", "mentioned", "second_round"
TIE, FLAG, IMPORT_FAILED, JOB_FAILED, DRIFT = "tie", "flag", "import_failed", "job_failed", "drift"
# The kinds that each person can choose; only leads and admins are ever notified of the latter ones.
KINDS_FOR_ALL = (ASSIGNED, RETURNED, MENTIONED, SECOND_ROUND, JOB_FAILED)
KINDS_FOR_LEADS = (FLAG, TIE, IMPORT_FAILED, DRIFT)
KINDS = (*KINDS_FOR_ALL, *KINDS_FOR_LEADS)

AT_ONCE, DAILY, OFF = "at_once", "daily", "off"
DIGESTS = (AT_ONCE, DAILY, OFF)
# A digest is due in the person's morning; other e-mails are bundled, at most one in so many minutes.
DIGEST_AT = time(7)
PAUSE = timedelta(minutes=10)
# This many of one kind, each within this time of the one before it, are shown in one line.
FEWEST_JOINED = 3
JOINED_WITHIN = timedelta(minutes=10)
# From how many notifications a page joins its lines.
MOST_JOINED = 500

_GLOBAL = IPv6Network("2000::/3")
# Addresses in these networks lead on to an IPv4 address, or to no single machine.
_SPECIAL = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
_RESERVED = tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))


def join_known(words: Iterable[str], known: Sequence[str]) -> str:
    """The words as they are stored: each once, in the order of `known`. Raises ValueError for an unknown one."""
    chosen = set(words)
    if chosen - set(known):
        raise ValueError("an unknown word")
    return " ".join(word for word in known if word in chosen)


def write_body(
    event: str,
    *,
    identifier: str,
    project: int,
    slug: str,
    thing: Mapping[str, int],
    now: datetime,
    scores: Sequence[Score] | None = None,
) -> str:
    """The message as JSON: what happened to which thing, its address in the API, and scores if asked for."""
    message: dict[str, object] = {
        "type": event,
        "id": identifier,
        "timestamp": now,
        "project": {"id": project, "slug": slug},
        "data": thing,
        "address": ADDRESSES[event].format(slug=slug, **thing),
    }
    return msgspec.json.encode(message | ({} if scores is None else {"scores": scores})).decode()


def write_secret(key: bytes) -> str:
    return SECRET_PREFIX + base64.b64encode(key).decode()


def read_secret(secret: str) -> bytes:
    """The key in a secret. Raises ValueError when it is not a secret of 24 to 64 bytes."""
    text = secret.removeprefix(SECRET_PREFIX)
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if text == secret or not SECRET_BYTES[0] <= len(key) <= SECRET_BYTES[1]:
        raise ValueError("no secret of a webhook")
    return key


def sign(secrets: Iterable[str], identifier: str, timestamp: int, body: bytes) -> str:
    """The header webhook-signature, with one signature for each secret; the timestamp is in seconds since 1970."""
    signed = f"{identifier}.{timestamp}.".encode() + body
    macs = (hmac.digest(read_secret(secret), signed, hashlib.sha256) for secret in secrets)
    return " ".join(f"v1,{base64.b64encode(mac).decode()}" for mac in macs)


def is_last_attempt(event: str, attempt: int) -> bool:
    """Whether a delivery is not tried again after this many attempts; a test event is tried once."""
    return event == TEST or attempt >= MOST_ATTEMPTS


def is_public(address: str) -> bool:
    """Whether an IP address is of one machine on the public internet: not private, local, shared, reserved, multicast.

    IPv6 addresses that hold an IPv4 address (mapped, 6to4, Teredo, NAT64) are not.
    """
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        is_special = any(ip in special for special in _RESERVED)
        return ip.is_global and not ip.is_multicast and not is_special
    return ip.is_global and ip in _GLOBAL and not any(ip in special for special in _SPECIAL)


def may_call(address: str, networks: Collection[IPv4Network | IPv6Network]) -> bool:
    """Whether an IP address is public, or in a network that the installation allows."""
    return is_public(address) or any(ip_address(address) in network for network in networks)


def join_bursts(told: Iterable[Any]) -> Iterator[list[Any]]:
    """Group notifications in order of time (either way): those that follow each other closely and say the same.

    Read ones and unread ones are never joined, nor those of several projects. Fewer than `FEWEST_JOINED` stay apart.
    """

    def kind_of(one: Any) -> tuple[object, ...]:
        return one.code, one.project_id, one.read_at is None

    burst: list[Any] = []
    for one in [*told, None]:
        last = burst[-1] if burst and one else None
        follows = (
            last and kind_of(last) == kind_of(one) and abs(one.created_at - last.created_at) <= JOINED_WITHIN
        )
        if burst and not follows:
            yield from [burst] if len(burst) >= FEWEST_JOINED else ([alone] for alone in burst)
            burst = []
        burst.append(one)


def find_due(digest: str, now: datetime, zone: tzinfo) -> datetime | None:
    """When an e-mail about what happens now is due: now, on the next morning in the time zone, or never."""
    if digest == AT_ONCE:
        return now
    if digest != DAILY:
        return None
    local = now.astimezone(zone)
    is_over = datetime.combine(local.date(), DIGEST_AT, zone) <= local
    return datetime.combine(local.date() + timedelta(days=is_over), DIGEST_AT, zone)


def find_mentioned(text: str, names: dict[int, str]) -> set[int]:
    """Whom a text mentions as @Name: keys of `names`, by the whole name, whatever its case. The longer name wins."""
    mentioned, rest = set(), text.casefold()
    for key, name in sorted(names.items(), key=lambda pair: -len(pair[1])):
        # Not within a longer word, nor within an e-mail address.
        rest, count = re.subn(rf"(?<!\w)@{re.escape(name.casefold())}(?!\w)", " ", rest)
        if name and count:
            mentioned.add(key)
    return mentioned


def one_header_line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:LONGEST_HEADER]
