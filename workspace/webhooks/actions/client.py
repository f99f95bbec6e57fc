"""Sends one message to the address of a webhook, which a person typed and nobody trusts. Only the job imports it.

The host is resolved once, every IP address that it has is checked, and the connection goes to a checked one: a name
that changes in between leads nowhere else. It follows no redirects, uses no proxies of the environment, and reads
only the status of the answer. Everything together may take TIMEOUT seconds.
"""

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.core.refusals import Unacceptable
from workspace.webhooks.actions.address import Resolve, WebhookAddress, find_addresses, read_address

TIMEOUT = 10.0
# Looking up a name cannot be ended, only left alone: no more than these run at once in a process.
_LOOKUPS = threading.BoundedSemaphore(4)


class Outcome(Struct, frozen=True):
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
) -> Outcome:
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
        return Outcome(None, refusal.sentence)
    except (OSError, UnicodeError, http.client.HTTPException) as fault:
        return Outcome(None, _explain(fault, is_late=time.monotonic() >= until, seconds=seconds))
    return Outcome(status, _judge(status))


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
    """The status with which the server answers."""
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
    timer = threading.Timer(max(until - time.monotonic(), 0), _shut, [wire])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(wire: socket.socket) -> None:
    with suppress(OSError):
        # The method of the plain socket: that of TLS would take its state away from the thread that reads.
        socket.socket.shutdown(wire, socket.SHUT_RDWR)


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


def _judge(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        says = _(
            "The server answered %(status)d. Redirects are not followed: enter the address they lead to."
        )
        return says % {"status": status}
    return _("The server answered %(status)d.") % {"status": status}
