"""The shipped nginx and Caddy under attack without an account, and what they answer while the site is away."""

import os
import re
import shutil
import socket
import stat
import subprocess
import time
from contextlib import ExitStack, suppress
from http.client import HTTPResponse
from pathlib import Path

import pytest
from django.conf import settings

from tests.faults.visitors import BOUNDARY, TOKEN, make_team
from tests.services import proxies
from tests.services.proxies import FORM, HOST, Asking, connect, proxied  # noqa: F401
from tests.site.test_headers import HEADERS
from tools.launch import ROOT
from tools.processes import PATIENCE, Child, wait_until
from tools.redis_server import free_port

# A proxy is the same before every database.
pytestmark = [pytest.mark.services(is_long=True), pytest.mark.slow, pytest.mark.long]

SETTINGS = "tests.faults.impatient_settings"
# What docs/security.md says of one address behind nginx.
CONNECTIONS, PIECE = 100, 100_000
LARGE_FORM, UPLOAD, LARGEST_FORM = "/sign-in/", "/projects/ours/imports/upload/", 2 * 1024 * 1024


def head(path, length, kind=FORM):
    """The head of a POST that announces a body of so many bytes."""
    first = (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    )
    return first.encode()


def push(connection, count):
    """Send so many bytes, or as many as are taken: who was refused is soon not read any more."""
    for _piece in range(count // PIECE):
        try:
            connection.sendall(b"a" * PIECE)
        except OSError:
            return


def drip(connections, rounds=60):
    """Send a byte on each connection now and then until all were answered; the answers as (status, headers, text)."""
    answers, open_ones = [], list(connections)
    for _round in range(rounds):
        for connection in [*open_ones]:
            connection.settimeout(0.02)
            answer = HTTPResponse(connection)
            with suppress(OSError):  # who was answered is not read any more
                connection.send(b"a")
            try:
                answer.begin()
            except TimeoutError:
                continue
            except OSError:
                answers.append((0, {}, ""))
            else:
                connection.settimeout(PATIENCE)
                answers.append((answer.status, answer.headers, answer.read().decode()))
            open_ones.remove(connection)
        if not open_ones:
            break
        time.sleep(0.2)
    assert not open_ones
    return answers


def family(pid):
    """The process and everything that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family(int(child)))]


def bytes_on_disk(child):
    """Bytes of files that these processes hold open to write, deleted ones too: `du` does not see those."""
    files = {}
    for pid in family(child.pid):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target, found = str(link.readlink()), link.stat()
                flags = int(
                    re.search(r"flags:\s+(\d+)", Path(f"/proc/{pid}/fdinfo/{link.name}").read_text())[1], 8
                )
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode) and flags & os.O_ACCMODE and not target.endswith(("said", ".log")):
                files[found.st_dev, found.st_ino] = found.st_size if target.endswith("(deleted)") else 0
    return sum(files.values())


def test_large_bodies_of_the_anonymous_reach_no_disk(proxied, live_stack, fault_table):  # noqa: F811
    make_team(live_stack)
    with ExitStack() as held:
        connections = []
        for number in range(20):
            connection = held.enter_context(connect(proxied.port))
            connection.sendall(head((LARGE_FORM, UPLOAD)[number % 2], 150_000_000))
            push(connection, 3_000_000)
            connections.append(connection)
        on_disk = bytes_on_disk(proxied.proxy)
        answers = drip(connections)
        assert Asking(proxied.port).ask("GET", "/sign-in/")[0] == 200
    assert on_disk == bytes_on_disk(proxied.proxy) == 0
    assert bytes_on_disk(proxied.web) < LARGEST_FORM
    # Who goes on sending by HTTP/1.1 may lose Caddy's answer, since Caddy then ends the connection.
    answered = [answer for answer in answers if answer[0] or proxied.name == "nginx"]
    assert len(answered) >= (20 if proxied.name == "nginx" else 1)
    of_https = {"Strict-Transport-Security"}  # which this site does not send
    for status, headers, text in answered:
        assert (status, "too large" in text, lacking(headers) - of_https) == (413, True, set())
    fault_table(
        f"behind {proxied.name}", "20 bodies of 150 MB without an account", "nothing on the proxy's disk"
    )


def test_forms_that_drip_are_bounded_and_end(proxied, live_stack, fault_table):  # noqa: F811
    """Each as large as a form may be; the site's own files hold them, for as long as it waits."""
    count = CONNECTIONS if proxied.name == "nginx" else 60
    with ExitStack() as held:
        connections = [held.enter_context(connect(proxied.port)) for _number in range(count)]
        for connection in connections:
            connection.sendall(head(LARGE_FORM, LARGEST_FORM) + b"a" * PIECE)
        at_proxy, at_site = bytes_on_disk(proxied.proxy), bytes_on_disk(proxied.web)
        answers = drip(connections)
        assert at_proxy == bytes_on_disk(proxied.proxy) == 0
        assert at_site <= count * LARGEST_FORM
        assert wait_until(lambda: bytes_on_disk(proxied.web) < LARGEST_FORM)
    late = [(status, "did not arrive whole in time" in text) for status, _headers, text in answers]
    assert late == [(408, True)] * count
    assert "Traceback" not in proxied.web.log.read_text()
    fault_table(f"behind {proxied.name}", f"{count} forms that drip", "each ended, 408 with a sentence")


def test_more_connections_than_one_address_may_have(proxied):  # noqa: F811
    if proxied.name != "nginx":
        pytest.skip("Caddy counts no connections: deploy/README.md says so")
    with ExitStack() as held:
        connections = [held.enter_context(connect(proxied.port)) for _number in range(CONNECTIONS + 10)]
        for connection in connections:
            connection.sendall(head(LARGE_FORM, 2000) + b"a")
        status, text = Asking(proxied.port).ask("GET", "/sign-in/")
        assert (status, "Too many requests" in text) == (429, True)
        assert Asking(proxied.port, "127.0.0.9").ask("GET", "/sign-in/")[0] == 200
        statuses = [status for status, _headers, _text in drip(connections)]
    assert (statuses.count(429), statuses.count(408)) == (10, CONNECTIONS)


def test_lead_uploads_a_large_file(proxied, live_stack):  # noqa: F811
    team = make_team(live_stack)
    part = 'Content-Disposition: form-data; name="{}"'
    body = b"\r\n".join(
        [
            f"--{BOUNDARY}\r\n{part.format('csrfmiddlewaretoken')}\r\n\r\n{TOKEN}".encode(),
            f'--{BOUNDARY}\r\n{part.format("transcripts")}; filename="large.json"\r\n'.encode(),
            b'["' + os.urandom(15_000_000).hex().encode() + b'"]',
            f"--{BOUNDARY}--\r\n".encode(),
        ]
    )
    sent = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "Origin": f"https://{HOST}"}
    status, text = Asking(proxied.port).ask("POST", UPLOAD, body, Cookie=team.lead.headers["Cookie"], **sent)
    assert (status, text) == (303, "")
    assert live_stack.rows("SELECT COUNT(*) FROM discussions_transcript") == [(1,)]


