"""Sends one message to the address of a webhook, which a person typed and nobody trusts.

The host is resolved once, every IP address that it has is checked, and the connection goes to a checked one: a name
that changes in between leads nowhere else. It follows no redirects, uses no proxies of the environment, and reads
only the status of the answer. Everything together may take TIMEOUT seconds.
"""

import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.core.refusals import Unacceptable
from workspace.outbox.core import LONGEST_URL, may_call

HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\.?|[0-9A-Fa-f:.]+")
WRITABLE = re.compile(r"[!-~]+")
LOWEST_FREE_PORT = 1024
Resolve = Callable[..., list[Any]]
TIMEOUT = 10.0
# Looking up a name cannot be ended, only left alone: no more than these run at once in a process.
_LOOKUPS = threading.BoundedSemaphore(4)


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
    entries = resolve(address.host, address.port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    if not addresses or not all(may_call(one, settings.WEBHOOK_NETWORKS) for one in addresses):
        says = _(
            "The host %(host)s is, or may be, inside of a private or reserved network, so nothing was sent. Ask an "
            "admin to allow its network (WEBHOOK_NETWORKS)."
        )
        raise _refused(says % {"host": address.host})
    return addresses


def _refused(says: str) -> Unacceptable:
    return Unacceptable(says, code="address_refused", field="url")


class Attempt(Struct, frozen=True):
    """The outcome of an attempt: the status of the answer, None without one; `error` is "" when it was accepted."""

    status: int | None
    error: str


def send_message(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    resolve: Resolve = socket.getaddrinfo,
    trust: ssl.SSLContext | None = None,
    seconds: float = TIMEOUT,
) -> Attempt:
    """POST the body; never raises, whatever the address or its server does.

    `resolve` looks up IP addresses as `socket.getaddrinfo` does. `trust` is the TLS context, by default with the
    machine's certificate authorities.
    """
    until = time.monotonic() + seconds
    try:
        address = read_address(url)
        addresses = find_addresses(address, partial(_look_up, resolve, until))
        status = _post(address, body, headers, addresses, trust, until)
    except Unacceptable as refusal:
        return Attempt(None, refusal.sentence)
    except (OSError, UnicodeError, http.client.HTTPException) as fault:
        return Attempt(None, _explain(fault, is_late=time.monotonic() >= until, seconds=seconds))
    says = _("The server answered %(status)d.") % {"status": status}
    if 300 <= status < 400:
        says = _(
            "The server answered %(status)d. Redirects are not followed: enter the address they lead to."
        ) % {"status": status}
    return Attempt(status, "" if 200 <= status < 300 else says)


def _look_up(resolve: Resolve, until: float, *args: Any, **given: Any) -> list[Any]:
    """What `resolve` answers in time. Raises TimeoutError; the thread that asks ends by itself later."""
    found: Future[list[Any]] = Future()

    def ask() -> None:
        try:
            found.set_result(resolve(*args, **given))
        except Exception as fault:  # noqa: BLE001  raised again below
            found.set_exception(fault)
        finally:
            _LOOKUPS.release()

    if not _LOOKUPS.acquire(timeout=max(until - time.monotonic(), 0)):
        raise TimeoutError
    threading.Thread(target=ask, name="webhook-lookup", daemon=True).start()
    return found.result(timeout=max(until - time.monotonic(), 0))


def _post(
    address: WebhookAddress,
    body: bytes,
    headers: Mapping[str, str],
    addresses: list[str],
    trust: ssl.SSLContext | None,
    until: float,
) -> int:
    with _connect(addresses, address.port, until) as plain:
        wire = plain
        if address.is_https:
            wire = (trust or _authorities()).wrap_socket(
                plain, server_hostname=address.host, do_handshake_on_connect=False
            )
        with wire, _cut_off(wire, until):
            if isinstance(wire, ssl.SSLSocket):
                wire.do_handshake()
            connection = http.client.HTTPConnection(address.host, address.port)
            connection.sock = wire
            connection.request("POST", address.target, body, {**headers, "Host": address.place})
            return connection.getresponse().status


def _connect(addresses: list[str], port: int, until: float) -> socket.socket:
    """A connection to the first IP address that accepts one; each gets an equal share of the time left."""
    for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        try:
            wait = max((until - time.monotonic()) / left, 0.001)
            wire = socket.create_connection((address, port), wait)
        except OSError:
            if left == 1:
                raise
        else:
            wire.settimeout(max(until - time.monotonic(), 0.001))
            return wire
    raise OSError("no address")


@contextmanager
def _cut_off(wire: socket.socket, until: float) -> Iterator[None]:
    """End the connection when the time is over, even if the server sends a byte now and then."""

    def shut() -> None:
        with suppress(OSError):
            # The method of the plain socket: that of TLS would take its state away from the thread that reads.
            socket.socket.shutdown(wire, socket.SHUT_RDWR)

    timer = threading.Timer(max(until - time.monotonic(), 0), shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@cache
def _authorities() -> ssl.SSLContext:
    return ssl.create_default_context()


def _explain(fault: Exception, *, is_late: bool, seconds: float) -> str:
    # An impossible name raises UnicodeError.
    if isinstance(fault, socket.gaierror | UnicodeError):
        return _("The host was not found. Check the address.")
    if isinstance(fault, ssl.SSLCertVerificationError):
        return _("The certificate of the server was not accepted: %(says)s.") % {"says": fault.verify_message}
    if is_late or isinstance(fault, TimeoutError):
        return _("There was no answer within %(seconds)d seconds.") % {"seconds": seconds}
    if isinstance(fault, ssl.SSLError):
        return _("No TLS connection could be made. Check that the address speaks https.")
    if isinstance(fault, http.client.HTTPException | ConnectionResetError | BrokenPipeError):
        return _("The server ended the connection without an answer in HTTP.")
    return _("The server could not be reached.")
