"""manage.py export: a file or standard output, with somebody's rights; 0 written, 1 failed, 2 could not start."""

import io
import json
import sys
from types import SimpleNamespace

import pytest
from django.core.management import call_command

from tests.factories.exports import read_lines
from tests.factories.people import make_lead
from tests.factories.rating import start
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def evaluation():
    return start()


@pytest.fixture
def lead(evaluation):
    return make_lead(project=evaluation.game.project)


def run(evaluation, by, *more, out="-", format_name="jsonl"):
    """Exit code, standard output and standard error."""
    said, faults = io.StringIO(), io.StringIO()
    slug = evaluation.game.project.slug
    given = ["--project", slug, "--format", format_name, "--by", by.email, "--out", str(out), *more]
    try:
        call_command("export", *given, stdout=said, stderr=faults)
    except SystemExit as end:
        return end.code, said.getvalue(), faults.getvalue()
    return 0, said.getvalue(), faults.getvalue()


def test_a_game_is_written_into_a_file(evaluation, lead, tmp_path):
    out = tmp_path / "game.jsonl"
    code, said, _faults = run(evaluation, lead, "--game", "1", out=out)
    assert (code, said) == (0, f"{out}: 1 rubric_version, 1 iteration, 1 game\n")
    assert read_lines(out.read_bytes(), "game")[0]["number"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]
    assert Event.objects.filter(verb="export:made", by=lead).count() == 1


@pytest.mark.parametrize("numbers", ["1", "1, 1-1"])
def test_several_games_are_named_by_their_numbers(evaluation, lead, tmp_path, numbers):
    out = tmp_path / "games.jsonl"
    code, said, _faults = run(evaluation, lead, "--games", numbers, out=out)
    assert (code, said) == (0, f"{out}: 1 rubric_version, 1 iteration, 1 game\n")


@pytest.mark.parametrize("numbers", ["1-2", "first", "", "3-1"])
def test_games_that_are_not_there_end_with_2(evaluation, lead, tmp_path, numbers):
    code, _said, faults = run(evaluation, lead, "--games", numbers, out=tmp_path / "x.jsonl")
    assert (code, "nothing to export under" in faults) == (2, True)


def test_standard_output_carries_the_export_alone(evaluation, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=raw))
    code, said, told = run(evaluation, evaluation.evaluator, "--json")
    assert (code, said) == (0, "")
    assert [line["kind"] for line in read_lines(raw.getvalue())] == ["export", "own_evaluation", "end"]
    assert json.loads(told) == {"file": "-", "format": "jsonl", "lines": {"export": 1, "own_evaluation": 1}}


def test_what_cannot_begin_ends_with_2_and_writes_nothing(evaluation, lead, tmp_path):
    out = tmp_path / "x.jsonl"
    code, _said, faults = run(evaluation, lead, "--game", "99", "--json", out=out)
    (fault,) = json.loads(faults)["faults"]
    assert (code, fault["code"]) == (2, "bad_input")
    assert "game:99" in fault["message"]
    code, _said, faults = run(evaluation, evaluation.evaluator, "--game", "1", out=out)
    assert (code, "Only team leads" in faults) == (2, True)
    assert run(evaluation, SimpleNamespace(email="nobody@example.org"), out=out)[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_ends_with_1(evaluation, lead, tmp_path):
    code, _said, faults = run(evaluation, lead, out=tmp_path / "missing" / "x.jsonl")
    assert (code, "could not be written" in faults) == (1, True)


def test_the_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        call_command("export", "--help")
    assert "Example: manage.py export --project mafia --game 7" in capsys.readouterr().out
