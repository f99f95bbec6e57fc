"""Who creates accounts, invites people, and deactivates and activates accounts."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from workspace.access.permissions import check_admin, check_leads, is_admin
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Membership, Person, Project
from workspace.people.queries import MB, load_storage


def check_manage_people(person: Person) -> None:
    check_admin(person, _("Only admins invite people. Ask one of them."))


def check_change_account(person: Person, other: Person) -> None:
    """Admins deactivate and activate accounts, but not their own."""
    check_admin(person, _("Only admins deactivate and activate accounts. Ask one of them."))
    if other.pk == person.pk:
        raise NotAllowed(_("Nobody deactivates their own account. Ask another admin."))
    if other.is_system:
        raise NotAllowed(_("The system account cannot be changed: nobody signs in with it."))
    if other.erased_at:
        raise NotAllowed(_("This person was erased."))


def check_change_email(person: Person, other: Person) -> None:
    """Admins change addresses, but not their own: whoever has an account's address gets its new passwords."""
    check_admin(person, _("Only admins change e-mail addresses. Ask one of them."))
    if other.pk == person.pk:
        raise NotAllowed(_("Nobody changes their own e-mail address. Ask another admin."))
    if other.is_system or other.is_service:
        raise NotAllowed(_("This account has no e-mail address: no person signs in with it."))


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


def check_create_project(person: Person) -> None:
    check_admin(person, _("Only admins create projects. Ask one of them."))


def check_see_members(person: Person, project: Project) -> None:
    check_leads(person, project, _("Only team leads of this project see its people. Ask one of them."))


def check_manage_members(person: Person, project: Project) -> None:
    check_admin(person, _("Only admins invite and add people, or change their role. Ask one of them."))


def check_change_membership(person: Person, membership: Membership) -> None:
    """Admins change roles and end memberships, but not their own."""
    check_manage_members(person, membership.project)
    if membership.person_id == person.pk:
        raise NotAllowed(_("Nobody changes their own role. Ask another admin."))


def check_set_storage_limit(person: Person, project: Project) -> None:
    check_admin(person, _("Only admins change how much a project may store. Ask one of them."))


def check_room(project: Project, more: int = 0, *, field: str = "") -> None:
    """Raise Unacceptable when the project would exceed its storage limit with that many bytes more.

    An act that adds bytes checks again after its audit line, in its transaction: acts of a project wait for each other
    at that line, so that two at the same moment do not both pass.
    """
    storage = load_storage(project)
    if storage.used + more <= storage.limit:
        return
    says = _(
        "Nothing was stored: with this the project would hold %(would)s MB, and its limit is %(limit)s MB. An admin "
        "can raise the limit in the project settings. Withdrawing games makes no room, since their files are kept."
    )
    would = f"{-(-(storage.used + more) // MB):,}"
    raise Unacceptable(says % {"would": would, "limit": f"{storage.limit_mb:,}"}, field=field, code="no_room")
