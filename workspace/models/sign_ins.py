"""Who is signed in, read for every request: the session and the person, each by SQL that is built once."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import InternalError, OperationalError, models
from django.db.models import Count, Exists, ExpressionWrapper, OuterRef, Q, Subquery
from django.utils import timezone

from workspace.database.prepared_queries import Prepared, select_rows
from workspace.models.notifications import Notification
from workspace.models.people import Person
from workspace.models.projects import LEAD, Membership


class SignInQuerySet(models.QuerySet["SignIn"]):
    def of(self, person: Person, *, but: str = "") -> "SignInQuerySet":
        """Sign-ins of the person, except the one with this key."""
        return self.filter(person=person).exclude(pk=but)


class SignIn(AbstractBaseSession):
    """Django's session as a row, with its person once somebody has signed in."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="sign_ins", null=True)

    objects = SignInQuerySet.as_manager()  # type: ignore[misc,assignment]

    class Meta(AbstractBaseSession.Meta):
        pass

    @classmethod
    def get_session_store_class(cls) -> "type[SessionStore]":
        return SessionStore

    def noted(self, name: str) -> datetime | None:
        """A moment that the sign-in keeps as seconds, such as "began" and "seen"."""
        seconds = self.get_decoded().get(name)
        return datetime.fromtimestamp(seconds, UTC) if seconds else None


class SessionStore(db.SessionStore):
    """Django's sessions in the database, with another look-up and a column for the person."""

    @classmethod
    def get_model_class(cls) -> type[SignIn]:
        return SignIn

    def create_model_instance(self, data: dict[str, Any]) -> SignIn:
        """The row to store; its person is in the data that Django's login puts into the session."""
        row = super().create_model_instance(data)
        assert isinstance(row, SignIn)
        row.person_id = data.get("_auth_user_id")
        return row

    def save(self, must_create: bool = False) -> None:
        """Store it. Unlike Django, do not take an unavailable, full or read-only database for a deleted session."""
        try:
            super().save(must_create)
        except UpdateError as fault:
            away = fault.__context__
            if isinstance(away, OperationalError | InternalError):
                raise away from away.__cause__  # the cause says more, such as a full disk
            raise

    def load(self) -> dict[str, Any]:
        """The data of the session; empty when there is none or it expired."""
        found = select_rows(SignIn, "session_data", "expire_date", pk=str(self.session_key))
        if not found or found[0][1] <= timezone.now():
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(found[0][0])
        return data


def load_person(key: int) -> Person | None:
    """The person with that number as the row is now, active or not, and whether a second factor is missing.

    With their unread notifications counted, so that the bell costs no query of its own while they are few.
    """
    found = _PERSON[settings.REQUIRE_TOTP](key)
    if not found:
        return None
    person = Person.from_db("default", _COLUMNS, found[0][: len(_COLUMNS)])
    person.unread_count = found[0][len(_COLUMNS)] or 0
    person.lacks_second_factor = bool(settings.REQUIRE_TOTP and found[0][-1])
    return person


def find_signed_in(key: int) -> Person | None:
    """The person, unless deactivated since; service accounts never sign in."""
    person = load_person(key)
    return person if person is not None and person.is_active and not person.is_service else None


def _query_person(needs_factor: bool, key: int) -> Any:
    """Required second factors are in the same query as the person, so that they cost a request no further query."""
    unread = Notification.objects.shown_to(OuterRef("pk")).filter(read_at=None).order_by()
    count = unread.values("person").annotate(count=Count("pk")).values("count")
    people = Person.objects.filter(pk=key).annotate(unread=Subquery(count))
    if not needs_factor:
        return people.values_list(*_COLUMNS, "unread")
    leads = Membership.objects.filter(person=OuterRef("pk"), role=LEAD, ended_at=None)
    has = Authenticator.objects.filter(user=OuterRef("pk"), type=Authenticator.Type.TOTP)
    lacks = (Q(is_admin=True) | Q(Exists(leads))) & ~Q(Exists(has)) & Q(is_service=False)
    rows = people.annotate(lacks=ExpressionWrapper(lacks, models.BooleanField()))
    return rows.values_list(*_COLUMNS, "unread", "lacks")


_COLUMNS = [field.attname for field in Person._meta.concrete_fields]
_PERSON = {
    needs_factor: Prepared(partial(_query_person, needs_factor), int) for needs_factor in (False, True)
}
