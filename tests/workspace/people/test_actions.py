"""Accounts and invitations: who may, what is refused with which sentence, what is written down.

Projects and memberships: opened by admins, one role at a time, history kept.
"""

from datetime import timedelta

import pytest
from django.contrib.auth.hashers import is_password_usable
from django.core.management import call_command
from django.utils import timezone

from tests.factories.people import (
    NOW,
    PASSWORD,
    load_membership,
    make_admin,
    make_lead,
    make_member,
    make_person,
    make_project,
    moment,
)
from tests.factories.tokens import make_account
from workspace.access.permissions import may, may_lead, role_in
from workspace.checks.permissions import check_see_status
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Chain, Event, Invitation, Membership, Person, Project
from workspace.people.actions.people import (
    accept_invitation,
    change_email,
    change_password,
    change_settings,
    choose_password,
    create_account,
    deactivate_person,
    invite,
    make_password_link,
    reactivate_person,
    system_person,
    withdraw_invitation,
)
from workspace.people.actions.projects import (
    add_member,
    change_role,
    create_project,
    end_membership,
    insert_membership,
)
from workspace.people.queries import password_links

pytestmark = [pytest.mark.django_db, pytest.mark.services]


NEW_PASSWORD = "seven green parrots"


def verbs() -> list[str]:
    return list(Event.objects.order_by("pk").values_list("verb", flat=True))


def test_the_system_account_is_one_and_never_signs_in():
    system = system_person(now=NOW)
    assert system_person(now=NOW) == system
    assert not system.is_active
    assert not is_password_usable(system.password)
    assert system not in Person.objects.active()


def test_an_account_is_made_and_told_of():
    person = create_account(
        email=" Ada@Example.org ", name="Ada  Byron", password=PASSWORD, by=system_person(now=NOW), now=NOW
    )
    assert (person.email, person.name, person.is_admin) == ("ada@example.org", "Ada Byron", False)
    assert person.check_password(PASSWORD)
    event = Event.objects.get()
    assert (event.verb, event.object_id, event.role) == ("account:created", str(person.pk), "system")
    assert PASSWORD not in event.detail


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"email": "ada"}, "email", "no e-mail address"),
        ({"name": " "}, "name", "1 to 200 visible"),
        ({"password": "short"}, "password", "at least 12"),
        ({"password": "password1234"}, "password", "too common"),
        ({"password": "ada.lovelace@example"}, "password", "too similar"),
        ({"password": "x" * 257}, "password", "at most 256"),
    ],
)
def test_a_bad_account_is_not_made(changes, field, says):
    given = {"email": "ada.lovelace@example.org", "name": "Ada", "password": PASSWORD} | changes
    with pytest.raises(Unacceptable, match=says) as refusal:
        create_account(**given, by=make_admin(), now=NOW)
    assert refusal.value.field == field
    assert not Person.objects.filter(name="Ada").exists()


def test_long_passwords_with_spaces_of_any_script_are_fine():
    person = make_person(password="ein  sehr langes 密码 " * 5)
    assert person.check_password("ein  sehr langes 密码 " * 5)


def test_an_address_has_one_account():
    make_person(email="ada@example.org")
    with pytest.raises(Conflict, match="this e-mail address already"):
        make_person(email="ADA@example.org")


def test_only_admins_make_accounts():
    with pytest.raises(NotAllowed):
        create_account(email="a@example.org", name="A", password=PASSWORD, by=make_person(), now=NOW)


def test_an_account_is_switched_off_and_on_once():
    admin, person = make_admin(), make_person()
    deactivate_person(person=person, by=admin, now=NOW)
    with pytest.raises(Conflict):
        deactivate_person(person=person, by=admin, now=NOW)
    reactivate_person(person=person, by=admin, now=NOW)
    with pytest.raises(Conflict):
        reactivate_person(person=person, by=admin, now=NOW)
    assert verbs()[-2:] == ["account:deactivated", "account:reactivated"]
    assert Person.objects.get(pk=person.pk).is_active


def test_nobody_switches_off_themselves_or_the_system():
    admin = make_admin()
    for person in (admin, system_person(now=NOW)):
        with pytest.raises(NotAllowed):
            deactivate_person(person=person, by=admin, now=NOW)


def test_a_switched_off_admin_may_do_nothing():
    admin, other = make_admin(), make_admin()
    deactivate_person(person=admin, by=other, now=NOW)
    with pytest.raises(NotAllowed):
        deactivate_person(person=other, by=admin, now=NOW)


