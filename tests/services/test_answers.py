"""What the real server answers, read from its socket: late and broken bodies, and what is no request at all."""

import socket
from http.client import HTTPResponse
from urllib.parse import urlsplit

import pytest

from tests.site.test_headers import HEADERS
from tools.launch import Site
from tools.processes import PATIENCE, wait_until
from tools.redis_server import free_port

pytestmark = [pytest.mark.services(is_long=True), pytest.mark.slow]

HOST = "Host: 127.0.0.1\r\n"
FORM = f"{HOST}Content-Type: application/x-www-form-urlencoded\r\n"
LENGTH = "Content-Length: 2000\r\n\r\nlogin=some"
# Granian answers these itself, without a body: they are no HTTP that the site could read.
UNREADABLE = {
    "RUBBISH\r\n\r\n": 400,
    f"GET /\0 HTTP/1.1\r\n{HOST}\r\n": 400,
    f"POST /sign-in/ HTTP/1.1\r\n{HOST}Content-Length: many\r\n\r\n": 400,
    f"GET /{'a' * 70_000} HTTP/1.1\r\n{HOST}\r\n": 414,
    f"GET / HTTP/1.1\r\n{HOST}X-A: {'a' * 900_000}\r\n\r\n": 431,
}


@pytest.fixture(scope="module")
def impatient(started_stack, migrated_database, tmp_path_factory):
    """A web server on the stack's data that waits for bodies for a second."""
    started_stack.empty(migrated_database)
    site = Site(started_stack.env | {"PORT": str(free_port())})
    site.env["DJANGO_SETTINGS_MODULE"] = "tests.faults.impatient_settings"
    web = site.web()
    web.log = tmp_path_factory.mktemp("impatient") / "web.log"
    web.start()
    try:
        assert wait_until(site.answers), web.last_lines(40)
        yield web, urlsplit(site.address).port
    finally:
        web.kill()


def ask(port, request, *, half_closed=False):
    """Status, headers and text of the answer to these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(request.encode())
        if half_closed:
            connection.shutdown(socket.SHUT_WR)
        answer = HTTPResponse(connection, method=request.split()[0])
        answer.begin()
        return answer.status, answer.headers, answer.read().decode()


def lacking(headers):
    """The names of the security headers that an answer lacks."""
    wanted = {name.lower() for name in HEADERS} | {"content-security-policy"}
    return wanted - {name.lower() for name in headers}


def test_late_body_is_told_so_with_all_headers_and_raises_no_alarm(impatient):
    web, port = impatient
    for path in ("/sign-in/", "/projects/", "/api/v1/projects/", "/healthz"):
        status, headers, text = ask(port, f"POST {path} HTTP/1.1\r\n{FORM}{LENGTH}")
        assert (path, status, lacking(headers)) == (path, 408, set())
        assert "did not arrive whole in time" in text
        assert headers["connection"] == "close"
    for verb in ("GET", "PUT"):
        assert ask(port, f"{verb} /healthz HTTP/1.1\r\n{FORM}{LENGTH}")[0] == 408
    status, headers, text = ask(port, f"HEAD /sign-in/ HTTP/1.1\r\n{FORM}{LENGTH}")
    assert (status, lacking(headers), text) == (408, set(), "")
    said = web.log.read_text()
    assert "Request Timeout: /sign-in/" in said
    assert "Traceback" not in said and "error " not in said


def test_answers_before_a_body_have_all_headers(impatient):
    web, port = impatient
    large = "Content-Length: 90000000\r\n"
    chunked = "Transfer-Encoding: chunked\r\n"
    odd = f"POST /sign-in/ HTTP/1.1\r\n{FORM}"
    asked = {
        f"POST /projects/ HTTP/1.1\r\n{FORM}{large}\r\nx": (413, "too large"),
        f"POST /projects/ HTTP/1.1\r\n{FORM}{large}Expect: 100-continue\r\n\r\n": (413, "too large"),
        f"POST /nowhere/ HTTP/1.1\r\n{FORM}{large}\r\nx": (404, "Home"),
        f"{odd}Connection: close\r\n{chunked}\r\nzz\r\nabc\r\n0\r\n\r\n": (400, "Content-Length"),
        f"{odd}Connection: close\r\n{chunked}\r\n3\r\na=1\r\n0\r\n\r\n": (400, "Content-Length"),
        f"BREW /sign-in/ HTTP/1.1\r\n{FORM}Connection: close\r\n\r\n": (403, "cookie"),
        "GET /sign-in/ HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n": (400, "read"),
    }
    assert len(asked) == 7
    for request, (status, words) in asked.items():
        found, headers, text = ask(port, request)
        assert (request[:200], found, lacking(headers)) == (request[:200], status, set())
        assert words in text
    said = web.log.read_text()
    assert "elsewhere.example" in said
    assert "Traceback" not in said and "error " not in said


def test_what_is_no_request_gets_the_status_alone(impatient):
    """The exceptions that docs/security.md names."""
    _web, port = impatient
    for request, status in UNREADABLE.items():
        found, headers, text = ask(port, request)
        assert (request[:80], found, text) == (request[:80], status, "")
        assert "content-type" not in headers
    status, _headers, text = ask(port, f"POST /sign-in/ HTTP/1.1\r\n{FORM}{LENGTH}", half_closed=True)
    assert (status, text) == (400, "")
