"""Who sees the status of the site."""

from django.utils.translation import gettext as _

from workspace.access.permissions import is_admin
from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Person


def check_see_status(person: Person) -> None:
    """Admins and leads of any project see the status of the site."""
    if is_admin(person):
        return
    leads = Membership.objects.filter(person=person, role="lead", ended_at=None)
    if not (person.is_active and leads.exists()):
        raise NotAllowed(_("Only team leads and admins see the status of the site."))