def test_settings_and_password_are_ones_own():
    person = make_person()
    change_settings(name="Ada", time_zone="Asia/Tokyo", has_single_keys=False, by=person, now=NOW)
    with pytest.raises(Unacceptable, match="no time zone"):
        change_settings(name="Ada", time_zone="../etc/passwd", has_single_keys=False, by=person, now=NOW)
    with pytest.raises(Unacceptable, match="not your present password"):
        change_password(old="wrong", new=NEW_PASSWORD, by=person, now=NOW)
    change_password(old=PASSWORD, new=NEW_PASSWORD, by=person, now=NOW)
    assert Person.objects.get(pk=person.pk).check_password(NEW_PASSWORD)
    assert verbs()[-2:] == ["settings:changed", "password:changed"]


def open_invitation(**changes):
    project = make_project()
    given = {"email": "new@example.org", "role": "lead", "project": project, "by": make_admin()} | changes
    return project, invite(**given, now=NOW)


def take(secret, *, by=None, now=NOW):
    return accept_invitation(secret=secret, name="Newcomer", password=NEW_PASSWORD, by=by, now=now)


def test_an_invitation_lets_one_person_in_once():
    project, invited = open_invitation()
    assert invited.secret not in str(Invitation.objects.values().get())
    person = take(invited.secret)
    assert load_membership(person=person, project=project).role == "lead"
    assert verbs()[-4:] == [
        "invitation:created",
        "account:created",
        "membership:added",
        "invitation:accepted",
    ]
    with pytest.raises(Conflict, match="used, withdrawn"):
        take(invited.secret)
    assert Person.objects.filter(email="new@example.org").count() == 1


@pytest.mark.parametrize(("hours", "works"), [(23.9, True), (24, False), (25, False)])
def test_an_invitation_holds_a_day(hours, works):
    _, invited = open_invitation()
    if works:
        assert take(invited.secret, now=NOW + timedelta(hours=hours)).pk
    else:
        with pytest.raises(Conflict):
            take(invited.secret, now=NOW + timedelta(hours=hours))


def test_a_withdrawn_invitation_is_useless():
    _, invited = open_invitation()
    withdraw_invitation(invitation=invited.invitation, by=make_admin(), now=NOW)
    with pytest.raises(Conflict):
        take(invited.secret)
    with pytest.raises(Conflict):
        withdraw_invitation(invitation=invited.invitation, by=make_admin(), now=NOW)


def test_a_second_invitation_replaces_the_first():
    project, first = open_invitation()
    second = invite(email="NEW@example.org", role="evaluator", project=project, by=make_admin(), now=NOW)
    with pytest.raises(Conflict):
        take(first.secret)
    assert load_membership(person=take(second.secret), project=project).role == "evaluator"


def test_a_bad_name_or_password_does_not_use_the_invitation_up():
    _, invited = open_invitation()
    with pytest.raises(Unacceptable):
        accept_invitation(secret=invited.secret, name="", password=NEW_PASSWORD, by=None, now=NOW)
    with pytest.raises(Unacceptable):
        accept_invitation(secret=invited.secret, name="A", password="short", by=None, now=NOW)
    assert take(invited.secret).pk


def test_an_invitation_of_somebody_else_is_not_used_up():
    _, invited = open_invitation()
    with pytest.raises(Conflict, match="another address"):
        take(invited.secret, by=make_person())
    assert take(invited.secret).pk


def test_whoever_has_an_account_joins_with_it():
    person = make_person(email="new@example.org")
    project, invited = open_invitation()
    with pytest.raises(Conflict, match="e-mail address already"):
        take(invited.secret)
    assert take(invited.secret, by=person) == person
    assert load_membership(person=person, project=project).role == "lead"


def test_admins_are_invited_into_the_installation():
    _, invited = open_invitation(project=None, role="admin")
    assert take(invited.secret).is_admin


@pytest.mark.parametrize(("role", "in_project"), [("admin", True), ("lead", False), ("owner", True)])
def test_roles_are_where_they_belong(role, in_project):
    project = make_project() if in_project else None
    with pytest.raises(Unacceptable, match="Choose a role"):
        invite(email="new@example.org", role=role, project=project, by=make_admin(), now=NOW)


def test_only_admins_invite_and_not_who_is_there():
    project = make_project()
    lead = make_lead(project=project)
    with pytest.raises(NotAllowed):
        invite(email="new@example.org", role="evaluator", project=project, by=lead, now=NOW)
    with pytest.raises(Conflict, match="belongs to the project"):
        invite(email=lead.email, role="evaluator", project=project, by=make_admin(), now=NOW)


