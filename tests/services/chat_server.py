"""A real HTTP server on this machine that speaks the protocol of chat completions, and misbehaves when told to.

Each request is answered by the next of `server.acts`, the last one again and again; `server.heard` are the requests.
"""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Act = Callable[["Handler"], None]


class Heard(NamedTuple):
    """One request: path, headers with names in lower case, and the body as JSON and as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    sent: bytes = b""

    @property
    def prompt(self) -> str:
        """What the model was asked."""
        return self.body["messages"][0]["content"]


class Talking(ThreadingHTTPServer):
    """The server; it listens while `talking()` is open."""

    daemon_threads = True

    def __init__(self, *acts: Act) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.acts = list(acts)
        self.heard: list[Heard] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        """The base address, as REVIEW_MODELS_URL has it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request, client_address) -> None:
        """A client that hangs up is what several tests are about."""


class Handler(BaseHTTPRequestHandler):
    """Hears one request and lets the next act answer it."""

    protocol_version = "HTTP/1.1"
    server: Talking

    def do_POST(self) -> None:
        """Whatever is asked."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.heard.append(Heard(self.path, headers, json.loads(body), body))
        acts = self.server.acts
        act = acts.pop(0) if len(acts) > 1 else acts[0]
        act(self)

    def do_GET(self) -> None:
        """Where a redirect would lead."""
        self.server.heard.append(Heard(self.path, {}, {}))
        self.send(200, b"{}")

    def send(self, status: int, body: bytes, *, length: int | None = None, **headers: str) -> None:
        """An answer; with a `length` that is not the body's the connection is cut after the body."""
        self.send_response(status)
        for name, value in ({"Content_Type": "application/json"} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = length is not None

    def log_message(self, *_arguments: object) -> None:
        """Tests are quiet."""


@contextmanager
def talking(*acts: Act, tls: ssl.SSLContext | None = None) -> Iterator[Talking]:
    """A server that listens as long as this is open."""
    server = Talking(*acts)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def completion(text: str | None, **changes: Any) -> bytes:
    """The body of a chat completion that says this."""
    message = {"role": "assistant", "content": text, "refusal": changes.pop("refusal", None)}
    choice = {"index": 0, "message": message, "finish_reason": changes.pop("finish_reason", "stop")}
    usage = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
    value = {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(value | changes).encode()


def says(text: str | None, **changes: Any) -> Act:
    """Answers with this text."""
    return lambda handler: handler.send(200, completion(text, **changes))


def replies(make: Callable[[Heard], str]) -> Act:
    """Answers with what `make` makes of the request."""
    return lambda handler: handler.send(200, completion(make(handler.server.heard[-1])))


def fails(status: int, *, message: str = "no", **headers: str) -> Act:
    """Answers with an error as the protocol has it."""
    body = json.dumps({"error": {"message": message, "type": "x", "code": None, "param": None}}).encode()
    return lambda handler: handler.send(status, body, **headers)


def sends(body: bytes, **headers: str) -> Act:
    """Answers 200 with these bytes."""
    return lambda handler: handler.send(200, body, **headers)


def cut_off(handler: Handler) -> None:
    """Breaks the connection in the middle of the body."""
    body = completion("A long answer that never ends")
    handler.send(200, body[: len(body) // 2], length=len(body))


def silent(handler: Handler) -> None:
    """Never answers."""
    handler.server.over.wait(30)
    handler.close_connection = True


def drips(handler: Handler) -> None:
    """Sends a byte now and then, so that no single wait is long."""
    handler.send(200, b"", length=10_000)
    for _each in range(10_000):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        if handler.server.over.wait(0.02):
            break


def hangs_up(handler: Handler) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True
