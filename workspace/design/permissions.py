"""Who sees the page of all components."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_admin
from workspace.models import Person


def check_see_design(person: Person) -> None:
    check_admin(person, _("Only admins see the page of all components."))
