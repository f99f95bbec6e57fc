"""Roles, and how to turn a check into a sentence or a truth value.

`check_<verb>` raises NotAllowed with the sentence that the greyed button shows. `get_refusal` and `may` turn any check
of any app into that sentence or a truth value. Whether a person may know of a thing at all is not decided here, but by
`visible_to` of the querysets.
"""

from collections.abc import Callable
from typing import Literal

from django.utils.translation import gettext as _

from workspace.core.refusals import NotAllowed
from workspace.database.prepared_queries import select_rows
from workspace.models import Membership, Person, Project

Role = Literal["admin", "lead", "evaluator"]


def role_in(person: Person, project: Project | None) -> Role | None:
    """The person's role in a project, or in the whole installation when it is None; None for a stranger.

    A deactivated person has no role. The system account acts with an admin's rights but never signs in.
    """
    if is_admin(person):
        return "admin"
    if project is None or not person.is_active:
        return None
    roles = select_rows(Membership, "role", project=project.pk, person=person.pk, ended_at=None)
    if not roles:
        return None
    return "lead" if roles[0][0] == "lead" else "evaluator"


def is_admin(person: Person) -> bool:
    """Whether the person may do everything: an active admin, or the system itself."""
    return bool(person.is_system or (person.is_active and person.is_admin))


def get_refusal(check: Callable[..., None], *args: object) -> str:
    """The sentence with which a check refuses, or "" when it allows."""
    try:
        check(*args)
    except NotAllowed as refusal:
        return refusal.sentence
    return ""


def may(check: Callable[..., None], *args: object) -> bool:
    return not get_refusal(check, *args)


def may_lead(person: Person, project: Project | None) -> bool:
    """Whether the person has the rights of a lead: a lead of the project, or an admin."""
    return role_in(person, project) in ("admin", "lead")


def check_leads(person: Person, project: Project | None, sentence: str) -> None:
    """Leads of the project and admins; everybody else is refused with the sentence."""
    if not may_lead(person, project):
        raise NotAllowed(sentence)


def check_see_people(person: Person) -> None:
    """Admins see everybody who has an account."""
    check_admin(person, _("Only admins see all people. The people of a project are on its own page."))


def check_admin(person: Person, sentence: str) -> None:
    if not is_admin(person):
        raise NotAllowed(sentence)