def test_the_site_is_away(proxied, fault_table):  # noqa: F811
    site = Asking(proxied.port)
    site.ask("GET", "/sign-in/")
    proxied.web.kill()
    asked = {
        "page": Asking(proxied.port),
        "region": Asking(proxied.port),
        "boosted": Asking(proxied.port),
        "program": Asking(proxied.port),
    }
    said = {
        "page": asked["page"].ask("GET", "/projects/"),
        "region": asked["region"].ask(
            "POST", "/projects/", "a=1", **{"HX-Request": "true", "Content-Type": FORM}
        ),
        "boosted": asked["boosted"].ask("GET", "/", **{"HX-Request": "true", "HX-Boosted": "true"}),
        "program": asked["program"].ask("GET", "/api/v1/projects/"),
    }
    for reader, (status, text) in said.items():
        headers = asked[reader].headers
        assert (status, headers["Retry-After"], lacking(headers)) == (503, "60", set())
        assert "The site is restarting or cannot be reached." in text
        assert (headers["HX-Retarget"] == "#toasts") == (reader == "region")
        assert ("<html" in text) == (reader in ("page", "boosted"))
        for name, value in HEADERS.items():
            assert (headers[name], headers[name]) == (value, site.headers[name]) or name == "Cache-Control"
    assert asked["program"].headers["Content-Type"] == "application/problem+json"
    assert re.fullmatch(r'\{"status":503,"code":"unavailable","detail":"[^"]+"\}\s*', said["program"][1])
    fault_table(f"behind {proxied.name}", "the site is not running", "503 with a sentence and all headers")


