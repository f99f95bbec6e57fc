"""The pages of people and projects: what each shows, what its buttons do, what they refuse."""

import html
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.factories.people import (
    load_membership,
    make_admin,
    make_lead,
    make_member,
    make_person,
    make_project,
)
from workspace.models import Invitation, Membership, Person, Project, SignIn
from workspace.people.actions.people import deactivate_person, invite

pytestmark = pytest.mark.django_db


def signed_in(client, person):
    client.force_login(person)
    return client


def test_an_admin_opens_a_project_and_lands_on_its_people(client):
    signed_in(client, make_admin())
    answer = client.post(reverse("create_project"), {"name": "Spring", "slug": "spring"})
    assert (answer.status_code, answer["Location"]) == (303, "/projects/spring/people/")
    assert Project.objects.get().iterations.count() == 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"name": "Spring", "slug": "Spring!"}, "small letters"),
        ({"name": "Spring", "slug": "new"}, "small letters"),
        ({"name": "", "slug": "spring"}, "required"),
        ({"name": "\u202e", "slug": "spring"}, "visible characters"),
        ({"name": "x\x00y", "slug": "spring"}, "Null characters"),
    ],
)
def test_a_project_with_a_bad_name_is_not_opened(client, given, says):
    signed_in(client, make_admin())
    answer = client.post(reverse("create_project"), given)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Mafia  Spring 2026!", "mafia-spring-2026"),
        ("Ann's Größe & Café", "anns-groe-cafe"),
        ("New", "new-2"),
        ("Taken", "taken-3"),
        ("x" * 80, "x" * 60),
    ],
)
def test_without_a_short_name_one_is_proposed_and_what_was_typed_stays(client, name, slug):
    make_project(slug="taken"), make_project(slug="taken-2")
    signed_in(client, make_admin())
    answer = client.post(reverse("create_project"), {"name": name, "slug": ""})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert f'value="{name}"' in page and f'value="{slug}"' in page
    assert "It was made from the name." in page
    assert Project.objects.count() == 2
    assert client.post(reverse("create_project"), {"name": name, "slug": slug}).status_code == 303


def test_a_name_without_such_letters_asks_for_a_short_name(client):
    signed_in(client, make_admin())
    page = client.post(reverse("create_project"), {"name": "狼人殺"}).content.decode()
    assert 'value="狼人殺"' in page and "Write a short name, such as mafia-2026." in page


def test_a_taken_short_name_is_said_at_the_form(client):
    project = make_project()
    signed_in(client, make_admin())
    answer = client.post(reverse("create_project"), {"name": "Another", "slug": project.slug})
    assert answer.status_code == 409
    assert "short name already" in answer.content.decode()
    assert 'value="Another"' in answer.content.decode()


def test_people_who_may_never_open_projects_see_no_way_to(client):
    signed_in(client, make_lead(project=make_project()))
    page = client.get(reverse("projects")).content.decode()
    assert "New project" not in page
    assert reverse("create_project") not in page


def test_whoever_has_an_account_is_added_at_once(client):
    project, person = make_project(), make_person()
    signed_in(client, make_admin())
    answer = client.post(
        reverse("add_to_project", args=[project.slug]), {"email": person.email.upper(), "role": "lead"}
    )
    assert answer.status_code == 303
    assert load_membership(person=person, project=project).role == "lead"


def test_anybody_else_is_invited_and_the_link_is_shown_once(client):
    project = make_project()
    signed_in(client, make_admin())
    add = reverse("add_to_project", args=[project.slug])
    answer = client.post(add, {"email": "new@example.org", "role": "evaluator"})
    link = re.search(r'value="(http://testserver/invitations/[^"]+)"', answer.content.decode())[1]
    assert link.rsplit("/", 2)[1] not in Invitation.objects.get().secret_hash
    assert link not in client.get(reverse("members", args=[project.slug])).content.decode()
    client.logout()
    assert "Invitation to" in client.get(link).content.decode()
    before = client.session
    before["left"] = "by somebody"
    before.save()
    made = client.post(link, {"name": "Newcomer", "password": "seven green parrots"})
    assert (made.status_code, made["Location"]) == (303, reverse("projects"))
    newcomer = Person.objects.get(email="new@example.org")
    assert client.session["_auth_user_id"] == str(newcomer.pk)
    assert client.session.session_key != before.session_key
    assert not SignIn.objects.filter(session_key=before.session_key).exists()
    assert project.name in client.get(made["Location"]).content.decode()
    assert load_membership(person=newcomer, project=project).role == "evaluator"
    assert client.get(link).status_code == 404


