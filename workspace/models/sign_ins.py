"""Who is signed in, read anew for every request: the session and the person, each by a query prepared once."""

from datetime import UTC, datetime
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import Exists, ExpressionWrapper, OuterRef, Q
from django.utils import timezone

from workspace.models.people import Person
from workspace.models.prepared import Prepared
from workspace.models.projects import LEAD, Membership


class SignInQuerySet(models.QuerySet["SignIn"]):
    """How sign-ins are asked for."""

    def of(self, person: Person, *, but: str = "") -> "SignInQuerySet":
        """Those of the person, save for the one with this key."""
        return self.filter(person=person).exclude(pk=but)


class SignIn(AbstractBaseSession):
    """Django's session in a row, which says whose it is once somebody has signed in."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="sign_ins", null=True)

    objects = SignInQuerySet.as_manager()  # type: ignore[misc,assignment]

    class Meta(AbstractBaseSession.Meta):
        pass

    @classmethod
    def get_session_store_class(cls) -> "type[SessionStore]":
        """Who reads and writes it."""
        return SessionStore

    def noted(self, name: str) -> datetime | None:
        """A moment that the sign-in keeps as seconds, such as "began" and "seen"."""
        seconds = self.get_decoded().get(name)
        return datetime.fromtimestamp(seconds, UTC) if seconds else None


class SessionStore(db.SessionStore):
    """Django's sessions in rows, save for how one is looked up and whose it is."""

    @classmethod
    def get_model_class(cls) -> type[SignIn]:
        """The rows."""
        return SignIn

    def create_model_instance(self, data: dict[str, Any]) -> SignIn:
        """The row to store; whose it is stands in what Django's sign-in puts into it."""
        row = super().create_model_instance(data)
        assert isinstance(row, SignIn)
        row.person_id = data.get("_auth_user_id")
        return row

    def load(self) -> dict[str, Any]:
        """What the session holds; nothing when there is none or it ran out."""
        found = _SESSION.rows(str(self.session_key))
        if not found or found[0][1] <= timezone.now():
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(found[0][0])
        return data


def person_of(key: int) -> Person | None:
    """The person with that number as the row is now, switched off or not, and whether a second factor is missing."""
    found = (_PERSON_AND_FACTOR if settings.REQUIRE_TOTP else _PERSON).rows(key)
    if not found:
        return None
    person = Person.from_db("default", _COLUMNS, found[0][: len(_COLUMNS)])
    person.lacks_second_factor = bool(settings.REQUIRE_TOTP and found[0][-1])
    return person


def _people_and_factors(key: int) -> "models.QuerySet[Person, Any]":
    """In the same query as the person, so that a request costs no more of them where second factors are required."""
    leads = Membership.objects.filter(person=OuterRef("pk"), role=LEAD, ended_at=None)
    has = Authenticator.objects.filter(user=OuterRef("pk"), type=Authenticator.Type.TOTP)
    lacks = (Q(is_admin=True) | Q(Exists(leads))) & ~Q(Exists(has))
    rows = Person.objects.filter(pk=key).annotate(lacks=ExpressionWrapper(lacks, models.BooleanField()))
    return rows.values_list(*_COLUMNS, "lacks")


_COLUMNS = [field.attname for field in Person._meta.concrete_fields]
_SESSION = Prepared(
    lambda key: SignIn.objects.filter(pk=key).values_list("session_data", "expire_date"),
    str,
)
_PERSON = Prepared(lambda key: Person.objects.filter(pk=key).values_list(*_COLUMNS), int)
_PERSON_AND_FACTOR = Prepared(_people_and_factors, int)
