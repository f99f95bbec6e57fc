"""The workflows of docs/ci.md: their commands, run as they are printed on games written for the test."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.factories.transcripts import native_game
from tests.guards.layout import ROOT
from tools.processes import PATIENCE

pytestmark = pytest.mark.slow

SET_UP = """
from tests.factories.people import make_lead
from tests.factories.tokens import make_token
from tests.factories.transcripts import make_games_project
print(make_token(make_lead(project=make_games_project(slug="mafia")), "read", "import"))
"""


def steps() -> dict[str, str]:
    """The shell commands of each named step, as a YAML reader would give them."""
    text = (ROOT / "docs" / "ci.md").read_text()
    found = {}
    for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
        for step in re.split(r"^ +- (?=name: |uses: )", block, flags=re.MULTILINE)[1:]:
            if command := re.search(r"^( +)run: (?:\|\n((?:\1 .*\n|\n)+)|(.*))", step, re.MULTILINE):
                name = re.match(r"name: (.*)", step)[1]
                found[name] = dedent(command[2]) if command[2] else command[3]
    return found


def run(step: str, folder: Path, **env: str) -> subprocess.CompletedProcess:
    """Run a step as the runner does, in an environment without any variable of the site."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps()[step]],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder)} | env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_the_games_of_a_pull_request_are_measured_and_the_summary_is_written(tmp_path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "old.json").write_text(json.dumps(native_game(gameId="old")))
    (tmp_path / "evalsite").symlink_to(ROOT)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "games")
    git(tmp_path, "commit", "-qm", "Base")
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD")
    summary = tmp_path / "step.md"
    given = {"GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": str(summary)}
    done = run("Measure the games", tmp_path, **given)
    assert (done.returncode, done.stdout) == (0, "No game was added or changed.\n"), done.stderr
    (tmp_path / "games" / "README.md").write_text("No game.")
    (tmp_path / "games" / "new game.json").write_text(json.dumps(native_game(gameId="new")))
    git(tmp_path, "add", "games")
    git(tmp_path, "commit", "-qm", "A game")
    done = run("Measure the games", tmp_path, **given)
    (game,) = [json.loads(line) for line in (tmp_path / "measured.jsonl").read_text().splitlines()]
    assert game["game"]["id"] == "new"
    is_low = {key: game["metrics"][key]["score"] < value for key, value in LIMITS.items()}
    assert any(is_low.values()), "the game is meant to fail"
    assert done.returncode == 1, done.stderr
    faults = json.loads(done.stderr)["faults"]
    assert {fault["place"] for fault in faults} == {"new"}, "README.md is not measured"
    said = [fault["message"] for fault in faults]
    assert [key for key in LIMITS if any(key in sentence for sentence in said)] == [
        key for key, value in is_low.items() if value
    ]
    assert summary.read_text().startswith("# Measured games\n") and "| new |" in summary.read_text()


LIMITS = {"coherence": 70, "strategic_depth": 60}


def test_the_workflow_installs_what_there_is():
    command = steps()["Install evalsite"].split()
    assert (ROOT / Path(command[-1]).relative_to("evalsite")).is_file()


@pytest.mark.services(is_long=True)
def test_games_are_sent_to_the_site_and_what_was_measured_comes_back(live_stack, tmp_path):
    given = {"SITE": live_stack.url, "TOKEN": live_stack.script(SET_UP).strip(), "PROJECT": "mafia"}
    games = [native_game(gameId="one"), native_game(gameId="two", messages=[])]
    (tmp_path / "games.json").write_text(json.dumps(games[:1]))
    name = "Import the games and wait until they are measured"
    done = run(name, tmp_path, FILE="games.json", **given)
    assert done.returncode == 0, done.stdout + done.stderr
    (game,) = [json.loads(line) for line in (tmp_path / "measured.jsonl").read_text().splitlines()]
    assert "coherence" in json.dumps(game)
    (tmp_path / "more games & more.json").write_text(json.dumps(games))
    done = run(name, tmp_path, FILE="more games & more.json", **given)
    assert done.returncode == 1 and "/messages" in done.stdout, done.stdout + done.stderr
