"""Who manages the webhooks of a project."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_leads
from workspace.models import Person, Project


def check_manage_webhooks(person: Person, project: Project) -> None:
    check_leads(person, project, _("Only team leads of this project manage its webhooks. Ask one of them."))
