"""Fixtures: a real Redis and a real PostgreSQL, one of each per run, gone when it ends."""

import os
import tempfile
from pathlib import Path

import pytest

from tests.services.missing import cannot
from tools.postgres_server import PostgresServer, why_not
from tools.redis_server import HOW_TO_GET_ONE, RedisServer, find_binary


@pytest.fixture(scope="session")
def redis_server():
    """A running `RedisServer`: `.url`, `.child` (to kill or stop), `.start()`."""
    binary = find_binary()
    if binary is None:
        cannot("Redis", HOW_TO_GET_ONE)
    with tempfile.TemporaryDirectory(prefix="evalsite-redis-") as folder:
        server = RedisServer(binary, Path(folder) / "data", Path(folder) / "redis.log", dict(os.environ))
        server.start()
        yield server
        server.child.stop()


@pytest.fixture(scope="session")
def postgres_server():
    """A running `PostgresServer`: `.url(database)`, `.create(database)`, `.child`."""
    if reason := why_not():
        cannot("PostgreSQL", reason)
    with tempfile.TemporaryDirectory(prefix="evalsite-postgres-") as folder:
        server = PostgresServer(Path(folder))
        server.start()
        yield server
        server.child.stop(number=2)
