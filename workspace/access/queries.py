"""The signed-in person, read from the row with every request."""

from collections.abc import Callable
from functools import partial
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import models
from django.db.models import Count, Exists, ExpressionWrapper, OuterRef, Q, Subquery

from workspace.database.prepared_queries import Kind, Prepared
from workspace.models import Membership, Notification, Person
from workspace.models.projects import LEAD


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