def lacking(headers):
    """The names of the security headers that an answer lacks."""
    wanted = {*HEADERS, "Content-Security-Policy", "Strict-Transport-Security", "Content-Language"}
    return {name for name in wanted if name not in headers}


def test_what_nginx_answers_to_no_request(proxied):  # noqa: F811
    if proxied.name != "nginx":
        pytest.skip("Go answers these before Caddy has a word: docs/security.md says so")
    asked = {
        b"RUBBISH\r\n\r\n": "",
        f"TRACE / HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode(): "",
        f"GET /{'a' * 40_000} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode(): "",
        f"GET / HTTP/1.1\r\nHost: {HOST}\r\nX-A: {'a' * 40_000}\r\n\r\n".encode(): "",
    }
    for request in asked:
        with connect(proxied.port) as connection:
            with suppress(OSError):  # who was answered is not read any more
                connection.sendall(request)
            answer = HTTPResponse(connection)
            answer.begin()
            assert (request[:20], answer.status, lacking(answer.headers)) == (request[:20], 400, set())
            assert "could not be read" in answer.read().decode()


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:"),
        ("2001:db8:1:2::6", "2001:db8:1:2:"),
        ("2001:db8::6:7", "2001:db8:"),
        ("2001:db8::1:6:7", "2001:db8:"),
        ("2001:db8:1::7", "2001:db8:1:"),
        ("192.0.2.7", b"\xc0\x00\x02\x07".decode("latin-1")),
    ],
)
def test_nginx_counts_ipv6_by_network(address, network, tmp_path):
    binary = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if binary is None:
        pytest.skip("nginx is not installed, so its file in deploy/ is not tried")
    port = free_port()
    command = proxies.nginx(binary, tmp_path, free_port(), free_port())
    written = tmp_path / "nginx.conf"
    asked = f"server {{ listen 127.0.0.1:{port}; set_real_ip_from 127.0.0.1; real_ip_header X-Address;"
    asked += " location / { return 200 $evalsite_address; } }\n}"
    written.write_text(written.read_text().rstrip().removesuffix("}") + asked)
    nginx = Child("nginx", command, dict(os.environ), tmp_path / "said", ROOT)
    nginx.start()
    try:
        assert wait_until(lambda: takes_connections(port)), nginx.last_lines()
        said = subprocess.run(
            ["curl", "-s", "-H", f"X-Address: {address}", f"http://127.0.0.1:{port}/"],
            capture_output=True,
            check=True,
        )
        assert said.stdout.decode("latin-1") == network
    finally:
        nginx.kill()


def takes_connections(port):
    """Whether somebody listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_bounds_of_the_settings_are_those_of_the_proxies():
    nginx = (ROOT / "deploy" / "nginx.conf").read_text()
    limits = {int(size) for size in re.findall(r"client_max_body_size (\d+)m;", nginx)}
    assert min(limits) * 1024 * 1024 == settings.DATA_UPLOAD_MAX_MEMORY_SIZE == LARGEST_FORM
    assert max(limits) * 1024 * 1024 > settings.MOST_UPLOADED_AT_ONCE
    assert set(re.findall(r"limit_conn evalsite_addresses (\d+);", nginx)) == {str(CONNECTIONS)}
