"""`make bench PEERS=1` without installing anything: columns, sentences where a peer cannot be had, servers that end."""

import json
import stat
import sys
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import installing, peers
from benchmarks.driver import Browser, Server
from benchmarks.installing import Installed
from benchmarks.measuring import first_visit_kb
from benchmarks.peers import LabelStudio, Peer, Potato, environment_of, measure_peers, turns
from benchmarks.table import MEASURES, Figure, table
from tools.redis_server import free_port


@pytest.fixture
def uv(tmp_path, monkeypatch):
    """A uv whose exit code and words a test says, with VAR_DIR in the test's folder; the file counts its calls."""
    program, calls = tmp_path / "uv", tmp_path / "calls"
    monkeypatch.setenv("VAR_DIR", str(tmp_path / "var"))
    monkeypatch.setattr(installing.shutil, "which", lambda *_args, **_more: str(program))

    def say(words: str, code: int) -> Path:
        program.write_text(
            f'#!/bin/sh\necho "$@" >> {calls}\necho "{words}" >&2\nmkdir -p "$5"\nexit {code}\n'
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return calls

    return say


class Plain(Peer):
    """A web server of files, whose import fails."""

    name, package, version, path = "Plain", "plain", "1", "/"

    @property
    def command(self):
        return [sys.executable, "-m", "http.server", str(self.port), "--bind", "127.0.0.1"]

    def prepare(self):
        pass

    def import_games(self, notes, games):
        Plain.address = self.server.address
        assert Browser(self.server.address).get("/").status == 200
        raise RuntimeError(f"{games} games are too many")

    arrive = show_list = first_visit_kb = None


def test_each_peer_has_a_column_and_a_dash_where_it_has_no_figure():
    others = {
        "bare Django": {"save": Figure(2, 1.75)},
        "Potato 2.12.1": {"save": Figure(4, 3.9)},
        "Other 1": {},
    }
    head, _line, *rows = table({"save": Figure(5, 4.8)}, others).splitlines()
    assert head.endswith(
        "| bare Django, on a quiet core | Potato 2.12.1, on a quiet core | Other 1, on a quiet core |"
    )
    assert {row.count("|") for row in (head, *rows)} == {10}
    saved = next(row for row in rows if row.startswith("| save one judgement, CPU of all"))
    assert saved.endswith("| **no** | 1.75 | 3.9 | - |")
    assert len(rows) == len(MEASURES)


def test_a_peer_that_cannot_be_installed_is_one_sentence_and_the_next_is_tried(uv, tmp_path, capsys):
    calls = uv("no index answers", 2)
    assert {name: notes.values for name, notes in measure_peers(tmp_path / "data", 5).items()} == {
        f"Label Studio {LabelStudio.version}": {},
        f"Potato {Potato.version}": {},
    }
    said = capsys.readouterr().err.splitlines()
    assert (
        said[1]
        == f"Label Studio {LabelStudio.version} is not measured: the packages cannot be installed: no index answers"
    )
    assert (
        said[3]
        == f"Potato {Potato.version} is not measured: the packages cannot be installed: no index answers"
    )
    assert len(calls.read_text().splitlines()) == 2


def test_an_environment_is_made_once_and_anew_when_it_was_left_half_done(uv, tmp_path):
    half = tmp_path / "var" / "cache" / "peers" / f"potato-annotation-{Potato.version}"
    (half / "rubble").mkdir(parents=True)
    calls = uv("", 0)
    where, installed = environment_of(Potato)
    assert where == half
    assert not (half / "rubble").exists()
    assert f"potato-annotation=={Potato.version}" in calls.read_text()
    calls.unlink()
    assert environment_of(Potato) == (where, installed)
    assert not calls.exists()


def test_a_server_is_stopped_when_measuring_it_fails_and_its_figures_stay(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(peers, "PEERS", (Plain,))
    monkeypatch.setattr(peers, "SETTLED", 0)
    monkeypatch.setattr(peers, "environment_of", lambda _kind: (tmp_path, Installed(3.5, 100, 7)))
    notes = measure_peers(tmp_path / "data", 5)["Plain 1"]
    assert notes.values["install"][0] == 3.5
    assert {"start_empty", "start_existing", "idle"} <= notes.values.keys()
    assert capsys.readouterr().err.splitlines()[-1] == "Plain 1 is measured in part: 5 games are too many"
    with pytest.raises(ConnectionRefusedError):
        Browser(Plain.address).get("/")


def test_a_first_visit_counts_the_scripts_and_styles_that_a_page_names(tmp_path):
    for name, size in (("a.js", 3000), ("b.css", 500), ("c.js", 10_000)):
        (tmp_path / name).write_text("x" * size)
    page = '<script defer src="/a.js?v=1&amp;w=2"></script><link rel="stylesheet" href="/b.css"><a href="/c.js">c</a>'
    (tmp_path / "page.html").write_text(page)
    port = free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    with Server(tmp_path, port, command, {}, path="/page.html", cwd=tmp_path) as server:
        assert first_visit_kb(Browser(server.address), "/page.html") == (3500 + len(page)) / 1000


def test_evaluators_begin_at_games_far_from_each_other_and_go_round():
    games = list(range(34))
    assert list(islice(turns(games, 0), 3)) == [0, 1, 2]
    assert list(islice(turns(games, 16), 4)) == [32, 33, 0, 1]


def test_the_task_for_potato_holds_the_games_of_the_benchmark(tmp_path):
    peer = Potato(tmp_path, tmp_path / "data")
    peer.prepare()
    task = json.loads((tmp_path / "data" / "task.yaml").read_text())
    game = json.loads((tmp_path / "data" / task["data_files"][0]).read_text())
    assert game["id"] == "game-1000000"
    assert len(game["messages"]) == 50
    assert peer.server.env["HOME"] == str(tmp_path / "data")
