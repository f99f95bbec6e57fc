"""Accounts: made, switched off and on, and what people set for themselves."""

from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from workspace.actions.events import record_event
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person
from workspace.permissions import check_change_account, check_manage_people

SYSTEM_EMAIL = "system@evalsite.invalid"
LONGEST_NAME = 200
LONGEST_PASSWORD = 256


def system_person(*, now: datetime) -> Person:
    """The account that stands for what nobody did; made when it is first needed. It can never sign in."""
    system: Person = Person.objects.get_or_create(
        is_system=True,
        defaults={
            "email": SYSTEM_EMAIL,
            "name": "System",
            "is_active": False,
            "password": make_password(None),
            "created_at": now,
        },
    )[0]
    return system


def create_account(
    *, email: str, name: str, password: str, by: Person, now: datetime, is_admin: bool = False
) -> Person:
    """Make an account that can sign in at once, and record it.

    Raises NotAllowed unless `by` may manage people, Unacceptable for a bad address, name or password, Conflict when
    the address is taken.
    """
    check_manage_people(by)
    return add_person(email=email, name=name, password=password, is_admin=is_admin, by=by, now=now)


def add_person(
    *, email: str, name: str, password: str, is_admin: bool, by: Person | None, now: datetime
) -> Person:
    """Insert the row of a person and its event; whoever calls this has asked for permission. `by` None: themselves."""
    person = Person(
        email=clean_email(email), name=clean_name(name), is_admin=is_admin, is_active=True, created_at=now
    )
    check_password_is_good(password, person)
    person.set_password(password)
    with transaction.atomic():
        insert(person)
        record_event(
            by=by or person,
            now=now,
            project=None,
            verb="account:created",
            object_kind="person",
            object_id=person.pk,
            detail={"is_admin": is_admin},
        )
    return person


def deactivate_person(*, person: Person, by: Person, now: datetime) -> Person:
    """Switch an account off: it cannot sign in, and its sign-ins end with their next request.

    Raises NotAllowed, also for one's own account; Conflict when it is off already.
    """
    check_change_account(by, person)
    with transaction.atomic():
        if not Person.objects.filter(pk=person.pk, is_active=True).update(is_active=False):
            raise Conflict(_("This account is switched off already."), code="already_inactive")
        record_event(
            by=by,
            now=now,
            project=None,
            verb="account:deactivated",
            object_kind="person",
            object_id=person.pk,
        )
        end_sign_ins(person)
    person.is_active = False
    return person


def reactivate_person(*, person: Person, by: Person, now: datetime) -> Person:
    """Switch an account on again. Raises NotAllowed; Conflict when it is on already."""
    check_change_account(by, person)
    with transaction.atomic():
        if not Person.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
            raise Conflict(_("This account is switched on already."), code="already_active")
        record_event(
            by=by,
            now=now,
            project=None,
            verb="account:reactivated",
            object_kind="person",
            object_id=person.pk,
        )
    person.is_active = True
    return person


def change_settings(*, name: str, has_single_keys: bool, by: Person, now: datetime) -> Person:
    """Set one's own name and whether single keys act. Raises Unacceptable for a bad name."""
    with transaction.atomic():
        by.name, by.has_single_keys = clean_name(name), has_single_keys
        by.save(update_fields=["name", "has_single_keys"])
        record_event(
            by=by,
            now=now,
            project=None,
            verb="settings:changed",
            object_kind="person",
            object_id=by.pk,
            detail={"has_single_keys": has_single_keys},
        )
    return by


def end_sign_ins(person: Person) -> int:
    """Delete the stored sessions of a person; how many there were."""
    key = str(person.pk)
    mine = [row.pk for row in Session.objects.iterator() if row.get_decoded().get("_auth_user_id") == key]
    return Session.objects.filter(pk__in=mine).delete()[0]


def insert(person: Person) -> None:
    """Insert a new person's row. Raises Conflict when the address is taken."""
    try:
        with transaction.atomic():
            person.save(force_insert=True)
    except IntegrityError:
        raise Conflict(
            _("There is an account with this e-mail address already."), code="email_taken"
        ) from None


def clean_email(email: str) -> str:
    """The address in lower case. Raises Unacceptable when it is none."""
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        sentence = _("This is not an e-mail address. Write one like name@example.org.")
        raise Unacceptable(sentence, field="email") from None
    if len(email) > LONGEST_NAME:
        raise Unacceptable(_("The e-mail address is too long: at most 200 characters."), field="email")
    return email


def clean_name(name: str) -> str:
    """The name without white space around it. Raises Unacceptable when it is empty, too long or holds control codes."""
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise Unacceptable(_("Write a name of 1 to 200 visible characters."), field="name")
    return name


def check_password_is_good(password: str, person: Person) -> None:
    """Raise Unacceptable, naming every rule that the password breaks."""
    if len(password) > LONGEST_PASSWORD:
        raise Unacceptable(_("The password is too long: at most 256 characters."), field="password")
    try:
        validate_password(password, person)
    except ValidationError as faults:
        raise Unacceptable(" ".join(faults.messages), field="password", code="weak_password") from None
