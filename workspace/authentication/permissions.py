"""Who needs a second factor, and who may remove one."""

from django.conf import settings
from django.utils.translation import gettext as _

from workspace.access.permissions import check_admin
from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Person


def must_have_second_factor(person: Person) -> bool:
    """Whether signing in by password alone is not enough: for admins and leads, where the site requires it."""
    leads = Membership.objects.filter(person=person, role="lead", ended_at=None)
    return bool(settings.REQUIRE_TOTP and (person.is_admin or leads.exists()))


def check_switch_off_second_factor(person: Person) -> None:
    """People who are not required to have a second factor may switch it off."""
    if must_have_second_factor(person):
        raise NotAllowed(
            _("Team leads and admins sign in with a second factor here. Set up another device instead.")
        )


def check_reset_second_factor(person: Person, other: Person) -> None:
    """Admins reset the second factor of others, not their own."""
    check_admin(person, _("Only admins reset a second factor. Ask one of them."))
    if other.pk == person.pk:
        raise NotAllowed(
            _("Nobody resets their own second factor. Use a recovery code, or ask another admin.")
        )
    if other.is_system:
        raise NotAllowed(_("The system account cannot be changed: nobody signs in with it."))
