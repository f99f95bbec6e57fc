"""Two web machines and two workers over one database, Redis and bucket, with disks and names of their own; two die.

Where a process may have a host name of its own (root on Linux), each machine has one.
"""

import os
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.faults.saving import Saving
from tests.faults.test_worker_and_redis_killed import (
    GAMES,
    PARTED,
    UNFINISHED,
    check_whole,
    many,
    number,
    upload,
)
from tests.faults.visitors import make_team
from tests.services.bucket import bucket_server
from tests.services.live_stack import stack_in
from tools.launch import Site
from tools.processes import wait_until
from tools.redis_server import free_port

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

WORKERS = "SELECT COUNT(*) FROM workspace_heartbeat"
NAMED = ("unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"')


def give_name(child, name):
    """Let the process run under that host name, where it may."""
    if os.geteuid() == 0 and shutil.which("unshare"):
        child.command = [*NAMED, name, *child.command]
    return child


class Machine:
    """A web server and a worker with a disk of their own, beside those of a stack."""

    def __init__(self, stack, folder: Path, static_files: Path) -> None:
        shutil.copytree(static_files, folder / "static")
        site = Site(stack.env | {"VAR_DIR": str(folder), "PORT": str(free_port())})
        site.env["DJANGO_SETTINGS_MODULE"] = "tests.site_settings"
        self.url, self.answers = site.address, site.answers
        self.web, self.worker = give_name(site.web(), "web-2"), give_name(site.worker(), "worker-2")


@pytest.fixture
def machines(tmp_path, static_files, migrated_database, monkeypatch):
    """A stack, and a second machine of each kind."""
    if not os.environ.get("TEST_DATABASE_URL"):
        pytest.skip("SQLite is for one machine")
    with bucket_server(tmp_path) as bucket:
        for name, value in bucket.env().items():
            monkeypatch.setenv(name, value)
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
        with stack_in(tmp_path / "one", static_files, migrated_database) as stack:
            other = Machine(stack, tmp_path / "two", static_files)
            try:
                other.web.start()
                other.worker.start()
                assert wait_until(other.answers), other.web.last_lines()
                yield stack, other
            finally:
                other.web.kill()
                other.worker.kill()


def test_one_web_machine_and_one_worker_die_under_load_and_nothing_is_lost(machines, tmp_path, fault_table):
    stack, other = machines
    team = make_team(stack, 4)
    if os.geteuid() == 0:
        assert wait_until(lambda: number(stack, WORKERS) == 2)
    saving = Saving(stack, team, think=0.1)
    for person in saving.people:
        person.addresses.append(other.url)
    with saving:
        upload(team)
        upload(team, "parted.jsonl", many(PARTED, "parted"))
        assert wait_until(lambda: number(stack, "SELECT COUNT(*) FROM discussions_game") > GAMES, every=0.02)
        stack.worker.kill()
        stack.web.kill()
        back = saving.wait_for_more(10)
        team.lead.where = urlsplit(other.url)
        upload(team, "later.json", many(5, "later"))
        with stack.sweeping(every=0.5):
            assert wait_until(lambda: number(stack, UNFINISHED) == 0), other.worker.last_lines(40)
    told = saving.check()
    check_whole(stack, GAMES + PARTED + 5 + 4)
    assert [path for path in tmp_path.glob("*/uploads/**/*") if path.is_file()] == []
    held = "people went on at the other web machine, imports at the other worker"
    fault_table(
        "4 people saving, 3 imports",
        "a web machine and a worker die",
        held,
        acknowledged=told,
        back=back,
        stack=stack,
    )
