"""The audit log, newest first, a page at a time by line number; and the names and pages of what its lines are about.

Each app knows its own things; settings.AUDIT_KINDS names them. Also the first seals of audit lines that came with a
project archive, as they were where the lines were written.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.conf import settings
from django.db.models import CharField, Model, Q, QuerySet
from django.db.models.functions import Cast
from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.timezone import make_aware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from workspace.audit import labels
from workspace.core.audit_chain import Head
from workspace.core.limits import PAGE_SIZE
from workspace.models import (
    AccessToken,
    Chain,
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


def kind_of(model: type[Model]) -> str:
    """The name of a kind of object in the audit log: that of its model, in small letters with underscores."""
    return getattr(model, "event_kind", "") or re.sub("(?<=[a-z])(?=[A-Z])", "_", model.__name__).lower()


class Kind(Struct, frozen=True):
    """How things of a kind are named: the fields of their rows fill the `words`, and the `arguments` of their page.

    `fields` are names, each with the path to it unless it is the same. `project` is the path to the project, "" where
    lines of any project name such things. Lines about a thing of the kind `part_of` include those about this kind: the
    last argument is its number. `special` names things that are unlike others. Without a model, the key is the number.
    """

    model: Any
    words: Any
    page: str = ""
    arguments: str = "slug number"
    fields: str = "number"
    project: str = "project"
    part_of: str = ""
    special: Callable[[Project | None, Mapping[str, Any]], Thing | None] = lambda project, values: None

    @property
    def paths(self) -> dict[str, str]:
        split = (field.partition(":") for field in self.fields.split())
        return {name: path or name for name, _, path in split}

    def name(self, project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
        if self.model is None:
            return {key: Thing(str(self.words) % {"number": key}) for key in keys}
        where = {self.project: project} if self.project else {}
        rows = self.model.objects.filter(pk__in=keys, **where).values_list("pk", *self.paths.values())
        return {key: self._describe(project, dict(zip(self.paths, row, strict=True))) for key, *row in rows}

    def _describe(self, project: Project | None, values: dict[str, Any]) -> Thing:
        if (special := self.special(project, values)) is not None:
            return special
        values, arguments = {"slug": project.slug if project else "", **values}, self.arguments.split()
        has_page = self.page and ("slug" not in arguments or values["slug"])
        page = reverse(self.page, args=[values[name] for name in arguments]) if has_page else ""
        return Thing(str(self.words) % values, page)


def name_things(project: Project | None, events: Iterable[Event]) -> dict[tuple[str, str], Thing]:
    """The things that lines of a project (None: of the installation) are about; a query for each kind."""
    wanted: dict[str, set[int]] = {}
    for event in events:
        if event.object_id.isdecimal():
            wanted.setdefault(event.object_kind, set()).add(int(event.object_id))
    kinds = _kinds()
    return {
        (kind, str(key)): thing
        for kind in wanted.keys() & kinds.keys()
        for key, thing in kinds[kind].name(project, wanted[kind]).items()
    }


# By person, the moment of each renaming with the name until then.
Renames = Mapping[int, Sequence[tuple[datetime, str]]]


def load_renames(people: Collection[int] | None = None) -> Renames:
    """The renamings of these people, of all when None, from the log of the installation, oldest first."""
    lines = Event.objects.filter(
        chain__project=None, verb="settings:changed", detail__contains='"former_name":'
    ).order_by("seq")
    if people is not None:
        lines = lines.filter(by__in=people)
    renames: dict[int, list[tuple[datetime, str]]] = {}
    for person, until, detail in lines.values_list("by", "at", "detail"):
        if former := msgspec.json.decode(detail).get("former_name"):
            renames.setdefault(person, []).append((until, former))
    return renames


def name_at(person: Person, moment: datetime, renames: Renames) -> str:
    """The name that a person had then. A line written at the moment of the renaming has the old name."""
    former = renames.get(person.pk, ())
    return next((name for until, name in former if moment <= until), person.name)


def load_erased(chain: int) -> dict[int, str]:
    """What tombstones of a chain say: the number of a line -> its seal without the details that were erased."""
    rows = Event.objects.filter(chain=chain, verb__in=ERASED).order_by("seq").values_list("detail", flat=True)
    found: dict[int, str] = {}
    for detail in rows:
        found |= {int(seq): mac for seq, mac in msgspec.json.decode(detail).get("lines", {}).items()}
    return found


def list_erased(kind: str) -> set[str]:
    """The keys of rows of a kind that were deleted, as tombstones say."""
    return {
        str(key) for row in _tombstones() for key in msgspec.json.decode(row).get("rows", {}).get(kind, ())
    }


def list_changed() -> dict[tuple[str, int], str]:
    """Rows that lost something by an erasure, as kind and key -> the hash of what is left, as tombstones say."""
    found = {}
    for row in _tombstones():
        for name, sha256 in msgspec.json.decode(row).get("hashes", {}).items():
            kind, _, key = name.partition(":")
            found[kind, int(key)] = sha256
    return found


def _tombstones() -> "QuerySet[Event, str]":
    """The details of tombstones that were written here: those of an archive name keys of another installation."""
    rows = Event.objects.filter(verb__in=ERASED, first_seal=None).order_by("pk")
    return rows.values_list("detail", flat=True)


def lines_about(project: Project | None, kind: str, number: int) -> Q:
    """The condition for lines about a thing: by the number that people know, if there is one, else by its key."""
    parts = {name: part for name, part in _kinds().items() if project is not None and part.part_of == kind}
    condition = Q(pk=None) if parts else Q(object_kind=kind, object_id=str(number))
    for name, part in parts.items():
        rows = part.model.objects.filter(
            **{part.project: project, part.paths[part.arguments.split()[-1]]: number}
        )
        keys = rows.order_by().annotate(as_text=Cast("pk", CharField())).values("as_text")
        condition |= Q(object_kind=name, object_id__in=keys)
    return condition


def _kinds() -> dict[str, Kind]:
    return {name: kind for path in settings.AUDIT_KINDS for name, kind in import_string(path).items()}


def _name_invitation(project: Project | None, values: Mapping[str, Any]) -> Thing:
    page = reverse("members", args=[project.slug]) if project else reverse("people")
    return Thing(_("the invitation of %(email)s") % values, page)


KINDS = {
    "person": Kind(Person, "%(name)s", fields="name", project=""),
    "membership": Kind(Membership, "%(name)s", "members", "slug", "name:person__name", ""),
    "invitation": Kind(Invitation, "", fields="email", project="", special=_name_invitation),
    "access_token": Kind(
        AccessToken, gettext_lazy("the access token %(name)s"), "all_access_tokens", "", "name", ""
    ),
    "project": Kind(Project, gettext_lazy("the project %(name)s"), "project", "slug", "name slug", ""),
    "export": Kind(Export, gettext_lazy("export %(number)d"), "exports", "slug", "number:pk", ""),
    "webhook": Kind(
        Webhook,
        gettext_lazy("the webhook %(name)s"),
        "webhook",
        fields="name removed_at number:pk",
        project="",
        special=lambda _project, row: Thing(_("the webhook %(name)s") % row) if row["removed_at"] else None,
    ),
    "job": Kind(None, gettext_lazy("job %(number)d")),
}


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


BATCH = 500
# Lines that say what was erased, and the parts of them that only `verify` reads.
ERASED = ("game:erased", "transcript:erased", "project:erased", "person:erased")
PROOFS = ("lines", "rows", "hashes")
# Values of details that are fixed words, not texts or names.
WORDS = ("kind", "mode", "phase", "purpose", "reveal")


class AuditLine:
    """A line of the log, the thing that it is about, and the name that its person had then."""

    def __init__(self, event: Event, who: str, thing: Thing) -> None:
        self.event, self.who, self.thing = event, who, thing

    @property
    def parts(self) -> list[str]:
        return labels.split_sentence(labels.say_act(self.event.verb))

    @property
    def sentence(self) -> str:
        words = {"%(who)s": self.who, "%(thing)s": self.thing.name}
        return "".join(words.get(part, part) for part in self.parts)

    @property
    def detail(self) -> list[tuple[str, str]]:
        return [
            (
                labels.detail_name(name),
                labels.detail_word(name, _plain(value)) if name in WORDS else _plain(value),
            )
            for name, value in self.event.details.items()
            if self.event.verb not in ERASED or name not in PROOFS
        ]


class AuditQuery(Struct, frozen=True, kw_only=True):
    """Which lines: of one of `KINDS` ("" for all), about the thing of that kind with that `number` (0 for all), of one
    of `VERBS`, by people whose name or address holds `who`, on days of the reader's time zone.
    """

    kind: str = ""
    number: int = 0
    verb: str = ""
    who: str = ""
    since: date | None = None
    until: date | None = None

    @property
    def parameters(self) -> str:
        """The query of the address for the same choice; "" for all lines."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return urlencode({name: value for name, value in values.items() if value})


