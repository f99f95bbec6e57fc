"""A game that kills whoever measures it: it is given up after three attempts, and holds up no other."""

import pytest

from discussions.models import Game, Measured
from tests.factories.people import make_lead, moment
from tests.factories.transcripts import make_games_project, native_game, upload
from tests.faults.crowd import breaches
from tests.faults.deadly import Death
from workspace.jobs.actions import run_job
from workspace.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


@pytest.fixture
def lead(db, settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    deadly = dict.fromkeys(("import", "import_part", "measure"), "tests.faults.deadly.measure_or_die")
    settings.JOB_ACTIONS = settings.JOB_ACTIONS | deadly
    return make_lead(project=make_games_project(slug="ours"))


def bring_in(lead, *names):
    games = [native_game(gameId=name) for name in names]
    upload(project=lead.memberships.get().project, by=lead, games=games, name=f"{names[0]}.json")


def work_and_die(minutes):
    """Workers take what there is until nothing is left, each a minute after the one before; how often one died."""
    deaths = 0
    for turn in range(40):
        job = Job.objects.filter(state__in=("queued", "running")).order_by("pk").first()
        if job is None:
            return deaths
        try:
            run_job(job=job.pk, clock=lambda at=minutes + turn: moment(at))
        except Death:
            deaths += 1
    raise AssertionError("the work never ended")


@pytest.mark.parametrize("place", [2, *(pytest.param(place, marks=pytest.mark.long) for place in (0, 1, 3))])
def test_one_game_that_kills_is_given_up_and_all_others_are_measured(lead, place, fault_table):
    names = ["a", "b", "c"]
    names.insert(place, "poison")
    bring_in(lead, *names)
    assert 3 <= work_and_die(0) <= 8
    job = Job.objects.get(kind="measure")
    assert (job.state, job.error_code) == ("failed", "gave_up")
    assert job.error.startswith("The work stopped 3 times without getting any further, so it was given up.")
    assert sorted(Measured.objects.values_list("game__source_id", flat=True)) == ["a", "b", "c"]
    fault_table(
        "measuring a game", f"it kills its worker ({place + 1} of 4)", "given up; all others measured"
    )


def test_games_that_come_in_later_are_measured_all_the_same(lead):
    bring_in(lead, "a", "poison")
    work_and_die(0)
    bring_in(lead, "later", "latest")
    work_and_die(100)
    assert Game.objects.count() == 4
    assert Measured.objects.count() == 3
    assert breaches() == {}


@pytest.mark.parametrize(
    "names",
    [
        ["a", "poison-1", "b", "c", "poison-2", "d"],
        ["poison-1", "a", "b", "poison-2"],
        ["poison-1", "poison-2", "a", "poison-3", "b", "poison-4"],
        ["a", "poison-1", "poison-2", "poison-3", "b", "c", "poison-4", "poison-5", "d"],
    ],
    ids=len,
)
def test_several_games_that_kill_cost_no_other_wherever_they_stand(lead, names):
    bring_in(lead, *names)
    assert work_and_die(0) <= 4 * len(names)
    sound = [name for name in names if not name.startswith("poison")]
    assert sorted(Measured.objects.values_list("game__source_id", flat=True)) == sound
    assert Job.objects.get(kind="measure").error_code == "gave_up"
    assert breaches() == {}
