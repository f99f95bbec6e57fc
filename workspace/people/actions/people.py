"""Accounts, personal settings and invitations.

An invitation is the only way in besides the command line: it holds for one use and 24 hours, and only a hash of it is
stored.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.audit.actions import record_event
from workspace.authentication.actions import LONGEST_IN_EVENT
from workspace.core.identifiers import plain_email, secret_hash
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import clean_text
from workspace.models import Email, Invitation, Membership, Person, Project, SignIn
from workspace.models.emails import WAITING
from workspace.models.people import time_zones
from workspace.models.projects import ADMIN
from workspace.outbox.actions.queue import queue_email
from workspace.outbox.core import INVITATION
from workspace.outbox.queries import page_address
from workspace.people import permissions
from workspace.people.actions.projects import ROLES, clean_name, insert_membership
from workspace.people.labels import DEFAULTS, find_key_faults
from workspace.people.queries import password_links, person_of_link

LONGEST_PASSWORD, FEWEST_CHARACTERS = 256, 5


def system_person(*, now: datetime) -> Person:
    """The account for automatic actions, created when first needed. It can never sign in."""
    return Person.objects.system(now=now)


def create_account(
    *,
    email: str,
    name: str,
    password: str,
    by: Person,
    now: datetime,
    is_admin: bool = False,
    is_hashed: bool = True,
) -> Person:
    """Create an account and record it; unless `is_hashed` nobody signs in before the caller stores the password's hash.

    Raises NotAllowed unless `by` may manage people, Unacceptable for a bad address, name or password, Conflict when
    the address is taken.
    """
    permissions.check_manage_people(by)
    return add_person(
        email=email, name=name, password=password, is_admin=is_admin, by=by, now=now, is_hashed=is_hashed
    )


def add_person(
    *,
    email: str,
    name: str,
    password: str,
    is_admin: bool,
    by: Person | None,
    now: datetime,
    is_hashed: bool = True,
) -> Person:
    """Insert a person and the event; the caller has checked the permission. `by` None: the person did it themselves."""
    plain = _plain_email(email)
    person = Person(email=plain, name=clean_name(name), is_admin=is_admin, is_active=True, created_at=now)
    _check_password(password, person)
    person.set_password(password if is_hashed else None)
    with transaction.atomic():
        _insert(person)
        detail = {"is_admin": is_admin}
        record_event("account:created", person, by=by or person, now=now, project=None, detail=detail)
    return person


def deactivate_person(*, person: Person, by: Person, now: datetime) -> Person:
    """Deactivate an account: it cannot sign in, and its sign-ins end with their next request.

    Raises NotAllowed, also for one's own account; Conflict when it is inactive already.
    """
    permissions.check_change_account(by, person)
    with transaction.atomic():
        if not Person.objects.filter(pk=person.pk, is_active=True).update(is_active=False):
            raise Conflict(_("This account is deactivated already."), code="already_inactive")
        record_event("account:deactivated", person, by=by, now=now, project=None, detail={})
        SignIn.objects.of(person).delete()
    person.is_active = False
    return person


def reactivate_person(*, person: Person, by: Person, now: datetime) -> Person:
    """Activate an account again. Raises NotAllowed; Conflict when it is active already."""
    permissions.check_change_account(by, person)
    with transaction.atomic():
        if not Person.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
            raise Conflict(_("This account is active already."), code="already_active")
        record_event("account:reactivated", person, by=by, now=now, project=None, detail={})
    person.is_active = True
    return person


def change_email(*, person: Person, email: str, reason: str, by: Person, now: datetime) -> Person:
    """Give an account another e-mail address. Links for a new password that were made before no longer hold.

    E-mails that wait go to the new address. The audit line holds no address. Raises NotAllowed, also for one's own
    account; Unacceptable for a bad address or without a reason; Conflict when the address is taken.
    """
    permissions.check_change_email(by, person)
    said = clean_text(reason, ask=_("Say in a few words why it is changed."), most=LONGEST_IN_EVENT)
    person.email = _plain_email(email)
    with transaction.atomic():
        _insert(person, update_fields=["email"])
        Email.objects.filter(person=person, state=WAITING).update(address=person.email)
        record_event("email:changed", person, by=by, now=now, project=None, detail={"reason": said})
    return person


def change_settings(*, name: str, time_zone: str, has_single_keys: bool, by: Person, now: datetime) -> Person:
    """Set one's own name, time zone ("" is the site's) and whether single keys act. Raises Unacceptable.

    The audit line holds the old and the new name, so that the log shows people under the names they had then.
    """
    if time_zone and time_zone not in time_zones():
        raise Unacceptable(_("This is no time zone. Choose one like Europe/Vienna."), field="time_zone")
    by.name, by.time_zone, by.has_single_keys = clean_name(name), time_zone, has_single_keys
    with transaction.atomic():
        former = Person.objects.select_for_update().get(pk=by.pk).name
        by.save(update_fields=["name", "time_zone", "has_single_keys"])
        detail = {"has_single_keys": has_single_keys, "time_zone": time_zone}
        if former != by.name:
            detail |= {"former_name": former, "name": by.name}
        record_event("settings:changed", by, by=by, now=now, project=None, detail=detail)
    return by


def change_keys(*, keys: Mapping[str, str], by: Person, now: datetime) -> Person:
    """Set one's own keys of the pages where one rates, act -> key; an act that is left out gets its default.

    Raises Unacceptable for the first key that cannot be used, with the act as its field.
    """
    chosen = {**DEFAULTS, **keys}
    for name, fault in find_key_faults(chosen).items():
        raise Unacceptable(fault, field=name)
    by.keys = {name: key for name, key in chosen.items() if key != DEFAULTS[name]} or None
    with transaction.atomic():
        by.save(update_fields=["keys"])
        record_event("settings:changed", by, by=by, now=now, project=None, detail={"keys": by.keys or {}})
    return by


def change_password(*, old: str, new: str, by: Person, now: datetime, keep: str = "") -> Person:
    """Replace one's own password; all sign-ins of the account end, except the key `keep`. Raises Unacceptable."""
    if not by.check_password(old[: LONGEST_PASSWORD + 1]):
        raise Unacceptable(_("This is not your present password."), field="old", code="wrong_password")
    _check_password(new, by)
    by.set_password(new)
    with transaction.atomic():
        by.save(update_fields=["password"])
        SignIn.objects.of(by, but=keep).delete()
        record_event("password:changed", by, by=by, now=now, project=None, detail={})
    return by