def audit_page(*, project: Project | None, wanted: AuditQuery, before: int, after: int) -> dict[str, Any]:
    """Lines of the project's chain (None: the installation's) older than `before`, or newer than `after`.

    0 for `before` and `after` means the newest page. `older` and `newer` are line numbers to go on from, 0 when there
    are no such lines. `seals_hold`: the first seals of imported lines were checked at the import, and hold.
    """
    chain = Chain.objects.filter(project=project).first()
    if chain is None:
        return {"lines": [], "head": Head(0, 0, ""), "older": 0, "newer": 0}
    lines = _choose(Event.objects.filter(chain=chain), project, wanted)
    rows = _window(lines, before, after)
    older = rows[-1].seq if rows and lines.filter(seq__lt=rows[-1].seq).exists() else 0
    newer = rows[0].seq if rows and lines.filter(seq__gt=rows[0].seq).exists() else 0
    seals_hold = (
        project is not None
        and any(hasattr(row, "first_seal") for row in rows)
        and load_imports(project.pk).get(project.pk, {}).get("seals_hold") is True
    )
    return {
        "lines": _describe(project, rows),
        "head": chain.to_head(),
        "older": older,
        "newer": newer,
        "seals_hold": seals_hold,
    }


def stream_lines(*, project: Project | None, wanted: AuditQuery) -> Iterator[AuditLine]:
    """All lines that match the query, newest first, read in batches; lines written meanwhile are not included."""
    chain = Chain.objects.filter(project=project).first()
    if chain is None:
        return
    lines = _choose(Event.objects.filter(chain=chain), project, wanted)
    before = chain.seq + 1
    while rows := list(lines.filter(seq__lt=before).select_related("by").order_by("-seq")[:BATCH]):
        yield from _describe(project, rows)
        before = rows[-1].seq


