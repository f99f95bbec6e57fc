"""A backup that is made and restored while people save: whole, of one moment, and its exports are the same bytes."""

import os
import time
import uuid

import pytest

from benchmarks.clients import differences
from tests.faults.saving import REVISIONS, Saving
from tests.faults.visitors import make_team
from tests.services.live_stack import LiveStack, create_database, drop_database

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]


@pytest.fixture
def empty_place(live_stack, tmp_path):
    """`empty_place()`: a stack of which nothing runs, on an empty database and in an empty folder."""
    server, made = os.environ.get("TEST_DATABASE_URL", ""), []

    def make():
        folder = tmp_path / f"place-{uuid.uuid4().hex[:8]}"
        folder.mkdir()
        url = f"sqlite:///{folder / 'evalsite.sqlite3'}"
        if server:
            url = create_database(server, folder.name, template="template0")
        made.append(LiveStack(folder, url, live_stack.redis_server))
        return made[-1]

    yield make
    for place in made:
        place._commands.stop()
        if server:
            drop_database(server, place.folder.name)


def export(stack, team, folder):
    """The project as lines, but for the first, which says when it was exported."""
    out = folder / f"{uuid.uuid4().hex}.jsonl"
    stack.manage("export", "--project", "ours", "--format", "jsonl", "--by", team.email, "--out", str(out))
    return out.read_bytes().splitlines()[1:]


def test_a_backup_under_load_is_whole_and_its_exports_are_the_same_bytes(
    live_stack, empty_place, tmp_path, fault_table
):
    team, place, later = make_team(live_stack, 3), empty_place(), empty_place()
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with Saving(live_stack, team) as saving:
        before = dict(saving.log.told)
        live_stack.manage("backup", str(tmp_path / "first"))
        saving.wait_for_more()
        began = time.monotonic()
        place.manage("restore", str(tmp_path / "first"))
        took = time.monotonic() - began
        saving.wait_for_more()
    told = saving.check()
    assert "all hold" in place.manage("verify")
    kept = place.rows(REVISIONS)
    of_then = {key: act for key, act in saving.log.told.items() if key in {row[0] for row in kept}}
    assert before.keys() <= of_then.keys()
    assert len(before) <= len(kept) < told
    assert differences(of_then, kept) == []

    live_stack.manage("backup", str(tmp_path / "second"))
    later.manage("restore", str(tmp_path / "second"))
    assert export(later, team, tmp_path) == export(live_stack, team, tmp_path)
    assert "all hold" in later.manage("verify")
    fault_table(
        "3 people saving",
        "backup made and restored",
        "every act from before the backup is in it; exports are equal byte by byte",
        acknowledged=told,
        back=took,
    )
