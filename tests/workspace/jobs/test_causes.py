"""An unforeseen error of a job stays with its row: class, message and place, for admins alone."""

import html

import pytest
from django.urls import reverse

from discussions.models import Game
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_admin, make_lead, moment
from tests.factories.transcripts import make_games_project, upload
from tests.workspace.jobs.test_used_again import ask
from workspace.core.causes import LONGEST_CAUSE, describe_cause
from workspace.core.refusals import Conflict
from workspace.jobs.actions import LEASE, MOST_ATTEMPTS, run_job
from workspace.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.services]

SECRET = "password=hunter2"
KIND = "figure_team"
ACT = "discussions.reliability.actions.compute_team_figures"


@pytest.fixture
def lead(db):
    return make_lead(project=make_games_project(slug="ours"))


@pytest.fixture
def broken(monkeypatch, lead):
    """A job that met an unforeseen error as often as it may."""

    def act(*, job, clock):
        describe_cause(KeyError("not this one"))
        LEASE.no_such_name  # noqa: B018

    def fail_deep(*, job, clock):
        try:
            act(job=job, clock=clock)
        except AttributeError as fault:
            raise ValueError(f"cannot connect: {SECRET}\x00\n<b>") from fault

    monkeypatch.setattr(ACT, fail_deep)
    job = ask(by=lead, now=NOW, kind=KIND, project=lead.memberships.get().project)
    for number in range(MOST_ATTEMPTS):
        now = NOW + number * LEASE
        with pytest.raises(ValueError, match="hunter2"):
            run_job(job=job.pk, clock=lambda now=now: now)
    assert not run_job(job=job.pk, clock=lambda: NOW + MOST_ATTEMPTS * LEASE)
    job.refresh_from_db()
    assert (job.state, job.error_code) == ("failed", "gave_up")
    return job


def get_text(client, name):
    return " ".join(html.unescape(client.get(reverse(name)).content.decode()).split())


def test_class_message_and_place_are_kept(broken):
    said = broken.cause
    assert said.startswith("2026-03-02 09:00 UTC, ValueError: cannot connect: password=hunter2 <b> (")
    # The innermost line of the product, not of the library or test that raised.
    assert "(workspace/jobs/actions.py:" in said
    assert SECRET not in broken.error


def test_admins_see_it_and_nobody_else(client, broken, lead):
    client.force_login(make_admin())
    assert f"ValueError: cannot connect: {SECRET}" in get_text(client, "overview")
    assert f"ValueError: cannot connect: {SECRET}" in get_text(client, "status")
    client.force_login(lead)
    said = get_text(client, "status")
    assert f'id="job-{broken.pk}"' in said
    assert "ValueError" not in said
    assert "hunter2" not in said


def test_a_new_life_forgets_it_and_a_foreseen_refusal_leaves_none(monkeypatch, broken, lead):
    def refuse(*, job, clock):
        raise Conflict("This cannot be.")

    monkeypatch.setattr(ACT, refuse)
    project = lead.memberships.get().project
    assert ask(by=lead, now=moment(9), kind=KIND, project=project).cause == ""
    run_job(job=broken.pk, clock=lambda: moment(9))
    broken.refresh_from_db()
    assert (broken.state, broken.error, broken.cause) == ("failed", "This cannot be.", "")


def test_a_kind_that_this_version_does_not_know_is_named(lead):
    job = ask(by=lead, now=NOW, kind="of_a_newer_version")
    with pytest.raises(KeyError):
        run_job(job=job.pk, clock=lambda: NOW)
    job.refresh_from_db()
    assert "KeyError: 'of_a_newer_version' (workspace/jobs/actions.py:" in job.cause


def test_an_error_in_one_game_is_kept_with_the_job_that_measures(monkeypatch, lead):
    def break_game(record, rubric):
        raise ZeroDivisionError("no messages in 'x'")

    monkeypatch.setattr("discussions.metrics.actions.measure_game", break_game)
    upload(project=lead.memberships.get().project, by=lead)
    run_waiting_jobs()
    assert Game.objects.count() == 1
    job = Job.objects.get(kind="measure")
    assert job.error_code == "games_failed"
    assert "ZeroDivisionError: no messages in 'x' (discussions/metrics/actions.py:" in job.cause


def test_a_long_message_is_cut_and_keeps_its_place():
    try:
        describe_cause(None)  # type: ignore[arg-type]
    except AttributeError as fault:
        fault.args = ("x" * 5000,)
        said = describe_cause(fault)
    assert len(said) == LONGEST_CAUSE
    assert said.startswith("AttributeError: xxx")
    assert "x (workspace/core/causes.py:" in said