def test_a_link_for_a_new_password_works_once():
    admin, person = make_admin(), make_person()
    secret = make_password_link(person=person, by=admin, now=NOW)
    with pytest.raises(Unacceptable, match="12 characters"):
        choose_password(by=person, secret=secret, password="short", now=NOW)
    choose_password(by=person, secret=secret, password=NEW_PASSWORD, now=NOW)
    assert Person.objects.get(pk=person.pk).check_password(NEW_PASSWORD)
    assert verbs()[-2:] == ["password:link_made", "password:chosen"]
    with pytest.raises(Conflict, match="link is closed"):
        choose_password(by=person, secret=secret, password=NEW_PASSWORD, now=NOW)


def test_a_link_is_closed_after_a_day_or_a_sign_in(client, monkeypatch):
    admin, person, other = make_admin(), make_person(), make_person()
    secret, others = (make_password_link(person=one, by=admin, now=NOW) for one in (person, other))
    with pytest.raises(Conflict):
        choose_password(by=other, secret=secret, password=NEW_PASSWORD, now=NOW)
    client.force_login(person)
    with pytest.raises(Conflict):
        choose_password(by=person, secret=secret, password=NEW_PASSWORD, now=NOW)
    later = timezone.make_naive(timezone.now()) + timedelta(hours=48)
    monkeypatch.setattr(password_links, "_now", lambda: later)
    with pytest.raises(Conflict):
        choose_password(by=other, secret=others, password=NEW_PASSWORD, now=NOW)


def test_a_lead_makes_links_only_for_those_who_rate_for_that_lead_alone():
    mine, other = make_project(), make_project(slug="other")
    lead, person = make_lead(project=mine), make_member(project=mine)
    assert make_password_link(person=person, by=lead, now=NOW)
    refused = [make_lead(project=mine), make_admin(), make_member(project=other), lead]
    insert_membership(project=other, person=person, role="evaluator", by=make_admin(), now=NOW)
    for somebody in (*refused, person):
        with pytest.raises(NotAllowed):
            make_password_link(person=somebody, by=lead, now=NOW)
    with pytest.raises(NotAllowed):
        make_password_link(person=lead, by=person, now=NOW)
    assert make_password_link(person=lead, by=make_admin(), now=NOW)


def test_programs_and_accounts_that_are_switched_off_get_no_link():
    admin, person = make_admin(), make_person()
    deactivate_person(person=person, by=admin, now=NOW)
    for somebody in (system_person(now=NOW), make_account(project=make_project(), by=admin), person):
        somebody.refresh_from_db()
        with pytest.raises(NotAllowed):
            make_password_link(person=somebody, by=admin, now=NOW)


def test_a_link_closes_when_the_rights_of_its_person_change():
    project = make_project()
    lead, person = make_lead(project=project), make_member(project=project)
    secret = make_password_link(person=person, by=lead, now=NOW)
    assert Event.objects.filter(verb="password:link_made", by=lead, chain__project=project).exists()
    Person.objects.filter(pk=person.pk).update(is_admin=True)
    with pytest.raises(Conflict):
        choose_password(by=person, secret=secret, password=NEW_PASSWORD, now=NOW)


def test_an_admin_changes_an_address_and_no_line_holds_it():
    admin, ada, other = (
        make_admin(),
        make_person(email="ada@example.org"),
        make_person(email="bo@example.org"),
    )
    link = make_password_link(person=ada, by=admin, now=timezone.now())
    change_email(person=ada, email=" Ada@New.Example.org", reason="She moved", by=admin, now=NOW)
    ada.refresh_from_db()
    assert ada.email == "ada@new.example.org"
    assert not password_links.check_token(ada, link)
    line = Event.objects.latest("pk")
    assert (line.verb, line.object_id, line.details) == (
        "email:changed",
        str(ada.pk),
        {"reason": "She moved"},
    )
    with pytest.raises(Conflict):
        change_email(person=ada, email=other.email, reason="Hers, too", by=admin, now=NOW)
    for email, reason in (("nothing", "Why"), ("x@example.org", " ")):
        with pytest.raises(Unacceptable):
            change_email(person=other, email=email, reason=reason, by=admin, now=NOW)
    for by, whom in ((admin, admin), (other, other), (admin, system_person(now=NOW))):
        with pytest.raises(NotAllowed):
            change_email(person=whom, email="x@example.org", reason="Why", by=by, now=NOW)
    assert set(Person.objects.filter(pk__in=[ada.pk, other.pk]).values_list("email", flat=True)) == {
        "ada@new.example.org",
        "bo@example.org",
    }


