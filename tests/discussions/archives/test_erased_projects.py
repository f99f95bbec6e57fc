"""An erased project leaves a number, and one line in the audit log of accounts."""

import pytest
from django.db import connection
from django.urls import reverse

from discussions.archives.actions import erased_people
from discussions.archives.actions.erasures import ask_to_erase
from tests.discussions.archives.test_erasures import breaches
from tests.factories.erasures import erase, find_everywhere
from tests.factories.exports import make_export
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_admin, moment
from tests.factories.project_archives import bring_in, make_judged_project, write_archive
from tests.factories.transcripts import import_game, make_games_project
from workspace.blob_store import list_files
from workspace.checks.actions import keep_heads
from workspace.core.refusals import Conflict
from workspace.models import Event, Job, Project
from workspace.people.actions.people import system_person

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def list_tables_with(project: int) -> set[str]:
    """The tables with a row that names the project by a column "project_id"."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            columns = {
                column.name for column in connection.introspection.get_table_description(cursor, table)
            }
            if "project_id" in columns:
                cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE project_id = %s", [project])
                found |= {table} if cursor.fetchone()[0] else set()
    return found


def test_nothing_of_an_erased_project_is_left_and_others_stay():
    project, lead = make_judged_project()
    other = make_games_project(slug="other")
    admin = make_admin()
    kept = import_game(project=other, by=admin)
    make_export(project=project, by=lead)
    keep_heads(by=system_person(now=NOW), now=NOW)
    archive, slug = write_archive(project, lead), project.slug
    files = set(list_files())
    assert len(list_tables_with(project.pk)) > 8
    erasure = erase(project, by=admin)
    assert erasure.done_at
    assert list_tables_with(project.pk) == {"workspace_erasure"}
    assert find_everywhere(project.name) == find_everywhere(slug) == []
    assert len(files - set(list_files())) >= 1
    assert kept.text.body
    assert breaches() == []
    assert not Project.objects.filter(pk=project.pk).exists()
    line = Event.objects.get(verb="project:erased")
    assert (line.chain.project, line.by, line.details["reason"]) == (None, admin, "Uploaded by mistake")
    with pytest.raises(Conflict, match="was erased here"):
        bring_in(archive, slug="again")


@pytest.mark.services(is_long=True)
@pytest.mark.parametrize(
    "dies_in",
    [
        "_delete",
        pytest.param("_forget_told", marks=pytest.mark.long),
        pytest.param("_leave_tombstone", marks=pytest.mark.long),
    ],
)
def test_an_erasure_that_dies_half_way_is_whole_after_the_next_try(dies_in, monkeypatch):
    project, _lead = make_judged_project()
    erasure = ask_to_erase(thing=project, reason="Why", by=make_admin(), now=NOW)

    def die(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(erased_people, dies_in, die)
        with pytest.raises(KeyboardInterrupt):
            run_waiting_jobs()
    Job.objects.filter(pk=erasure.job_id).update(state="queued")
    run_waiting_jobs(now=moment(2))
    assert list_tables_with(project.pk) == {"workspace_erasure"}
    assert breaches() == []
    assert Event.objects.filter(verb="project:erased").count() == 1


def test_the_page_asks_for_the_short_name(client):
    project, _lead = make_judged_project()
    client.force_login(make_admin())
    page = reverse("erase_project", args=[project.slug])
    assert "lines of its audit log" in client.get(page).content.decode()
    assert client.post(page, {"reason": "Why", "confirm": "x"}).status_code == 422
    assert client.post(page, {"reason": "Why", "confirm": project.slug}).status_code == 303
    run_waiting_jobs()
    assert client.get(page).status_code == 404
    assert client.get(reverse("erasures")).status_code == 200
