"""The servers that other tests stand on are real, and what they are given survives kill -9."""

import socket

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from tools.processes import PATIENCE

pytestmark = pytest.mark.services


def say(server, *words: str) -> bytes:
    """Send one command to Redis and return its raw answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as talk:
        password = server.url.split(":")[2].split("@")[0]
        talk.sendall(f"AUTH {password}\r\n{' '.join(words)}\r\n".encode())
        answer = b""
        while answer.count(b"\r\n") < 2:
            answer += talk.recv(1000)
        return answer.removeprefix(b"+OK\r\n")


def test_redis_refuses_whoever_lacks_the_password(redis_server):
    with socket.create_connection(("127.0.0.1", redis_server.port), timeout=PATIENCE) as talk:
        talk.sendall(b"PING\r\n")
        assert talk.recv(100).startswith(b"-NOAUTH")


@pytest.mark.slow
def test_redis_keeps_its_data_through_kill_9(redis_server):
    say(redis_server, "SET", "bell", "rung")
    say(redis_server, "WAITAOF", "1", "0", "3000")
    redis_server.child.kill()
    redis_server.start()
    assert say(redis_server, "GET", "bell").endswith(b"rung\r\n")


def test_redis_puts_unreadable_data_aside_and_starts_empty(redis_server, capsys):
    redis_server.child.stop()
    base = next(redis_server.folder.rglob("*.base.rdb"))
    base.write_bytes(b"REDIS9999 not data")
    redis_server.start()
    assert redis_server.answers()
    assert "put aside" in capsys.readouterr().out


def test_postgres_is_real_and_gone_databases_are_gone(postgres_server):
    address = postgres_server.create("one_of_its_own")
    with psycopg.connect(address) as talk:
        assert talk.execute("SHOW server_version_num").fetchone()[0] >= "160000"


@pytest.mark.django_db
def test_the_database_is_the_one_the_run_names():
    wanted = "postgresql" if "postgres" in settings.DATABASES["default"]["ENGINE"] else "sqlite"
    assert connection.vendor == wanted


@pytest.mark.django_db
def test_sqlite_runs_with_the_pragmas_of_the_site():
    if connection.vendor != "sqlite":
        pytest.skip("pragmas are SQLite's")
    with connection.cursor() as cursor:
        found = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2}
