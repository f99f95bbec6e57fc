"""Logs of `make run` stay small while it runs."""

import sys

import pytest

from tools import launch
from tools.launch import Site, Stop
from tools.processes import Child, wait_until

LARGE = """
import sys, time
print("x" * 3000, flush=True)
while True:
    print("still here", flush=True)
    time.sleep(0.05)
"""


@pytest.fixture
def site(tmp_path):
    site = Site({"VAR_DIR": str(tmp_path)})
    site.children.append(
        Child("web server", [sys.executable, "-c", LARGE], {}, site.log("web-server"), tmp_path)
    )
    yield site
    site.stop()


def test_log_that_grows_large_is_put_aside_while_its_process_goes_on(site, monkeypatch):
    child, turns = site.children[0], iter(range(3))

    def wait(_seconds):
        if next(turns, None) is None:
            raise Stop

    monkeypatch.setattr(launch, "LARGEST_LOG", 2000)
    child.start()
    assert wait_until(lambda: child.log.stat().st_size > 3000)
    monkeypatch.setattr(launch.time, "sleep", wait)
    with pytest.raises(Stop):
        site.watch()
    monkeypatch.undo()
    assert child.log.with_suffix(".old.log").read_text().startswith("xxx")
    assert wait_until(lambda: "still here" in child.log.read_text())
    assert child.log.stat().st_size < 2000 and "\0" not in child.log.read_text()
    assert child.is_running()
