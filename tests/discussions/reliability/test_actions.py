"""A team's figures: asked for once, computed for the input there is, kept beside what they came from."""

import pytest

from discussions.models import Evaluation, Game, Measured, Slot, TeamFigures
from discussions.reliability.actions import ask_for_team_figures, compute_team_figures
from discussions.reliability.core.accuracy import AccuracyFigures
from discussions.reliability.queries import KINDS, TEAM_STATISTICS
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.rating import make_rating_project, ready_to_submit, submitted
from tests.factories.reliability import figure_team, team_figures
from workspace.core.refusals import NotAllowed
from workspace.jobs.actions import JobLost, take_job
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    made = make_rating_project()
    submitted(project=made)
    return made


def test_all_kinds_are_computed_for_the_present_input(project):
    lead, events = make_lead(project=project), Event.objects.count()
    figure_team(project, by=lead)
    assert set(TEAM_STATISTICS.present(project).rows) == set(KINDS)
    job = Job.objects.get(kind="figure_team")
    assert (job.state, job.done_count, job.total_count, job.project) == (
        "done",
        len(KINDS),
        len(KINDS),
        project,
    )
    row = TeamFigures.objects.get(kind="accuracy")
    assert (row.created_at, row.evaluation_count, row.job) == (NOW, 1, job)
    assert team_figures(project, "accuracy", AccuracyFigures).evaluations == 1
    assert Event.objects.count() == events


def test_asking_again_does_nothing_until_an_evaluation_comes_in(project):
    lead = make_lead(project=project)
    figure_team(project, by=lead)
    assert ask_for_team_figures(project=project, by=lead, now=moment(1)) is None
    ready_to_submit(project=project)
    assert set(TEAM_STATISTICS.present(project).rows) == set(KINDS)
    submitted(project=project)
    assert TEAM_STATISTICS.present(project).rows == {}
    assert ask_for_team_figures(project=project, by=lead, now=moment(2)).state == "queued"
    run_waiting_jobs(now=moment(3))
    assert set(TEAM_STATISTICS.present(project).rows) == set(KINDS)
    assert TeamFigures.objects.filter(project=project).count() == 2 * len(KINDS)


def test_a_withdrawn_game_and_other_purposes_take_no_part(project):
    before = TEAM_STATISTICS.present(project)
    evaluation = submitted(project=project)
    assert TEAM_STATISTICS.present(project).count == 2
    Game.objects.filter(pk=evaluation.game_id).update(
        withdrawn_at=NOW, withdrawn_by=evaluation.evaluator, withdrawn_reason="A test game."
    )
    assert TEAM_STATISTICS.present(project) == before
    slot = Slot.objects.create(
        project=project, game_id=evaluation.game_id, purpose="calibration", number=1, shuffle=1
    )
    Evaluation.objects.create(
        game=Game.objects.get(project=project, number=1),
        slot=slot,
        evaluator=evaluation.evaluator,
        purpose="calibration",
        measured=Measured.objects.get(game__project=project, game__number=1),
        state="submitted",
        seed="x",
        created_at=NOW,
    )
    assert TEAM_STATISTICS.present(project) == before


def test_doing_it_twice_leaves_what_once_leaves(project):
    figure_team(project)
    job = Job.objects.get(kind="figure_team")
    Job.objects.filter(pk=job.pk).update(state="queued")
    rows = list(TeamFigures.objects.values_list("pk", "body"))
    run_waiting_jobs(now=moment(9))
    assert list(TeamFigures.objects.values_list("pk", "body")) == rows


def test_a_worker_that_lost_the_job_writes_nothing(project):
    asked = ask_for_team_figures(project=project, by=make_lead(project=project), now=NOW)
    held = take_job(job=asked.pk, now=NOW)
    Job.objects.filter(pk=asked.pk).update(fence=held.fence + 1)
    with pytest.raises(JobLost):
        compute_team_figures(job=held, clock=lambda: NOW)
    assert not TeamFigures.objects.exists()


def test_without_evaluations_there_is_nothing_to_compute():
    project = make_rating_project()
    assert ask_for_team_figures(project=project, by=make_lead(project=project), now=NOW) is None
    assert not Job.objects.filter(kind="figure_team").exists()


def test_who_does_not_lead_may_not_ask(project):
    with pytest.raises(NotAllowed, match="Only team leads"):
        ask_for_team_figures(project=project, by=make_member(project=project), now=NOW)
    assert not Job.objects.filter(kind="figure_team").exists()
