"""Requests that no page of ours makes: forged forms, foreign ids, fields nobody asked for. None does anything."""

import re

import pytest
from django.db import OperationalError
from django.forms.models import model_to_dict
from django.test import Client
from django.urls import reverse

from tests.factories.people import (
    load_membership,
    make_admin,
    make_lead,
    make_member,
    make_person,
    make_project,
)
from workspace.models import Event, Membership, Person

pytestmark = pytest.mark.django_db


IDS = ["0", "-1", "9" * 40, "1" * 5000, "1 OR 1=1", "1%00", "%ff", "٣", "1e3", "0x1"]


def test_a_form_without_its_token_changes_nothing_and_keeps_what_was_typed():
    browser = Client(enforce_csrf_checks=True)
    person = make_person()
    browser.force_login(person)
    given = {"name": "Ada <script>", "time_zone": ""}
    answer = browser.post(reverse("settings"), given, headers={"Origin": "http://testserver"})
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "Ada &lt;script&gt;" in page
    assert "Send it again" in page
    assert Person.objects.get(pk=person.pk).name == person.name
    again = {"csrfmiddlewaretoken": str(answer.context["csrf_token"]), **given}
    assert browser.post(reverse("settings"), again).status_code == 303


def test_the_forms_of_a_page_share_one_token_and_the_next_page_has_another(client):
    client.force_login(make_person())
    tokens = [
        re.findall(
            r'name="csrfmiddlewaretoken" value="(\w{64})"', client.get(reverse("settings")).content.decode()
        )
        for _page in range(2)
    ]
    first, second = tokens
    assert len(first) == len(second) > 1
    assert len({*first}) == len({*second}) == 1
    assert first[0] != second[0]


@pytest.mark.parametrize("origin", [None, "https://evil.example", "null"])
def test_a_foreign_page_cannot_have_its_form_sent_again_from_here(origin):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(make_person())
    headers = {"Origin": origin} if origin else {}
    answer = browser.post(reverse("settings"), {"name": "Planted"}, headers=headers)
    assert answer.status_code == 403
    assert "Send it again" not in answer.content.decode()


@pytest.mark.parametrize("number", IDS)
def test_ids_that_are_none_are_answered_not_found(client, number):
    project = make_project()
    client.force_login(make_admin())
    for path in (
        f"/people/{number}/off/",
        f"/people/invitations/{number}/withdraw/",
        f"/projects/{project.slug}/people/{number}/end/",
    ):
        assert client.post(path).status_code == 404, path
    assert client.get(f"/projects/{number}/").status_code == 404


def test_a_database_that_is_away_before_the_view_is_told_on_a_page(client, monkeypatch):
    def fail(*_given):
        raise OperationalError("secret")

    client.force_login(make_admin())
    client.raise_request_exception = False
    monkeypatch.setattr("workspace.models.sign_ins.load_person", fail)
    answer = client.get("/projects/")
    assert answer.status_code == 503
    assert b"secret" not in answer.content


def test_what_belongs_elsewhere_is_not_found_under_ones_own_address(client):
    here, there = make_project(), make_project()
    foreign = make_member(project=there)
    at = load_membership(person=foreign, project=there).pk
    client.force_login(make_admin())
    for name in ("change_member", "end_member"):
        assert client.post(reverse(name, args=[here.slug, at]), {"role": "lead"}).status_code == 404
    client.force_login(make_lead(project=here))
    for name in ("change_member", "end_member"):
        assert client.post(reverse(name, args=[there.slug, at]), {"role": "lead"}).status_code == 404
    assert load_membership(person=foreign, project=there).role == "evaluator"


def test_a_lead_cannot_tell_projects_of_others_from_ones_that_are_not_there(client):
    project, other = make_project(), make_project()
    client.force_login(make_lead(project=project))
    foreign, missing = client.get(f"/projects/{other.slug}/"), client.get("/projects/nowhere/")
    assert foreign.status_code == missing.status_code == 404
    pages = [
        re.sub(r'(?<=[":] ")\w{64}(?=")|(?<=value=")\w{64}', "TOKEN", answer.content.decode())
        for answer in (foreign, missing)
    ]
    assert pages[0].replace(other.slug, "nowhere") == pages[1]


@pytest.mark.parametrize(
    "field", [field.name for field in Person._meta.get_fields() if hasattr(field, "column")]
)
def test_fields_nobody_asked_for_are_refused(client, field):
    if field in ("name", "time_zone", "has_single_keys"):
        pytest.skip("is asked for")
    person = make_person()
    client.force_login(person)
    before = model_to_dict(Person.objects.get(pk=person.pk))
    events = Event.objects.count()
    answer = client.post(reverse("settings"), {"name": "Ada", "time_zone": "", field: "1"})
    assert answer.status_code == 400
    assert model_to_dict(Person.objects.get(pk=person.pk)) == before
    assert Event.objects.count() == events


@pytest.mark.parametrize(
    "extra", ["is_staff", "is_superuser", "role", "project", "version", "user", "by", "now"]
)
def test_nothing_of_an_action_can_be_named_from_outside(client, extra):
    client.force_login(make_admin())
    given = {"name": "New", "slug": "brand-new", extra: "1"}
    assert client.post(reverse("create_project"), given).status_code == 400


def test_a_field_sent_twice_is_refused(client):
    project = make_project()
    client.force_login(make_admin())
    body = "email=a@example.org&email=b@example.org&role=lead"
    form = "application/x-www-form-urlencoded"
    answer = client.post(reverse("add_to_project", args=[project.slug]), body, content_type=form)
    assert answer.status_code == 400
    assert client.get(reverse("audit", args=[project.slug]) + "?kind=person&kind=job").status_code == 400


def test_a_role_that_does_not_exist_is_refused(client):
    project = make_project()
    member = make_member(project=project)
    at = load_membership(person=member, project=project).pk
    client.force_login(make_admin())
    for role in ("admin", "owner", ""):
        answer = client.post(reverse("change_member", args=[project.slug, at]), {"role": role})
        assert answer.status_code == 422
    assert Membership.objects.get(pk=at).ended_at is None


def test_the_htmx_header_opens_no_door(client):
    project = make_project()
    client.force_login(make_member(project=project))
    htmx = {"HX-Request": "true", "HX-Boosted": "false", "HX-Current-URL": "http://testserver/people/"}
    for path in ("/people/", f"/projects/{project.slug}/audit/", "/projects/new/"):
        assert client.get(path, headers=htmx).status_code == 403


def test_the_verb_cannot_be_overridden(client):
    client.force_login(make_admin())
    answer = client.get(reverse("account_logout"), headers={"X-HTTP-Method-Override": "POST"})
    assert answer.status_code == 405


def test_names_are_shown_as_text(client):
    hostile = '<img src=x onerror="alert(1)">\u202e{{7*7}}'
    admin = make_admin(name=hostile.replace("\u202e", ""))
    client.force_login(admin)
    page = client.get(reverse("people")).content.decode()
    assert "<img" not in page
    assert "{{7*7}}" in page