def test_the_taker_with_an_account_signs_in_and_accepts(client):
    project, admin, person = make_project(), make_admin(), make_person()
    invited = invite(email=person.email, role="lead", project=project, by=admin, now=timezone.now())
    link = reverse("invitation", args=[invited.secret])
    assert "You have an account already" in client.get(link).content.decode()
    assert signed_in(client, person).post(link).status_code == 303
    assert load_membership(person=person, project=project).role == "lead"


def test_an_invitation_is_not_for_somebody_else(client):
    project, admin = make_project(), make_admin()
    invited = invite(email="other@example.org", role="lead", project=project, by=admin, now=timezone.now())
    answer = signed_in(client, make_person()).post(reverse("invitation", args=[invited.secret]))
    assert answer.status_code == 409
    assert "another address" in answer.content.decode()
    assert Invitation.objects.get().accepted_at is None


def test_roles_change_and_end(client):
    project = make_project()
    evaluator = make_member(project=project)
    signed_in(client, make_admin())
    at = load_membership(person=evaluator, project=project).pk
    assert client.post(reverse("change_member", args=[project.slug, at]), {"role": "lead"}).status_code == 303
    now_at = load_membership(person=evaluator, project=project)
    assert (now_at.role, now_at.pk != at) == ("lead", True)
    for name, sent in (
        ("end_member", {}),
        ("change_member", {"role": "lead"}),
        ("change_member", {"role": "evaluator"}),
    ):
        late = client.post(reverse(name, args=[project.slug, at]), sent)
        assert late.status_code == 409
        assert "has changed since the page was opened" in late.content.decode()
    assert load_membership(person=evaluator, project=project).pk == now_at.pk
    assert client.post(reverse("end_member", args=[project.slug, now_at.pk])).status_code == 303
    assert not Membership.objects.filter(project=project, ended_at=None).exists()


def test_nobody_changes_their_own_role(client):
    project, admin = make_project(), make_admin()
    make_member(project=project, person=admin)
    at = load_membership(person=admin, project=project).pk
    signed_in(client, admin)
    answer = client.post(reverse("change_member", args=[project.slug, at]), {"role": "lead"})
    assert answer.status_code == 403
    assert "Nobody changes their own role" in answer.content.decode()
    assert (
        "Nobody changes their own role"
        in client.get(reverse("members", args=[project.slug])).content.decode()
    )


def test_accounts_are_switched_off_and_on(client):
    admin, person = make_admin(), make_person()
    signed_in(client, admin)
    assert client.post(reverse("switch_off", args=[person.pk])).status_code == 303
    assert not Person.objects.get(pk=person.pk).is_active
    assert client.post(reverse("switch_off", args=[person.pk])).status_code == 409
    assert client.post(reverse("switch_on", args=[person.pk])).status_code == 303
    assert client.post(reverse("switch_off", args=[admin.pk])).status_code == 403


def test_admins_are_invited_by_admins(client, settings):
    signed_in(client, make_admin())
    answer = client.post(reverse("invite_admin"), {"email": "boss@example.org"})
    link = re.search(r'value="(http://testserver/invitations/[^"]+)"', answer.content.decode())[1]
    client.logout()
    settings.REQUIRE_TOTP = True
    made = client.post(link, {"name": "Boss", "password": "seven green parrots"})
    assert client.get(made["Location"])["Location"].startswith(reverse("set_up_second_factor"))
    assert Person.objects.get(email="boss@example.org").is_admin


def test_settings_are_kept(client):
    person = make_person()
    signed_in(client, person)
    answer = client.post(reverse("settings"), {"name": "Ada  Byron", "time_zone": "Europe/Vienna"})
    assert answer.status_code == 303
    person.refresh_from_db()
    assert (person.name, person.time_zone, person.has_single_keys) == ("Ada Byron", "Europe/Vienna", False)
    assert client.post(reverse("settings"), {"name": "Ada", "time_zone": "Moon/Base"}).status_code == 422


def test_the_theme_is_kept_in_a_cookie(client):
    answer = client.post(reverse("set_theme"), {"theme": "dark", "next": "/sign-in/"})
    assert (answer.status_code, answer["Location"]) == (303, "/sign-in/")
    assert client.cookies["theme"].value == "dark"
    assert 'data-theme="dark"' in client.get("/sign-in/").content.decode()
    assert client.post(reverse("set_theme"), {"theme": "pink"}).status_code == 400


def test_the_audit_log_is_paged_and_filtered_from_a_list(client):
    project = make_project()
    lead = make_lead(project=project)
    for _ in range(30):
        person = make_member(project=project)
        deactivate_person(person=person, by=make_admin(), now=timezone.now())
    make_many = [make_member(project=project) for _ in range(30)]
    signed_in(client, lead)
    address = reverse("audit", args=[project.slug])
    first = client.get(address).content.decode()
    assert f"{len(make_many) + 32} lines in all" in first
    older = re.search(r'href="\?before=(\d+)"', first)[1]
    second = client.get(address, {"before": older}).content.decode()
    assert f"the project {project.name}" in second
    shown = client.get(address, {"kind": "project"}).context["page"]["lines"]
    assert [line.event.verb for line in shown] == ["project:created"]
    assert client.get(address, {"kind": "by__password"}).status_code == 422
    for bad in (
        {"order": "x"},
        {"before": "-1"},
        {"before": "1" * 40},
        {"before": "०"},
    ):
        assert client.get(address, bad).status_code == 400