def make_password_link(*, person: Person, by: Person, now: datetime) -> str:
    """The secret of a link by which the person chooses a new password; shown once and stored nowhere.

    It holds for `PASSWORD_RESET_TIMEOUT` seconds, until it is used, until the person signs in, and until their rights
    change. It is recorded in the logs of their projects, too, so that no lead makes one unseen. Raises NotAllowed.
    """
    permissions.check_make_password_link(by, person)
    with transaction.atomic():
        present = Membership.objects.filter(person=person, ended_at=None).select_related("project")
        for project in (None, *(membership.project for membership in present.order_by("project"))):
            record_event("password:link_made", person, by=by, now=now, project=project, detail={})
    return password_links.make_token(person)


def choose_password(*, secret: str, password: str, by: Person | None, now: datetime) -> Person:
    """Set the password of the account that a link is for (`by`, None when the link is for none); all its sign-ins end.

    Raises Conflict when the link no longer holds, Unacceptable for a weak password. Of two simultaneous users one
    succeeds.
    """
    with transaction.atomic():
        locked = Person.objects.select_for_update().filter(pk=by.pk).first() if by else None
        person = person_of_link(locked.pk, secret) if locked else None
        if person is None:
            raise Conflict(
                _("This link is closed. Ask a team lead or an admin for a new one."), code="link_closed"
            )
        _check_password(password, person)
        person.set_password(password)
        person.save(update_fields=["password"])
        SignIn.objects.of(person).delete()
        record_event("password:chosen", person, by=person, now=now, project=None, detail={})
    return person


def end_other_sign_ins(*, by: Person, now: datetime, keep: str) -> int:
    """End one's own sign-ins in other browsers, except the one with the key `keep`; return how many there were."""
    with transaction.atomic():
        ended = SignIn.objects.of(by, but=keep).delete()[0]
        if ended:
            record_event("sign_ins:ended", by, by=by, now=now, project=None, detail={"count": ended})
    return ended


def _plain_email(email: str) -> str:
    plain = plain_email(email)
    if plain is None:
        raise Unacceptable(_("This is no e-mail address. Write one like name@example.org."), field="email")
    return plain


