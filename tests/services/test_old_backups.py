"""An installation of each older version is brought up to date, its games are measured again, and `verify` holds."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from discussions.metrics.core.registry import CODE_VERSION
from discussions.metrics.queries import outdated_games
from discussions.models import Measured, MeasuredFindings, Verdict
from discussions.verdicts.actions import replay_verdict
from rubric.model_reviewers import queries
from rubric.model_reviewers.actions.answers import reread_answers
from rubric.model_reviewers.queries import list_readable
from rubric.models import ComparisonSet
from rubric.reviews import actions as reviews_actions
from rubric.reviews.actions import begin_reading, record_submission
from rubric.reviews.core.answer_record import READER, read_review
from tests.factories.tampering import without_triggers
from tests.services.places import at
from workspace.core.canonical import bytes_hash
from workspace.database.squashed import OLDER
from workspace.models import Event, Person

pytestmark = [pytest.mark.services(is_long=True)]
BACKUPS = sorted((Path(__file__).parent / "old_backups").glob(f"*.{connection.vendor}.zip"))
TOO_OLD = [path for path in BACKUPS if path.name < "0.1.0-2026-11-29"]
GOING_ON = [path for path in BACKUPS if path not in TOO_OLD]
ADMIN = "admin@example.org"


def run(*words):
    """Exit code of a command, and what it answers as JSON."""
    said, faults = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command(*map(str, words), "--json", stdout=said, stderr=faults)
    except SystemExit as end:
        code = end.code
    assert faults.getvalue() == ""
    return code, json.loads(said.getvalue())


def find(checks, code):
    (found,) = [check for check in checks if check["code"] == code]
    return found


def broken(checks):
    return [check["code"] for check in checks if check["breach_count"]]


@pytest.fixture(scope="module", params=GOING_ON, ids=[path.name for path in GOING_ON])
def older(request, make_installation):
    """An installation from an older backup, as `restore` leaves it, and what the command said."""
    with at(make_installation()) as there:
        return there, run("restore", request.param)


@pytest.fixture
def restored(older, make_installation):
    """What the command said, in a copy of that installation."""
    there, said = older
    with at(make_installation(like=there)):
        yield said


def test_there_are_backups_of_both_databases():
    names = [path.name.split(".zip")[0].rpartition(".") for path in BACKUPS[0].parent.glob("*.zip")]
    assert {vendor for _name, _dot, vendor in names} == {"sqlite", "postgresql"}
    assert len(names) == 2 * len(BACKUPS)


@pytest.mark.parametrize("backup", TOO_OLD, ids=[path.name for path in TOO_OLD])
def test_one_of_before_the_squash_of_migrations_is_told_to_pass_through_the_last_version_before_it(
    backup, make_installation
):
    faults = io.StringIO()
    with at(make_installation(is_migrated=False)):
        with pytest.raises(SystemExit, match="2"):
            call_command("restore", str(backup), stderr=faults)
        assert OLDER in faults.getvalue()
        assert connection.introspection.table_names() == []


def test_an_older_installation_is_measured_again_and_holds(restored):
    code, said = restored
    assert (code, broken(said["verify"])) == (0, [])
    before = list(Verdict.objects.order_by("pk").values_list("pk", "basis", "basis_sha256", "measured"))
    older = list(Measured.objects.exclude(code_version=CODE_VERSION).order_by("pk").values_list())
    waiting = outdated_games().count()
    note = find(said["verify"], "I5")
    assert waiting and older and before
    assert note["note_count"] >= 1 and "manage.py measure_again" in note["notes"][-1]

    code, said = run("measure_again", "--by", ADMIN, "--wait")
    assert (code, sum(said["games"].values()), said["left"]) == (0, waiting, 0)

    code, checks = run("verify")
    assert (code, broken(checks), [note for check in checks for note in check["notes"]]) == (0, [], [])
    assert len(checks) >= 43
    assert not outdated_games().exists()
    lines = Event.objects.filter(verb="project:measured_again").values_list("detail", flat=True)
    assert sum(json.loads(line)["games"] for line in lines) == waiting
    assert list(Measured.objects.exclude(code_version=CODE_VERSION).order_by("pk").values_list()) == older
    verdicts = Verdict.objects.order_by("pk")
    assert list(verdicts.values_list("pk", "basis", "basis_sha256", "measured")) == before
    assert all(replay_verdict(verdict=verdict).is_equal for verdict in verdicts)
    assert run("measure_again", "--by", ADMIN, "--wait")[1] == {
        "games": dict.fromkeys(said["games"], 0),
        "left": 0,
    }


def misread(text, labels, rubric, *, reader):
    """What Python 3.11.2 gave: no block is found in the text."""
    return read_review(text.replace("{", ""), labels, rubric, reader=reader)


@pytest.mark.long
def test_answers_that_an_earlier_reader_misread_are_noted_until_they_are_read_again(restored, monkeypatch):
    admin, sets = Person.objects.get(email=ADMIN), ComparisonSet.objects.select_related("project")
    with monkeypatch.context() as patch:
        patch.setattr(reviews_actions, "READER", READER - 1)
        patch.setattr(queries, "read_review", misread)
        for review in [review for held_by in sets for review in list_readable(held_by)]:
            made = begin_reading(review=review, by=admin, now=timezone.now())
            record = queries.parse_answer(made)
            record_submission(review=made, record=record, by=admin, now=timezone.now())
    wrong = {
        held_by: sum(queries.reads_otherwise(review) for review in list_readable(held_by)) for held_by in sets
    }
    wrong = {held_by: count for held_by, count in wrong.items() if count}
    assert sum(wrong.values()) > 10
    code, checks = run("verify")
    found = find(checks, "R2")
    assert (code, broken(checks), found["note_count"]) == (0, [], len(wrong))
    for held_by, count in wrong.items():
        said = f"Comparison set {held_by.number} of project {held_by.project.slug}: today's reader ({READER})"
        (note,) = [note for note in found["notes"] if note.startswith(said)]
        assert f"Answers: {count} (" in note
        assert reread_answers(comparison_set=held_by, by=admin, now=timezone.now()) == count
    code, checks = run("verify")
    assert (code, broken(checks), find(checks, "R2")["notes"]) == (0, [], [])


def alter(measured):
    """Change the findings of a measurement, with the hash that is stored next to them."""
    findings = MeasuredFindings.objects.get(measured=measured)
    body = findings.body.replace('"numerator":', '"numerator": ', 1)
    assert body != findings.body
    with without_triggers():
        MeasuredFindings.objects.filter(measured=measured).update(body=body)
        Measured.objects.filter(pk=measured).update(findings_sha256=bytes_hash(body.encode()))


@pytest.mark.long
def test_an_altered_measurement_of_older_code_is_not_hidden(restored):
    recorded = set(Verdict.objects.values_list("measured", flat=True))
    newest = Measured.objects.filter(game__in=outdated_games()).order_by("game", "-pk")
    free = next(key for key in newest.values_list("pk", flat=True) if key not in recorded)
    number = Measured.objects.get(pk=free).game.number
    alter(free)
    code, checks = run("verify")
    assert (code, broken(checks)) == (0, [])
    notes = [note for note in find(checks, "I5")["notes"] if note.startswith(f"Game {number} (")]
    assert len(notes) == 1
    assert f"today's code ({CODE_VERSION}) gives the same figures and other findings" in notes[0]

    alter(min(recorded))
    code, checks = run("verify")
    assert (code, broken(checks)) == (1, ["I6"])

    run("measure_again", "--by", ADMIN, "--wait")
    mine = Measured.objects.filter(code_version=CODE_VERSION).order_by("pk").first()
    alter(mine.pk)
    code, checks = run("verify")
    assert (code, broken(checks)) == (1, ["I5", "I6"])
    (breach,) = find(checks, "I5")["breaches"]
    assert breach.startswith(f"Measurement {mine.pk} of game {mine.game.number}: measured again")
