"""Invitations: the only way in, besides the command line. Single use, 24 hours, only a hash is kept."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.actions.accounts import add_person
from workspace.actions.events import record_event
from workspace.actions.projects import ROLES, insert_membership
from workspace.core.identifiers import plain_email, secret_hash
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Invitation, Membership, Person, Project
from workspace.models.projects import ADMIN
from workspace.permissions import check_manage_members, check_manage_people

HOLDS_FOR = timedelta(hours=24)


class Invited(Struct, frozen=True):
    """A new invitation and its secret, which is shown once and stored nowhere."""

    invitation: Invitation
    secret: str


def invite(
    *, email: str, role: str, project: Project | None, by: Person, now: datetime, name: str = ""
) -> Invited:
    """Invite somebody into a project as evaluator or lead, or (no project) into the installation as admin.

    An open invitation of the same address to the same place is withdrawn. Raises NotAllowed, Unacceptable, and
    Conflict when the address has a place there already.
    """
    check_manage_people(by) if project is None else check_manage_members(by, project)
    plain = plain_email(email)
    if plain is None:
        raise Unacceptable(_("This is no e-mail address. Write one like name@example.org."), field="email")
    if role not in ((ADMIN,) if project is None else ROLES):
        raise Unacceptable(_("Choose a role: evaluator or team lead."), field="role")
    _check_is_new_here(plain, project)
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        for former in Invitation.objects.open(now=now).filter(email=plain, project=project):
            withdraw_invitation(invitation=former, by=by, now=now)
        invitation = Invitation.objects.create(
            email=plain,
            name=name.strip()[:200],
            role=role,
            project=project,
            secret_hash=secret_hash(secret),
            created_at=now,
            created_by=by,
            expires_at=now + HOLDS_FOR,
        )
        _record("invitation:created", invitation, by, now)
    return Invited(invitation, secret)


def accept_invitation(*, secret: str, name: str, password: str, by: Person | None, now: datetime) -> Person:
    """Take up an invitation: with an account of its address (`by`) join, without one (`by` None) make the account.

    Raises Conflict when the invitation was used, withdrawn or is too old, and for an account of another address;
    Unacceptable for a bad name or password. Exactly one of several simultaneous takers gets it.
    """
    with transaction.atomic():
        taken = Invitation.objects.open(now=now).filter(secret_hash=secret_hash(secret))
        invitation = taken.select_for_update(of=("self",)).select_related("project", "created_by").first()
        if invitation is None:
            raise Conflict(
                _("This invitation was used, withdrawn, or is older than a day. Ask for a new one."),
                code="invitation_closed",
            )
        person = by or add_person(
            email=invitation.email,
            name=name,
            password=password,
            is_admin=invitation.role == ADMIN,
            by=None,
            now=now,
        )
        if person.email != invitation.email:
            raise Conflict(
                _("This invitation is for another address. Sign out first, then open the link again."),
                code="invitation_of_another",
            )
        if not taken.filter(pk=invitation.pk).update(accepted_at=now, accepted_by=person):
            raise Conflict(_("This invitation has just been used."), code="invitation_closed")
        _let_in(invitation, person, now)
        _record("invitation:accepted", invitation, person, now)
    return person


def withdraw_invitation(*, invitation: Invitation, by: Person, now: datetime) -> Invitation:
    """Make an open invitation useless. Raises NotAllowed; Conflict when it was used or withdrawn."""
    check_manage_people(by)
    with transaction.atomic():
        still_open = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, withdrawn_at=None)
        if not still_open.update(withdrawn_at=now, withdrawn_by=by):
            raise Conflict(_("This invitation was used or withdrawn already."), code="invitation_closed")
        _record("invitation:withdrawn", invitation, by, now)
    return invitation


def _let_in(invitation: Invitation, person: Person, now: datetime) -> None:
    if invitation.project is None:
        if not person.is_admin:
            person.is_admin = True
            person.save(update_fields=["is_admin"])
        return
    insert_membership(
        project=invitation.project, person=person, role=invitation.role, by=invitation.created_by, now=now
    )


def _check_is_new_here(email: str, project: Project | None) -> None:
    if project is None:
        if Person.objects.filter(email=email, is_admin=True).exists():
            raise Conflict(_("The person with this address is an admin already."), code="already_member")
    elif Membership.objects.filter(project=project, person__email=email, ended_at=None).exists():
        raise Conflict(
            _("The person with this address belongs to the project already."), code="already_member"
        )


def _record(verb: str, invitation: Invitation, by: Person, now: datetime) -> None:
    record_event(
        by=by,
        now=now,
        project=invitation.project,
        verb=verb,
        object_kind="invitation",
        object_id=invitation.pk,
        detail={"role": invitation.role},
    )
