"""Who writes a project's guideline."""

from django.utils.translation import gettext as _

from discussions.access.permissions import check_leads
from workspace.models import Person, Project


def check_write_guideline(person: Person, project: Project) -> None:
    """Leads of the project and admins."""
    check_leads(person, project, _("Only team leads of this project write its guideline. Ask one of them."))
