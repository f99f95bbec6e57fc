"""A disk that is full, then one that can only be read, under the database and the uploads, while people save."""

import json
import os
import shutil
import subprocess

import pytest

from tests.faults.saving import Saving
from tests.faults.visitors import make_team, words
from tests.services.live_stack import stack_on
from tools.processes import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.long]

SIZE = 48 * 1024 * 1024


@pytest.fixture
def disk(tmp_path):
    """The folder of a file system of its own, of 48 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(folder)]
    if os.getuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can be mounted by root alone")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def stack(disk, static_files, migrated_database, tmp_path):
    if not migrated_database.endswith(".sqlite3"):
        pytest.skip("SQLite alone")
    shutil.copy(migrated_database, disk / "evalsite.sqlite3")
    (disk / "uploads").mkdir()
    folder = tmp_path / "var"
    folder.mkdir()
    (folder / "uploads").symlink_to(disk / "uploads")
    with stack_on(f"sqlite:///{disk / 'evalsite.sqlite3'}", folder, static_files) as stack:
        yield stack


def fill(folder):
    """Write until nothing more goes in; the file."""
    path = folder / "full"
    with path.open("wb", buffering=0) as file:
        for size in (1024 * 1024, 4096):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    return path


def test_a_full_disk_refuses_saves_and_uploads_and_goes_on_when_there_is_room(stack, disk, fault_table):
    team = make_team(stack, 3)
    team.lead.get("/")
    with Saving(stack, team) as saving:
        full = fill(disk)
        saving.wait_for_refusals(6)
        page = team.lead.get("/projects/ours/games/")
        uploaded = team.lead.upload(
            "/projects/ours/imports/upload/", {"game.json": b"[" + b" " * 200_000 + b"]"}
        )
        full.unlink()
        back = saving.wait_for_more()
        saving.wait_for_more(10)
    told = saving.check(507, 503)
    assert (page.status, uploaded.status) == (200, 507)
    assert "507" in {error.rpartition(" ")[2] for error in saving.log.server_errors}
    fault_table(
        "3 people saving, an upload",
        "disk full, then room",
        f"{len(saving.log.server_errors)} refused with 507, each went on by itself",
        acknowledged=told,
        back=back,
        stack=stack,
    )


def test_a_disk_that_can_only_be_read_shows_pages_and_refuses_saves(stack, disk, fault_table):
    team = make_team(stack, 1)
    team.lead.get("/")
    with Saving(stack, team) as saving:
        saving.wait_for_more(3)
    stack.stop()
    remount(disk, "ro")
    stack.start_web()
    page, ready = team.lead.get("/projects/ours/"), team.lead.get("/readyz")
    judge = saving.people[0].judge
    save = judge.send(judge.next_act())
    judge.browser.close()
    stack.web.kill()
    remount(disk, "rw")
    stack.start_redis()
    stack.start()
    with Saving(stack, team) as again:
        again.wait_for_more(3)
    assert (page.status, ready.status, save.status) == (200, 503, 503), words(save.text)
    assert not json.loads(ready.text)["checks"]["disk"]["ok"]
    saving.log.told |= again.log.told
    fault_table(
        "at the start",
        "disk can only be read",
        "pages come, saves are refused with 503",
        acknowledged=saving.check(),
        stack=stack,
    )


def remount(disk, how):
    """Let the disk be written, or not; what was killed may have its files open for a moment longer."""
    mount = ["mount", "-o", f"remount,{how}", str(disk)]
    assert wait_until(lambda: subprocess.run(mount, check=False).returncode == 0, every=0.2)
