"""Messages reach a real server, and nothing else: attacks by the address, by names and by the server itself."""

import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.services.chat_server import fails, hangs_up, sends, silent, talking
from workspace.core.refusals import Unacceptable
from workspace.outbox.actions.client import find_addresses, read_address, send_message

BODY = b'{"a": 1}'
INSIDE = "inside of a private or reserved network"


def named(*addresses):
    """A resolver that gives every name these IP addresses."""

    def resolve(_host, port, **_given):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return resolve


@pytest.fixture
def open_here(settings):
    """This machine may be called, by http."""
    settings.WEBHOOK_HTTP = True
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]


@pytest.fixture
def refused_inside(settings):
    """Plain http is allowed, but no private network."""
    settings.WEBHOOK_HTTP = True


def test_a_message_arrives_as_it_is_with_its_headers(open_here):
    with talking(fails(204)) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}/hook?key=1"
        outcome = send_message(url, BODY, {"webhook-id": "msg_1"})
    assert (outcome.status, outcome.error) == (204, "")
    (heard,) = server.heard
    assert (heard.path, heard.sent, heard.headers["webhook-id"]) == ("/hook?key=1", BODY, "msg_1")
    assert heard.headers["host"] == url.split("/")[2]


def test_proxies_of_the_environment_are_not_used(open_here, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with talking(sends(b"")) as server:
        assert send_message(server.url, BODY, {}).error == ""


@pytest.mark.parametrize(
    "host",
    """
    127.0.0.1 127.1 2130706433 0x7f.1 0x7f000001 017700000001 0177.0.0.1 localhost localhost. [::1] [::]
    [::ffff:127.0.0.1] [::ffff:7f00:1] 0.0.0.0 0 169.254.169.254 10.0.0.1 [fe80::1] [64:ff9b::7f00:1]
    """.split(),
)
def test_every_spelling_of_an_address_inside_is_refused(refused_inside, host):
    with talking(sends(b"")) as server:
        outcome = send_message(f"http://{host}:{server.server_address[1]}/", BODY, {})
        assert not server.heard
    # Where the machine has no such kind of address, the resolver itself refuses it.
    assert outcome.status is None
    assert INSIDE in outcome.error or "not found" in outcome.error


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org/hook",
        "//example.org/hook",
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://example.org/_x",
        "http://example.org/",  # unless http is allowed
        "https://",
        "https:///hook",
        "https://user@example.org/",
        "https://user:word@example.org/",
        "https://example.org@127.0.0.1/",
        "https://example.org:443@10.0.0.1/",
        "https://example.org\\@127.0.0.1/",
        "https://example.org/#127.0.0.1",
        "https://example.org#@127.0.0.1/",
        "https://example.org/a\r\nHost: internal",
        "https://example.org\r\nX: y/",
        "https://exam\tple.org/",
        "https://example.org/ b",
        " https://example.org/",
        "https://exämple.org/",
        "https://①②⑦.0.0.1/",
        "https://example.org:0/",
        "https://example.org:22/",
        "https://example.org:25/",
        "https://example.org:99999/",
        "https://example.org:x/",
        "https://[fe80::1%25eth0]/",
        "https://[not-an-address]/",
        "https://[::1/",
        "https://-example.org/",
        "https://example_org/",
        "https://exa%6dple.org/",
        "https://example.org/" + "a" * 1000,
    ],
)
def test_addresses_that_are_never_called_are_refused_with_a_sentence(url):
    with pytest.raises(Unacceptable) as refused:
        read_address(url)
    assert refused.value.field == "url" and refused.value.sentence.endswith(".")


def test_an_address_is_read_into_its_parts():
    found = read_address("HTTPS://Example.org:8443/a/b?c=d")
    assert (found.is_https, found.host, found.port, found.target) == (True, "example.org", 8443, "/a/b?c=d")
    bare = read_address("https://[2606:4700::1111]")
    assert (bare.host, bare.place, bare.port, bare.target) == (
        "2606:4700::1111",
        "[2606:4700::1111]",
        443,
        "/",
    )


def test_a_name_with_one_address_inside_is_refused_whatever_the_others_are():
    address = read_address("https://example.org/")
    assert find_addresses(address, named("8.8.8.8", "8.8.8.8", "8.8.4.4")) == ["8.8.8.8", "8.8.4.4"]
    for wrong in (("8.8.8.8", "127.0.0.1"), ("10.0.0.1", "8.8.8.8"), ("::ffff:8.8.8.8",), ()):
        with pytest.raises(Unacceptable, match=INSIDE):
            find_addresses(address, named(*wrong))


def test_the_connection_goes_to_the_address_that_was_checked(open_here):
    """A name that points elsewhere a moment later leads nowhere else: it is asked for once."""
    answers = ["127.0.0.1", "10.0.0.1"]
    with talking(sends(b"")) as server:
        port = server.server_address[1]
        outcome = send_message(
            f"http://receiver.example:{port}/",
            BODY,
            {},
            resolve=lambda *_a, **_g: named(answers.pop(0))(0, port),
        )
    assert (outcome.error, answers) == ("", ["10.0.0.1"])
    assert server.heard[0].headers["host"] == f"receiver.example:{port}"


