"""Requests that stop half-way, sent by people without an account, while somebody else uses the site."""

import select
import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.faults.visitors import Visitor
from tools.processes import PATIENCE

pytestmark = [pytest.mark.services(is_long=True), pytest.mark.slow]

BODIES, HEADS = 60, 20
HALF = b"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 2000\r\n%s\r\nlogin=somebody"
FORM, FILES = b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x"


def send(stack, held, start):
    """Open a connection that stays open until the stack of contexts ends, and send the start of a request."""
    where = urlsplit(stack.url)
    connection = held.enter_context(socket.create_connection((where.hostname, where.port)))
    connection.sendall(start)
    return connection


def test_bodies_that_stop_half_way_hold_no_thread(live_stack, fault_table):
    host = urlsplit(live_stack.url).netloc.encode()
    visitor = Visitor(live_stack.url, "none")
    with ExitStack() as held:
        bodies = []
        for number in range(BODIES):
            path, kind = ((b"/sign-in/", FORM), (b"/projects/", FILES), (b"/api/v1/projects/", FORM))[
                number % 3
            ]
            cookie = b"Cookie: sessionid=%d\r\n" % number if number % 2 else b""
            bodies.append(send(live_stack, held, HALF % (path, host, kind, cookie)))
        for _number in range(HEADS):
            send(live_stack, held, b"GET / HTTP/1.1\r\nHost: %s\r\n" % host)
        answers = [visitor.get("/sign-in/")]
        given_up, _, _ = select.select(bodies, [], [], 0)
        answers += [visitor.get("/sign-in/") for _number in range(4)]
    fault_table(
        "while pages are asked for", f"{BODIES} bodies and {HEADS} heads stop half-way", "every page comes"
    )
    assert [answer.status for answer in answers] == [200] * 5
    assert given_up == [], "the first page waited until bodies were given up"


def test_large_body_of_the_anonymous_is_refused_before_it_is_sent(live_stack):
    host = urlsplit(live_stack.url).netloc.encode()
    with ExitStack() as held:
        head = b"POST /projects/ HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 90000000\r\n\r\n"
        connection = send(live_stack, held, head % (host, FILES))
        connection.settimeout(PATIENCE)
        assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_who_sends_all_of_a_large_body_gets_the_answer(live_stack):
    host = urlsplit(live_stack.url).netloc.encode()
    head = b"POST /projects/ HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 70000000\r\n\r\n"
    for _attempt in range(5):
        with ExitStack() as held:
            connection = send(live_stack, held, head % (host, FORM))
            connection.settimeout(PATIENCE)
            connection.sendall(b"x" * 70_000_000)
            assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")
