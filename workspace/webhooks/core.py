"""What is sent to webhooks, how it is signed, when it is tried again, and which addresses are allowed.

Messages are signed as Standard Webhooks defines (https://www.standardwebhooks.com): HMAC-SHA256 over
`identifier.timestamp.body`, in base64.
"""

import base64
import hashlib
import hmac
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address

import msgspec

from workspace.core.retries import MOST_ATTEMPTS

GAME_MEASURED = "game.measured"
EVALUATION_SUBMITTED = "evaluation.submitted"
VERDICT_RECORDED = "verdict.recorded"
ITERATION_DECIDED = "iteration.decided"
TEST = "test"

# The address in the API of what an event is about, for a token of a lead.
_PROJECT = "/api/v1/projects/{slug}/"
ADDRESSES = {
    GAME_MEASURED: _PROJECT + "games/{game}/",
    EVALUATION_SUBMITTED: _PROJECT + "games/{game}/",
    VERDICT_RECORDED: _PROJECT + "games/{game}/verdict/",
    ITERATION_DECIDED: _PROJECT + "iterations/{iteration}/decision/",
    TEST: _PROJECT + "webhooks/",
}
# Those that a webhook can choose.
EVENTS = tuple(event for event in ADDRESSES if event != TEST)

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
DELIVERIES_STAY = timedelta(days=30)

_GLOBAL = IPv6Network("2000::/3")
# Addresses in these networks lead on to an IPv4 address, or to no single machine.
_SPECIAL = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
_RESERVED = tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))


def join_events(events: Collection[str]) -> str:
    """The events as a webhook stores them: each once, ordered as EVENTS. Raises ValueError for none or unknown ones."""
    if not events or set(events) - set(EVENTS):
        raise ValueError("no events, or unknown ones")
    return " ".join(event for event in EVENTS if event in events)


def write_body(
    event: str, *, identifier: str, project: int, slug: str, thing: Mapping[str, int], now: datetime
) -> str:
    """The message as JSON: what happened to which thing, and its address in the API. It holds no judgement."""
    message = {
        "type": event,
        "id": identifier,
        "timestamp": now,
        "project": {"id": project, "slug": slug},
        "data": thing,
        "address": ADDRESSES[event].format(slug=slug, **thing),
    }
    return msgspec.json.encode(message).decode()


def write_secret(key: bytes) -> str:
    """The secret as it is shown to a person."""
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
    found = ip_address(address)
    if isinstance(found, IPv4Address):
        is_special = any(found in special for special in _RESERVED)
        return found.is_global and not found.is_multicast and not is_special
    return found.is_global and found in _GLOBAL and not any(found in special for special in _SPECIAL)


def may_call(address: str, networks: Collection[IPv4Network | IPv6Network]) -> bool:
    """Whether an IP address is public, or in a network that the installation allows."""
    return is_public(address) or any(ip_address(address) in network for network in networks)
