"""A game that kills whoever measures it: it is given up after three attempts, and holds up no other."""

import pytest

from discussions.models import Game, Measured
from tests.factories import make_games_project, make_lead, moment, upload
from tests.faults.crowd import breaches
from tests.faults.deadly import Death
from tests.transcripts import native_game
from workspace.actions.jobs import run_job
from workspace.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def lead(db, settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    settings.JOB_ACTIONS = settings.JOB_ACTIONS | {"measure": "tests.faults.deadly.measure_or_die"}
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


@pytest.mark.parametrize("place", range(4))
def test_one_game_that_kills_is_given_up_and_all_others_are_measured(lead, place):
    names = ["a", "b", "c"]
    names.insert(place, "poison")
    bring_in(lead, *names)
    assert 3 <= work_and_die(0) <= 8
    job = Job.objects.get(kind="measure")
    assert (job.state, job.error_code) == ("failed", "gave_up")
    assert job.error.startswith("The work stopped 3 times without getting any further, so it was given up.")
    assert sorted(Measured.objects.values_list("game__source_id", flat=True)) == ["a", "b", "c"]
    assert breaches() == {}


def test_games_that_come_in_later_are_measured_all_the_same(lead):
    bring_in(lead, "a", "poison")
    work_and_die(0)
    bring_in(lead, "later", "latest")
    work_and_die(100)
    assert Game.objects.count() == 4
    assert Measured.objects.count() == 3
    assert breaches() == {}


def test_two_games_that_kill_cost_at_most_what_lies_between_them(lead):
    bring_in(lead, "a", "poison-1", "poison-2", "b")
    work_and_die(0)
    assert sorted(Measured.objects.values_list("game__source_id", flat=True)) == ["a", "b"]
    assert breaches() == {}
