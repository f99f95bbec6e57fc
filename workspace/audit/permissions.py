"""Who reads the audit log of a project or of the site."""

from django.utils.translation import gettext as _

from workspace.access.permissions import role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_see_audit_log(person: Person, project: Project | None) -> None:
    """Leads see their project's audit log, admins every one."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project see its audit log. Ask one of them."))
