"""A game that was stored without what not everybody could hear gets it when its file comes again."""

import json

import pytest
from django.db import connection

from discussions.models import Game, PrivateTrack
from discussions.transcripts.actions import Upload, import_files
from tests.factories.jobs import run_waiting_jobs
from tests.factories.native_games import native_game
from tests.factories.people import NOW, make_lead
from tests.factories.transcripts import as_bytes, make_games_project, upload
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return make_games_project(slug="ours")


def with_whisper(**changes):
    game = native_game(**changes)
    game["messages"].append({**game["messages"][-1], "message": "WHISPER", "audience": ["nobody"]})
    return game


def forget_tracks():
    """Older versions stored none: the trigger that protects them is not asked."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("select name from sqlite_master where type = 'trigger' and tbl_name = %s", [TABLE])
            for (name,) in cursor.fetchall():
                cursor.execute(f'drop trigger "{name}"')
        else:
            cursor.execute(f"alter table {TABLE} disable trigger user")
        cursor.execute(f"delete from {TABLE}")
        if connection.vendor != "sqlite":
            cursor.execute(f"alter table {TABLE} enable trigger user")


TABLE = PrivateTrack._meta.db_table


def faults(transcript):
    transcript.refresh_from_db()
    return [(fault["code"], fault.get("is_warning", False)) for fault in json.loads(transcript.faults)]


def test_the_same_bytes_bring_the_track_and_it_is_said(project):
    lead = make_lead(project=project)
    transcript = upload(project=project, by=lead, games=[with_whisper(gameId="a"), native_game(gameId="b")])
    run_waiting_jobs()
    forget_tracks()
    data = as_bytes([with_whisper(gameId="a"), native_game(gameId="b")])
    (again,) = import_files(project=project, files=[Upload("x", data)], by=lead, now=NOW).imported
    assert (again.outcome, again.transcript) == ("already", transcript)
    run_waiting_jobs()
    track = PrivateTrack.objects.get()
    assert (track.game.source_id, [entry.text for entry in track.to_entries()]) == ("a", ["WHISPER"])
    assert faults(transcript) == [("private_added", True)]
    assert json.loads(Event.objects.get(verb="transcript:private_added").detail) == {"games": 1}
    assert (Game.objects.count(), transcript.job.kind, transcript.fault_count) == (2, "import", 0)
    import_files(project=project, files=[Upload("x", data)], by=lead, now=NOW)
    run_waiting_jobs()
    assert (PrivateTrack.objects.count(), faults(transcript)) == (1, [("private_added", True)])


def test_nothing_is_asked_of_files_whose_games_have_their_tracks(project):
    lead = make_lead(project=project)
    upload(project=project, by=lead, games=with_whisper())
    run_waiting_jobs()
    files = [Upload("x", as_bytes(with_whisper()))]
    import_files(project=project, files=files, by=lead, now=NOW)
    assert not Job.objects.filter(kind="import_private").exists()


@pytest.mark.parametrize("count", [1, 120])
def test_another_file_with_the_same_game_brings_the_track(project, count):
    lead = make_lead(project=project)
    upload(project=project, by=lead, games=with_whisper(gameId="a"))
    run_waiting_jobs()
    forget_tracks()
    others = [native_game(gameId=f"other-{number}") for number in range(count)]
    another = upload(project=project, by=lead, games=[*others, with_whisper(gameId="a")], name="b.json")
    run_waiting_jobs()
    assert PrivateTrack.objects.get().game.source_id == "a"
    assert faults(another) == [("already_imported", True), ("private_added", True)]
    assert Game.objects.count() == count + 1


def test_a_track_is_never_changed_and_no_other_game_gets_it(project):
    lead = make_lead(project=project)
    upload(project=project, by=lead, games=with_whisper(gameId="a"))
    run_waiting_jobs()
    other = with_whisper(gameId="a", prompt="Another one.")
    other["messages"][-1]["message"] = "CHANGED"
    same = with_whisper(gameId="a")
    same["messages"][-1]["message"] = "CHANGED"
    upload(project=project, by=lead, games=[other], name="b.json")
    upload(project=project, by=lead, games=[same], name="c.json")
    run_waiting_jobs()
    assert [entry.text for entry in PrivateTrack.objects.get().to_entries()] == ["WHISPER"]
