"""Projects and memberships: opened by admins, one role at a time, history kept."""

import pytest

from tests.factories.people import (
    NOW,
    load_membership,
    make_admin,
    make_lead,
    make_member,
    make_person,
    make_project,
    moment,
)
from workspace.access.permissions import may, may_lead, role_in
from workspace.checks.permissions import check_see_status
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Chain, Membership, Project
from workspace.people.actions.people import deactivate_person
from workspace.people.actions.projects import add_member, change_role, create_project, end_membership

pytestmark = [pytest.mark.django_db, pytest.mark.services]


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
