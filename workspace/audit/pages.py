"""The audit log, newest first, a page at a time by line number."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from urllib.parse import urlencode

import msgspec
from django.db.models import Q, QuerySet
from django.utils.timezone import make_aware
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.audit.labels import (
    KIND_LABELS,
    detail_name,
    detail_word,
    readable_name,
    say_act,
    split_sentence,
)
from workspace.audit.queries import Thing, lines_about, load_imports, load_renames, name_things
from workspace.core.audit_chain import Head
from workspace.core.limits import PAGE_SIZE
from workspace.models import Chain, Event, Person, Project

BATCH = 500
# Values of details that are fixed words, not texts or names.
WORDS = ("kind", "mode", "phase", "purpose", "reveal")


class AuditLine(Struct, frozen=True):
    """A line of the log: its sentence in parts ("%(who)s" and "%(thing)s" stand for these), the thing that it is about,
    and the names and values of its detail in words. `who` is the name that its person had then.
    """

    event: Event
    who: str
    parts: list[str]
    thing: Thing
    detail: list[tuple[str, str]]

    @property
    def sentence(self) -> str:
        """The whole sentence as text."""
        words = {"%(who)s": self.who, "%(thing)s": self.thing.name}
        return "".join(words.get(part, part) for part in self.parts)


class AuditPage(Struct, frozen=True):
    """A page of the log.

    `older` and `newer` are line numbers to go on from, 0 when there are no such lines. `seals_hold`: the first seals of
    imported lines were checked at the import, and hold.
    """

    lines: list[AuditLine]
    head: Head
    older: int = 0
    newer: int = 0
    seals_hold: bool = False


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
        given = {name: getattr(self, name) for name in ("kind", "number", "verb", "who", "since", "until")}
        return urlencode({name: value for name, value in given.items() if value})


def audit_page(*, project: Project | None, wanted: AuditQuery, before: int, after: int) -> AuditPage:
    """Lines of the project's chain (None: the installation's) older than `before`, or newer than `after`.

    0 for `before` and `after` means the newest page.
    """
    chain = Chain.objects.filter(project=project).first()
    if chain is None:
        return AuditPage([], Head(0, 0, ""))
    lines = _choose(Event.objects.filter(chain=chain), project, wanted)
    rows = _window(lines, before, after)
    older = rows[-1].seq if rows and lines.filter(seq__lt=rows[-1].seq).exists() else 0
    newer = rows[0].seq if rows and lines.filter(seq__gt=rows[0].seq).exists() else 0
    return AuditPage(_describe(project, rows), chain.to_head(), older, newer, _seals_hold(project, rows))


def _seals_hold(project: Project | None, rows: list[Event]) -> bool:
    if project is None or not any(hasattr(row, "first_seal") for row in rows):
        return False
    return load_imports(project.pk).get(project.pk, {}).get("seals_hold") is True


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
            renames.name_at(row.by, row.at),
            split_sentence(say_act(row.verb)),
            things.get((row.object_kind, row.object_id)) or _unknown(row),
            _detail(row),
        )
        for row in rows
    ]


def _unknown(event: Event) -> Thing:
    """A thing named by its kind only: it is gone, has no page, or came with an archive that leaves it out."""
    label = KIND_LABELS.get(event.object_kind)
    return Thing(str(label) if label is not None else readable_name(event.object_kind))


def _choose(lines: QuerySet[Event], project: Project | None, wanted: AuditQuery) -> QuerySet[Event]:
    if wanted.kind and wanted.number:
        lines = lines.filter(lines_about(project, wanted.kind, wanted.number))
    elif wanted.kind:
        lines = lines.filter(object_kind=wanted.kind)
    if wanted.verb:
        lines = lines.filter(verb=wanted.verb)
    if wanted.who:
        is_named = Q(name__icontains=wanted.who) | Q(email__icontains=wanted.who)
        people = Person.objects.filter(is_named | Q(pk__in=load_renames().once_called(wanted.who)))
        lines = lines.filter(by__in=people)
    if wanted.since:
        lines = lines.filter(at__gte=make_aware(datetime.combine(wanted.since, time())))
    if wanted.until:
        lines = lines.filter(at__lt=make_aware(datetime.combine(wanted.until + timedelta(days=1), time())))
    return lines


def _window(lines: QuerySet[Event], before: int, after: int) -> list[Event]:
    """At most a page of lines, newest first."""
    lines = lines.select_related("by", "first_seal")
    if after:
        return list(reversed(lines.filter(seq__gt=after).order_by("seq")[:PAGE_SIZE]))
    if before:
        lines = lines.filter(seq__lt=before)
    return list(lines.order_by("-seq")[:PAGE_SIZE])


def _detail(event: Event) -> list[tuple[str, str]]:
    detail = msgspec.json.decode(event.detail)
    return [
        (detail_name(name), detail_word(name, _value(value)) if name in WORDS else _value(value))
        for name, value in detail.items()
    ]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(_value(part) for part in value)
    if isinstance(value, dict):
        return "; ".join(f"{readable_name(str(name))}: {_value(part)}" for name, part in value.items())
    return _("none") if value in (None, "") else str(value)
