"""Who opens projects, sees their members and changes memberships."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_admin, check_leads
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Membership, Person, Project
from workspace.projects.queries import MB, load_storage


def check_create_project(person: Person) -> None:
    """Admins open projects."""
    check_admin(person, _("Only admins create projects. Ask one of them."))


def check_see_members(person: Person, project: Project) -> None:
    """Leads and admins see who belongs to a project."""
    check_leads(person, project, _("Only team leads of this project see its people. Ask one of them."))


def check_manage_members(person: Person, project: Project) -> None:
    """Admins decide who belongs to a project."""
    check_admin(person, _("Only admins add people to a project or change their role. Ask one of them."))


def check_change_membership(person: Person, membership: Membership) -> None:
    """Admins change roles and end memberships, but not their own."""
    check_manage_members(person, membership.project)
    if membership.person_id == person.pk:
        raise NotAllowed(_("Nobody changes their own role. Ask another admin."))


def check_set_storage_limit(person: Person, project: Project) -> None:
    """Admins set how much a project may store."""
    check_admin(person, _("Only admins change how much a project may store. Ask one of them."))


def check_room(project: Project, more: int = 0, *, field: str = "") -> None:
    """Raise Unacceptable when the project would exceed its storage limit with that many bytes more.

    An act that adds bytes checks again after its audit line, in its transaction: acts of a project wait for each other
    at that line, so that two at the same moment do not both pass.
    """
    storage = load_storage(project)
    if storage.used + more <= storage.limit:
        return
    says = _(
        "Nothing was stored: with this the project would hold %(would)s MB, and its limit is %(limit)s MB. An admin "
        "can raise the limit in the project settings. Withdrawing games makes no room, since their files are kept."
    )
    would = f"{-(-(storage.used + more) // MB):,}"
    raise Unacceptable(says % {"would": would, "limit": f"{storage.limit_mb:,}"}, field=field, code="no_room")
