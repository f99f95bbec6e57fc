"""Reads the address of a webhook as it was typed, and finds the IP addresses that its host has now."""

import re
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.core.refusals import Unacceptable
from workspace.webhooks.core import LONGEST_URL, may_call

HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\.?|[0-9A-Fa-f:.]+")
WRITABLE = re.compile(r"[!-~]+")
LOWEST_FREE_PORT = 1024
Resolve = Callable[..., list[Any]]


class WebhookAddress(Struct, frozen=True):
    """Where a message goes: `host` is a name or an IP address, `place` the Host header, `target` the path and query."""

    is_https: bool
    host: str
    port: int
    place: str
    target: str


def read_address(url: str) -> WebhookAddress:
    """The parts of the address of a webhook. Raises Unacceptable when nothing may be sent to such an address."""
    if not (WRITABLE.fullmatch(url) and len(url) <= LONGEST_URL) or set(url) & set('\\"<>^`{|}'):
        raise _refused(_("Write an address such as https://ci.example.org/evalsite, without spaces."))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _refused(_("This address cannot be read. Check its host and port.")) from None
    if parts.scheme not in ("https", "http"):
        raise _refused(_("Write an address that begins with https://."))
    if parts.scheme == "http" and not settings.WEBHOOK_HTTP:
        says = _(
            "This installation sends to https:// alone. Write https://, or ask an admin to allow http:// "
            "(WEBHOOK_HTTP)."
        )
        raise _refused(says)
    if "@" in parts.netloc or "#" in url or not HOST.fullmatch(host):
        says = _("Write scheme, host, path and query alone: no name or password before the host, and no “#”.")
        raise _refused(says)
    port = port if port is not None else {"https": 443, "http": 80}[parts.scheme]
    if port not in (80, 443) and port < LOWEST_FREE_PORT:
        raise _refused(_("Use port 80, 443, or one from 1024."))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookAddress(parts.scheme == "https", host, port, parts.netloc, target)


def find_addresses(address: WebhookAddress, resolve: Resolve = socket.getaddrinfo) -> list[str]:
    """The IP addresses of the host, all of them allowed.

    Raises Unacceptable when one is not allowed, OSError when the host is not found.
    """
    found = resolve(address.host, address.port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not addresses or not all(may_call(one, settings.WEBHOOK_NETWORKS) for one in addresses):
        says = _(
            "The host %(host)s is, or may be, inside of a private or reserved network, so nothing was sent. Ask an "
            "admin to allow its network (WEBHOOK_NETWORKS)."
        )
        raise _refused(says % {"host": address.host})
    return addresses


def _refused(says: str) -> Unacceptable:
    return Unacceptable(says, code="address_refused", field="url")
