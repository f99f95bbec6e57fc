"""`measure_file --base`: each metric against the games of a base, in text, JSON and Markdown, with its exit code."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from discussions.management.measured_base import FELL, ROSE, SAME, TOO_FEW, compare_with_base
from tests.discussions.transcripts.test_commands_measure import native


def measured(*percents: int, **details: bool) -> list[dict]:
    """What is measured of games, as far as it is compared, with these scores of one metric."""
    common = {"denominator": 100, "applicable": True, "pending": False} | details
    return [{"metrics": {"coherence": {"numerator": percent} | common}} for percent in percents]


@pytest.mark.parametrize(
    ("base", "games", "answer"),
    [
        ((60, 62, 64), (80, 82, 84), ROSE),
        ((80, 82, 84), (60, 62, 64), FELL),
        ((70, 71, 70, 71, 70, 71), (71, 70, 71, 70, 71, 70), SAME),
        ((40, 60, 80), (45, 65, 85), TOO_FEW),
        ((60,), (80,), TOO_FEW),
    ],
)
def test_the_answer_is_that_of_the_interval(base, games, answer):
    found = compare_with_base(measured(*base), measured(*games))
    metric = found["metrics"]["coherence"]
    assert (found["answer"], metric["answer"]) == (answer, answer)
    assert metric["difference"] == pytest.approx(sum(games) / len(games) - sum(base) / len(base))
    if answer in (ROSE, FELL):
        low, high = metric["interval"]
        assert low * high > 0


def test_games_that_wait_for_people_or_do_not_apply_are_left_out():
    games = measured(80, 82, 84) + measured(0, pending=True) + measured(0, applicable=False)
    metric = compare_with_base(measured(60, 62, 64), games)["metrics"]["coherence"]
    assert (metric["games"], metric["mean"]) == (3, 82)


def talks(folder: Path, text: str, once: str) -> Path:
    """Three games in which everybody says one thing, but for one message of the last."""
    folder.mkdir()
    for number in range(3):
        game = native(gameId=f"{folder.name}-{number}")
        for message in game["messages"]:
            message["message"] = text
        if number == 2:
            game["messages"][0]["message"] = once
        (folder / f"{number}.json").write_text(json.dumps(game))
    return folder


@pytest.fixture
def folders(tmp_path) -> tuple[Path, Path]:
    """Games of a base whose agents all accuse, and games in which they say nothing."""
    accuses, chats = "I suspect Bravo, because Bravo voted for Alpha.", "Nice weather."
    return talks(tmp_path / "base", accuses, chats), talks(tmp_path / "new", chats, accuses)


def run(*words: str) -> int:
    try:
        call_command("measure_file", *words)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_a_metric_that_fell_is_named_and_fails_the_command(folders, tmp_path, capsys):
    base, new = folders
    assert run(str(new), "--base", str(base), "--markdown", str(tmp_path / "summary.md")) == 1
    said = capsys.readouterr()
    assert "strategic_depth" in said.err and "Lower than in the games of the base" in said.err
    assert "Against the base, the rule's score: fell. Nobody was asked" in said.out
    summary = (tmp_path / "summary.md").read_text()
    assert "## Against the base" in summary and "Nobody was asked" in summary


def test_json_has_one_more_line(folders, capsys):
    base, new = folders
    assert run(str(new), "--base", str(base), "--json") == 1
    *games, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert len(games) == 3
    assert last["compared"]["metrics"]["strategic_depth"]["answer"] == FELL


def test_a_base_without_games_is_refused(folders, tmp_path, capsys):
    (tmp_path / "nothing").mkdir()
    assert run(str(folders[1]), "--base", str(tmp_path / "nothing")) == 2
    assert "nothing" in capsys.readouterr().err
