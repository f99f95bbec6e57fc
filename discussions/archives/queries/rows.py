"""All data of a project as lines of an archive: a stream in the order of its members."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
from django.db import models
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.queries import load_sides_hashes
from discussions.archives.core import (
    OF_EVENTS,
    ArchivedBytes,
    ArchivedEvent,
    ArchiveHead,
    FirstSealed,
    refuse,
    reject,
    replace_keys,
)
from discussions.archives.queries import tables
from discussions.archives.queries.tables import ArchivedTable
from discussions.models import Adjudication, Game, Transcript
from rubric.models import MarkRevision, Review, Rubric, RubricVersion
from rubric.models.rubrics import IMPORTED, PUBLISHED
from workspace.core.canonical import canonical_bytes
from workspace.core.refusals import Conflict
from workspace.models import Event, Person, Project

# Rows with a game's text or findings are large: a batch is held in memory.
CHUNK = 100
# Every installation publishes the shipped versions itself, so lines about these hold only the content.
OF_THE_INSTALLATION = ("created_at", "created_by", "published_at", "published_by", "retired_at", "retired_by")


def load_names(model: tables.AnyModel) -> dict[int, str]:
    """Key -> the name of the row in lines, for every row of a shared model."""
    texts: dict[tables.AnyModel, tuple[str, ...]] = {
        Person: ("email",),
        Rubric: ("key",),
        RubricVersion: ("rubric__key", "number"),
    }
    rows = model._default_manager.values_list("pk", *texts[model])
    return {key: " ".join(parts) for key, *parts in rows.iterator()}


class References:
    """Turns keys of rows of one project into names for lines; `used` collects the shared rows that were named.

    Keys of a table are kept as eight bytes each, in their order.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.used: dict[tables.AnyModel, set[int]] = {}
        self._names: dict[tables.AnyModel, dict[int, str]] = {}
        self._keys: dict[tables.AnyModel, array[int]] = {}

    def name(self, model: tables.AnyModel, key: int) -> int | str:
        """The name of the row in lines. Raises LookupError for a row that is not the project's."""
        if not tables.is_shared(model):
            return self._count(model, key)
        if model not in self._names:
            self._names[model] = load_names(model)
        text = self._names[model].get(key)
        if text is None:
            raise LookupError(f"{tables.TABLES[model].kind} {key}")
        self.used.setdefault(model, set()).add(key)
        return text

    def _count(self, model: tables.AnyModel, key: int) -> int:
        if model not in self._keys:
            rows = tables.TABLES[model].find_rows(self.project).order_by("pk").values_list("pk", flat=True)
            self._keys[model] = array("q", rows.iterator(chunk_size=5_000))
        keys = self._keys[model]
        place = bisect_left(keys, key)
        if place == len(keys) or keys[place] != key:
            raise LookupError(f"{tables.TABLES[model].kind} {key}")
        return place + 1


