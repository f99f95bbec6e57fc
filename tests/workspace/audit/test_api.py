"""The audit log for programs: newest first, in parts, by what the lines are about."""

import pytest
from django.utils import timezone

from tests.factories.people import make_admin, make_lead, make_member, make_project
from tests.factories.tokens import program_of
from workspace.models import Event

pytestmark = pytest.mark.django_db


def test_the_parts_of_a_log_hold_every_line_once_and_a_kind_alone():
    project = make_project(slug="here")
    for _person in range(55):
        make_member(project=project)
    program = program_of(make_lead(project=project))
    found, path = [], "projects/here/audit/"
    while path:
        part = program.get(path).json()
        found += [line["seq"] for line in part["items"]]
        path = (part["next"] or "").removeprefix("/api/v1/")
    assert found == list(range(57, 0, -1))
    shown = program.get("projects/here/audit/", kind="project").json()["items"]
    assert [(line["verb"], line["detail"]) for line in shown] == [("project:created", {"slug": "here"})]


def test_an_admin_reads_the_log_of_accounts_with_the_making_of_tokens():
    program = program_of(make_admin(name="Ada"))
    line = program.get("audit/", kind="access_token").json()["items"][0]
    event = Event.objects.get(verb="access_token:created")
    assert (line["by"], line["mac"]) == ("Ada", event.mac)
    assert line["detail"]["scopes"] == "read import rate admin"


def test_lines_are_chosen_by_who_and_by_day():
    program = program_of(make_admin(name="Ada"))
    today = timezone.localdate().isoformat()

    def count(**chosen):
        return len(program.get("audit/", kind="access_token", **chosen).json()["items"])

    assert [count(who="ada"), count(who="nobody"), count(since=today), count(until="2001-01-01")] == [
        1,
        0,
        1,
        0,
    ]
    assert program.get("audit/", until="9999-12-31").status_code == 422
