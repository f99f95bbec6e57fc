"""Every command of deploy/README.md, run as root on a bare system."""

import re
import subprocess

import pytest

from tests.faults.bare_system import HOST
from tools.launch import ROOT
from tools.processes import wait_until

# PostgreSQL is the one of the steps themselves.
pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(1500)]

PAGE = ROOT / "deploy" / "README.md"


def read_blocks():
    """The commands of each block of the page, in order; a line that ends with a backslash goes on."""
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [
        [re.sub(r" +", " ", line.strip()) for line in re.sub(r"\\\n", "", block).splitlines()]
        for block in blocks
    ]


def test_every_command_of_the_page_leads_to_a_running_site(machine):
    *steps, new_version = read_blocks()
    assert len(steps) == 6
    for block in steps:
        for line in block:
            machine.type(line)
        if "systemctl enable --now evalsite.target" in block:
            assert wait_until(lambda: "200" in readiness(machine), every=1), machine.logs()
    assert "Sign in" in machine.ask("/sign-in/")[1]
    token = ["-b", f"__Host-csrftoken={'t' * 32}", "-H", f"Origin: https://{HOST}"]
    form = [
        "-d",
        f"csrfmiddlewaretoken={'t' * 32}",
        "-d",
        "login=ada@example.org",
        "-d",
        "password=three calm otters",
    ]
    assert machine.ask("/sign-in/", *token, *form)[0] == 302
    for folder, owner in (("/srv/evalsite/.venv", "root"), ("/var/lib/evalsite", "evalsite")):
        assert machine.run(["stat", "-c", "%U", folder]).strip() == owner
    assert machine.run(["stat", "-c", "%a", "/etc/evalsite.env"]).strip() == "600"
    processes = machine.run(
        ["bash", "-c", "for pid in $(cat /run/played/*.pid); do stat -c %U /proc/$pid; done"]
    )
    assert processes.split() == ["evalsite"] * 3

    machine.run(["install", "-d", "-o", "evalsite", "-g", "evalsite", "-m", "0700", "/var/backups/evalsite"])
    for line in new_version:
        machine.type(line)
    assert wait_until(lambda: "200" in readiness(machine), every=1), machine.logs()
    assert machine.ask("/sign-in/")[0] == 200
    assert machine.run(["ls", "/var/backups/evalsite"]).strip()


def readiness(machine):
    """What the web server says of itself, by its status."""
    command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", f"Host: {HOST}"]
    done = subprocess.run(
        machine.within([*command, "http://127.0.0.1:8000/readyz"]),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_no_command_of_the_page_is_outside_its_blocks():
    """So that none is passed over: what is in the running text names programs, and runs none with arguments."""
    text = re.sub(r"```sh\n.*?```", "", PAGE.read_text(), flags=re.DOTALL)
    started = re.findall(
        r"`((?:systemctl|cp|useradd|git|make|createuser|createdb|nginx|runuser) [^`]+)`", text
    )
    assert started == ["make setup", "systemctl disable --now evalsite-sweep"]
