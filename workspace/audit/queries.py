"""The things that audit lines are about: their names, their pages, and which lines name them.

Each wing knows its own things; settings.AUDIT_OBJECTS names them. Also the first seals of audit lines that came with a
project archive, as they were where the lines were written.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast
from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.models import (
    AccessToken,
    Event,
    Export,
    FirstSeal,
    Invitation,
    Membership,
    Person,
    Project,
    Webhook,
)


class Thing(Struct, frozen=True):
    """The name of a thing, and the address of its page, "" without one."""

    name: str
    page: str = ""


Found = dict[tuple[str, str], Thing]
Wanted = Mapping[str, Collection[int]]
Namer = Callable[[Project | None, Collection[int]], Mapping[int, Thing]]


class Objects(Struct, frozen=True):
    """The things of a wing: by kind how they are named, and the lines about those with a number.

    For a project and the number that people know, `about` gives the rows of each kind that are about it.
    """

    namers: Mapping[str, Namer]
    about: Mapping[str, Callable[[Project, int], Mapping[str, "QuerySet[Any]"]]] = {}


def name_things(project: Project | None, events: Iterable[Event]) -> Found:
    """The things that lines of a project (None: of the installation) are about; a query or two for each kind."""
    wanted: dict[str, set[int]] = {}
    for event in events:
        if event.object_id.isdecimal():
            wanted.setdefault(event.object_kind, set()).add(int(event.object_id))
    found: Found = {}
    for objects in _wings():
        for kind in wanted.keys() & objects.namers.keys():
            things = objects.namers[kind](project, wanted[kind])
            found |= {(kind, str(key)): thing for key, thing in things.items()}
    return found


class Renames(Struct, frozen=True):
    """Earlier names of people: by person, the moment of each renaming with the name until then, oldest first."""

    by_person: Mapping[int, Sequence[tuple[datetime, str]]]

    def name_at(self, person: Person, moment: datetime) -> str:
        """The name that a person had then. A line written at the moment of the renaming has the old name."""
        former = self.by_person.get(person.pk, ())
        return next((name for until, name in former if moment <= until), person.name)

    def once_called(self, part: str) -> list[int]:
        """The people whose former names contain the text, whatever its case."""
        return [
            person
            for person, former in self.by_person.items()
            if any(part.casefold() in name.casefold() for _until, name in former)
        ]


def load_renames(people: Collection[int] | None = None) -> Renames:
    """The renamings of these people, of all when None, from the log of the installation."""
    lines = Event.objects.filter(
        chain__project=None, verb="settings:changed", detail__contains='"former_name":'
    ).order_by("seq")
    if people is not None:
        lines = lines.filter(by__in=people)
    found: dict[int, list[tuple[datetime, str]]] = {}
    for person, at, detail in lines.values_list("by", "at", "detail"):
        if former := msgspec.json.decode(detail).get("former_name"):
            found.setdefault(person, []).append((at, former))
    return Renames(found)


def lines_about(project: Project | None, kind: str, number: int) -> Q:
    """The condition for lines about a thing: by the number that people know, if there is one, else by its key."""
    for objects in _wings():
        if project is not None and kind in objects.about:
            condition = Q(pk=None)
            for part, rows in objects.about[kind](project, number).items():
                keys = rows.order_by().annotate(as_text=Cast("pk", CharField())).values("as_text")
                condition |= Q(object_kind=part, object_id__in=keys)
            return condition
    return Q(object_kind=kind, object_id=str(number))


def _wings() -> list[Objects]:
    return [import_string(path) for path in settings.AUDIT_OBJECTS]


def _name_people(_project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    return {person.pk: Thing(person.name) for person in Person.objects.filter(pk__in=keys)}


def _name_members(project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    rows = Membership.objects.filter(pk__in=keys).select_related("person")
    page = reverse("members", args=[project.slug]) if project else ""
    return {row.pk: Thing(row.person.name, page) for row in rows}


def _name_invitations(project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    page = reverse("members", args=[project.slug]) if project else reverse("people")
    rows = Invitation.objects.filter(pk__in=keys)
    return {row.pk: Thing(_("the invitation of %(email)s") % {"email": row.email}, page) for row in rows}


def _name_tokens(_project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    rows = AccessToken.objects.filter(pk__in=keys)
    page = reverse("all_access_tokens")
    return {row.pk: Thing(_("the access token %(name)s") % {"name": row.name}, page) for row in rows}


def _name_projects(_project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    rows = Project.objects.filter(pk__in=keys)
    return {
        row.pk: Thing(_("the project %(name)s") % {"name": row.name}, reverse("project", args=[row.slug]))
        for row in rows
    }


def _name_exports(project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    page = reverse("exports", args=[project.slug]) if project else ""
    rows = Export.objects.filter(pk__in=keys).values_list("pk", flat=True)
    return {key: Thing(_("export %(number)d") % {"number": key}, page) for key in rows}


def _name_webhooks(project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    rows = Webhook.objects.filter(pk__in=keys)
    return {
        row.pk: Thing(
            _("the webhook %(name)s") % {"name": row.name},
            reverse("webhook", args=[project.slug, row.pk]) if project and row.removed_at is None else "",
        )
        for row in rows
    }


def _name_jobs(_project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    return {key: Thing(_("job %(number)d") % {"number": key}) for key in keys}


OBJECTS = Objects(
    namers={
        "person": _name_people,
        "membership": _name_members,
        "invitation": _name_invitations,
        "access_token": _name_tokens,
        "project": _name_projects,
        "export": _name_exports,
        "webhook": _name_webhooks,
        "job": _name_jobs,
    }
)


IMPORTED = "project:imported"


def hash_first_seals(project: int | None) -> str:
    """SHA-256 over the first seals of a project's lines, in their order; "" without any."""
    seals = FirstSeal.objects.filter(event__chain__project=project).order_by("event__seq")
    digest, count = hashlib.sha256(), 0
    for row in seals.values_list("event__seq", "chain", "by", "object_id", "mac").iterator(chunk_size=2000):
        digest.update(msgspec.json.encode(row) + b"\n")
        count += 1
    return digest.hexdigest() if count else ""


def load_imports(project: int | None = None) -> dict[int | None, dict[str, object]]:
    """What the log of the installation records about imported projects, by their keys; about one of them if given."""
    lines = Event.objects.filter(chain__project=None, verb=IMPORTED, object_kind="project")
    if project is not None:
        lines = lines.filter(object_id=str(project))
    rows = lines.order_by("-seq").values_list("object_id", "detail")
    return {int(key): msgspec.json.decode(detail, type=dict[str, object]) for key, detail in rows}
