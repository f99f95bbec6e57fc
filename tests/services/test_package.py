"""The wheel alone, in an environment and a folder of its own: it measures a file, and serves the demo."""

import json
import os
import re
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.factories.native_games import native_game
from tools.launch import ROOT
from tools.mcp_server import WITHOUT_SDK
from tools.processes import Child, wait_until
from tools.redis_server import find_binary, free_port
from tools.setup import VENV

pytestmark = [pytest.mark.slow, pytest.mark.long]
UV = str(VENV / "bin" / "uv")
# What a shell of somebody else would have: none of this project's settings.
SETTINGS = re.findall(r"^#? ?(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
OWN = {"DJANGO_SETTINGS_MODULE", "DEMO", "VIRTUAL_ENV", "PYTHONPATH", *SETTINGS}
BARE = {name: value for name, value in os.environ.items() if name not in OWN}


@pytest.fixture(scope="module")
def command(tmp_path_factory) -> Path:
    """The installed command `evalsite`."""
    folder = tmp_path_factory.mktemp("package")
    run(UV, "build", "--wheel", "--quiet", "--out-dir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    run(UV, "venv", "--quiet", "--python", str(VENV / "bin" / "python"), str(folder / "bare"))
    run(UV, "pip", "install", "--quiet", "--python", str(folder / "bare" / "bin" / "python"), str(wheel))
    return folder / "bare" / "bin" / "evalsite"


def run(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(words, cwd=cwd, env=BARE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_it_measures_a_file_and_leaves_nothing_behind(command, tmp_path):
    (tmp_path / "game.json").write_text(json.dumps(native_game(gameId="one")))
    said = run(str(command), "measure_file", "game.json", "--json", cwd=tmp_path)
    assert json.loads(said.stdout)["game"]["id"] == "one"
    without = subprocess.run(
        [str(command), "mcp"], cwd=tmp_path, env=BARE, capture_output=True, text=True, check=False
    )
    assert (without.returncode, without.stderr.strip()) == (1, WITHOUT_SDK)
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


@pytest.mark.skipif(find_binary() is None, reason="the launcher needs a Redis")
def test_it_serves_the_demo_from_a_folder_and_its_commands_use_the_same_data(command, tmp_path):
    port = free_port()
    site = Child("site", [str(command)], BARE | {"PORT": str(port)}, tmp_path / "site.log", tmp_path)
    try:
        site.start()
        assert wait_until(lambda: "Ctrl+C ends everything" in site.last_lines()), site.last_lines()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in/") as page:
            assert "Sign in" in page.read().decode()
        run(str(command), "verify", cwd=tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["evalsite-data", "site.log"]
        os.kill(site.pid, signal.SIGINT)
        assert wait_until(lambda: not site.is_running())
    finally:
        site.kill()