def test_the_status_page_counts(client):
    signed_in(client, make_lead(project=make_project()))
    page = client.get(reverse("status")).content.decode()
    assert "No worker is running" in page
    assert "no queue" in page


def test_the_audit_log_speaks_in_words_not_in_code(client):
    project = make_project(slug="worded", by=make_admin())
    client.force_login(make_lead(project=project))
    content = client.get("/projects/worded/audit/").content.decode()
    assert " to the project" in content
    assert re.search(r'<option value="webhook"\s*>a webhook</option>', content)
    assert re.search(r'<option value="verdict:recorded"\s*>recorded the verdict of …</option>', content)
    assert '<span class="quiet">role</span>' in content
    assert "{&quot;" not in content


def test_an_admin_makes_a_link_and_the_person_signs_in_with_the_new_password(client):
    person = make_person()
    page = reverse("password_link", args=[person.pk])
    made = signed_in(client, make_admin()).post(page).content.decode()
    assert "http://testserver" not in client.get(page).content.decode(), "the link is shown once"
    client.logout()
    link = re.search(r'http://testserver(/password/[^"]+)"', made)[1]
    assert person.email in client.get(link).content.decode()
    weak = client.post(link, {"password": "short"})
    assert weak.status_code == 422
    done = client.post(link, {"password": "seven green parrots"})
    assert "Your password is changed" in client.get(done["Location"]).content.decode()
    assert client.login(request=None, email=person.email, password="seven green parrots")
    assert "This link is closed" in client.get(link).content.decode()
    assert client.post(link, {"password": "another green parrot"}).status_code == 409


def test_a_lead_is_told_why_there_is_no_link(client):
    project = make_project()
    lead, second = make_lead(project=project), make_lead(project=project)
    answer = signed_in(client, lead).get(reverse("password_link", args=[second.pk]))
    assert "Ask an admin for a link" in answer.content.decode()
    assert "Create link" not in answer.content.decode()


def test_a_lead_reads_who_invites_people(client):
    project = make_project()
    address = reverse("members", args=[project.slug])
    for person, is_told in ((make_lead(project=project), True), (make_admin(), False)):
        page = signed_in(client, person).get(address).content.decode()
        assert ("Only admins invite and add people" in page, "Add somebody" in page) == (is_told, not is_told)


def test_an_open_invitation_gets_a_new_link(client):
    project = make_project()
    signed_in(client, make_admin())
    add, page = (reverse(name, args=[project.slug]) for name in ("add_to_project", "members"))
    first = client.post(add, {"email": "new@example.org", "role": "lead"}).content.decode()
    assert 'name="email" value="new@example.org"' in client.get(page).content.decode()
    second = client.post(add, {"email": "new@example.org", "role": "lead"}).content.decode()
    old, new = (re.search(r"/invitations/[^/]+/", text)[0] for text in (first, second))
    assert (client.get(old).status_code, client.get(new).status_code) == (404, 200)


def test_people_are_found_by_name_address_and_role(client):
    project = make_project()
    admin, lead = make_admin(), make_lead(project=project)
    named = make_person(name="Zoë Ångström", email="zoe@example.org")
    signed_in(client, admin)

    def found(**given: str) -> set[str]:
        shown = client.get(reverse("people"), given).content.decode()
        return {
            person.email for person in (admin, lead, named) if re.search(rf">\s*{person.email}\s*<", shown)
        }

    assert found() == {admin.email, lead.email, named.email}
    assert found(q="zoe@") == found(q="Ångstr") == {named.email}
    assert found(role="admin") == {admin.email}
    assert found(role="lead", q="person") == {lead.email}
    assert found(role="off") == set()
    assert "Nobody matches" in client.get(reverse("people"), {"role": "off"}).content.decode()
    assert client.get(reverse("people"), {"role": "queen"}).status_code == 400


def test_people_are_seen_when_they_use_the_site(client):
    person = make_person()
    signed_in(client, person).get(reverse("home"))
    signed_in(client, make_admin())
    rows = client.get(reverse("people")).content.decode().split("<tr>")
    assert "never" not in next(row for row in rows if person.email in row)


def test_the_home_page_of_a_person_without_a_project_says_so(client):
    signed_in(client, make_person())
    assert "You belong to no project yet" in client.get(reverse("home")).content.decode()
