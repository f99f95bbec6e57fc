"""Two web machines and two workers over one database, Redis and bucket; two die, one loses its network.

The second of each has a disk, a host name and a network namespace of its own.
"""

import os
import re
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import conftest
from tests.faults.saving import Saving
from tests.faults.tcp_proxy import Relay
from tests.faults.test_worker_and_redis_killed import (
    GAMES,
    LET_LEASES_END,
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
from tools.processes import Child, wait_until
from tools.redis_server import free_port

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

WORKERS = "SELECT COUNT(*) FROM workspace_heartbeat"
NAMED = ("unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"')
LINK, NETWORKS = "evs{0}", "10.213."
HERE, THERE = NETWORKS + "{0}.1", NETWORKS + "{0}.2"


class Network:
    """A network namespace whose one link leads here, where relays stand for the servers of this machine."""

    def __init__(self, number: int) -> None:
        self.name, self.here, self.there = (text.format(number) for text in (LINK, HERE, THERE))
        self.relays: list[Relay] = []
        self.close()
        ip("netns", "add", self.name)
        ip("link", "add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        ip("address", "add", f"{self.here}/30", "dev", self.name)
        ip("-n", self.name, "address", "add", f"{self.there}/30", "dev", "eth0")
        for device in ("lo", "eth0"):
            ip("-n", self.name, "link", "set", device, "up")
        self.join()

    def relay(self, address: str) -> str:
        """The address, reached from the namespace."""
        there = re.sub(r"127\.0\.0\.1:(\d+)", lambda found: self._relay(int(found[1])), address)
        assert there != address
        return there

    def _relay(self, port: int) -> str:
        self.relays.append(Relay(port, self.here))
        return f"{self.here}:{self.relays[-1].port}"

    def run(self, child: Child) -> Child:
        """Let the process run there, under the host name of the namespace."""
        child.command = ["ip", "netns", "exec", self.name, *NAMED, self.name, *child.command]
        return child

    def cut(self) -> None:
        """Nothing arrives any more, and nobody is told."""
        ip("link", "set", self.name, "down")

    def join(self) -> None:
        """What is sent arrives again."""
        ip("link", "set", self.name, "up")

    def close(self) -> None:
        """End it, also what an earlier run left."""
        for relay in self.relays:
            relay.close()
        subprocess.run(["ip", "netns", "delete", self.name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "delete", self.name], check=False, capture_output=True)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Machine:
    """A web server or a worker on a disk and in a network of its own, beside those of a stack."""

    def __init__(self, stack, network: Network, folder: Path, static_files: Path) -> None:
        shutil.copytree(static_files, folder / "static")
        self.network = network
        there = {
            name: network.relay(stack.env[name]) for name in ("DATABASE_URL", "REDIS_URL", "STORAGE_URL")
        }
        own = {"VAR_DIR": str(folder), "HOST": network.there, "ALLOWED_HOSTS": f"{network.there},127.0.0.1"}
        site = Site(stack.env | there | own | {"PORT": str(free_port())})
        site.env["DJANGO_SETTINGS_MODULE"] = "tests.site_settings"
        self.url, self.answers = site.address, site.answers
        self.web, self.worker = network.run(site.web()), network.run(site.worker())


@pytest.fixture
def machines(tmp_path, static_files, migrated_database, monkeypatch):
    """A stack, a second web machine and a second worker machine."""
    if not os.environ.get("TEST_DATABASE_URL"):
        pytest.skip("SQLite is for one machine")
    if os.geteuid() or not (shutil.which("ip") and shutil.which("unshare")):
        pytest.skip("network namespaces need root, ip and unshare")
    monkeypatch.setattr(conftest, "LOOPBACK", (*conftest.LOOPBACK, NETWORKS))
    with ExitStack() as ends:
        bucket = ends.enter_context(bucket_server(tmp_path))
        for name, value in bucket.env().items():
            monkeypatch.setenv(name, value)
        (tmp_path / "one").mkdir()
        stack = ends.enter_context(stack_in(tmp_path / "one", static_files, migrated_database))
        web, worker = (second(stack, number, tmp_path, static_files, ends) for number in (2, 3))
        web.web.start()
        worker.worker.start()
        assert wait_until(web.answers), web.web.last_lines()
        assert wait_until(lambda: number(stack, WORKERS) == 2), worker.worker.last_lines()
        yield stack, web, worker


def second(stack, place: int, folder: Path, static_files: Path, ends: ExitStack) -> Machine:
    """A machine that ends with the others."""
    network = Network(place)
    ends.callback(network.close)
    machine = Machine(stack, network, folder / network.name, static_files)
    ends.callback(machine.web.kill)
    ends.callback(machine.worker.kill)
    return machine


def test_one_web_machine_and_one_worker_die_under_load_and_nothing_is_lost(machines, tmp_path, fault_table):
    stack, web, worker = machines
    team = make_team(stack, 4)
    saving = Saving(stack, team, think=0.1)
    for person in saving.people:
        person.addresses.append(web.url)
    with saving:
        upload(team)
        upload(team, "parted.jsonl", many(PARTED, "parted"))
        assert wait_until(lambda: number(stack, "SELECT COUNT(*) FROM discussions_game") > GAMES, every=0.02)
        stack.worker.kill()
        stack.web.kill()
        back = saving.wait_for_more(10)
        team.lead.where = urlsplit(web.url)
        upload(team, "later.json", many(5, "later"))
        with stack.sweeping(every=0.5):
            assert wait_until(lambda: number(stack, UNFINISHED) == 0), worker.worker.last_lines(40)
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


def test_a_worker_without_network_doubles_nothing_when_it_is_back(machines, fault_table):
    stack, _, worker = machines
    team = make_team(stack)
    upload(team, "parted.jsonl", many(PARTED, "parted"))
    assert wait_until(lambda: number(stack, "SELECT COUNT(*) FROM discussions_game") > 0, every=0.02)
    worker.network.cut()
    with stack.sweeping(every=0.5):

        def is_done():
            stack.script(LET_LEASES_END)
            return number(stack, UNFINISHED) == 0

        assert wait_until(is_done, every=0.5), stack.worker.last_lines(40)
        worker.network.join()
        stack.worker.kill()
        upload(team, "later.json", many(5, "later"))
        assert wait_until(lambda: number(stack, UNFINISHED) == 0), worker.worker.last_lines(40)
    check_whole(stack, PARTED + 5)
    held = "the other worker finished the import; the first one works again when it is back"
    fault_table("import of several parts", "a worker machine has no network", held, stack=stack)
