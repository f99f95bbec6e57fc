"""Who manages the webhooks of a project."""

from django.utils.translation import gettext as _

from workspace.access.permissions import role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_manage_webhooks(person: Person, project: Project) -> None:
    """Leads of the project and admins."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project manage its webhooks. Ask one of them."))