def test_the_next_address_of_a_name_is_tried_when_one_takes_no_connection(open_here):
    with talking(sends(b"")) as server:
        port = server.server_address[1]
        resolve = named("127.0.0.9", "127.0.0.1")
        assert send_message(f"http://receiver.example:{port}/", BODY, {}, resolve=resolve).error == ""


def test_an_address_that_never_answers_leaves_time_for_the_next_one(open_here, monkeypatch):
    connect, waited = socket.create_connection, []

    def swallow(address, wait):
        if address[0] == "127.0.0.9":
            waited.append(wait)
            raise TimeoutError
        return connect(address, wait)

    monkeypatch.setattr(socket, "create_connection", swallow)
    with talking(sends(b"")) as server:
        port = server.server_address[1]
        resolve = named("127.0.0.9", "127.0.0.1")
        url = f"http://receiver.example:{port}/"
        assert send_message(url, BODY, {}, resolve=resolve, seconds=80).error == ""
    assert 0 < waited[0] <= 40


def drips(handler):
    """Sends a byte of its headers now and then."""
    for _each in range(10_000):
        handler.wfile.write(b"H")
        handler.wfile.flush()
        if handler.server.over.wait(0.02):
            break


@pytest.mark.parametrize(
    ("act", "status", "says"),
    [
        (fails(302, Location="http://127.0.0.1:1/"), 302, "Redirects are not followed"),
        (fails(500), 500, "answered 500"),
        (fails(404), 404, "answered 404"),
        (hangs_up, None, "without an answer"),
        (lambda handler: handler.wfile.write(b"nonsense\r\n\r\n"), None, "without an answer"),
        (silent, None, "no answer within"),
        (drips, None, "no answer within"),
    ],
)
def test_what_a_server_answers_else_is_told_in_a_sentence(open_here, act, status, says):
    # Whoever drips would go on for minutes, and then there would be an answer.
    with talking(act) as server:
        outcome = send_message(server.url, BODY, {}, seconds=0.3 if act in (silent, drips) else 60)
        assert len(server.heard) == 1 or act in (silent, drips)
    assert outcome.status == status and says in outcome.error


def test_a_large_answer_is_not_read(open_here):
    with talking(lambda handler: handler.send(200, b"", length=10**9)) as server:
        assert send_message(server.url, BODY, {}, seconds=60).error == ""


def test_nobody_there_and_no_such_name(open_here):
    free = socket.create_server(("127.0.0.1", 0))
    port = free.getsockname()[1]
    free.close()
    assert "could not be reached" in send_message(f"http://127.0.0.1:{port}/", BODY, {}).error

    def unknown(*_given, **_more):
        raise socket.gaierror(-2, "Name or service not known")

    assert "not found" in send_message("https://nowhere.example/", BODY, {}, resolve=unknown).error
    assert "not found" in send_message(f"https://{'a' * 64}.example/", BODY, {}).error


def test_a_name_that_is_never_found_ends_with_the_attempt_and_holds_few_threads():
    over, begun = threading.Event(), []

    def hangs(host, _port, **_given):
        begun.append(host)
        over.wait()
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    try:
        for number in range(6):
            outcome = send_message(f"https://slow{number}.example/", BODY, {}, resolve=hangs, seconds=0.1)
            assert (outcome.status, "no answer within" in outcome.error) == (None, True)
        assert begun == [f"slow{number}.example" for number in range(4)]
    finally:
        over.set()
    for thread in threading.enumerate():
        if thread.name == "webhook-lookup":
            thread.join()
    assert INSIDE in send_message("https://a.example/", BODY, {}, resolve=named("10.0.0.1")).error


def test_http_is_refused_with_the_name_of_the_setting():
    with pytest.raises(Unacceptable, match="WEBHOOK_HTTP"):
        read_address("http://127.0.0.1:9111/hook")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of receiver.example and its key, signed by itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver.example")])
    now = datetime.now(UTC)
    built = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    built = built.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    names = [x509.DNSName("receiver.example"), x509.IPAddress(ip_address("127.0.0.2"))]
    built = built.add_extension(x509.SubjectAlternativeName(names), critical=False)
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return path


def test_tls_is_checked_by_the_name_although_the_connection_goes_to_an_address(open_here, certificate):
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(certificate)
    asked = []
    served.sni_callback = lambda _wire, name, _context: asked.append(name)
    trust = ssl.create_default_context(cafile=certificate)
    resolve = named("127.0.0.1")
    with talking(sends(b""), tls=served) as server:
        port = server.server_address[1]

        def send(host, **given):
            return send_message(f"https://{host}:{port}/", BODY, {}, resolve=resolve, **given).error

        assert send("receiver.example", trust=trust) == ""
        assert asked == ["receiver.example"]
        assert "certificate" in send("other.example", trust=trust)
        assert "certificate" in send("receiver.example")
        assert len(server.heard) == 1
