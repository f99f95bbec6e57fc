"""Between granian and the site: its threads are given whole requests only.

Under granian's own WSGI a thread waits for the body of its request, without a deadline; as many clients as there are
threads, each stopping half-way, stop the site. Here the body is read on the event loop, with a deadline, and a thread
begins when all of it is there. The deadlines are in settings (BODY_...).
"""

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from io import BytesIO
from itertools import chain
from queue import SimpleQueue
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import IO, Any

from django.conf import settings

from evalsite.memory import trim_memory
from workspace.web.views import announced_length

# Answers up to this many bytes are handed over whole, so that a slow reader holds no thread.
HANDED_OVER = 2 * 1024 * 1024
# A process whose threads are all busy closes one connection in so many seconds: when all processes are busy, closing
# helps nobody.
CLOSE_EVERY = 0.1
# Seconds for the rest of a body that was refused.
REFUSED_BODY = 5
# Bodies up to this many bytes stay in memory.
IN_MEMORY = 256 * 1024
Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class LateBody(Exception):
    """The body did not come in time."""


class ShortBody(Exception):
    """The connection ended before the body did: nobody is there to be answered."""


class NoRoom(Exception):
    """The disk has no room for the body."""


class LastIdleFirst:
    """A queue of work for threads: the thread that has waited for the shortest time gets the next work.

    Its connection to SQLite has the newest pages of the database. A thread that waited for longer reads them again.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._work: deque[Any] = deque()
        self._idle: list[SimpleQueue[Any]] = []

    def put(self, work: Any) -> None:
        """Give the work to a thread that waits, or keep it for the next one."""
        with self._lock:
            if self._idle:
                self._idle.pop().put(work)
            else:
                self._work.append(work)

    def get(self, block: bool = True) -> Any:
        """The oldest work that was kept, else what comes next."""
        with self._lock:
            if self._work:
                return self._work.popleft()
            own: SimpleQueue[Any] = SimpleQueue()
            self._idle.append(own)
        return own.get()


class WholeRequests:
    """The WSGI application as one for RSGI: reads bodies first, then runs it in one of its threads."""

    def __init__(self, application: Wsgi, *, threads: int) -> None:
        self.application = application
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self.threads._work_queue = LastIdleFirst()  # type: ignore[assignment]
        self.thread_count = threads
        self.active_count = 0
        self.next_close = 0.0

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        """Answer one request."""
        loop = asyncio.get_running_loop()
        environ = make_environ(scope)
        length = announced_length(environ)
        pieces = aiter(protocol) if length else None  # granian gives a second one nothing
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            # A client that may not send so much is told so before the body is read.
            asked = environ | {"evalsite.body": "asks", "wsgi.input": BytesIO()}
            if not await loop.run_in_executor(self.threads, self.may_send, asked, protocol):
                await read_on(pieces)
                return
        with SpooledTemporaryFile(max_size=IN_MEMORY) as body:
            try:
                await read_body(pieces, body, length)
            except LateBody:
                environ |= {"evalsite.body": "late", "CONTENT_LENGTH": "0"}
                body.truncate(0)
            except NoRoom:
                environ |= {"evalsite.body": "no room", "CONTENT_LENGTH": "0"}
                body.truncate(0)
            except ShortBody:
                protocol.response_empty(400, [])
                return
            body.seek(0)
            environ["wsgi.input"] = body
            is_cut = "evalsite.body" in environ
            self.active_count += 1
            try:
                # After a body that was not read whole, the next bytes are no request.
                environ["evalsite.close"] = is_cut or self.should_close(loop.time())
                await loop.run_in_executor(self.threads, self.run, environ, protocol, loop)
            finally:
                self.active_count -= 1
        if is_cut:
            await read_on(pieces)
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            del environ, body  # else what was read of the body is still held
            await loop.run_in_executor(self.threads, trim_memory)

    def should_close(self, now: float) -> bool:
        """Whether to close the connection of this request, which waits for a thread, after its answer.

        Web processes share a port, and the kernel does not balance their connections: with eight clients, one process
        of two often has six. A client reconnects, perhaps to another process. `now` is in seconds.
        """
        if self.active_count <= self.thread_count or now < self.next_close:
            return False
        self.next_close = now + CLOSE_EVERY
        return True

    def may_send(self, environ: Environ, protocol: Any) -> bool:
        """Whether the site takes a body of the length that was announced; answers the request when it does not."""
        status, headers, answer = self.call(environ)
        content = read_whole(answer)
        if status == HTTPStatus.CONTINUE:
            return True
        protocol.response_bytes(status, [*headers, ("connection", "close")], content)
        return False

    def run(self, environ: Environ, protocol: Any, loop: asyncio.AbstractEventLoop) -> None:
        """Let the site answer a request that is whole; an answer that is long is sent as it comes."""
        status, headers, answer = self.call(environ)
        if environ["evalsite.close"]:
            headers = [*headers, ("connection", "close")]
        pieces, first, size = iter(answer), [], 0
        try:
            for piece in pieces:
                first.append(piece)
                size += len(piece)
                if size > HANDED_OVER:
                    break
            else:
                protocol.response_bytes(status, headers, b"".join(first))
                return
            send_pieces(chain(first, pieces), protocol.response_stream(status, headers), loop)
        finally:
            close(answer)

    def call(self, environ: Environ) -> tuple[int, list[tuple[str, str]], Iterable[bytes]]:
        """Status, headers and body of what the WSGI application answers."""
        said: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
            said[:] = int(status.split(" ", 1)[0]), headers

        answer = self.application(environ, start_response)
        return said[0], said[1], answer


def make_environ(scope: Any) -> Environ:
    """The WSGI environment of a request (PEP 3333).

    A header whose name has an underscore is left out: it would pass for the one with a dash that a proxy wrote.
    """
    name, _colon, port = scope.server.rpartition(":")
    environ: Environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": name,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    if scope.authority:
        environ["HTTP_HOST"] = scope.authority
    for header, value in scope.headers.items():
        if "_" in header:
            continue
        key = header.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        joint = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{joint}{value}" if key in environ else value
    return environ


async def read_body(pieces: Any, body: IO[bytes], length: int) -> None:
    """Read the body into a file, of which `pieces` has the bytes. Raises LateBody, ShortBody, NoRoom.

    The next bytes must come within BODY_PAUSE seconds, and all of them at BODY_RATE bytes a second or more, after
    BODY_PAUSE seconds to begin with.
    """
    loop = asyncio.get_running_loop()
    end, have = loop.time() + settings.BODY_PAUSE + length / settings.BODY_RATE, 0
    while have < length:
        try:
            async with asyncio.timeout(min(settings.BODY_PAUSE, end - loop.time())):
                piece = await next_piece(pieces)
        except TimeoutError:
            raise LateBody from None
        if not piece:
            raise ShortBody
        try:
            body.write(piece)
        except OSError as fault:
            raise NoRoom from fault
        have += len(piece)


async def next_piece(pieces: Any) -> bytes:
    """The next bytes of a body, none at its end.

    `anext(pieces, b"")` would pass a timeout on to `throw` of what it awaits, which granian's awaitable does not have.
    """
    try:
        return await pieces.__anext__()
    except StopAsyncIteration:
        return b""


async def read_on(pieces: Any) -> None:
    """Discard the rest of a body that was refused, for REFUSED_BODY seconds.

    A connection that ends while the client sends is reset, and the client, or a proxy, then loses the answer, too (RFC
    9112, section 9.6).
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(REFUSED_BODY):
            while await next_piece(pieces):
                pass


def send_pieces(pieces: Iterator[bytes], transport: Any, loop: asyncio.AbstractEventLoop) -> None:
    """Send a long answer; a client that reads nothing for BODY_PAUSE seconds gets no more of it."""

    async def send(piece: bytes) -> None:
        async with asyncio.timeout(settings.BODY_PAUSE):
            await transport.send_bytes(piece)

    for piece in pieces:
        asyncio.run_coroutine_threadsafe(send(piece), loop).result()


def read_whole(answer: Iterable[bytes]) -> bytes:
    """The body of an answer; closes it."""
    try:
        return b"".join(answer)
    finally:
        close(answer)


def close(answer: Iterable[bytes]) -> None:
    """Tell the site that its answer was taken, in the thread that made it: it gives back its connection."""
    if hasattr(answer, "close"):
        answer.close()
