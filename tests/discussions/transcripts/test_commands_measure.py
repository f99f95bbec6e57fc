"""`measure_file`: the exact shape of its answer, its exit codes, and no database."""

import json
import os
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from msgspec.structs import replace

from discussions.metrics.core.metric import RATING
from discussions.metrics.core.registry import METRICS
from evalsite import environment
from rubric.versions.queries import first_version_bytes
from tests.factories.archives import zipped
from tests.factories.text_formats import TABLE


def native(**details: Any) -> dict[str, Any]:
    """A native transcript of four messages, two rounds and a vote."""
    said = [
        ("Alpha", 1, "I think Bravo is odd"),
        ("Bravo", 1, "Alpha, why?"),
        ("Alpha", 2, "I voted for Bravo in round 1."),
        ("Bravo", 2, "He voted badly."),
    ]
    return {
        "gameId": "g-1",
        "timestamp": "2026-01-01T10:00:00Z",
        "metadata": {"cost": {"totalCost": 1.25, "inputTokens": 10, "outputTokens": 10, "cacheHitRate": 0.8}},
        "players": [
            {"name": name, "role": role, "personality": "", "isAlive": True, "position": at}
            for at, (name, role) in enumerate((("Alpha", "VILLAGER"), ("Bravo", "MAFIA")), start=1)
        ],
        "messages": [
            {"turn": at, "roundNumber": number, "playerName": name, "message": text, "timestamp": None}
            for at, (name, number, text) in enumerate(said, start=1)
        ],
        "votes": [
            {
                "roundNumber": 1,
                "voterName": "Alpha",
                "targetName": "Bravo",
                "justification": "",
                "timestamp": None,
            }
        ],
    } | details


