"""People: who signs in. A person is deactivated, never deleted, since judgements and events name them."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any, ClassVar
from zoneinfo import available_timezones

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import make_password
from django.db import models
from django.db.models.functions import Lower

from workspace.database.prepared_queries import Kind, Prepared

SYSTEM_EMAIL = "system@evalsite.invalid"


@cache
def time_zones() -> tuple[str, ...]:
    """Every time zone that a person can choose, by name; cached, since it reads hundreds of files."""
    return tuple(sorted(available_timezones()))


class PersonQuerySet(models.QuerySet["Person"]):
    def active(self) -> "PersonQuerySet":
        """People with an active account, without the system account."""
        return self.filter(is_active=True, is_system=False)

    def signing_in(self) -> "PersonQuerySet":
        """Those who may sign in: people, not programs."""
        return self.active().filter(is_service=False)


class PersonManager(BaseUserManager.from_queryset(PersonQuerySet)):  # type: ignore[misc]
    """Finds a person by e-mail address, whatever its case."""

    def get_by_natural_key(self, username: str | None) -> "Person":
        return self.get(email=(username or "").lower())

    def system(self, *, now: datetime) -> "Person":
        """The account for automatic actions, created when first needed. It can never sign in."""
        made: tuple[Person, bool] = self.get_or_create(
            is_system=True,
            defaults={
                "email": SYSTEM_EMAIL,
                "name": "System",
                "is_active": False,
                "password": make_password(None),
                "created_at": now,
            },
        )
        return made[0]


class Person(AbstractBaseUser):
    """Somebody with an account, a service account, or the system itself; the latter two never sign in.

    Evaluators and leads are members of projects; an admin has that role for the whole installation. A service account
    is a program's: it has no password and acts by its access tokens alone.
    """

    email = models.EmailField(max_length=200, unique=True)
    name = models.CharField(max_length=200)
    is_active = models.BooleanField(default=True)
    is_admin = models.BooleanField(default=False)
    is_system = models.BooleanField(default=False)
    is_service = models.BooleanField(default=False)
    has_single_keys = models.BooleanField(default=True)
    # Act -> key, where it is not the default: see workspace.people.labels.
    keys = models.JSONField(null=True, blank=True)
    time_zone = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField()

    # Who this is at the OpenID Connect issuer, since the first sign-in there; empty before.
    oidc_issuer = models.CharField(max_length=500, blank=True)
    oidc_subject = models.CharField(max_length=255, blank=True)

    # Since when name and address are gone: a keyed pseudonym stands in their place.
    erased_at = models.DateTimeField(null=True, blank=True)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    # Set for whoever is signed in, where second factors are required: see workspace.models.sign_ins.
    lacks_second_factor = False

    # How many unread notifications the person has, for the bell; read together with the signed-in person.
    unread_count = 0

    objects = PersonManager()

    class Meta:
        verbose_name_plural = "people"
        constraints = (
            models.CheckConstraint(condition=models.Q(email=Lower("email")), name="person_email_lower"),
            models.UniqueConstraint(
                fields=["is_system"], condition=models.Q(is_system=True), name="person_one_system"
            ),
            models.UniqueConstraint(
                fields=["oidc_issuer", "oidc_subject"],
                condition=~models.Q(oidc_subject=""),
                name="person_one_oidc_subject",
            ),
        )

    def __str__(self) -> str:
        return self.name or self.email


def prepare_by_rights(
    build: "Callable[..., models.QuerySet[Any, Any]]", *kinds: Kind
) -> dict[bool, Prepared]:
    """A query about a person, for admins (True) and for everybody else.

    `build` gets a stand-in for the person and for the values of `kinds`; the query is run with the person's key. What
    every admin may see, it may select without the person.
    """

    def prepare(is_admin: bool) -> Prepared:
        return Prepared(
            lambda key, *others: build(Person(pk=key, is_admin=is_admin), *others),
            int,
            *kinds,
            optional=int(is_admin),
        )

    return {is_admin: prepare(is_admin) for is_admin in (False, True)}


class Made(models.Model):
    """What somebody made, and when; base of most tables."""

    created_at = models.DateTimeField()
    created_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        abstract = True
