"""A rubric version, read only: what everybody reads, and weights for leads and admins alone."""

import pytest
from django.urls import reverse

from rubric.models import RubricVersion
from rubric.pages.readings import readings
from tests.factories import NOW, make_admin, make_lead, make_member, make_person, make_project

pytestmark = pytest.mark.django_db

ADDRESS = "/rubrics/discussion/1.0/"


def shown(client, person):
    client.force_login(person)
    return client.get(ADDRESS).content.decode()


def test_everything_the_version_decides_is_on_the_page(client):
    said = shown(client, make_person())
    record = RubricVersion.objects.get(rubric__key="discussion").to_record()
    for criterion in record.criteria:
        assert criterion.label in said
    for name in (*record.parameters, *record.lists):
        assert name in said
    assert "What it decides" in said
    assert reverse("rubric_version", args=["discussion", "1.0"]) == ADDRESS


def test_weights_are_for_leads_and_admins(client):
    project = make_project()
    assert "14.29 %" not in shown(client, make_member(project=project))
    assert "14.29 %" in shown(client, make_lead(project=project))
    assert "14.29 %" in shown(client, make_admin())


def test_a_draft_is_not_there_but_for_admins(client):
    version = RubricVersion.objects.get(rubric__key="discussion")
    RubricVersion.objects.create(
        rubric=version.rubric, number="1.1", body=version.body, sha256="x", created_at=NOW,
        created_by=version.created_by,
    )  # fmt: skip
    for person, status in ((make_person(), 404), (make_admin(), 200)):
        client.force_login(person)
        assert client.get("/rubrics/discussion/1.1/").status_code == status


def test_every_parameter_of_the_shipped_versions_is_explained(client):
    records = [version.to_record() for version in RubricVersion.objects.all()]
    assert {name for record in records for name in record.parameters} == set(readings())


def test_the_response_rubric_has_a_page_too(client):
    client.force_login(make_admin())
    said = client.get("/rubrics/response/1.0/").content.decode()
    for words in ("Response quality 1.0", "ADR-016", "Conciseness", "9-10", "35.00 %", "ask_overall"):
        assert words in said
    for words in ("Passes", "Word lists"):
        assert words not in said


def test_queries(client, django_assert_num_queries):
    client.force_login(make_person())
    client.get(ADDRESS)
    with django_assert_num_queries(4):
        assert client.get(ADDRESS).status_code == 200
