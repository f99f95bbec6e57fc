"""A mail server on this machine: takes what is sent to it, or answers that it is busy."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message


class MailServer(socketserver.ThreadingTCPServer):
    """What came in, and for how many e-mails more it is busy."""

    allow_reuse_address, daemon_threads = True, True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.messages: list[Message] = []
        self.busy_count = 0

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])


class _Talk(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            verb = line[:4].upper()
            if verb == b"MAIL" and self.server.busy_count:
                self.server.busy_count -= 1
                self.wfile.write(b"451 busy\r\n")
            elif verb == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                self.server.messages.append(message_from_bytes(b"".join(self._lines())))
                self.wfile.write(b"250 taken\r\n")
            else:
                self.wfile.write(b"221 bye\r\n" if verb == b"QUIT" else b"250 fine\r\n")
            if verb == b"QUIT":
                return

    def _lines(self) -> Iterator[bytes]:
        for line in self.rfile:
            if line == b".\r\n":
                return
            yield line


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """A server that runs while the block does."""
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
