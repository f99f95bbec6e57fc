"""The site behind PgBouncer in transaction mode, with fewer connections than processes: it imports, saves, backs up."""

import os
import pwd
import shutil
from urllib.parse import urlsplit

import pytest

from tests.faults.saving import Saving
from tests.faults.test_worker_and_redis_killed import (
    GAMES,
    PARTED,
    check_whole,
    many,
    sweep_until_done,
    upload,
)
from tests.faults.visitors import make_team
from tests.services.live_stack import create_database, drop_database, stack_on
from tests.services.missing import cannot
from tools.launch import ROOT
from tools.processes import Child, wait_until
from tools.redis_server import free_port

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

NAME, POOL = "pooled_site", 3
CONFIGURATION = """
[databases]
{name} = host={host} port={port} dbname={name} user=evalsite
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
auth_type = any
user = {user}
unix_socket_dir =
pool_mode = transaction
default_pool_size = {pool}
"""
CURSORS = """
from django.db import connection
from workspace.database.transactions import snapshot
from workspace.models import Event
with snapshot():
    rows = Event.objects.order_by("pk").iterator(chunk_size=2)
    next(rows)
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_cursors")
        print("cursors of the server", cursor.fetchone()[0])
    rows.close()
print("lines", len(list(Event.objects.iterator(chunk_size=2))) == Event.objects.count() > 2)
"""


@pytest.fixture
def pooled(migrated_database, tmp_path):
    """The address of a migrated database behind a pooler."""
    server, program = os.environ.get("TEST_DATABASE_URL", ""), shutil.which("pgbouncer")
    if not server:
        pytest.skip("SQLite has no pooler")
    if program is None:
        cannot("PgBouncer", "Install it (Debian: apt-get install pgbouncer).")
    direct = create_database(server, NAME, template=migrated_database)
    at, port = urlsplit(direct), free_port()
    given = {"name": NAME, "host": at.hostname, "port": at.port, "own": port, "pool": POOL}
    path = tmp_path / "pgbouncer.ini"
    path.write_text(CONFIGURATION.format(**given | {"user": pwd.getpwuid(os.getuid() or 65534).pw_name}))
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    child = Child("pgbouncer", [program, str(path)], dict(os.environ), tmp_path / "pgbouncer.log", ROOT)
    child.start()
    try:
        assert wait_until(lambda: "process up" in child.last_lines(50)), child.last_lines()
        yield f"postgres://{at.username}@127.0.0.1:{port}/{NAME}"
    finally:
        child.kill()
        drop_database(server, NAME)


def test_a_site_behind_a_pooler_of_transactions(pooled, tmp_path, static_files, monkeypatch):
    address = pooled
    monkeypatch.setenv("DATABASE_POOLED", "true")
    (tmp_path / "site").mkdir()
    with stack_on(address, tmp_path / "site", static_files) as stack:
        team = make_team(stack, 3)
        with Saving(stack, team, think=0.2) as saving:
            upload(team)
            upload(team, "parted.jsonl", many(PARTED, "parted"))
            sweep_until_done(stack)
        assert saving.check() > 0
        said = stack.script(CURSORS)
        assert "cursors of the server 1" in said and "lines True" in said
        count = stack.rows(f"SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '{NAME}'")[0][0]
        assert 1 <= count <= POOL
        check_whole(stack, GAMES + PARTED + 3)
        backups = tmp_path / "backups"
        backups.mkdir()
        stack.manage("backup", str(backups))
        assert len(list(backups.glob("*.zip"))) == 1
