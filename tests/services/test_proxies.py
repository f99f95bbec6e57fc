"""The shipped settings of nginx and Caddy before a running site: half requests, whose address counts, large files."""

from contextlib import ExitStack

import pytest

from tests.services.proxies import FORM, HOST, Asking, connect, proxied  # noqa: F401

# A proxy is the same before every database: on the servers by `LONG_TESTS=1 make test ALL=1` alone.
pytestmark = [pytest.mark.services(is_long=True), pytest.mark.slow]

HALF = f"POST /sign-in/ HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: {FORM}\r\nContent-Length: 2000\r\n\r\nlogin=somebody"


def fail_to_sign_in(port: int, address: str, number: int) -> str:
    """What somebody is told who does not know the password, and writes addresses of their own."""
    token = "t" * 32
    return Asking(port, address).ask(
        "POST",
        "/sign-in/",
        f"csrfmiddlewaretoken={token}&login=nobody{number}%40example.org&password=wrong",
        **{
            "Content-Type": FORM,
            "Cookie": f"csrftoken={token}",
            "Referer": f"https://{HOST}/sign-in/",
            "X-Forwarded-For": f"10.0.0.{number}",
            "X_Forwarded_For": f"10.0.0.{number}",
        },
    )[1]


def test_site_behind_the_shipped_proxy(proxied):  # noqa: F811
    port = proxied.port
    status, text = Asking(port).ask("GET", "/sign-in/")
    assert (status, "Sign in" in text) == (200, True)

    # Half requests of people without an account.
    with ExitStack() as held:
        for _number in range(40):
            held.enter_context(connect(port)).sendall(HALF.encode())
        assert Asking(port).ask("GET", "/sign-in/")[0] == 200

    # One person's failures are that person's own, whatever addresses they write.
    said = [fail_to_sign_in(port, "127.0.0.2", number) for number in range(11)]
    assert ["Too many attempts" in text for text in said] == [False] * 10 + [True]
    assert "do not match" in fail_to_sign_in(port, "127.0.0.3", 50)

    # What the site itself would take passes the proxy; it is the site that refuses, before all has come.
    body, sent = "x" * 70_000_000, {"Content-Type": FORM}
    for _attempt in range(4):
        status, text = Asking(port).ask("POST", "/projects/", body, **sent)
        assert (status, "too large" in text) == (413, True)

    # On another port the browser names it in the origin of forms: the site knows of it.
    for place in (HOST, f"{HOST}:8443"):
        asking = Asking(port)
        headers = {"Host": place, "Origin": f"https://{place}", "Cookie": f"csrftoken={'t' * 32}"}
        body = f"csrfmiddlewaretoken={'t' * 32}&login=nobody%40example.org&password=wrong"
        status, text = asking.ask("POST", "/sign-in/", body, **headers, **sent)
        assert (status, "do not match" in text) == (422, True)
