"""Files read in parts by several jobs: the same rows as from one reading, and each game once whoever is killed."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from discussions.metrics import actions as measuring
from discussions.models import Game, GameText, ImportRun, Measured, MeasuredFindings, Slot, Transcript
from discussions.transcripts.actions import cancel_import, resume_import
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, moment
from tests.factories.transcripts import as_bytes, make_games_project, native_game, upload
from tests.faults.crowd import breaches
from tests.faults.deadly import Death
from tools.processes import PATIENCE
from workspace.jobs.actions import run_job
from workspace.models import Job

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]
# On PostgreSQL by `make faults` alone.
OTHER_DATABASE = pytest.mark.services(is_long=True)


@pytest.fixture
def lead(settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    return make_lead(project=make_games_project(slug="ours"))


@pytest.fixture
def project(lead):
    return lead.memberships.get().project


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr("discussions.imports.core.PART_GAMES", 2)


def games(count, name="game"):
    return [native_game(gameId=f"{name}-{number}") for number in range(count)]


def odd_list():
    """Games of which one is twice, one has the id of another, one has no messages, one a repeated key."""
    good = games(9)
    first = [
        *good[:4],
        good[0],
        native_game(gameId="game-1", winner="village"),
        native_game(gameId="x", messages=[]),
    ]
    broken = b'{"gameId": "key", "gameId": "twice", "players": [], "messages": []}'
    return b"\xef\xbb\xbf" + as_bytes(first)[:-1] + b",\n\n  " + broken + b",\n" + as_bytes(good[4:])[1:]


def odd_lines():
    values = [*games(5), native_game(gameId="x", messages=[]), *games(3, "b"), *games(2)]
    return b"\n\n".join(as_bytes(value).replace(b"\n", b" ") for value in values)


def outcome(transcript):
    """What an import leaves, without keys of rows."""
    transcript = Transcript.objects.select_related("job").get(pk=transcript.pk)
    own = Game.objects.filter(transcript=transcript).order_by("number")
    first = own[0].number
    return (
        [(game.number - first, game.source_id, game.content_sha256, game.warnings) for game in own],
        list(GameText.objects.filter(game__in=own).order_by("game__number").values_list("body", flat=True)),
        list(
            MeasuredFindings.objects.filter(measured__game__in=own)
            .order_by("measured__game__number")
            .values_list("body", flat=True)
        ),
        Slot.objects.filter(game__in=own).count(),
        (transcript.faults, transcript.fault_count, transcript.format),
        (
            transcript.job.state,
            transcript.job.done_count,
            transcript.job.total_count,
            transcript.job.done_bytes,
        ),
    )


def in_one(data):
    project = make_games_project(slug="whole")
    whole = upload(project=project, by=make_lead(project=project), games=data)
    run_waiting_jobs()
    return outcome(whole)


def at_once(*acts):
    """All begin together, each in a thread and connection of its own."""
    start = Barrier(len(acts))

    def run(act):
        start.wait(timeout=PATIENCE)
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.mark.parametrize("data", [odd_list(), odd_lines()], ids=["list", "lines"])
@pytest.mark.parametrize("workers", [pytest.param(1, marks=OTHER_DATABASE), 3])
def test_parts_leave_what_one_reading_leaves(project, lead, data, workers, monkeypatch):
    expected = in_one(data)
    monkeypatch.setattr("discussions.imports.core.PART_GAMES", 2)
    transcript = upload(project=project, by=lead, games=data)

    def work():
        for _turn in range(30):
            job = (
                Job.objects.filter(state="queued", kind__in=("import", "import_part")).order_by("pk").first()
            )
            if job is not None:
                run_job(job=job.pk, clock=lambda: NOW)

    at_once(*[work] * workers)
    run_waiting_jobs()
    assert outcome(transcript) == expected
    assert not ImportRun.objects.exists()
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}
    assert breaches() == {}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("at", [4, *(pytest.param(at, marks=OTHER_DATABASE) for at in (0, 1, 8))])
@pytest.mark.parametrize("kind", ["import", "import_part"])
def test_a_worker_killed_in_the_middle_of_a_part_costs_no_game_and_doubles_none(
    project, lead, at, kind, monkeypatch
):
    transcript = upload(project=project, by=lead, games=games(9))
    real, seen = measuring.measure_game, []

    def dying(game, rubric):
        seen.append(game)
        if len(seen) > at:
            raise Death
        return real(game, rubric)

    if kind == "import_part":
        from discussions.imports.actions.reading import _PartReader

        whole = _PartReader._read_and_store
        monkeypatch.setattr(
            _PartReader, "_read_and_store", lambda reader, number: (_ for _ in ()).throw(Death)
        )
        with pytest.raises(Death):
            run_job(job=transcript.job_id, clock=lambda: NOW)
        monkeypatch.setattr(_PartReader, "_read_and_store", whole)
    job = Job.objects.filter(kind=kind).first()
    Job.objects.filter(state="running").update(lease_until=NOW)
    monkeypatch.setattr(measuring, "measure_game", dying)
    with pytest.raises(Death):
        run_job(job=job.pk, clock=lambda: moment(1))
    monkeypatch.setattr(measuring, "measure_game", real)
    run_job(job=transcript.job_id, clock=lambda: moment(2))
    for left in Job.objects.filter(state="running"):
        run_job(job=left.pk, clock=lambda: moment(3))
    run_waiting_jobs(now=moment(4))
    found = list(Game.objects.order_by("number").values_list("number", "source_id"))
    assert found == [(number + 1, f"game-{number}") for number in range(9)]
    assert Measured.objects.count() == 9
    assert breaches() == {}


@pytest.mark.usefixtures("small_parts")
def test_a_cancelled_import_of_parts_goes_on_when_it_is_resumed(project, lead, monkeypatch):
    monkeypatch.setattr("discussions.imports.actions.reading.GAMES_A_TURN", 4)
    transcript = upload(project=project, by=lead, games=[*games(9), *games(1)])
    run_job(job=transcript.job_id, clock=lambda: NOW)
    assert Game.objects.count() == 4
    assert Job.objects.get(pk=transcript.job_id).state == "queued"
    transcript.refresh_from_db()
    cancel_import(transcript=transcript, by=lead, now=NOW)
    run_waiting_jobs()
    assert Game.objects.count() == Measured.objects.count() == 4
    transcript.refresh_from_db()
    resume_import(transcript=transcript, by=lead, now=moment(1))
    run_waiting_jobs(now=moment(1))
    assert list(Game.objects.order_by("number").values_list("number", flat=True)) == list(range(1, 10))
    transcript.refresh_from_db()
    assert "is in this file twice" in transcript.faults
    assert breaches() == {}


def test_two_projects_with_large_files_come_in_by_turns(project, lead, small_parts, monkeypatch):
    monkeypatch.setattr("discussions.imports.actions.reading.GAMES_A_TURN", 4)
    theirs = make_games_project(slug="theirs")
    upload(project=project, by=lead, games=games(40))
    upload(project=theirs, by=make_lead(project=theirs), games=games(12))
    notified = {}
    for turn in range(200):
        # Whose message is oldest is next, as in the broker's queue; what was handed back is last.
        waiting = Job.objects.filter(state="queued", kind__in=("import", "import_part"))
        job = min(
            waiting, key=lambda job: notified.setdefault((job.pk, job.fence), len(notified)), default=None
        )
        if job is None or Game.objects.filter(project=theirs).count() == 12:
            break
        run_job(job=job.pk, clock=lambda at=turn: moment(at))
    else:
        pytest.fail("the files never came in")
    assert Game.objects.filter(project=theirs).count() == 12
    assert Game.objects.filter(project=project).count() <= 20


@pytest.mark.usefixtures("small_parts")
def test_a_game_that_is_hard_to_measure_is_left_to_the_job_that_names_it(project, lead, monkeypatch):
    real = measuring.measure_game

    def stumble(game, rubric):
        if game.game_id == "game-3":
            raise KeyError("a fault")
        return real(game, rubric)

    monkeypatch.setattr(measuring, "measure_game", stumble)
    upload(project=project, by=lead, games=games(9))
    run_waiting_jobs()
    assert Job.objects.get(kind="import").state == "done"
    measured = Job.objects.get(kind="measure")
    assert (measured.state, measured.error_code) == ("failed", "games_failed")
    assert "Game 4 cannot be measured" in measured.error
    left = Game.objects.exclude(pk__in=Measured.objects.values("game"))
    assert [game.source_id for game in left] == ["game-3"]


@pytest.mark.usefixtures("small_parts")
def test_a_cancel_while_a_part_is_read_stores_nothing_of_it(project, lead, monkeypatch):
    transcript = upload(project=project, by=lead, games=games(9))
    real, seen = measuring.measure_game, []

    def cancelling(game, rubric):
        seen.append(game)
        if len(seen) == 6:
            cancel_import(transcript=Transcript.objects.get(pk=transcript.pk), by=lead, now=NOW)
        return real(game, rubric)

    monkeypatch.setattr(measuring, "measure_game", cancelling)
    run_job(job=transcript.job_id, clock=lambda: NOW)
    monkeypatch.setattr(measuring, "measure_game", real)
    assert Job.objects.get(pk=transcript.job_id).state == "cancelled"
    assert Game.objects.count() == 4
    run_waiting_jobs()
    assert Game.objects.count() == Measured.objects.count() == 4
    assert set(Job.objects.exclude(kind="import").values_list("state", flat=True)) == {"done"}
    assert breaches() == {}
