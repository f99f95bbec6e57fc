"""The connection: as Django's own, save that a process may say how long it waits for an answer."""

from functools import partial
from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """A statement that is not answered within `longest_wait` seconds raises OperationalError, and the connection ends.

    A server that stands still keeps its connections open, and its system acknowledges what is sent to it: neither
    `statement_timeout`, which is the server's own, nor `tcp_user_timeout` ends that.
    """

    longest_wait: float | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection whose every wait has that limit."""
        connection = super().get_new_connection(conn_params)
        connection.wait = partial(connection.wait, timeout=self.longest_wait)
        return connection
