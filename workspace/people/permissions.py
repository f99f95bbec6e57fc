"""Who creates accounts, invites people, and deactivates and activates accounts."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from workspace.access.permissions import check_admin, is_admin
from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Person


def check_manage_people(person: Person) -> None:
    """Admins invite people and make accounts."""
    check_admin(person, _("Only admins invite people. Ask one of them."))


def check_change_account(person: Person, other: Person) -> None:
    """Admins deactivate and activate accounts, but not their own."""
    check_admin(person, _("Only admins deactivate and activate accounts. Ask one of them."))
    if other.pk == person.pk:
        raise NotAllowed(_("Nobody deactivates their own account. Ask another admin."))
    if other.is_system:
        raise NotAllowed(_("The system account cannot be changed: nobody signs in with it."))


def check_make_password_link(person: Person, other: Person) -> None:
    """Admins let others choose a new password; leads only those who rate in their own projects and nowhere else.

    A link is as good as the account, so a lead must not get one that opens what the lead may not see.
    """
    if other.pk == person.pk:
        raise NotAllowed(_("Change your own password in your settings."))
    if other.is_system or other.is_service:
        raise NotAllowed(_("This account has no password: a program signs in with access tokens."))
    if not other.is_active:
        raise NotAllowed(_("This account is deactivated. Ask an admin to activate it first."))
    if not is_admin(person) and (other.is_admin or not _rates_only_for(person, other)):
        raise NotAllowed(
            _("This person has rights outside the projects that you lead. Ask an admin for a link.")
        )


def _rates_only_for(lead: Person, other: Person) -> bool:
    """Whether the other person is only an evaluator, and this person leads all their projects."""
    present = Membership.objects.filter(ended_at=None)
    led = present.filter(person=lead, role="lead").values("project")
    theirs = present.filter(person=other)
    return theirs.exists() and not theirs.exclude(role="evaluator", project__in=led).exists()


def people_under(person: Person) -> QuerySet[Person]:
    """The people whose names the person may see, as admin or as lead of a project of theirs."""
    people: QuerySet[Person] = Person.objects.filter(is_system=False)
    if is_admin(person):
        return people
    present = Membership.objects.filter(ended_at=None)
    led = present.filter(person=person, role="lead").values("project")
    return people.filter(pk__in=present.filter(project__in=led).values("person"))