def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, *options: str
) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of measuring a file of these bytes."""
    file = tmp_path / "game.json"
    file.write_bytes(data)
    code = 0
    try:
        call_command("measure_file", str(file), *options)
    except SystemExit as end:
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_the_answer_has_exactly_its_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(tmp_path, capsys, json.dumps(native()).encode(), "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert list(answer) == ["game", "metrics", "references", "rubric", "code_version", "warnings"]
    assert (
        answer["game"].items() >= {"id": "g-1", "players": 2, "messages": 4, "rounds": 2, "votes": 1}.items()
    )
    assert list(answer["game"])[5:] == ["cost_usd", "cache_hit_rate"]
    assert list(answer["metrics"]) == [
        "memory_accuracy",
        "strategic_depth",
        "coherence",
        "role_consistency",
        "personality_diversity",
        "anti_repetition",
    ]
    for key, metric in answer["metrics"].items():
        listed = "players" if key == "personality_diversity" else "messages"
        assert list(metric) == [
            "score",
            "numerator",
            "denominator",
            "threshold",
            "passes",
            "applicable",
            "pending",
            "companions",
            listed,
        ]
    assert answer["rubric"] == {"name": "Discussion quality", "version": "1.3"}


def test_the_answer_says_what_is_pending_and_what_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = json.loads(run(tmp_path, capsys, json.dumps(native()).encode(), "--json")[1])["metrics"]
    memory, roles = metrics["memory_accuracy"], metrics["role_consistency"]
    assert (memory["score"], memory["pending"], memory["passes"], memory["messages"]) == (
        None,
        True,
        None,
        [3],
    )
    assert (roles["score"], roles["pending"], roles["passes"]) == (100.0, True, None)
    depth = metrics["strategic_depth"]
    assert (depth["score"], depth["passes"], depth["messages"]) == (75.0, True, [1, 3, 4])
    assert metrics["personality_diversity"]["players"] == ["Alpha", "Bravo"]


def test_references_are_half_open_in_the_stored_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    references = json.loads(run(tmp_path, capsys, json.dumps(native()).encode(), "--json")[1])["references"]
    assert references[0] == {
        "message": 3,
        "start": 0,
        "end": 29,
        "text": "I voted for Bravo in round 1.",
        "counted": True,
        "check": "supported",
        "evidence": {
            "says": "Round 1: Alpha voted for Bravo.",
            "rows": [[1, 1, 2]],
            "round": 1,
            "players": [1, 2],
        },
    }
    assert [(item["message"], item["counted"], item["evidence"]["says"]) for item in references[1:]] == [
        (4, False, "About votes, but it cannot be looked up: it does not say in full who voted for whom.")
    ]


def test_without_json_it_prints_lines_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(tmp_path, capsys, json.dumps(native()).encode())
    assert code == 0
    assert len(out.splitlines()) == 6


def test_warnings_and_what_looks_odd_are_in_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = native(messages=[dict(message, timestamp="20:15:00") for message in native()["messages"] * 3])
    game["messages"][11]["message"] = ""
    warnings = json.loads(run(tmp_path, capsys, json.dumps(game).encode(), "--json")[1])["warnings"]
    assert all(set(warning) == {"place", "code", "message"} for warning in warnings)
    codes = [warning["code"] for warning in warnings]
    assert {"empty_message", "odd_repeated"} <= set(codes)
    _, out, err = run(tmp_path, capsys, json.dumps(game).encode())
    assert len(out.splitlines()) == 6
    assert "warning: game.json /messages/11: Messages without a text were left out" in err
    assert "looks odd: game.json: Messages repeat earlier ones (same agent, text and time): 7 of 11" in err


@pytest.mark.parametrize("data", [b"", b"not json", b"{}", b'{"gameId": "x", "gameId": "y"}'])
def test_a_refused_file_ends_with_2_and_its_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    code, out, err = run(tmp_path, capsys, data, "--json")
    assert (code, out) == (2, "")
    faults = json.loads(err)["faults"]
    assert faults
    assert all(set(fault) == {"place", "code", "message"} for fault in faults)


def test_several_games_are_a_line_of_json_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = json.dumps([native(), native(gameId="g-2")]).encode()
    code, out, err = run(tmp_path, capsys, two, "--json")
    assert (code, err) == (0, "")
    assert [json.loads(line)["game"]["id"] for line in out.splitlines()] == ["g-1", "g-2"]
    lines = run(tmp_path, capsys, two)[1].splitlines()
    assert (len(lines), lines[0], lines[7]) == (14, "g-1:", "g-2:")


def test_games_of_a_table_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "odd.csv"
    says = "I vote Bo. In round 1 you said no."
    table.write_text("match,who,what\n" + "".join(f"{game},Al,{says}\n" for game in ("one", "one", "two")))
    columns = ("--map", "player=who,text=what,game=match")
    call_command("measure_file", str(table), *columns)
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[0], lines[7]) == (14, "one:", "two:")
    table.write_text(f"match,who,what\none,Al,{says}\n")
    call_command("measure_file", str(table), *columns)
    assert len(capsys.readouterr().out.splitlines()) == 6


def test_a_measured_game_beside_a_refused_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two = json.dumps([native(), {"gameId": "b", "players": []}]).encode()
    code, out, err = run(tmp_path, capsys, two)
    assert (code, out.splitlines()[0], len(out.splitlines())) == (1, "g-1:", 7)
    assert err


def test_some_refused_games_are_exit_code_1_with_their_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"a.json": json.dumps(native()).encode(), "b.json": b'{"gameId": "b", "players": []}'}
    code, out, err = run(tmp_path, capsys, zipped(files), "--json")
    assert (code, json.loads(out)["game"]["id"]) == (1, "g-1")
    assert json.loads(err)["faults"][0]["place"].startswith("game.json: b.json /")


def test_one_refused_game_alone_is_exit_code_1_as_its_file_could_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = tmp_path / "summary.md"
    faulty = json.dumps(native(votes={})).encode()
    code, out, err = run(tmp_path, capsys, faulty, "--json", "--markdown", str(summary))
    (fault,) = json.loads(err)["faults"]
    assert (code, out, fault["place"]) == (1, "", "game.json /votes")
    assert "0 measured by rubric version 1\\.3, 1 fault. " in summary.read_text()


def test_standard_input_and_folders_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = json.dumps(native(votes={})).encode() + b"\n" + json.dumps(native(gameId="g-2")).encode()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(data)))
    with pytest.raises(SystemExit) as end:
        call_command("measure_file", "-", "--json")
    out, err = capsys.readouterr()
    assert (end.value.code, json.loads(out)["game"]["id"]) == (1, "g-2")
    assert json.loads(err)["faults"][0]["place"] == "standard-input line 1 /votes"
    (tmp_path / "all.jsonl").write_bytes(data.splitlines()[1])
    (tmp_path / "LICENSE.txt").write_bytes(b"no transcript")
    call_command("measure_file", str(tmp_path), "--json", "--format", "native")
    assert json.loads(capsys.readouterr().out)["game"]["id"] == "g-2"


def test_a_format_that_is_not_there_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(tmp_path, capsys, b"{}", "--json", "--format", "nothing")
    (fault,) = json.loads(err)["faults"]
    assert code == 2
    assert fault["message"].startswith('There is no format "nothing"; there are inspect, ')


def test_neither_env_nor_secrets_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr("os.environ", {})
    environment.stand_in()
    assert os.environ["EVALSITE_MODE"] == "local"
    assert min(len(os.environ["SECRET_KEY"]), len(os.environ["AUDIT_KEY"])) >= 50
    monkeypatch.setattr("os.environ", {"EVALSITE_MODE": "production"})
    environment.stand_in()
    (tmp_path / ".env").write_text("")
    environment.stand_in()
    assert os.environ == {"EVALSITE_MODE": "production"}


def test_a_rubric_of_ones_own_is_used_and_a_bad_one_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    version = json.loads(first_version_bytes("discussion-1.0"))
    version["version"] = "1.1"
    version["criteria"][1]["threshold"] = 80
    own = tmp_path / "rubric.json"
    own.write_text(json.dumps(version))
    answer = json.loads(
        run(tmp_path, capsys, json.dumps(native()).encode(), "--json", "--rubric", str(own))[1]
    )
    assert answer["rubric"]["version"] == "1.1"
    assert answer["metrics"]["strategic_depth"]["passes"] is False
    own.write_text("{}")
    code, _, err = run(tmp_path, capsys, json.dumps(native()).encode(), "--json", "--rubric", str(own))
    assert code == 2
    assert json.loads(err)["faults"][0]["place"].startswith("rubric.json")


@pytest.mark.parametrize(("options", "number"), [((), "1.3"), (("1.0",), "1.0"), (("1.1",), "1.1")])
def test_a_shipped_version_is_named_by_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], number: str
) -> None:
    given = [part for option in options for part in ("--rubric", option)]
    answer = json.loads(run(tmp_path, capsys, json.dumps(native()).encode(), "--json", *given)[1])
    assert answer["rubric"]["version"] == number


def test_a_number_that_was_not_shipped_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.dumps(native()).encode()
    code, _, err = run(tmp_path, capsys, data, "--json", "--rubric", "9.9")
    (fault,) = json.loads(err)["faults"]
    assert (code, fault["code"]) == (2, "unknown_version")
    assert "(1.0, 1.1, 1.2, 1.3)" in fault["message"]


def test_figures_have_the_symbol_of_their_scale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The version that comes with the product is read once, by the scales of its metrics.
    run(tmp_path, capsys, json.dumps(native()).encode())
    monkeypatch.setitem(METRICS, "coherence", replace(METRICS["coherence"], scale=RATING))
    lines = run(tmp_path, capsys, json.dumps(native()).encode())[1].splitlines()
    assert ["%" in line for line in lines] == [True, True, False, True, True, True]


def test_a_missing_file_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        call_command("measure_file", str(tmp_path / "none.json"), "--json")
    assert end.value.code == 2
    assert json.loads(capsys.readouterr().err)["faults"][0]["code"] == "cannot_read"


def test_columns_are_said_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "a.csv"
    table.write_bytes(TABLE)
    with pytest.raises(SystemExit) as end:
        call_command("measure_file", str(table))
    assert end.value.code == 2 and "Or say it with --map" in capsys.readouterr().err
    call_command("measure_file", str(table), "--json", "--map", "player=who,text=what,game=match")
    games = [json.loads(line)["game"]["id"] for line in capsys.readouterr().out.splitlines()]
    assert games == ["m1", "m2"]
    with pytest.raises(SystemExit) as end:
        call_command("measure_file", str(table), "--map", "who")
    assert end.value.code == 2 and "is no field and column" in capsys.readouterr().err


def test_a_score_below_what_is_asked_for_fails_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.dumps(native()).encode()
    asked = ("--json", "--fail-under", "coherence=50.5", "--fail-under", "strategic_depth=75")
    code, out, err = run(tmp_path, capsys, data, *asked, "--fail-under", "memory_accuracy=80")
    assert (code, json.loads(out)["game"]["id"]) == (1, "g-1")
    (fault,) = json.loads(err)["faults"]
    assert fault == {
        "place": "g-1",
        "code": "failed",
        "message": "coherence is 50.0\u00a0%, below 50.5\u00a0%.",
    }
    assert run(tmp_path, capsys, data, "--json", "--fail-under", "coherence=50")[0] == 0


@pytest.mark.parametrize(
    "limit", ["engagement=3", "coherence", "coherence=x", "coherence=101", "coherence=NaN"]
)
def test_a_limit_that_is_none_is_said_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], limit: str
) -> None:
    code, out, err = run(tmp_path, capsys, json.dumps(native()).encode(), "--json", "--fail-under", limit)
    assert (code, out) == (2, "")
    assert json.loads(err)["faults"][0]["message"].endswith("Correct it.")


def test_a_verdict_that_is_fail_on_automatic_values_fails_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, capsys, json.dumps(native()).encode(), "--fail-on-verdict")[0] == 0
    dear = native(metadata={"cost": {"totalCost": 9.0}})
    code, _, err = run(tmp_path, capsys, json.dumps(dear).encode(), "--fail-on-verdict")
    assert code == 1 and "g-1: The verdict is FAIL on automatic values: cost 9.00 > 3.00." in err


def test_the_summary_has_a_row_for_each_game_and_no_markup_of_theirs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "a.json": json.dumps(native(gameId="<b>|")).encode(),
        "b.json": b'{"gameId": "b", "players": []}',
    }
    summary = tmp_path / "summary.md"
    code, _, _ = run(
        tmp_path, capsys, zipped(files), "--markdown", str(summary), "--fail-under", "coherence=70"
    )
    text = summary.read_text()
    assert code == 1
    assert "| \\<b\\>\\| | pending open | 75.00 % PASS | 50.00 % FAIL | 100.00 % open |" in text
    assert "- **\\<b\\>\\|:** coherence is 50.0 %, below 70 %." in text
    assert "- **game\\.json" in text, "what was refused is listed"
    code, _, err = run(tmp_path, capsys, zipped(files), "--markdown", str(tmp_path / "no" / "s.md"))
    assert code == 1 and "Correct --markdown" in err
