"""The bridge between granian and the site: whole bodies within deadlines, and what becomes of a request's parts."""

import asyncio
import selectors
from concurrent.futures import wait
from io import BytesIO
from threading import Barrier, Event, get_ident
from types import SimpleNamespace

import pytest
from django.core.handlers.wsgi import WSGIHandler

from evalsite.encoding import Utf8Only
from evalsite.whole_requests import HANDED_OVER, LateBody, WholeRequests, make_environ, read_body
from tools.processes import PATIENCE

FORM = ("content-type", "application/x-www-form-urlencoded")


class Protocol:
    """A client: its body in pieces, None for a pause without end; and what it was answered."""

    def __init__(self, *pieces):
        self.pieces, self.asked, self.sent = list(pieces), 0, []
        self.asked_before = None
        self.status = self.headers = self.body = None

    def __aiter__(self):
        return self

    async def __anext__(self):
        self.asked += 1
        piece = self.pieces.pop(0) if self.pieces else b""
        if piece is None:
            await asyncio.sleep(3600)
        if isinstance(piece, float):
            await asyncio.sleep(piece)
            piece = b"x"
        return piece

    def response_bytes(self, status, headers, body):
        self.asked_before = self.asked
        self.status, self.headers, self.body = status, headers, body

    def response_empty(self, status, headers):
        self.response_bytes(status, headers, b"")

    def response_stream(self, status, headers):
        self.response_bytes(status, headers, None)
        return self

    async def send_bytes(self, piece):
        if self.pieces and self.pieces[0] is None:
            await asyncio.sleep(3600)
        self.sent.append(piece)


def make_scope(*, method="POST", path="/", headers=(), **given):
    """What granian says of a request."""
    parts = {"server": "127.0.0.1:8000", "client": "192.0.2.7:5000", "http_version": "1.1", "scheme": "http"}
    parts |= {"query_string": "", "authority": None, "method": method, "path": path}
    items = [("host", "testserver"), *headers]
    return SimpleNamespace(**parts | given, headers=SimpleNamespace(items=lambda: items))


def ask(protocol, *, application, **scope):
    """Send one request to an application; what the protocol was answered."""
    served = WholeRequests(application, threads=1)
    asyncio.run(served.__rsgi__(make_scope(**scope), protocol))
    served.threads.shutdown()
    return protocol


