"""Previews as a worker makes them: messages that come twice, two workers at once, one that died on the way."""

import pytest

from discussions.preview.actions import preview_games
from rubric.models import ImpactPreview
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import NOW, moment
from tests.factories.preview import asked, draft_with, recorded_with, thresholds, weights
from tests.factories.rating import make_rating_project
from workspace.jobs.actions import JobLost, run_job, take_job
from workspace.models import Job
from workspace.tasks import look_at_job

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def games(db):
    """The job on a draft that two verdicts are looked at for."""
    project = make_rating_project()
    for rating in ("3.5", "4.0"):
        recorded_with(project=project, rating=rating)
    return asked(draft_with(thresholds(engagement=4)))


@pytest.fixture
def rankings(db):
    made = make_set(elsewhere=1)
    review_with(comparison=made.comparisons.get(), reviewer=made.reviewers.get(), scores=RECORD_SCORES)
    return asked(draft_with(weights(0.33, 0.25, 0.22, 0.2), key="response"))


@pytest.mark.parametrize("name", ["games", "rankings"])
def test_a_message_that_comes_twice_leaves_one_preview(request, name):
    job = request.getfixturevalue(name)
    look_at_job["preview_games"].apply(args=[job.pk]).get()
    look_at_job["preview_games"].apply(args=[job.pk]).get()
    job.refresh_from_db()
    assert (job.state, job.done_count, job.total_count) == ("done", *((2, 2) if name == "games" else (1, 1)))
    assert ImpactPreview.objects.count() == 1


@pytest.mark.services(is_long=True)
def test_a_worker_that_wakes_after_its_lease_writes_nothing(games):
    late = take_job(job=games.pk, now=NOW)
    assert run_job(job=games.pk, clock=lambda: moment(1))
    row = ImpactPreview.objects.get()
    with pytest.raises(JobLost):
        preview_games(job=late, clock=lambda: moment(2))
    assert ImpactPreview.objects.get() == row
    assert Job.objects.get(pk=games.pk).state == "done"


@pytest.mark.services(is_long=True)
def test_another_worker_begins_again_where_one_died(games):
    """It had told how far it was; what was told is never taken back."""
    held = take_job(job=games.pk, now=NOW)
    Job.objects.filter(pk=held.pk).update(done_count=1, total_count=2)
    assert not run_job(job=games.pk, clock=lambda: NOW)
    assert run_job(job=games.pk, clock=lambda: moment(1))
    games.refresh_from_db()
    assert (games.state, games.done_count, games.total_count, games.fence) == ("done", 2, 2, 2)
    assert '"flip_count":1' in ImpactPreview.objects.get().body