def _insert(person: Person, **how: Any) -> None:
    try:
        with transaction.atomic():
            person.save(**(how or {"force_insert": True}))
    except IntegrityError:
        raise Conflict(
            _("There is an account with this e-mail address already."), code="email_taken"
        ) from None


def _check_password(password: str, person: Person) -> None:
    if len(password) > LONGEST_PASSWORD:
        raise Unacceptable(_("The password is too long: at most 256 characters."), field="password")
    if len(password) > FEWEST_CHARACTERS and len(set(password)) < FEWEST_CHARACTERS:
        says = _("The password repeats too few characters: use at least 5 different ones.")
        raise Unacceptable(says, field="password", code="weak_password")
    try:
        validate_password(password, person)
    except ValidationError as faults:
        raise Unacceptable(" ".join(faults.messages), field="password", code="weak_password") from None


HOLDS_FOR = timedelta(hours=24)


class Invited(Struct, frozen=True):
    """A new invitation and its secret, which is shown once and stored nowhere, or goes by e-mail (`is_sent`)."""

    invitation: Invitation
    secret: str
    is_sent: bool = False


def invite(
    *,
    email: str,
    role: str,
    project: Project | None,
    by: Person,
    now: datetime,
    name: str = "",
    send: bool = False,
) -> Invited:
    """Invite somebody into a project as evaluator or lead, or (no project) into the installation as admin.

    An open invitation of the same address to the same project, or as admin, is withdrawn. With `send` the link goes to
    the address, where a mail server is configured. Raises NotAllowed, Unacceptable, and Conflict when the address
    belongs there already.
    """
    permissions.check_manage_people(by) if project is None else permissions.check_manage_members(by, project)
    plain = _plain_email(email)
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
        _invitations_record("invitation:created", invitation, by, now)
        is_sent = send and _send_invitation(invitation, secret, by, now)
    return Invited(invitation, secret, is_sent)


def _send_invitation(invitation: Invitation, secret: str, by: Person, now: datetime) -> bool:
    """Queue the e-mail with the link; return whether there will be one."""
    said = _(
        "You are invited to evalsite, where people judge games and texts of language models.\n\n"
        "Open this link within 24 hours:\n%(link)s\n\n"
        "It works once. If you do not know what this is about, you need do nothing."
    ) % {"link": page_address(reverse("invitation", args=[secret]))}
    sent = queue_email(
        address=invitation.email,
        purpose=INVITATION,
        subject=_("evalsite: you are invited"),
        body=f"{said}\n",
        by=by,
        now=now,
        expires_at=invitation.expires_at,
    )
    if sent is not None:
        _invitations_record("invitation:sent", invitation, by, now)
    return sent is not None


def accept_invitation(*, secret: str, name: str, password: str, by: Person | None, now: datetime) -> Person:
    """Accept an invitation: an account of its address (`by`) joins; without one (`by` None) the account is created.

    Raises Conflict when the invitation was used, withdrawn or is too old, and for an account of another address;
    Unacceptable for a bad name or password. Of several simultaneous attempts exactly one succeeds.
    """
    with transaction.atomic():
        taken = Invitation.objects.open(now=now).filter(secret_hash=secret_hash(secret))
        invitation = taken.select_for_update(of=("self",)).select_related("project", "created_by").first()
        if invitation is None:
            says = _("This invitation was used, withdrawn, or is older than a day. Ask for a new one.")
            raise Conflict(says, code="invitation_closed")
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
        _invitations_record("invitation:accepted", invitation, person, now)
    return person


def withdraw_invitation(*, invitation: Invitation, by: Person, now: datetime) -> Invitation:
    """Withdraw an open invitation. Raises NotAllowed; Conflict when it was used or withdrawn."""
    permissions.check_manage_people(by)
    with transaction.atomic():
        still_open = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, withdrawn_at=None)
        if not still_open.update(withdrawn_at=now, withdrawn_by=by):
            raise Conflict(_("This invitation was used or withdrawn already."), code="invitation_closed")
        _invitations_record("invitation:withdrawn", invitation, by, now)
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


def _invitations_record(verb: str, invitation: Invitation, by: Person, now: datetime) -> None:
    record_event(verb, invitation, by=by, now=now, detail={"role": invitation.role})
