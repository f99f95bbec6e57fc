"""The job that computes a set's figures: twice, taken over or at once, it leaves the same rows."""

import pytest

from rubric.models import SetFigures
from rubric.reviewer_statistics.actions import ask_for_figures, compute_figures
from rubric.reviewer_statistics.core.figure_kinds import KINDS
from rubric.reviewer_statistics.queries import SET_STATISTICS
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, moment
from tests.factories.reviewer_statistics import make_reviewed_set
from workspace.jobs.actions import JobLost, run_job, take_job
from workspace.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def job(db):
    made = make_reviewed_set()
    return ask_for_figures(comparison_set=made, by=made.created_by, now=NOW)


def rows():
    return list(SetFigures.objects.order_by("pk").values_list())


def test_a_job_done_twice_leaves_the_same_rows(job):
    run_waiting_jobs()
    before = rows()
    assert len(before) == len(KINDS)
    Job.objects.filter(pk=job.pk).update(state="running", lease_until=NOW, attempt=1, finished_at=None)
    assert run_job(job=job.pk, clock=lambda: moment(5))
    assert rows() == before
    assert Job.objects.get(pk=job.pk).state == "done"


def test_a_worker_that_died_on_the_way_is_gone_on_from(job):
    moments = iter([moment(0), moment(0), moment(0), moment(0)])
    with pytest.raises(StopIteration):
        run_job(job=job.pk, clock=lambda: next(moments))
    before = rows()
    assert len(before) == 2
    assert Job.objects.get(pk=job.pk).done_count == 2
    assert run_job(job=job.pk, clock=lambda: moment(5))
    assert rows()[:2] == before
    assert SetFigures.objects.count() == len(KINDS)


def test_a_worker_whose_job_was_taken_over_writes_nothing(job):
    late = take_job(job=job.pk, now=NOW)
    Job.objects.filter(pk=job.pk).update(lease_until=NOW)
    assert run_job(job=job.pk, clock=lambda: moment(1))
    before = rows()
    with pytest.raises(JobLost):
        compute_figures(job=late, clock=lambda: moment(2))
    assert rows() == before


def test_a_kind_that_meets_an_error_does_not_keep_the_others(job, monkeypatch):
    broken, read = KINDS[0], type(SET_STATISTICS).read

    def break_one(self, owner, kind):
        if kind == broken:
            raise ZeroDivisionError("this kind")
        return read(self, owner, kind)

    monkeypatch.setattr(type(SET_STATISTICS), "read", break_one)
    with pytest.raises(ZeroDivisionError):
        run_job(job=job.pk, clock=lambda: moment(1))
    assert set(SetFigures.objects.values_list("kind", flat=True)) == set(KINDS) - {broken}
    job.refresh_from_db()
    assert (job.state, job.cause.partition(" (")[0]) == (
        "running",
        "2026-03-02 09:01 UTC, ZeroDivisionError: this kind",
    )
