"""A relay in front of a server, which a test can turn into a black hole: it then takes connections and says nothing."""

import contextlib
import socket
import threading


class Relay:
    """Listens at `port` of `host` and passes everything on to a port of 127.0.0.1; `swallow`, `let_through` switch."""

    def __init__(self, target: int, host: str = "127.0.0.1") -> None:
        self.target, self._is_open, self._sockets = target, True, []
        self._listener = socket.create_server((host, 0), backlog=100)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def swallow(self) -> None:
        """Cut what is connected; answer nobody who connects from now on."""
        self._is_open = False
        self._cut()

    def let_through(self) -> None:
        """Cut who waits for an answer; pass on what comes from now on."""
        self._is_open = True
        self._cut()

    def close(self) -> None:
        """End."""
        self._listener.close()
        self._cut()

    def _cut(self) -> None:
        sockets, self._sockets = self._sockets, []
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                self._sockets.append(client)
                if self._is_open:
                    server = socket.create_connection(("127.0.0.1", self.target))
                    self._sockets.append(server)
                    for source, sink in ((client, server), (server, client)):
                        threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
