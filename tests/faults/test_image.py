"""The steps of `Dockerfile` and what `compose.yaml` runs, on a bare system: started, asked, and upgraded with its data.

Where there is no container daemon, this is what can be shown: the same commands, as the same user, on a read-only tree.
"""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tools.launch import ROOT
from tools.processes import Child, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(1500)]

DOCKERFILE, COMPOSE = ROOT / "Dockerfile", ROOT / "compose.yaml"
ADDRESS = "http://localhost:8000"
# What compose.yaml sets by default, with the servers of the bare system.
ENVIRONMENT = {
    "EVALSITE_MODE": "local",
    "DEMO": "true",
    "ALLOWED_HOSTS": "localhost,127.0.0.1",
    "DATABASE_URL": "postgres://evalsite:evalsite@127.0.0.1:5432/evalsite",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "BEHIND_PROXY": "true",
}


def read_instructions() -> list[tuple[str, str]]:
    """Each instruction of the Dockerfile and its words; an unknown one fails below, so that none is passed over."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def read_commands() -> dict[str, list[str]]:
    """The command of each service of compose.yaml that has one of its own."""
    found = re.findall(r"^  (\w+):\n(?:    .*\n)*?    command: \[(.*)\]$", COMPOSE.read_text(), re.MULTILINE)
    return {
        name: [word.strip('"') for word in re.findall(r'"[^"]*"|[^,\s]+', words)] for name, words in found
    }


class Image:
    """What the instructions leave on the machine: a tree, an environment, a user and the command."""

    def __init__(self, machine):
        self.machine, self.env, self.user, self.place = machine, {}, "root", "/"
        self.health, self.entry, self.command = [], [], []

    def build(self):
        for word, rest in read_instructions():
            getattr(self, f"do_{word.lower()}")(rest)

    def do_from(self, rest):
        assert rest.startswith("python:3.11-slim-")
        self.env, self.user = {}, "root"

    def do_workdir(self, rest):
        self.place = rest
        self.machine.run(["mkdir", "-p", rest])

    def do_copy(self, rest):
        if rest.startswith("--from="):
            return  # both stages are one tree here
        *sources, target = rest.split()
        for source in sources:
            assert is_sent(source), f".dockerignore keeps {source} back"
            place = f"{self.place}/{target}"
            if target.endswith("/"):
                self.machine.run(["mkdir", "-p", place])
            if (ROOT / source).is_dir():
                self.machine.run(["cp", "-rT", str(ROOT / source), place])
            else:
                self.machine.run(["cp", str(ROOT / source), place])

    def do_arg(self, rest):
        assert rest == 'EXTRA=""'  # without it nothing is added

    def do_run(self, rest):
        self.machine.run(["bash", "-ec", f"cd {self.place}; {rest}"], online="setup.py" in rest)

    def do_env(self, rest):
        for pair in shlex.split(rest):
            name, _equals, value = pair.partition("=")
            self.env[name] = value.replace("$PATH", self.machine.env[1].removeprefix("PATH="))

    def do_user(self, rest):
        self.user = rest

    def do_volume(self, rest):
        assert rest == self.env["VAR_DIR"]

    def do_expose(self, rest):
        assert rest == "8000"

    def do_healthcheck(self, rest):
        self.health = json.loads(rest[rest.index("[") :])

    def do_entrypoint(self, rest):
        self.entry = json.loads(rest)

    def do_cmd(self, rest):
        self.command = json.loads(rest)

    def line(self, command):
        """The command line within the machine of one that the image runs, as its user."""
        env = [f"{name}={value}" for name, value in (self.env | ENVIRONMENT).items()]
        words = ["runuser", "-u", self.user, "--", "env", "-i", "-C", self.place, *env, *command]
        return self.machine.within(words)


def is_sent(source: str) -> bool:
    """Whether .dockerignore lets it through, as a whole or by its folder."""
    return f"!{source.partition('/')[0]}" in (ROOT / ".dockerignore").read_text().splitlines()


@pytest.fixture
def image(machine):
    built = Image(machine)
    built.build()
    machine.run(["mount", "-o", "remount,bind,ro", "/srv"])
    sql = "CREATE ROLE evalsite LOGIN PASSWORD 'evalsite'"
    machine.run(["runuser", "-u", "postgres", "--", "psql", "-qc", sql])
    machine.run(["runuser", "-u", "postgres", "--", "createdb", "-O", "evalsite", "evalsite"])
    return built


def test_the_image_serves_the_demo_and_keeps_it_through_an_upgrade(image, tmp_path):
    commands = read_commands()
    for _time in ("installed", "upgraded"):
        prepared = subprocess.run(
            image.line(image.entry + commands["prepare"]), capture_output=True, text=True, check=False
        )
        assert prepared.returncode == 0, prepared.stdout + prepared.stderr
        kept = image.machine.run(
            ["cat", "/var/lib/evalsite/secrets.env", "/var/lib/evalsite/demo-sign-ins.txt"]
        )
        serve(image, commands["worker"], tmp_path)
        assert kept == image.machine.run(
            ["cat", "/var/lib/evalsite/secrets.env", "/var/lib/evalsite/demo-sign-ins.txt"]
        )


def serve(image, worker: list[str], folder: Path) -> None:
    """Web server and worker run, are healthy, and `verify` finds nothing."""
    children = [
        Child(name, image.line(image.entry + command), dict(os.environ), folder / f"{name}.log", ROOT)
        for name, command in (("web", image.command), ("worker", worker))
    ]
    try:
        for child in children:
            child.start()
        is_healthy = image.line(image.health)
        assert wait_until(lambda: subprocess.run(is_healthy, check=False).returncode == 0), children[
            0
        ].last_lines()
        assert "Sign in" in image.machine.run(["curl", "-s", f"{ADDRESS}/sign-in/"])
        asked = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"{ADDRESS}/readyz"]
        assert wait_until(lambda: image.machine.run(asked) == "200"), children[1].last_lines()
        verified = subprocess.run(
            image.line([*image.entry, "python", "manage.py", "verify"]),
            capture_output=True,
            text=True,
            check=False,
        )
        assert verified.returncode == 0, verified.stdout + verified.stderr
    finally:
        for child in children:
            child.kill()


def test_compose_names_no_setting_that_the_site_does_not_have():
    """A variable that nothing reads would be set in vain; what compose itself reads is listed."""
    own = {"EVALSITE_VERSION", "DATABASE_PASSWORD", "HTTP_PORT", "HTTPS_PORT", "SITE", "EXTRA"}
    named = set(re.findall(r"\$\{(\w+):-", COMPOSE.read_text()))
    known = set(re.findall(r"^#? ?(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert named - own <= known
    assert read_commands().keys() == {"prepare", "worker", "models", "redis"}
