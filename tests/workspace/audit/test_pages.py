"""The page of the audit log: every kind of thing that a line can be about is a choice of its filter."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.db import transaction
from django.urls import reverse

from tests.factories.comparisons import make_set
from tests.factories.people import make_lead, make_project
from tests.guards.house import python_files, short
from workspace.audit.actions import record_event
from workspace.audit.pages import KINDS

NAMES = ("object_kind", "row_name")


def list_kinds(source: str) -> Iterator[str]:
    """The kinds that a file records: a keyword `object_kind`, or the name `row_name` of a revisions class."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg in NAMES and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
        if isinstance(node, ast.Assign):
            yield from _list_assigned(node)


def _list_assigned(node: ast.Assign) -> Iterator[str]:
    target = node.targets[0]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    for name, value in zip(names, values, strict=False):
        if isinstance(name, ast.Name) and name.id in NAMES and isinstance(value, ast.Constant):
            yield str(value.value)


def test_the_log_can_be_filtered_by_everything_that_is_recorded():
    recorded = {
        kind
        for path in python_files()
        if not short(path).startswith("tests/")
        for kind in list_kinds(path.read_text())
    }
    assert recorded == set(KINDS)


def test_kinds_are_found_in_calls_and_in_classes():
    source = 'record_event(object_kind="set")\nclass A:\n    row_name, owner_name = "mark", "review"'
    assert set(list_kinds(source)) == {"mark", "set"}


@pytest.mark.django_db
def test_lines_about_comparison_sets_are_shown_alone(client):
    project = make_project()
    lead = make_lead(project=project)
    make_set(by=lead)
    client.force_login(lead)
    address = reverse("audit", args=[project.slug])
    assert '<option value="comparison_set"' in client.get(address).content.decode()
    shown = client.get(address, {"kind": "comparison_set"}).context["page"].lines
    assert {event.object_kind for event, _detail in shown} == {"comparison_set"}
    assert "comparison_set:opened" in [event.verb for event, _detail in shown]


@pytest.mark.django_db
def test_lines_are_chosen_by_person_and_day(client):
    project = make_project()
    lead, second = make_lead(project=project), make_lead(project=project)
    for by, day in ((lead, 3), (second, 4), (lead, 5)):
        with transaction.atomic():
            at = datetime(2026, 3, day, 12, tzinfo=UTC)
            record_event(by=by, now=at, project=project, verb="a:b", object_kind="game", object_id=day)
    client.force_login(lead)
    address = reverse("audit", args=[project.slug])

    def found(**given: str) -> list[str]:
        lines = client.get(address, {"kind": "game", **given}).context["page"].lines
        return [event.object_id for event, _detail in lines]

    assert found() == ["5", "4", "3"]
    assert found(who=lead.email.upper()) == ["5", "3"]
    assert found(since="2026-03-04", until="2026-03-04") == ["4"]
    assert found(who=lead.name, since="2026-03-04") == ["5"]
    for day in ("0001-01-01", "9999-12-31"):
        assert client.get(address, {"since": day, "until": day}).status_code == 422
    refused = client.get(address, {"since": "yesterday"})
    assert (refused.status_code, "Enter a valid date" in refused.content.decode()) == (422, True)
