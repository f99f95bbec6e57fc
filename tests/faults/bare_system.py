"""A bare system: folders and network of its own, a service user, PostgreSQL and Redis; needs root."""

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import systemd_stand_in
from tools.launch import ROOT
from tools.processes import Child, wait_until
from tools.redis_server import find_binary

PROGRAMS = (
    "unshare",
    "nsenter",
    "setpriv",
    "runuser",
    "nginx",
    "createuser",
    "openssl",
    "curl",
    "git",
    "make",
)
STANDS_IN = ("systemctl", "systemd-run", "certbot", "editor")
HOST = systemd_stand_in.HOST
SET_UP = """
set -e
mount -t tmpfs tmpfs "$0"
mkdir -p "$0"/etc/upper "$0"/etc/work "$0"/lib/upper "$0"/lib/work "$0"/srv "$0"/backups
mount -t overlay overlay -o lowerdir=/etc,upperdir="$0"/etc/upper,workdir="$0"/etc/work /etc
mount -t overlay overlay -o lowerdir=/var/lib,upperdir="$0"/lib/upper,workdir="$0"/lib/work /var/lib
mount --bind "$0"/srv /srv
mount --bind "$0"/backups /var/backups
mount -t tmpfs tmpfs /run
mkdir -p /run/postgresql /etc/systemd/system
chown postgres /run/postgresql
echo ready
exec sleep infinity
"""
LOOPBACK_UP = (0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS: IFF_UP, IFF_RUNNING


class Machine:
    """The bare system: what is written to /etc, /srv, /run and /var/lib stays in it."""

    def __init__(self, folder):
        self.folder = folder
        path = f"PATH={folder}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        clone = [f"url.{ROOT}.insteadOf", "https://git.example.org/evalsite.git"]
        self.env = [
            "env",
            path,
            "GIT_CONFIG_COUNT=1",
            f"GIT_CONFIG_KEY_0={clone[0]}",
            f"GIT_CONFIG_VALUE_0={clone[1]}",
        ]
        (folder / "bin").mkdir()
        (folder / "disk").mkdir()
        for name in STANDS_IN:
            written = folder / "bin" / name
            written.write_text(f"#!/usr/bin/python3\n{Path(systemd_stand_in.__file__).read_text()}")
            written.chmod(0o755)
        held = [
            "unshare",
            "--mount",
            "--net",
            "--propagation",
            "private",
            "bash",
            "-c",
            SET_UP,
            str(folder / "disk"),
        ]
        self.holder = Child("bare system", held, dict(os.environ), folder / "holder.log", ROOT)
        self.place = "/"

    def start(self):
        """Make it, with a network of its own that has nothing but this machine."""
        self.holder.start()
        assert wait_until(lambda: "ready" in self.holder.last_lines() or not self.holder.is_running())
        if not self.holder.is_running():
            pytest.skip(f"this machine has no system within the system: {self.holder.last_lines()}")
        code = f"import fcntl, socket; fcntl.ioctl(socket.socket(), {LOOPBACK_UP[0]}, {LOOPBACK_UP[1]!r})"
        self.run([sys.executable, "-c", code])

    def within(self, command, *, online=False):
        """The command line that runs a command within it; online for what is installed from registries."""
        spaces = ["--mount"] if online else ["--mount", "--net"]
        return [
            "nsenter",
            f"--target={self.holder.pid}",
            *spaces,
            f"--wdns={self.place}",
            *self.env,
            *command,
        ]

    def run(self, command, *, typed="", online=False):
        """Run a command within it, which must succeed; what it printed."""
        done = subprocess.run(
            self.within(command, online=online), input=typed, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}\n{self.logs()}"
        return done.stdout

    def type(self, line):
        """What is done at the prompt of root, with the answers that the page says one is asked for."""
        if line.startswith("cd "):
            self.place = line.removeprefix("cd ")
            return
        typed = {"createuser": "p$ss\n" * 2, "create_account": "three calm otters\n" * 2}
        asked = next((words for name, words in typed.items() if name in line), "")
        self.run(["bash", "-ec", line], typed=asked, online=line.startswith("make setup"))

    def logs(self):
        """What web and worker said."""
        found = subprocess.run(
            self.within(["bash", "-c", "tail -n 20 /run/played/*.log"]),
            capture_output=True,
            text=True,
            check=False,
        )
        return found.stdout

    def ask(self, path, *options):
        """Status and text of what the proxy answers."""
        resolved = ["--resolve", f"{HOST}:443:127.0.0.1", f"https://{HOST}{path}"]
        said = self.run(["curl", "-sk", "-w", "\n%{http_code}", *options, *resolved])
        text, _newline, status = said.rpartition("\n")
        return int(status), text


@pytest.fixture
def machine(tmp_path):
    """The bare system, with PostgreSQL and Redis as Debian has them, at their own ports."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if os.getuid() or missing or not homes or find_binary() is None:
        pytest.skip(f"wants root, PostgreSQL, Redis and all of {PROGRAMS}; missing: {missing}")
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("wants a clone of git")
    tmp_path.chmod(0o755)
    machine = Machine(tmp_path)
    children = [machine.holder]
    # A test before may have read the settings of production, which make this process's files private.
    before = os.umask(0o022)
    try:
        machine.start()
        pg, data = homes[-1].parent, "/var/lib/bare-postgres"
        trusted = ["--auth-local=peer", "--auth-host=scram-sha-256"]
        machine.run(["install", "-d", "-o", "postgres", "-m", "0700", data])
        machine.run(
            ["runuser", "-u", "postgres", "--", str(pg / "initdb"), "-D", data, "--no-sync", *trusted]
        )
        servers = {
            "PostgreSQL": [
                "runuser",
                "-u",
                "postgres",
                "--",
                str(pg / "postgres"),
                "-D",
                data,
                "-k",
                "/run/postgresql",
            ],
            "Redis": [
                str(find_binary()),
                "--dir",
                "/run",
                "--appendonly",
                "yes",
                "--maxmemory-policy",
                "noeviction",
            ],
        }
        for name, command in servers.items():
            children.append(
                Child(name, machine.within(command), dict(os.environ), tmp_path / f"{name}.log", ROOT)
            )
            children[-1].start()
        assert wait_until(lambda: "ready to accept" in children[1].last_lines()), children[1].last_lines()
        yield machine
    finally:
        os.umask(before)
        subprocess.run(
            machine.within(["bash", "-c", "kill $(cat /run/played/*.pid /run/nginx.pid)"]), check=False
        )
        for child in reversed(children):
            child.kill()
