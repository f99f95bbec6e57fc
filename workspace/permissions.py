"""Who may do what in the workspace: `check_<verb>` raises NotAllowed with the sentence that the greyed button shows.

The twins `refusal_of` and `may` turn any check of any wing into a sentence or a truth value. Whether a person may
know of a thing at all is not asked here but by `visible_to` of the querysets.
"""

from collections.abc import Callable
from typing import Literal

from django.conf import settings
from django.utils.translation import gettext as _

from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Person, Project
from workspace.models.prepared import Prepared

Role = Literal["admin", "lead", "evaluator"]


def role_in(person: Person, project: Project | None) -> Role | None:
    """The person's role in a project, or in the whole installation when it is None; None for a stranger.

    Whoever was deactivated has no role. The system account acts with an admin's rights but never signs in.
    """
    if is_admin(person):
        return "admin"
    if project is None or not person.is_active:
        return None
    found = _ROLE.rows(project.pk, person.pk)
    if not found:
        return None
    return "lead" if found[0][0] == "lead" else "evaluator"


# Asked with every audit line.
_ROLE = Prepared(
    lambda project, person: Membership.objects.filter(
        project=project, person=person, ended_at=None
    ).values_list("role"),
    int,
    int,
)


def is_admin(person: Person) -> bool:
    """Whether the person may do everything: an active admin, or the system itself."""
    return bool(person.is_system or (person.is_active and person.is_admin))


def refusal_of(check: Callable[..., None], *args: object) -> str:
    """The sentence with which a check refuses, or "" when it allows."""
    try:
        check(*args)
    except NotAllowed as refusal:
        return refusal.sentence
    return ""


def may(check: Callable[..., None], *args: object) -> bool:
    """Whether a check allows."""
    return not refusal_of(check, *args)


def check_leads(person: Person, project: Project) -> None:
    """Leads of the project and admins."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project can do this. Ask one of them."))


def check_create_project(person: Person) -> None:
    """Admins open projects."""
    _require_admin(person, _("Only admins open projects. Ask one of them."))


def check_see_people(person: Person) -> None:
    """Admins see everybody who has an account."""
    _require_admin(person, _("Only admins see all people. The people of a project are on its own page."))


def check_manage_people(person: Person) -> None:
    """Admins invite people and make accounts."""
    _require_admin(person, _("Only admins invite people. Ask one of them."))


def check_change_account(person: Person, other: Person) -> None:
    """Admins switch accounts off and on, but not their own."""
    _require_admin(person, _("Only admins switch accounts off and on. Ask one of them."))
    if other.pk == person.pk:
        raise NotAllowed(_("Nobody switches off their own account. Ask another admin."))
    if other.is_system:
        raise NotAllowed(_("The system account cannot be changed: nobody signs in with it."))


def must_have_second_factor(person: Person) -> bool:
    """Whether signing in by password alone is not enough: for admins and leads, where the site requires it."""
    leads = Membership.objects.filter(person=person, role="lead", ended_at=None)
    return bool(settings.REQUIRE_TOTP and (person.is_admin or leads.exists()))


def check_switch_off_second_factor(person: Person) -> None:
    """Whoever needs no second factor may go without."""
    if must_have_second_factor(person):
        raise NotAllowed(
            _("Team leads and admins sign in with a second factor here. Set up another device instead.")
        )


def check_reset_second_factor(person: Person, other: Person) -> None:
    """Admins reset the second factor of others, not their own."""
    _require_admin(person, _("Only admins reset a second factor. Ask one of them."))
    if other.pk == person.pk:
        raise NotAllowed(
            _("Nobody resets their own second factor. Use a recovery code, or ask another admin.")
        )
    if other.is_system:
        raise NotAllowed(_("The system account cannot be changed: nobody signs in with it."))


def check_see_members(person: Person, project: Project) -> None:
    """Leads and admins see who belongs to a project."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project see its people. Ask one of them."))


def check_manage_members(person: Person, project: Project) -> None:
    """Admins decide who belongs to a project."""
    _require_admin(person, _("Only admins add people to a project or change their role. Ask one of them."))


def check_change_membership(person: Person, membership: Membership) -> None:
    """Admins change roles and end memberships, but not their own."""
    check_manage_members(person, membership.project)
    if membership.person_id == person.pk:
        raise NotAllowed(_("Nobody changes their own role. Ask another admin."))


def check_see_audit_log(person: Person, project: Project | None) -> None:
    """Leads see their project's audit log, admins every one."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project see its audit log. Ask one of them."))


def check_see_status(person: Person) -> None:
    """Admins, and whoever leads a project, see how the site is doing."""
    if is_admin(person):
        return
    leads = Membership.objects.filter(person=person, role="lead", ended_at=None)
    if not (person.is_active and leads.exists()):
        raise NotAllowed(_("Only team leads and admins see the status of the site."))


def _require_admin(person: Person, sentence: str) -> None:
    if not is_admin(person):
        raise NotAllowed(sentence)
