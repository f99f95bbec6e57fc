"""The overview for admins: projects, jobs with retry, workers, storage, versions, the last backup."""

import html
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from discussions.metrics.core.registry import CODE_VERSION
from tests.factories.iterations import make_stage
from tests.factories.jobs import make_failed_job
from tests.factories.people import make_admin, make_lead, make_member, make_project
from tests.factories.tokens import program_of
from workspace.checks.pages import find_last_backup
from workspace.jobs.actions import beat
from workspace.models import Event, Job
from workspace.people.actions.people import system_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client, settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    found = make_admin()
    client.force_login(found)
    return found


def get_text(client, name="overview", **given):
    answer = client.get(reverse(name), **given)
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


@pytest.mark.usefixtures("admin")
def test_it_tells_the_product_from_the_code_of_the_metrics(client, settings):
    said = get_text(client)
    assert f"evalsite (product)</dt><dd>{settings.VERSION}</dd>" in said
    assert f"Code of the metrics</dt><dd>{CODE_VERSION}</dd>" in said


def test_it_says_that_no_worker_is_running_until_one_beats(client, admin):
    assert "No worker is running" in get_text(client)
    now = timezone.now()
    beat(worker="celery@here", by=system_person(now=now), now=now)
    said = get_text(client)
    assert "No worker is running" not in said
    assert "celery@here" in said


@pytest.mark.usefixtures("admin")
def test_projects_stand_with_their_stage_and_members(client):
    stage = make_stage(name="Reasons")
    make_member(project=stage.project)
    make_project(slug="empty")
    said = get_text(client)
    assert reverse("stage", args=[stage.project.slug, 1]) in said
    assert reverse("members", args=["empty"]) in said


def test_a_failed_job_shows_its_reason_and_is_retried_once(client, admin):
    project = make_project(slug="ours")
    job = make_failed_job(project=project, by=admin)
    assert "It stopped 3 times." in get_text(client)
    answer = client.post(reverse("retry_job", args=[job.pk]))
    assert (answer.status_code, answer["Location"]) == (303, reverse("overview") + "#failed")
    job.refresh_from_db()
    assert (job.state, job.error, job.attempt) == ("queued", "", 0)
    assert Event.objects.get(verb="job:retried").object_id == str(job.pk)
    assert client.post(reverse("retry_job", args=[job.pk])).status_code == 409


@pytest.mark.parametrize(
    ("kind", "says"), [("import", "on its own page"), ("ask_models", "calls cost money")]
)
def test_jobs_with_conditions_of_their_own_are_not_retried_here(client, admin, kind, says):
    job = make_failed_job(project=make_project(slug="ours"), by=admin, kind=kind)
    assert says in get_text(client)
    assert client.post(reverse("retry_job", args=[job.pk])).status_code == 403
    assert Job.objects.get().state == "failed"


def test_a_lead_sees_and_retries_failed_jobs_of_their_own_projects_alone(client):
    ours, theirs = make_project(slug="ours"), make_project(slug="theirs")
    lead = make_lead(project=ours)
    own, other = make_failed_job(project=ours, by=lead), make_failed_job(project=theirs, by=lead, subject="x")
    client.force_login(lead)
    said = get_text(client, "status")
    assert f'id="job-{own.pk}"' in said
    assert f'id="job-{other.pk}"' not in said
    assert client.post(reverse("retry_job", args=[other.pk])).status_code == 404
    assert client.post(reverse("retry_job", args=[own.pk]))["Location"] == reverse("status") + "#failed"
    assert client.get(reverse("overview")).status_code == 403


@pytest.mark.usefixtures("admin")
def test_htmx_gets_the_live_part_alone(client):
    said = get_text(client, headers={"HX-Request": "true"})
    assert said.startswith('<div id="site"')
    assert 'hx-trigger="every 30s"' in said


@pytest.mark.usefixtures("admin")
def test_without_a_backup_it_says_so(client):
    assert "No backup was made with manage.py backup" in get_text(client)


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_the_last_backup_is_the_one_that_the_command_made_and_checked(client, settings, tmp_path):
    settings.MEDIA_ROOT, settings.VAR_DIR = tmp_path / "media", tmp_path / "var"
    (tmp_path / "backups").mkdir()
    call_command("backup", tmp_path / "backups")
    (file,) = (tmp_path / "backups").glob("*.zip")
    now = timezone.now()
    found = find_last_backup(now)
    assert (found["name"], found["is_late"]) == (file.name, False)
    assert find_last_backup(now + timedelta(days=2))["is_late"]
    client.force_login(make_admin())
    said = get_text(client)
    assert file.name in said
    assert "read back whole" in said


def test_programs_of_admins_read_the_same(client, admin):
    job = make_failed_job(project=make_project(slug="ours"), by=admin)
    program = program_of(admin)
    answer = program.get("overview/").json()
    assert answer["versions"]["metrics"] == CODE_VERSION
    assert [failed["id"] for failed in answer["failed_jobs"]] == [job.pk]
    assert answer["backup"] is None
    assert program.post(f"jobs/{job.pk}/retry/", {}).json()["state"] == "queued"


def test_storage_counts_what_is_stored(client, admin, settings):
    (settings.MEDIA_ROOT / "transcripts").mkdir()
    (settings.MEDIA_ROOT / "transcripts" / "a").write_bytes(b"x" * 2048)
    answer = program_of(admin).get("overview/").json()
    assert (answer["file_count"], answer["file_bytes"]) == (1, 2048)
    assert answer["database_bytes"] > 0
    assert "1 file" in get_text(client)
