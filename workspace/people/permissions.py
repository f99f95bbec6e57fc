"""Who creates accounts, invites people and switches accounts off and on."""

from django.utils.translation import gettext as _

from workspace.access.permissions import require_admin
from workspace.core.refusals import NotAllowed
from workspace.models import Person


def check_manage_people(person: Person) -> None:
    """Admins invite people and make accounts."""
    require_admin(person, _("Only admins invite people. Ask one of them."))


def check_change_account(person: Person, other: Person) -> None:
    """Admins switch accounts off and on, but not their own."""
    require_admin(person, _("Only admins switch accounts off and on. Ask one of them."))
    if other.pk == person.pk:
        raise NotAllowed(_("Nobody switches off their own account. Ask another admin."))
    if other.is_system:
        raise NotAllowed(_("The system account cannot be changed: nobody signs in with it."))
