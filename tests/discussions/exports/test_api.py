"""Exports by a program: asked for, followed, downloaded by their owner alone."""

import json

import pytest
from django.utils import timezone

from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_admin, make_lead, make_member
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project
from workspace.models import Event, KeptAnswer

pytestmark = pytest.mark.django_db
PATH = "projects/here/exports/"


@pytest.fixture
def lead():
    return make_lead(project=make_games_project(slug="here"))


def test_an_export_is_asked_for_followed_and_downloaded(lead):
    project, program = lead.memberships.get().project, program_of(lead)
    game = import_game(project=project, by=lead)
    asked = program.post(PATH, {"of": f"game:{game.number}"})
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    address = f"{PATH}{asked.json()['id']}/"
    early = program.post(f"{address}file/")
    assert (early.status_code, early.json()["code"]) == (409, "not_ready")
    run_waiting_jobs(now=timezone.now())
    found = program.get(address).json()
    assert (found["state"], found["of"], found["done_count"]) == (
        "ready",
        f"game:{game.number}",
        found["total_count"],
    )
    kept = KeptAnswer.objects.count()
    file = program.post(f"{address}file/", key="again")
    assert "attachment" in file["Content-Disposition"]
    lines = [json.loads(line) for line in b"".join(file).splitlines()]
    assert lines[-1]["kind"] == "end"
    assert b"".join(program.post(f"{address}file/", key="again")).count(b"\n") == len(lines)
    assert KeptAnswer.objects.count() == kept
    assert Event.objects.filter(verb="export:downloaded").count() == 2
    for other in (make_admin(), make_lead(project=project)):
        assert program_of(other).get(address).status_code == 404
        assert program_of(other).post(f"{address}file/").status_code == 404
    assert program.post(f"{address}remove/").json()["state"] == "removed"
    assert program.post(f"{address}file/").json()["code"] == "expired"


def test_an_evaluator_exports_their_own_work_and_no_part_of_the_project(lead):
    member = make_member(project=lead.memberships.get().project)
    program = program_of(member)
    assert "own work" in program.post(PATH, {"format": "csv"}).json()["holds"]
    refused = program.post(PATH, {"of": "stage:1"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert program.post(PATH, {"format": "pdf"}).status_code == 422
    unknown = program_of(lead).post(PATH, {"of": "game:77"})
    assert (unknown.status_code, unknown.json()["code"]) == (422, "no_subject")


def test_an_export_that_waits_is_cancelled_and_lists_take_few_queries(lead, django_assert_max_num_queries):
    program = program_of(lead)
    for _export in range(4):
        made = program.post(PATH).json()
    assert program.post(f"{PATH}{made['id']}/cancel/").json()["state"] == "cancelled"
    with django_assert_max_num_queries(9):
        assert len(program.get(PATH).json()["items"]) == 4