def test_the_command_changes_the_address_of_the_last_admin(capsys):
    admin = make_admin(email="admin@example.org")
    call_command("change_email", "Admin@example.org", "boss@example.org", reason="A new address")
    admin.refresh_from_db()
    assert admin.email == "boss@example.org"
    assert "boss@example.org" in capsys.readouterr().out


def test_a_project_comes_with_its_audit_chain():
    project = create_project(name="Spring  term", slug="spring", by=make_admin(), now=NOW)
    assert (project.name, project.created_at) == ("Spring term", NOW)
    assert Chain.objects.get(project=project).events.get().verb == "project:created"


def test_a_refused_project_leaves_nothing():
    make_project(slug="taken")
    with pytest.raises(Conflict) as refusal:
        create_project(name="Another", slug="taken", by=make_admin(), now=NOW)
    assert refusal.value.code == "slug_taken"
    with pytest.raises(Unacceptable):
        create_project(name="Another", slug="Bad slug", by=make_admin(), now=NOW)
    with pytest.raises(NotAllowed):
        create_project(name="Another", slug="fine", by=make_lead(project=Project.objects.get()), now=NOW)
    assert Project.objects.count() == 1


def test_roles_follow_each_other():
    project, admin = make_project(), make_admin()
    person = make_member(project=project)
    first = load_membership(person=person, project=project)
    second = change_role(membership=first, role="lead", by=admin, now=moment(5))
    assert role_in(person, project) == "lead"
    assert Membership.objects.get(pk=first.pk).ended_at == second.created_at == moment(5)
    with pytest.raises(Conflict, match="this role already"):
        change_role(membership=second, role="lead", by=admin, now=moment(6))
    with pytest.raises(Conflict, match="meanwhile"):
        change_role(membership=Membership.objects.get(pk=first.pk), role="lead", by=admin, now=moment(6))
    end_membership(membership=second, by=admin, now=moment(7))
    assert role_in(person, project) is None
    with pytest.raises(Conflict):
        end_membership(membership=second, by=admin, now=moment(8))
    add_member(project=project, person=person, role="evaluator", by=admin, now=moment(9))
    assert Membership.objects.filter(person=person).count() == 3


def test_a_person_belongs_once():
    project = make_project()
    person = make_member(project=project)
    with pytest.raises(Conflict, match="already"):
        add_member(project=project, person=person, role="lead", by=make_admin(), now=NOW)
    assert role_in(person, project) == "evaluator"


def test_a_switched_off_account_is_not_added_and_has_no_role():
    project, admin = make_project(), make_admin()
    person = make_lead(project=project)
    deactivate_person(person=person, by=admin, now=NOW)
    assert role_in(person, project) is None
    other = make_person()
    deactivate_person(person=other, by=admin, now=NOW)
    with pytest.raises(Unacceptable, match="deactivated"):
        add_member(project=project, person=other, role="lead", by=admin, now=NOW)


def test_leads_manage_nobody_and_nobody_themselves():
    project, admin = make_project(), make_admin()
    lead, member = make_lead(project=project), make_member(project=project)
    with pytest.raises(NotAllowed):
        add_member(project=project, person=make_person(), role="evaluator", by=lead, now=NOW)
    with pytest.raises(NotAllowed):
        end_membership(membership=load_membership(person=member, project=project), by=lead, now=NOW)
    make_member(project=project, person=admin)
    with pytest.raises(NotAllowed, match="their own role"):
        change_role(membership=load_membership(person=admin, project=project), role="lead", by=admin, now=NOW)


def test_roles_of_everybody():
    project, other = make_project(), make_project()
    lead = make_lead(project=project)
    assert role_in(make_admin(), project) == "admin"
    assert role_in(lead, project) == "lead"
    assert role_in(lead, other) is None
    assert role_in(make_member(project=project), project) == "evaluator"
    assert role_in(make_person(), None) is None
    assert may(check_see_status, lead)
    assert not may(check_see_status, make_member(project=other))
    assert may_lead(lead, project)
    assert not may_lead(lead, other)
    assert not may_lead(make_member(project=project), project)


def test_projects_are_visible_to_members_and_admins():
    project, other = make_project(), make_project()
    member = make_member(project=project)
    assert list(Project.objects.visible_to(member)) == [project]
    assert set(Project.objects.visible_to(make_admin())) == {project, other}
    end_membership(membership=load_membership(person=member, project=project), by=make_admin(), now=NOW)
    assert not Project.objects.visible_to(member).exists()
