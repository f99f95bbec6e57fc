"""Accounts: made, switched off and on, and what people set for themselves."""

from datetime import datetime

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from workspace.actions.events import record_event
from workspace.core.identifiers import plain_email, plain_name
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person, SignIn
from workspace.models.people import time_zones
from workspace.permissions import check_change_account, check_manage_people

LONGEST_PASSWORD, FEWEST_CHARACTERS = 256, 5


def system_person(*, now: datetime) -> Person:
    """The account that stands for what nobody did; made when it is first needed. It can never sign in."""
    return Person.objects.system(now=now)


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
    """Insert a person and the event; whoever calls this has asked for permission. `by` None means they did it."""
    plain = plain_email(email)
    if plain is None:
        raise Unacceptable(_("This is no e-mail address. Write one like name@example.org."), field="email")
    person = Person(email=plain, name=_clean_name(name), is_admin=is_admin, is_active=True, created_at=now)
    _check_password(password, person)
    person.set_password(password)
    with transaction.atomic():
        _insert(person)
        _record("account:created", person, by or person, now, {"is_admin": is_admin})
    return person


def deactivate_person(*, person: Person, by: Person, now: datetime) -> Person:
    """Switch an account off: it cannot sign in, and whoever uses it is out with the next request.

    Raises NotAllowed, also for one's own account; Conflict when it is off already.
    """
    check_change_account(by, person)
    with transaction.atomic():
        if not Person.objects.filter(pk=person.pk, is_active=True).update(is_active=False):
            raise Conflict(_("This account is switched off already."), code="already_inactive")
        _record("account:deactivated", person, by, now, {})
        SignIn.objects.of(person).delete()
    person.is_active = False
    return person


def reactivate_person(*, person: Person, by: Person, now: datetime) -> Person:
    """Switch an account on again. Raises NotAllowed; Conflict when it is on already."""
    check_change_account(by, person)
    with transaction.atomic():
        if not Person.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
            raise Conflict(_("This account is switched on already."), code="already_active")
        _record("account:reactivated", person, by, now, {})
    person.is_active = True
    return person


def change_settings(*, name: str, time_zone: str, has_single_keys: bool, by: Person, now: datetime) -> Person:
    """Set one's own name, time zone ("" is the site's) and whether single keys act. Raises Unacceptable."""
    if time_zone and time_zone not in time_zones():
        raise Unacceptable(_("This is no time zone. Choose one like Europe/Vienna."), field="time_zone")
    by.name, by.time_zone, by.has_single_keys = _clean_name(name), time_zone, has_single_keys
    with transaction.atomic():
        by.save(update_fields=["name", "time_zone", "has_single_keys"])
        detail = {"has_single_keys": has_single_keys, "time_zone": time_zone}
        _record("settings:changed", by, by, now, detail)
    return by


def change_password(*, old: str, new: str, by: Person, now: datetime, keep: str = "") -> Person:
    """Replace one's own password; all sign-ins of the account end, save for the key `keep`. Raises Unacceptable."""
    if not by.check_password(old[: LONGEST_PASSWORD + 1]):
        raise Unacceptable(_("This is not your present password."), field="old", code="wrong_password")
    _check_password(new, by)
    by.set_password(new)
    with transaction.atomic():
        by.save(update_fields=["password"])
        SignIn.objects.of(by, but=keep).delete()
        _record("password:changed", by, by, now, {})
    return by


def end_other_sign_ins(*, by: Person, now: datetime, keep: str) -> int:
    """End one's own sign-ins in other browsers, save for the one with the key `keep`; how many there were."""
    with transaction.atomic():
        ended = SignIn.objects.of(by, but=keep).delete()[0]
        if ended:
            _record("sign_ins:ended", by, by, now, {"count": ended})
    return ended


def _insert(person: Person) -> None:
    try:
        with transaction.atomic():
            person.save(force_insert=True)
    except IntegrityError:
        raise Conflict(
            _("There is an account with this e-mail address already."), code="email_taken"
        ) from None


def _clean_name(name: str) -> str:
    plain = plain_name(name)
    if plain is None:
        raise Unacceptable(_("Write a name of 1 to 200 visible characters."), field="name")
    return plain


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


def _record(verb: str, person: Person, by: Person, now: datetime, detail: dict[str, object]) -> None:
    record_event(
        by=by, now=now, project=None, verb=verb, object_kind="person", object_id=person.pk, detail=detail
    )
