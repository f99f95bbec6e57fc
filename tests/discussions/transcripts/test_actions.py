"""Transcripts come in: kept once, stored game by game, resumed after anything, nothing overwritten.

Every task twice, in any order, leaves the same rows.
"""

import gzip
import json
import os
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from discussions.imports.actions.reading import import_games
from discussions.metrics.actions import ask_for_diagnostics
from discussions.models import (
    Companions,
    Game,
    GameText,
    Iteration,
    Measured,
    MeasuredFindings,
    Slot,
    Transcript,
)
from discussions.transcripts.actions import (
    Upload,
    cancel_import,
    import_files,
    import_separately,
    resume_import,
)
from tests.factories.archives import HOSTILE, zipped
from tests.factories.iterations import make_baseline, make_stage
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes, make_games_project, native_game, upload
from workspace.blob_store import BytesLost, drop_parts, load_bytes, store_bytes
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.words import decode_stored
from workspace.jobs.actions import JobLost, run_job, take_job
from workspace.models import Event, Heartbeat, Job
from workspace.tasks import look_at_job, note_beat

pytestmark = [pytest.mark.django_db, pytest.mark.services]
# On PostgreSQL by `make faults` alone.
OTHER_DATABASE = pytest.mark.services(is_long=True)


@pytest.fixture
def project(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return make_games_project(slug="ours")


@pytest.fixture
def lead(project):
    return make_lead(project=project)


def games(count, **changes):
    return [native_game(gameId=f"game-{number}", **changes) for number in range(count)]


def load_faults(transcript):
    transcript.refresh_from_db()
    return decode_stored(transcript.faults, list)


def test_an_upload_is_kept_by_its_hash_and_queued(project, lead):
    data = as_bytes(native_game())
    made = import_files(
        project=project, files=[Upload("../evil/game.json", data)], by=lead, now=NOW
    ).imported[0]
    assert made.outcome == "new"
    transcript = made.transcript
    assert (transcript.name, transcript.sha256, transcript.byte_count) == (
        "game.json",
        bytes_hash(data),
        len(data),
    )
    assert load_bytes(transcript.sha256) == data
    assert (transcript.job.state, transcript.job.total_bytes) == ("queued", len(data))
    assert transcript.iteration.is_unsorted
    assert Event.objects.filter(verb="transcript:uploaded", object_id=transcript.pk, by=lead).count() == 1


def test_the_job_stores_measures_and_opens_places(project, lead):
    transcript = upload(project=project, by=lead, games=games(3))
    run_waiting_jobs()
    transcript.refresh_from_db()
    assert (transcript.format, transcript.fault_count, transcript.job.state) == ("native", 0, "done")
    stored = list(Game.objects.order_by("number"))
    assert [(game.number, game.source_id) for game in stored] == [(1, "game-0"), (2, "game-1"), (3, "game-2")]
    assert {game.iteration for game in stored} == {transcript.iteration}
    record = read_transcripts(as_bytes(games(1)), "x").games[0].record
    assert stored[0].text.to_record() == record
    assert stored[0].content_sha256 == bytes_hash(stored[0].text.body.encode())
    first = stored[0]
    assert (first.player_count, first.message_count, first.round_count, first.vote_count) == (3, 6, 2, 2)
    assert (str(first.cost_usd), first.cache_hit_rate, first.warning_count) == ("1.250000", 0.75, 0)
    assert Measured.objects.count() == MeasuredFindings.objects.count() == 3
    assert Slot.objects.count() == 3
    assert Job.objects.filter(state="done").count() == 2
    detail = json.loads(Event.objects.get(verb="transcript:imported").detail)
    assert detail == {"games": 3, "faults": 0}


def test_the_same_bytes_are_answered_with_the_first_report(project, lead):
    first = upload(project=project, by=lead)
    run_waiting_jobs()
    again = import_files(
        project=project, files=[Upload("other.json", as_bytes(native_game()))], by=lead, now=moment(5)
    ).imported[0]
    assert (again.outcome, again.transcript) == ("already", first)
    run_waiting_jobs()
    assert Game.objects.count() == 1


def test_the_same_bytes_twice_in_one_upload_are_one_import(project, lead):
    data = as_bytes(native_game())
    made = import_files(
        project=project, files=[Upload("a", data), Upload("b", data)], by=lead, now=NOW
    ).imported
    assert [result.outcome for result in made] == ["new", "already"]
    assert Transcript.objects.count() == 1


@OTHER_DATABASE
def test_another_project_imports_the_same_bytes_for_itself(project, lead):
    upload(project=project, by=lead)
    other = make_games_project(slug="theirs")
    upload(project=other, by=make_lead(project=other))
    run_waiting_jobs()
    assert [game.number for game in Game.objects.order_by("pk")] == [1, 1]


@OTHER_DATABASE
def test_bad_games_are_refused_whole_and_good_ones_kept(project, lead):
    bad = native_game(gameId="bad", messages=[])
    transcript = upload(project=project, by=lead, games=[*games(1), bad, native_game(gameId="last")])
    run_waiting_jobs()
    assert set(Game.objects.values_list("source_id", flat=True)) == {"game-0", "last"}
    assert [(fault["place"], fault["code"]) for fault in load_faults(transcript)] == [
        ("game.json /1/messages", "no_messages")
    ]
    assert transcript.fault_count == 1


@OTHER_DATABASE
def test_warnings_stay_with_the_game(project, lead):
    upload(project=project, by=lead, games=native_game(votes=[], metadata=None))
    run_waiting_jobs()
    game = Game.objects.get()
    assert [warning["code"] for warning in json.loads(game.warnings)] == ["no_votes", "no_cost"]
    assert (game.warning_count, game.cost_usd) == (2, None)


def test_the_same_id_with_other_content_is_a_fault_and_nothing_is_overwritten(project, lead):
    upload(project=project, by=lead)
    run_waiting_jobs()
    other = upload(project=project, by=lead, games=native_game(prompt="Another one."), name="other.json")
    run_waiting_jobs()
    fault = load_faults(other)[0]
    assert (fault["code"], fault["place"]) == ("game_exists", "other.json")
    assert 'The id "game-1" already belongs to game 1' in fault["message"]
    assert "import it as a separate game" in fault["message"]
    assert Game.objects.count() == 1

    made = import_separately(transcript=other, by=lead, now=NOW)
    run_waiting_jobs()
    assert made.outcome == "new"
    assert Game.objects.get(number=2).transcript == made.transcript
    assert Game.objects.get(number=2).text.to_record().prompt == "Another one."
    with pytest.raises(Conflict, match="already imported as separate games"):
        import_separately(transcript=made.transcript, by=lead, now=NOW)
    assert import_separately(transcript=other, by=lead, now=NOW).outcome == "already"


@OTHER_DATABASE
def test_a_file_that_brought_no_game_is_read_again_into_the_iteration_that_is_chosen_now(project, lead):
    first = Iteration.objects.get(project=project, stage=None)
    second = make_baseline(stage=make_stage(project=project))
    given = {"project": project, "files": [Upload("a.json", as_bytes(native_game()))], "by": lead, "now": NOW}
    (began,) = import_files(**given, iteration=first).imported
    cancel_import(transcript=began.transcript, by=lead, now=NOW)
    (again,) = import_files(**given, iteration=second).imported
    assert again.outcome == "resumed"
    run_waiting_jobs()
    assert Game.objects.get().iteration == second
    Job.objects.filter(pk=began.transcript.job_id).update(state="failed")
    import_files(**given, iteration=first)
    assert Transcript.objects.get().iteration == second


def test_the_same_game_in_another_file_is_taken_once(project, lead):
    upload(project=project, by=lead)
    run_waiting_jobs()
    both = upload(project=project, by=lead, games=[native_game(), native_game(gameId="new")])
    run_waiting_jobs()
    fault = load_faults(both)[0]
    assert (fault["code"], fault["is_warning"]) == ("already_imported", True)
    assert "already here as game 1, word for word" in fault["message"]
    assert both.fault_count == 0
    assert Game.objects.count() == 2


@OTHER_DATABASE
def test_a_game_twice_in_a_file_is_taken_once_and_two_of_one_id_are_a_fault(project, lead):
    transcript = upload(
        project=project, by=lead, games=[native_game(), native_game(), native_game(winner="mafia")]
    )
    run_waiting_jobs()
    assert [fault["code"] for fault in load_faults(transcript)] == ["already_imported", "game_exists"]
    assert Game.objects.count() == 1


@OTHER_DATABASE
@pytest.mark.parametrize("data", [b"", b"not JSON", b"[" * 100_000, b'{"gameId": "x"}', b"PK\x03\x04"])
def test_a_bad_file_stores_no_game_and_says_why(project, lead, data):
    if not data:
        with pytest.raises(Unacceptable, match="is empty"):
            upload(project=project, by=lead, games=data)
        assert Transcript.objects.count() == 0
        return
    transcript = upload(project=project, by=lead, games=data)
    run_waiting_jobs()
    assert load_faults(transcript)
    assert Game.objects.count() == 0
    assert transcript.job.state == "queued" or Job.objects.get(pk=transcript.job_id).state == "done"


@OTHER_DATABASE
def test_an_archive_comes_in_file_by_file_and_a_hostile_one_not_at_all(project, lead, monkeypatch):
    monkeypatch.setattr("discussions.imports.actions.reading.BATCH_CHARACTERS", 1)
    files = {f"{number}.json": as_bytes(game) for number, game in enumerate(games(3))}
    transcript = upload(project=project, by=lead, games=zipped(files | {"LICENSE": b"MIT", "cut.json": b"["}))
    bomb = upload(project=project, by=lead, games=HOSTILE["a bomb"])
    run_waiting_jobs()
    assert list(Game.objects.order_by("pk").values_list("source_id", "transcript")) == [
        (f"game-{number}", transcript.pk) for number in range(3)
    ]
    assert [(fault["place"], fault["code"]) for fault in load_faults(transcript)] == [
        ("game.json", "left_out"),
        ("game.json: cut.json line 1 column 2 /0", "truncated"),
    ]
    assert (transcript.fault_count, transcript.format) == (1, "native")
    assert [fault["code"] for fault in load_faults(bomb)] == ["ratio"]
    job = Job.objects.get(pk=transcript.job_id)
    assert (job.state, job.done_count, job.total_count, job.done_bytes) == ("done", 3, 3, job.total_bytes)


@OTHER_DATABASE
def test_the_same_bytes_are_read_again_in_a_format_that_is_named_where_no_game_came_in(project, lead):
    data = as_bytes({"players": [], "rows": []})
    first = upload(project=project, by=lead, games=data)
    run_waiting_jobs()
    assert load_faults(first)[0]["code"] == "unknown_format"
    given = {"project": project, "files": [Upload("a.json", data)], "by": lead, "now": NOW}
    assert import_files(**given).imported[0].outcome == "already"
    (again,) = import_files(**given, format_name="native").imported
    assert (again.outcome, again.transcript, again.transcript.faults) == ("resumed", first, "[]")
    run_waiting_jobs()
    assert {fault["code"] for fault in load_faults(first)} == {"no_game_id", "no_players", "no_messages"}
    assert first.format == "native"
    assert import_files(**given, format_name="native").imported[0].outcome == "already"
    assert import_files(**given).imported[0].outcome == "resumed"
    run_waiting_jobs()
    assert load_faults(first)[0]["code"] == "unknown_format"
    with pytest.raises(Unacceptable, match="There is no transcript format “nothing”"):
        import_files(**given, format_name="nothing")


@OTHER_DATABASE
def test_separate_games_of_an_archive_are_read_by_what_each_file_is(project, lead):
    files = {
        "a.json": as_bytes(native_game(gameId="one")),
        "b.csv": b"player,text,game\nAnn,a,two\nBea,b,two\n",
    }
    upload(project=project, by=lead, games=native_game(gameId="one", votes=[]), name="first.json")
    mixed = upload(project=project, by=lead, games=zipped(files), name="mixed.zip")
    run_waiting_jobs()
    mixed.refresh_from_db()
    assert (mixed.format, mixed.fault_count) == ("mixed", 1)
    import_separately(transcript=mixed, by=lead, now=NOW)
    run_waiting_jobs()
    assert list(Game.objects.order_by("number").values_list("source_id", flat=True)) == ["one", "two", "one"]


@OTHER_DATABASE
def test_a_file_over_the_limit_is_refused_alone(project, lead, settings):
    settings.TRANSCRIPT_LIMITS = settings.TRANSCRIPT_LIMITS | {"file_bytes": 1024 * 1024}
    good, big = Upload("good.json", as_bytes(native_game())), Upload("big.json", b"x" * (1024 * 1024 + 1))
    with pytest.raises(Unacceptable, match=r"“big.json” is larger than 1 MiB"):
        import_files(project=project, files=[big], by=lead, now=NOW)
    assert Transcript.objects.count() == Job.objects.count() == 0
    assert not default_storage.exists("transcripts")
    received = import_files(project=project, files=[big, good], by=lead, now=NOW)
    assert [made.transcript.name for made in received.imported] == ["good.json"]
    assert [why.code for why in received.refused] == ["too_large"]


def stop_after(number):
    """A clock that stands still and, asked for the so-manieth time, kills the worker."""
    asked = iter(range(10_000))

    def clock():
        if next(asked) == number:
            raise KeyboardInterrupt
        return NOW

    return clock


@pytest.mark.parametrize(
    "at", [5, *(pytest.param(at, marks=OTHER_DATABASE) for at in (1, 2, 3, 4, 6, 7, 8, 9))]
)
def test_a_worker_killed_anywhere_leaves_whole_games_and_the_next_one_ends_equal(
    project, lead, at, monkeypatch
):
    monkeypatch.setattr("discussions.imports.actions.reading.BATCH", 2)
    several = [
        *games(5),
        native_game(gameId="game-0", winner="village"),
        native_game(gameId="bad", messages=[]),
    ]
    transcript = upload(project=project, by=lead, games=several)
    with pytest.raises(KeyboardInterrupt):
        run_job(job=transcript.job_id, clock=stop_after(at))
    assert Game.objects.count() == GameText.objects.count()
    Job.objects.filter(pk=transcript.job_id, state="running").update(lease_until=NOW)
    run_job(job=transcript.job_id, clock=lambda: moment(1))
    run_waiting_jobs()
    assert list(Game.objects.order_by("number").values_list("source_id", flat=True)) == [
        f"game-{n}" for n in range(5)
    ]
    assert [fault["code"] for fault in load_faults(transcript)] == ["no_messages", "game_exists"]
    assert transcript.fault_count == 2
    assert Measured.objects.count() == 5


def test_cancelling_keeps_finished_games_and_the_same_bytes_go_on(project, lead, monkeypatch):
    monkeypatch.setattr("discussions.imports.actions.reading.BATCH", 2)
    transcript = upload(project=project, by=lead, games=games(5))
    held = take_job(job=transcript.job_id, now=NOW)
    with pytest.raises(KeyboardInterrupt):
        import_games(job=held, clock=stop_after(4))
    assert Game.objects.count() == 2
    transcript.refresh_from_db()
    assert cancel_import(transcript=transcript, by=lead, now=NOW).job.state == "cancelled"
    with pytest.raises(JobLost):
        import_games(job=held, clock=lambda: NOW)
    with pytest.raises(Conflict):
        cancel_import(transcript=transcript, by=lead, now=NOW)
    assert Game.objects.count() == 2
    again = import_files(
        project=project, files=[Upload("game.json", as_bytes(games(5)))], by=lead, now=moment(1)
    ).imported[0]
    assert (again.outcome, again.transcript) == ("resumed", transcript)
    run_waiting_jobs()
    assert Game.objects.count() == 5
    assert resume_import(transcript=transcript, by=lead, now=moment(2)).outcome == "already"


@OTHER_DATABASE
def test_a_file_damaged_on_disk_is_never_imported(project, lead):
    transcript = upload(project=project, by=lead)
    name = f"transcripts/{transcript.sha256[:2]}/{transcript.sha256}"
    with Path(default_storage.path(name)).open("ab") as file:
        file.write(b" ")
    run_waiting_jobs()
    job = Job.objects.get(pk=transcript.job_id)
    assert (job.state, job.error_code) == ("failed", "bytes_lost")
    assert "Upload it again" in job.error
    assert upload(project=project, by=lead) == transcript
    run_waiting_jobs()
    assert Game.objects.count() == 1


@OTHER_DATABASE
def test_kept_bytes_are_whole_or_not_there(project):
    sha256 = store_bytes(b"abc")
    assert store_bytes(b"abc") == sha256
    assert load_bytes(sha256) == b"abc"
    with pytest.raises(BytesLost):
        load_bytes(bytes_hash(b"other"))


def test_what_a_killed_upload_left_is_dropped_after_a_day_and_nothing_else(project):
    store_bytes(b"abc")
    part = Path(default_storage.path("incoming")) / "left"
    part.write_bytes(b"half")
    os.utime(part, (NOW.timestamp(), NOW.timestamp()))
    assert drop_parts(before=NOW) == 0
    assert drop_parts(before=moment(1)) == 1
    assert load_bytes(bytes_hash(b"abc")) == b"abc"


def test_only_leads_import(project):
    evaluator = make_member(project=project)
    with pytest.raises(NotAllowed, match="Only team leads"):
        upload(project=project, by=evaluator)
    stranger = make_lead(project=make_games_project())
    with pytest.raises(NotAllowed):
        upload(project=project, by=stranger)
    assert Transcript.objects.count() == 0


TABLES = (Transcript, Game, GameText, Measured, MeasuredFindings, Companions, Slot, Event)


@pytest.fixture
def transcript(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_games_project(slug="ours")
    games = [native_game(gameId=str(number)) for number in range(5)]
    return upload(
        project=project, by=make_lead(project=project), games=[*games, native_game(gameId="x", messages=[])]
    )


def rows():
    """Everything that jobs write, without the moments at which they did."""
    found = {}
    for table in TABLES:
        names = [field.attname for field in table._meta.fields if not field.attname.endswith("_at")]
        names = [name for name in names if name not in ("mac", "job_id")]
        found[table.__name__] = list(table.objects.order_by("pk").values_list(*names))
    return found


def let_go(kind):
    """As if the worker had died after its last commit and before it said that it was done."""
    Job.objects.filter(kind=kind).update(state="running", lease_until=NOW, attempt=1, finished_at=None)


@pytest.mark.parametrize("kind", ["measure", "companions"])
def test_a_job_done_twice_leaves_the_same_rows(transcript, kind):
    run_waiting_jobs()
    measured = Measured.objects.first()
    ask_for_diagnostics(game=measured.game, measured=measured.pk, by=transcript.created_by, now=NOW)
    run_waiting_jobs()
    before = rows()
    assert len(before["Companions"]) == 1
    let_go(kind)
    job = Job.objects.get(kind=kind)
    assert run_job(job=job.pk, clock=lambda: moment(5))
    run_waiting_jobs(now=moment(6))
    assert rows() == before
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}


def test_an_import_done_twice_adds_its_event_and_nothing_else(transcript):
    run_waiting_jobs()
    before = rows()
    let_go("import")
    run_job(job=transcript.job_id, clock=lambda: moment(5))
    run_waiting_jobs(now=moment(6))
    after = rows()
    events = after.pop("Event")
    assert len(events) == len(before.pop("Event")) + 1
    assert after == before


def test_two_workers_at_once_leave_what_one_leaves(transcript):
    late = take_job(job=transcript.job_id, now=NOW)
    run_job(job=transcript.job_id, clock=lambda: moment(1))
    run_waiting_jobs(now=moment(1))
    before = rows()
    assert not run_job(job=late.pk, clock=lambda: moment(2))
    run_waiting_jobs(now=moment(2))
    assert rows() == before


def test_games_that_come_in_while_measuring_are_measured(transcript):
    run_waiting_jobs()
    project = transcript.project
    upload(project=project, by=transcript.created_by, games=native_game(gameId="later"), name="later.json")
    run_waiting_jobs()
    assert Measured.objects.count() == Game.objects.count() == 6
    assert Job.objects.filter(kind="measure").count() == 1


def test_a_message_that_comes_twice_or_about_nothing_is_no_harm(transcript):
    look_at_job["import"].apply(args=[transcript.job_id]).get()
    look_at_job["import"].apply(args=[transcript.job_id]).get()
    look_at_job["import"].apply(args=[999_999]).get()
    assert Game.objects.count() == 5


def test_a_worker_leaves_a_sign_of_life(db):
    note_beat.apply().get()
    note_beat.apply().get()
    assert Heartbeat.objects.count() == 1


@OTHER_DATABASE
def test_an_encoding_stays_with_the_file_and_its_parts_are_read_in_order(project, lead):
    games = "\n".join(as_bytes(native_game(gameId=f"g{number}")).decode() for number in range(120))
    given = {"project": project, "by": lead, "now": NOW}
    (first,) = import_files(
        files=[Upload("a.jsonl", games.encode("utf-16-le"))], encoding="utf-16le", **given
    ).imported
    assert (first.transcript.named_format, first.transcript.named_encoding) == ("@utf-16le", "utf-16le")
    import_files(files=[Upload("b.jsonl", gzip.compress(games.replace("g1", "h1").encode()))], **given)
    run_waiting_jobs()
    assert (load_faults(first.transcript), first.transcript.games.count()) == ([], 120)
    assert Game.objects.filter(source_id__startswith="h1").count() == 31
    with pytest.raises(Unacceptable, match="There is no encoding “nothing”"):
        import_files(files=[Upload("c.csv", b"a")], encoding="nothing", **given)
