"""Who reads the audit log of a project or of the site."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_leads
from workspace.models import Person, Project


def check_see_audit_log(person: Person, project: Project | None) -> None:
    check_leads(person, project, _("Only team leads of this project see its audit log. Ask one of them."))
