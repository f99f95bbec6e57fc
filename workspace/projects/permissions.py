"""Who opens projects, sees their members and changes memberships."""

from django.utils.translation import gettext as _

from workspace.access.permissions import require_admin, role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Person, Project


def check_create_project(person: Person) -> None:
    """Admins open projects."""
    require_admin(person, _("Only admins create projects. Ask one of them."))


def check_see_members(person: Person, project: Project) -> None:
    """Leads and admins see who belongs to a project."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project see its people. Ask one of them."))


def check_manage_members(person: Person, project: Project) -> None:
    """Admins decide who belongs to a project."""
    require_admin(person, _("Only admins add people to a project or change their role. Ask one of them."))


def check_change_membership(person: Person, membership: Membership) -> None:
    """Admins change roles and end memberships, but not their own."""
    check_manage_members(person, membership.project)
    if membership.person_id == person.pk:
        raise NotAllowed(_("Nobody changes their own role. Ask another admin."))