class ArchiveSource:
    """The lines of a project's archive. `head` is the head of its audit log, once its lines were read.

    `read_upload` gives the bytes of an uploaded file by their hash.
    """

    def __init__(self, project: Project, read_upload: Callable[[str], bytes]) -> None:
        self.project, self.read_upload = project, read_upload
        self.references = References(project)
        self.head = ArchiveHead(0, "")
        self._sides: dict[int, dict[tuple[str, str], str]] = {}
        uploads = Transcript.objects.filter(project=project).order_by("sha256")
        self.uploads = uploads.values_list("sha256", flat=True).distinct()
        # Without the last audit lines that are about exports: an archive does not hold the line about itself, so the
        # same data makes the same archive.
        events = Event.objects.filter(chain__project=project)
        last = events.exclude(object_kind="export").order_by("-seq").values_list("seq", flat=True).first()
        self.events: Any = events.filter(seq__lte=last or 0).select_related("first_seal").order_by("seq")

    def count(self) -> int:
        """The number of lines, without the few that are shared."""
        own = sum(table.find_rows(self.project).count() for table in tables.OWN)
        return own + self.uploads.count() + self.events.count()

    def stream(self) -> Iterator[Struct]:
        """Uploaded files, rows, audit lines, and the shared rows that were named. Raises Conflict for a broken row."""
        for sha256 in self.uploads:
            yield ArchivedBytes(sha256, self.read_upload(sha256))
        for table in tables.OWN:
            yield from self._lines(table, table.find_rows(self.project).order_by("pk"))
        yield from self._audit_lines()
        # Versions name people and rubrics, so they come first.
        for table in reversed(tables.SHARED):
            yield from self._lines(table, self._list_used(table.model))

    def _list_used(self, model: tables.AnyModel) -> Any:
        names = load_names(model)
        used = self.references.used.get(model, set())
        for key in sorted(used, key=names.__getitem__):
            yield from model._default_manager.filter(pk=key)

    def _lines(self, table: tables.ArchivedTable, rows: Any) -> Iterator[Struct]:
        line_type = tables.get_line_type(table.model)
        readers = [(field.name, self._reader(table, field)) for field in table.fields]
        for row in rows if not table.path else rows.iterator(chunk_size=CHUNK):
            unsaid = _unsaid(row)
            try:
                values = {name: unsaid[name] if name in unsaid else read(row) for name, read in readers}
            except LookupError as other:
                says = _(
                    "The archive cannot be made: row %(key)s of %(table)s names %(other)s, which is not of this "
                    "project. Run manage.py verify."
                )
                values = {"key": row.pk, "table": table.kind, "other": other}
                raise Conflict(says % values, code="apart") from None
            if table.model is Adjudication:
                self._write_sides(row, values)
            elif table.model is MarkRevision:
                values["key"] = tables.swap_start_key(values["key"], partial(self.references.name, Review))
            yield line_type(**values)

    def _reader(self, table: tables.ArchivedTable, field: Any) -> Callable[[Any], Any]:
        attribute, name = field.attname, self.references.name
        if field.is_relation:
            model = field.related_model

            def read_reference(row: Any) -> Any:
                key = getattr(row, attribute)
                return None if key is None else name(model, key)

            return read_reference
        if paths := table.inner.get(field.name):

            def read_inner(row: Any) -> Any:
                value = msgspec.json.decode(getattr(row, attribute))
                for path, model in paths.items():
                    value = replace_keys(value, path, partial(name, model))
                return value

            return read_inner
        return lambda row: getattr(row, attribute)

    def _write_sides(self, row: Adjudication, values: dict[str, Any]) -> None:
        if row.game_id not in self._sides:
            game = Game.objects.select_related("iteration__rubric_version").get(pk=row.game_id)
            subjects = Adjudication.objects.filter(game=game).values_list("kind", "subject")
            self._sides[row.game_id] = load_sides_hashes(game, set(subjects))
        if self._sides[row.game_id].get((row.kind, row.subject)) == row.sides_sha256:
            values["sides_sha256"] = None

    def _audit_lines(self) -> Iterator[ArchivedEvent]:
        name = self.references.name
        for event in self.events.iterator(chunk_size=CHUNK):
            first = getattr(event, "first_seal", None)
            seal = FirstSealed(event.chain_id, event.by_id, event.object_id, event.mac)
            if first is not None:
                seal = FirstSealed(first.chain, first.by, first.object_id, first.mac)
            subject: int | str | None = None
            if event.object_kind in tables.KIND_MODELS:
                # Of a row that does not exist any more, null.
                with suppress(LookupError, ValueError):
                    subject = name(tables.KIND_MODELS[event.object_kind], int(event.object_id))
            self.head = ArchiveHead(event.seq, seal.mac)
            copied: dict[str, Any] = {field: getattr(event, field) for field in OF_EVENTS}
            yield ArchivedEvent(**copied, by=str(name(Person, event.by_id)), object=subject, first=seal)