def _describe(project: Project | None, rows: list[Event]) -> list[AuditLine]:
    things, renames = name_things(project, rows), load_renames({row.by_id for row in rows})
    return [
        AuditLine(
            row,
            name_at(row.by, row.at, renames),
            # Named by its kind only: it is gone, has no page, or came with an archive that leaves it out.
            things.get((row.object_kind, row.object_id))
            or Thing(str(labels.KIND_LABELS.get(row.object_kind) or labels.readable_name(row.object_kind))),
        )
        for row in rows
    ]


def _choose(lines: QuerySet[Event], project: Project | None, wanted: AuditQuery) -> QuerySet[Event]:
    if wanted.kind and wanted.number:
        lines = lines.filter(lines_about(project, wanted.kind, wanted.number))
    elif wanted.kind:
        lines = lines.filter(object_kind=wanted.kind)
    if wanted.verb:
        lines = lines.filter(verb=wanted.verb)
    if wanted.who:
        is_named = Q(name__icontains=wanted.who) | Q(email__icontains=wanted.who)
        part = wanted.who.casefold()
        once = [
            person
            for person, former in load_renames().items()
            if any(part in name.casefold() for _until, name in former)
        ]
        people = Person.objects.filter(is_named | Q(pk__in=once))
        lines = lines.filter(by__in=people)
    if wanted.since:
        lines = lines.filter(at__gte=make_aware(datetime.combine(wanted.since, time())))
    if wanted.until:
        lines = lines.filter(at__lt=make_aware(datetime.combine(wanted.until + timedelta(days=1), time())))
    return lines


def _window(lines: QuerySet[Event], before: int, after: int) -> list[Event]:
    lines = lines.select_related("by", "first_seal")
    if after:
        return list(reversed(lines.filter(seq__gt=after).order_by("seq")[:PAGE_SIZE]))
    if before:
        lines = lines.filter(seq__lt=before)
    return list(lines.order_by("-seq")[:PAGE_SIZE])


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(_plain(part) for part in value)
    if isinstance(value, dict):
        return "; ".join(f"{labels.readable_name(str(name))}: {_plain(part)}" for name, part in value.items())
    return _("none") if value in (None, "") else str(value)
