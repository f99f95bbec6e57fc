"""The examples of docs/api.md and docs/webhooks.md, run as they are printed against the running site."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.factories.text_formats import TABLE
from tests.factories.transcripts import native_game
from tests.guards.layout import ROOT
from tools.processes import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.services(is_long=True)]

SET_UP = """
from tests.factories.people import make_lead
from tests.factories.tokens import make_token
from tests.factories.transcripts import make_games_project
lead = make_lead(project=make_games_project(slug="mafia"))
print(make_token(lead), lead.email)
"""
COMPARISON = {
    "id": "soup-1",
    "question": "How?",
    "responses": [{"text": "Boil water."}, {"text": "Open a tin."}],
}


def test_every_example_of_the_docs_runs(live_stack, tmp_path):
    token, address = live_stack.script(SET_UP).split()
    env = os.environ | {"SITE": live_stack.url, "TOKEN": token, "ME": address}
    (tmp_path / "games.json").write_text(json.dumps([native_game()]))
    (tmp_path / "table.csv").write_bytes(TABLE)
    (tmp_path / "comparisons.jsonl").write_text(json.dumps(COMPARISON))
    said = []
    pages = "".join((ROOT / "docs" / name).read_text() for name in ("api.md", "webhooks.md"))
    for language, code in re.findall(r"```(bash|python)\n(.*?)```", pages, re.DOTALL):
        command = ["bash", "-ec", code] if language == "bash" else [sys.executable, "-c", code]
        done = subprocess.run(
            command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
        assert '"status":4' not in done.stdout, f"{code}\n{done.stdout}"
        said.append(done.stdout)
    projects, started, mapped, printed, changed, planned, team, verdict, compared, reviewed, exported = said[
        :11
    ]
    _defined, webhook = said[11:]
    assert '"slug":"mafia"' in projects
    assert '"outcome":"new"' in started
    assert re.search(r"^1 \w+ \{'memory_accuracy'", printed, re.MULTILINE)
    assert '"basis_sha256"' in verdict
    assert '"comparisons":1' in compared
    assert '"headline"' in compared
    assert mapped.count('"columns":["who","what","match"]') == 2
    assert '"flags":"warn"' in changed
    assert '"kind":"baseline"' in planned
    assert '"cost_usd":1.35' in team
    assert '"value":"8"' in reviewed
    assert '"state":"waiting"' in exported
    assert '"is_active":true' in webhook
