"""A pipeline that maps the columns of files."""

import pytest

from discussions.models import ColumnMapping, Game
from tests.factories.columns import upload_table
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead
from tests.factories.text_formats import COLUMNS, FIELDS
from tests.factories.tokens import program_of
from tests.factories.transcripts import make_games_project

pytestmark = pytest.mark.django_db
RECIPES = "projects/here/recipes/"


@pytest.fixture
def waiting(settings, tmp_path):
    """A program of a lead, and the address of a file whose columns are not known."""
    settings.MEDIA_ROOT = tmp_path
    lead = make_lead(project=make_games_project(slug="here"))
    table = upload_table(project=lead.memberships.get().project, by=lead)
    run_waiting_jobs()
    return program_of(lead), f"projects/here/imports/{table.pk}/"


def test_the_columns_of_a_file_are_mapped_once_for_the_project(waiting):
    program, address = waiting
    assert program.get(address).json()["state"] == "columns"
    found = program.get(f"{address}columns/").json()
    assert (found["columns"], found["is_kept"]) == (COLUMNS, False)
    preview = program.post(f"{address}columns/", {"fields": FIELDS, "is_preview": True}).json()
    assert preview["game_count"] > 0
    assert preview["messages"][0]["text"]
    assert not ColumnMapping.objects.exists()
    assert program.post(f"{address}columns/", {"fields": FIELDS}).json()["is_kept"]
    run_waiting_jobs()
    assert (program.get(address).json()["state"], Game.objects.count()) == ("done", preview["game_count"])
    kept = program.get(RECIPES).json()["items"][0]
    assert kept["fields"] == FIELDS
    program.send("delete", f"{RECIPES}{kept['id']}/")
    assert program.get(RECIPES).json()["items"] == []
    assert program.send("delete", f"{RECIPES}{kept['id']}/").status_code == 409


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"speaker": "who"}, "unknown_field"),
        ({"player": "whom"}, "no_column"),
        ({"player": "who", "text": "who"}, "chosen_twice"),
        ({"player": "who"}, "columns_needed"),
    ],
)
def test_fields_that_cannot_be_are_refused(waiting, fields, code):
    program, address = waiting
    answer = program.post(f"{address}columns/", {"fields": fields})
    assert (answer.status_code, answer.json()["code"]) == (422, code)