def _unsaid(row: Any) -> dict[str, Any]:
    """The values that a line has in place of the row's own, if these belong to the installation.

    A value that is left out names nobody, so it brings no account into the archive.
    """
    if not isinstance(row, RubricVersion):
        return {}
    if row.created_by.is_system and (row.published_by is None or row.published_by.is_system):
        said: dict[str, Any] = dict.fromkeys(OF_THE_INSTALLATION)
        return said | {"state": PUBLISHED, "note": "", "reason": "", "retired_reason": ""}
    return {"state": PUBLISHED} if row.state == IMPORTED else {}


# In canonical JSON: a NUL that is escaped itself, not a backslash that is.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
# Every value of a line takes up to a hundred bytes of memory. A game of 20,000 messages has a million in its findings,
# which are read with their types; the largest other line is the basis of a decision on thousands of games.
MOST_VALUES, MOST_VALUES_OF_TEXTS = 500_000, 2_000_000
# Clocks of two installations differ by no more than this.
CLOCKS_DIFFER = timedelta(minutes=5)
# No installation existed earlier.
EARLIEST_YEAR = 2000


def read_line(line: bytes, line_type: type[Struct], place: str, most_values: int = MOST_VALUES) -> Any:
    """The record in the line. Raises Unacceptable for anything that the product would not have written."""
    # Counted roughly, before any value is built: every value but the first follows one of these.
    if sum(map(line.count, (b",", b"[", b"{"))) > most_values:
        raise reject(place, f"it holds more than {most_values:,} values", "many_values")
    try:
        record = msgspec.json.decode(line, type=line_type)
        is_plain = canonical_bytes(record) == line
    except UnicodeDecodeError:
        raise reject(place, "it is no UTF-8", "bad_line") from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise reject(place, f"{fault}", "bad_line") from None
    if not is_plain:
        says = (
            "it is not written as the product writes it (order of names, spaces, a name twice). Make it again"
        )
        raise refuse(place, says, "not_canonical")
    if _NUL.search(line):
        raise refuse(place, "a text holds a NUL character, which no database stores. Take it out", "nul")
    return record


def check_moments(record: Any, ahead: dict[str, timedelta], now: datetime, place: str) -> None:
    """Check that every moment of a record is in UTC and has passed, except those of `ahead`. Raises Unacceptable."""
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if not isinstance(value, datetime):
            continue
        if value.utcoffset() != timedelta(0):
            raise reject(place, f"{name}: {value.isoformat()} is not in UTC", "not_utc")
        if value.year < EARLIEST_YEAR or value > now + CLOCKS_DIFFER + ahead.get(name, timedelta(0)):
            says = (
                f"{name}: {value.isoformat()} is not between the year {EARLIEST_YEAR} and now. Set the clocks of both "
                "installations, and make the archive again"
            )
            raise refuse(place, says, "not_now")


def check_decimals(table: ArchivedTable, record: Any, place: str) -> None:
    """Check that every decimal is finite, not negative, and has the places of its field. Raises Unacceptable."""
    for field in table.fields:
        value = getattr(record, field.name)
        if not isinstance(field, models.DecimalField) or value is None:
            continue
        sign, digits, exponent = value.as_tuple()
        if (sign, exponent) != (0, -field.decimal_places) or len(digits) > field.max_digits:
            says = (
                f"{field.name}: {value} is no number from 0 up with {field.decimal_places} decimal places and at most "
                f"{field.max_digits} digits"
            )
            raise reject(place, says, "decimal")


def check_texts(table: ArchivedTable, values: dict[str, Any], place: str) -> None:
    """Check that JSON in text fields has the type that pages decode. Raises Unacceptable."""
    for name, kind in table.texts.items():
        text = values[name]
        if text == "" and table.model._meta.get_field(name).blank:  # type: ignore[union-attr]
            continue
        try:
            msgspec.json.decode(text, type=kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
            raise reject(place, f"{name}: {fault}", "bad_text") from None