def echo(environ, start_response):
    """An application that answers with the body."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["wsgi.input"].read()]


def announced(length):
    return [FORM, ("content-length", str(length))]


def test_body_arrives_whole_whatever_its_pieces():
    answer = ask(Protocol(b"ab", b"c", b"def"), application=echo, headers=announced(6))
    assert (answer.status, answer.body) == (200, b"abcdef")


def test_body_on_disk_arrives_whole():
    body = bytes(range(256)) * 4000
    answer = ask(Protocol(body[:700_000], body[700_000:]), application=echo, headers=announced(len(body)))
    assert answer.body == body


def test_body_without_announced_length_is_not_read():
    protocol = ask(Protocol(b"abc"), application=echo, headers=[("transfer-encoding", "chunked")])
    assert (protocol.body, protocol.asked) == (b"", 0)


def test_memory_is_given_back_after_a_large_body_alone(settings, monkeypatch):
    def take(environ, start_response):
        if environ.get("evalsite.body") == "asks":
            start_response("100 Continue", [])
            return []
        return echo(environ, start_response)

    trimmed = []
    monkeypatch.setattr("evalsite.whole_requests.trim_memory", lambda: trimmed.append(True))
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    ask(Protocol(b"0123456789"), application=take, headers=announced(10))
    assert trimmed == []
    assert ask(Protocol(b"0123456789x"), application=take, headers=announced(11)).body == b"0123456789x"
    assert trimmed == [True]


@pytest.mark.django_db
@pytest.mark.parametrize("pieces", [(b"a", None), (0.05,) * 30])
def test_late_body_is_answered_408_with_a_sentence_and_all_headers(settings, pieces):
    settings.BODY_PAUSE, settings.BODY_RATE = 0.2, 10**6
    site = Utf8Only(WSGIHandler())
    answer = ask(Protocol(*pieces), application=site, path="/sign-in/", headers=announced(2000))
    assert answer.status == 408
    assert "did not arrive whole in time" in answer.body.decode()
    assert "content-security-policy" in {name.lower() for name, _value in answer.headers}


class NoPauses(selectors.DefaultSelector):
    """What an event loop waits by, in which waiting takes no time: its own clock goes on at once."""

    passed = 0.0

    def select(self, timeout=None):
        self.passed += timeout or 0
        return super().select(0)


def read_slowly(pauses):
    """The body that is read from pieces of one byte after these pauses, and the seconds that it took by the loop."""
    selector, body = NoPauses(), BytesIO()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.passed
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(read_body(Protocol(*pauses), body, len(pauses)))
    return body.getvalue(), selector.passed


def test_slow_body_at_a_good_rate_is_taken(settings):
    settings.BODY_PAUSE, settings.BODY_RATE = 2, 1
    assert read_slowly((1.0,) * 10) == (b"x" * 10, pytest.approx(10))
    for late in ((2.5,), (1.9,) * 10):
        with pytest.raises(LateBody):
            read_slowly(late)


def test_connection_that_ended_before_its_body_reaches_no_thread():
    called = []
    answer = ask(Protocol(b"ab", b""), application=lambda *_: called.append(1), headers=announced(6))
    assert (answer.status, called) == (400, [])


@pytest.mark.django_db
@pytest.mark.parametrize("last", [b"", None])
def test_large_body_of_the_anonymous_is_refused_unread_and_what_still_comes_is_thrown_away(monkeypatch, last):
    monkeypatch.setattr("evalsite.whole_requests.REFUSED_BODY", 0.1)
    protocol = Protocol(b"x" * 1000, b"x", last)
    site = Utf8Only(WSGIHandler())
    answer = ask(protocol, application=site, path="/projects/", headers=announced(90_000_000))
    assert (answer.status, protocol.asked_before, protocol.pieces) == (413, 0, [])


def test_large_body_is_taken_when_the_site_says_so(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 5

    def site(environ, start_response):
        start_response("100 Continue" if environ.get("evalsite.body") == "asks" else "200 OK", [])
        return [environ["wsgi.input"].read()]

    answer = ask(Protocol(b"abc", b"def"), application=site, headers=announced(6))
    assert (answer.status, answer.body) == (200, b"abcdef")


class Pieces:
    """An answer that notes when it was closed."""

    def __init__(self, *, pieces, size):
        self.pieces, self.size, self.is_closed = pieces, size, False

    def __iter__(self):
        return iter([b"x" * self.size] * self.pieces)

    def close(self):
        self.is_closed = True


@pytest.mark.parametrize("pieces", [1, 3, 40])
def test_answers_of_any_length_come_whole_and_are_closed(pieces):
    answer = Pieces(pieces=pieces, size=HANDED_OVER // 10)

    def site(environ, start_response):
        start_response("200 OK", [])
        return answer

    protocol = ask(Protocol(), application=site, method="GET")
    body = b"".join(protocol.sent) if protocol.body is None else protocol.body
    assert len(body) == pieces * (HANDED_OVER // 10)
    assert (protocol.body is None) == (pieces == 40)
    assert answer.is_closed


def test_reader_who_stops_half_way_gives_the_thread_back(settings):
    settings.BODY_PAUSE = 0.1
    answer = Pieces(pieces=4, size=HANDED_OVER)

    def site(environ, start_response):
        start_response("200 OK", [])
        return answer

    with pytest.raises(TimeoutError):
        ask(Protocol(None), application=site, method="GET")
    assert answer.is_closed


def test_environ_keeps_apart_what_a_proxy_and_a_client_wrote():
    headers = [
        ("x-forwarded-for", "192.0.2.1"),
        ("x_forwarded_for", "10.0.0.1"),
        ("cookie", "a=1"),
        ("cookie", "b=2"),
    ]
    environ = make_environ(make_scope(path="/é", headers=[*headers, ("x-a", "1"), ("x-a", "2")]))
    assert environ["HTTP_X_FORWARDED_FOR"] == "192.0.2.1"
    assert (environ["HTTP_COOKIE"], environ["HTTP_X_A"]) == ("a=1; b=2", "1,2")
    assert environ["PATH_INFO"] == "/é".encode().decode("latin-1")


@pytest.mark.parametrize(
    ("client", "address"), [("192.0.2.7:5000", "192.0.2.7"), ("[2001:db8::1]:5000", "2001:db8::1")]
)
def test_environ_has_the_address_of_the_client(client, address):
    assert make_environ(make_scope(client=client))["REMOTE_ADDR"] == address


@pytest.mark.parametrize(
    "said", ["charset*=nosuch''x", "charset*=hex''%ff", "charset*=utf-8''x; charset*=idna''%80"]
)
@pytest.mark.django_db
def test_parameter_in_an_encoding_that_does_not_exist_is_no_bare_500(said):
    kind = ("content-type", f"application/x-www-form-urlencoded; {said}")
    protocol = Protocol(b"a=1")
    ask(
        protocol,
        application=Utf8Only(WSGIHandler()),
        path="/sign-in/",
        headers=[kind, ("content-length", "3")],
    )
    assert protocol.status < 500
    assert "content-security-policy" in {name.lower() for name, _value in protocol.headers}


def make_pool(threads):
    return WholeRequests(None, threads=threads).threads


def idle_threads(pool, count):
    """Wait until so many threads of the pool wait for work."""
    queue = pool._work_queue
    while len(queue._idle) < count:
        pass


def test_requests_one_after_another_are_answered_by_one_thread():
    with make_pool(3) as pool:
        together = Barrier(3)
        wait([pool.submit(together.wait) for _ in range(3)])
        idle_threads(pool, 3)
        answered_by = set()
        for _ in range(20):
            answered_by.add(pool.submit(get_ident).result())
            idle_threads(pool, 3)
    assert len(answered_by) == 1


def test_work_beyond_the_threads_is_done_in_order():
    done = []
    with make_pool(1) as pool:
        wait([pool.submit(done.append, number) for number in range(50)])
    assert done == list(range(50))


def test_process_with_all_threads_busy_closes_one_connection_at_a_time(monkeypatch):
    monkeypatch.setattr("evalsite.whole_requests.CLOSE_EVERY", 60)
    protocols = [Protocol() for _ in range(4)]

    async def crowd():
        all_there = Event()

        def slow(environ, start_response):
            all_there.wait(PATIENCE)
            start_response("200 OK", [])
            return [b""]

        served = WholeRequests(slow, threads=2)
        tasks = [asyncio.create_task(served.__rsgi__(make_scope(), protocol)) for protocol in protocols]
        await asyncio.sleep(0)
        assert served.active_count == len(tasks)
        all_there.set()
        await asyncio.gather(*tasks)
        served.threads.shutdown()
        return served.active_count

    assert asyncio.run(crowd()) == 0
    closed = [("connection", "close") in protocol.headers for protocol in protocols]
    assert closed == [False, False, True, False], "the first to wait; not the next one, so soon after it"
