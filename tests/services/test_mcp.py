"""The MCP server as a program of somebody: the SDK's client starts `evalsite mcp`, which asks a live site."""

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.utils import timezone
from mcp import Client, StdioServerParameters

from discussions.models import Game, Transcript
from tests.factories.exports import read_lines
from tests.factories.jobs import run_waiting_jobs
from tests.factories.native_games import native_game
from tests.factories.people import make_member
from tests.factories.tokens import make_token
from tests.factories.verdicts import game_to_record, get_lead
from tools.launch import ROOT
from tools.mcp_server import NOT_SET, OFFERED, SCOPES, WITHOUT_SDK, main

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
COMMAND = ["-m", "tools.command", "mcp"]


@pytest.fixture
def game(settings, tmp_path) -> Game:
    settings.MEDIA_ROOT = tmp_path / "media"
    return game_to_record()


@pytest.fixture
def ask(live_server, tmp_path):
    """Ask tools, one after the other, with this token: the text of each answer, and whether it is an error.

    With `is_filtered` each is given what it takes of what is given.
    """

    def ask_all(token: str, *asked: tuple[str, dict], is_filtered: bool = False) -> list[tuple[str, bool]]:
        (tmp_path / "token").write_text(token + "\n")
        env = {"EVALSITE_URL": live_server.url, "EVALSITE_TOKEN_FILE": "token", "PYTHONPATH": str(ROOT)}
        server = StdioServerParameters(command=sys.executable, args=COMMAND, env=env, cwd=tmp_path)

        async def run():
            async with Client(server) as client:
                tools = (await client.list_tools()).tools
                takes = {tool.name: tool.input_schema["properties"] for tool in tools}
                answers = []
                for name, given in asked:
                    kept = {key: given[key] for key in given if not is_filtered or key in takes[name]}
                    answers.append(await client.call_tool(name, kept))
                return tools, [(answer.content[0].text, answer.is_error) for answer in answers]

        # In a thread of its own: Playwright, after a test with a browser, runs a loop in this one.
        with ThreadPoolExecutor(1) as thread:
            ask_all.tools, answers = thread.submit(lambda: asyncio.run(run())).result()
        return answers

    return ask_all


def start(**env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *COMMAND], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )


def test_a_lead_reads_imports_and_exports(game, ask, client, tmp_path):
    of_game = {"slug": game.project.slug, "number": game.number}
    of_project = {"slug": game.project.slug}
    (tmp_path / "one.json").write_text(json.dumps(native_game(gameId="one")))
    lead = get_lead(game)
    answers = ask(
        make_token(lead, "read", "import"),
        ("get_projects", {}),
        ("get_games", of_project | {"limit": 1}),
        ("get_measurements", of_game),
        ("get_verdict", of_game),
        ("get_disagreements", of_game),
        ("post_imports", of_project | {"file": "one.json"}),
        ("post_exports", of_project | {"of": f"game:{game.number}", "format": "jsonl"}),
    )
    check_tools(ask.tools, client)
    assert [is_error for _, is_error in answers] == [False] * 7
    projects, games, measured, verdict, _, imported, exported = (json.loads(text) for text, _ in answers)
    assert projects["items"][0]["slug"] == game.project.slug
    assert [found["number"] for found in games["items"]] == [game.number]
    assert measured["measurements"]
    assert verdict["outcome"]["lines"]
    assert imported["items"][0]["name"] == Transcript.objects.latest("pk").name == "one.json"
    run_waiting_jobs(now=timezone.now())
    file = {**of_project, "export": exported["id"]}
    saved, again = ask(make_token(lead, "read"), ("post_export_file", file), ("post_export_file", file))
    files = sorted(tmp_path.glob("*.jsonl"))
    assert [len(files), saved[1], again[1]] == [2, False, False]
    assert str(files[-1]) in saved[0] + again[0]
    assert read_lines(files[0].read_bytes(), "game")[0]["number"] == game.number


def check_tools(offered, client):
    """They are what the API says of them, and none judges."""
    described = client.get("/api/v1/openapi.json").json()["paths"]
    operations = {part["operationId"]: part for verbs in described.values() for part in verbs.values()}
    tools = {tool.name: tool for tool in offered}
    assert sorted(tools) == sorted(OFFERED)
    for name, tool in tools.items():
        assert tool.description.startswith(operations[name]["summary"])
        assert tool.annotations.read_only_hint is (name[:4] == "get_")
        assert "$ref" not in json.dumps(tool.input_schema)
    assert {operations[name]["x-scope"] for name in tools} == SCOPES == {"read", "import"}
    assert tools["get_game"].input_schema["required"] == ["slug", "number"]
    assert {"of", "format", "pseudonyms"} <= tools["post_exports"].input_schema["properties"].keys()


def test_refusals_are_sentences(game, ask, tmp_path):
    of_project = {"slug": game.project.slug}
    secret = tmp_path.parent / "elsewhere.json"
    secret.write_text("{}")
    (tmp_path / "link.json").symlink_to(secret)
    (tmp_path / "one.json").write_text("{")
    token = make_token(get_lead(game), "read")
    (scope, unknown, judges, outside, linked, parameter) = ask(
        token,
        ("post_imports", of_project | {"file": "one.json"}),
        ("get_game", of_project | {"number": 99}),
        ("post_verdict", of_project | {"number": game.number, "basis_sha256": ""}),
        ("post_imports", of_project | {"file": "../elsewhere.json"}),
        ("post_imports", of_project | {"file": "link.json"}),
        ("get_games", of_project | {"colour": "red"}),
    )
    assert "import" in scope[0]
    assert scope[1] and unknown[1] and scope[0].endswith(".") and unknown[0].endswith(".")
    assert judges == ("There is no tool post_verdict here.", True)
    assert "is not in" in outside[0] and "is not in" in linked[0]
    assert parameter[1] and "colour" in parameter[0]
    assert ask(token[:-4], ("get_projects", {}))[0][1]
    assert Transcript.objects.count() == 1


def test_an_evaluator_sees_no_automatic_value(game, ask):
    of_project = {"slug": game.project.slug, "number": game.number, "iteration": 1, "stage": 1}
    token = make_token(make_member(project=game.project), "read", "import")
    asked = [(name, of_project) for name in OFFERED if name[:4] == "get_"]
    answers = ask(token, *asked, is_filtered=True)
    answered = {name for (name, _), (_, is_error) in zip(asked, answers, strict=True) if not is_error}
    assert answered <= {"get_projects", "get_sets", "get_rubrics", "get_all_messages"}
    assert "get_projects" in answered
    assert len(answers) == len(asked) > 20
    assert "score" not in "".join(
        text for (name, _), (text, _) in zip(asked, answers, strict=True) if name != "get_rubrics"
    )


def test_what_is_missing_is_said(monkeypatch, capsys):
    unset = start()
    assert (unset.stderr.strip(), unset.returncode) == (NOT_SET, 2)
    away = start(EVALSITE_URL="http://127.0.0.1:9", EVALSITE_TOKEN="evs_x")
    assert (away.returncode, away.stdout) == (1, "")
    assert away.stderr.startswith("http://127.0.0.1:9 does not answer as an evalsite: ")
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main() == 1
    assert capsys.readouterr().err.strip() == WITHOUT_SDK
