"""Creates the rows of an archive: line after line, in batches, with new keys."""

from array import array
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import DatabaseError
from django.db.models import Max
from msgspec import Struct
from msgspec.structs import asdict, replace

from discussions.adjudication.queries import load_sides_hashes
from discussions.archives.core import (
    OF_EVENTS,
    ArchivedEvent,
    ArchiveHead,
    OpenArchive,
    name_rows,
    refuse,
    reject,
    replace_keys,
)
from discussions.archives.queries import rows, tables
from discussions.archives.queries.rows import OF_THE_INSTALLATION, load_names
from discussions.models import Adjudication, Decision, Game, Remark, Revision, Verdict
from rubric.core.records import RubricRecord
from rubric.models import MarkRevision, Review, Rubric, RubricVersion
from rubric.models.rubrics import IMPORTED, PUBLISHED
from rubric.versions.actions import record_version_event
from rubric.versions.core.hidden_texts import list_hidden_texts
from rubric.versions.core.version_json import read_version
from workspace.audit.actions import record_event, short_key
from workspace.audit.labels import KINDS
from workspace.audit.queries import ERASED
from workspace.core.canonical import bytes_hash, canonical_bytes, seal
from workspace.core.identifiers import is_slug, plain_email, plain_name
from workspace.models import Chain, Event, FirstSeal, Job, Membership, Person, Project
from workspace.models.people import SYSTEM_EMAIL

# Tables in which a person uses each key once, whatever the project.
KEYED = frozenset({Adjudication, MarkRevision, Remark, Revision})
MOST_UNPROVED = 10_000
BATCH_ROWS, BATCH_BYTES = 500, 4 * 1024 * 1024
# The exceptions of code that reads rows whose values do not fit together.
FAULTS_OF_DATA = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(DatabaseError, ObjectDoesNotExist, ValidationError, msgspec.MsgspecError),
)


class Loader:
    """Loads one archive in the caller's transaction; every refusal names the member and the line.

    `slug` is the short name that the project gets, "" for its own. `counts` is how many lines of each kind there were;
    `new_people` and `new_versions` did not exist before. `known_members` are e-mail address and role of people who had
    accounts before; their memberships end with the import unless `keeps_roles`. `seals_hold` says that the audit log
    was first sealed with this installation's key, and that the seals hold.
    """

    def __init__(
        self, archive: OpenArchive, slug: str, by: Person, now: datetime, *, keeps_roles: bool
    ) -> None:
        self.archive, self.slug, self.by, self.now = archive, slug, by, now
        self.keeps_roles = keeps_roles
        self.counts: dict[str, int] = {}
        self.new_people: list[str] = []
        self.new_versions: list[str] = []
        self.known_members: list[tuple[str, str]] = []
        self.upload_count = 0
        self.seals_hold = True
        self._place = ""
        self._known: dict[int, str] = {}
        # Shared model -> the names that no line has used yet, each with the position of its own line.
        self._unnamed: dict[tables.AnyModel, dict[str, str]] = {}
        self._names: dict[tables.AnyModel, dict[str, int]] = {}
        self._keys: dict[tables.AnyModel, array[int]] = {
            model: array("q") for model in tables.list_named_models()
        }
        self._fillers: dict[tables.AnyModel, Callable[[dict[str, Any], str], None]] = {
            Project: self._name_project,
            Job: self._name_job,
            Adjudication: self._hash_sides,
            Verdict: _hash_basis,
            Decision: _hash_basis,
            MarkRevision: self._swap_key,
            Membership: self._end_known,
        }

    def load(self) -> None:
        """Create every row, with `project` first. Raises Unacceptable."""
        try:
            self._load_people()
            self._load_rubrics()
            self._load_versions()
            for table in tables.OWN:
                self._load_table(table)
                if not self._keys[Project]:
                    says = "the archive has no project. Make it again"
                    raise refuse(name_rows("workspace.project"), says, "no_project")
            self._finish()
        except FAULTS_OF_DATA as fault:
            says = f"it cannot be imported ({_first_line(fault)})"
            raise reject(self._place, says, "bad_line") from fault

    def _finish(self) -> None:
        self.project = Project.objects.get(pk=self._keys[Project][0])
        highest = (
            Game.with_erased.filter(project=self.project).aggregate(highest=Max("number"))["highest"] or 0
        )
        if self.project.next_game_number <= highest:
            says = "its next game would have the number of another game"
            raise reject(f"{name_rows('workspace.project')}, line 1", says, "next_number")
        self._load_audit_log(self.project)
        # An archive brings no account and no rubric that its project does not need.
        for unnamed in self._unnamed.values():
            for name, place in unnamed.items():
                raise reject(place, f"no line of the archive names {name!r:.80}", "unnamed")

    def _name(self, model: tables.AnyModel, name: str, key: int, place: str) -> None:
        self._names.setdefault(model, {})[name] = key
        if name != SYSTEM_EMAIL:
            self._unnamed.setdefault(model, {})[name] = place

    def _check_once(self, model: tables.AnyModel, name: str, place: str) -> None:
        if name in self._names.get(model, {}):
            raise reject(place, f"{name!r:.80} is there twice", "repeated")

    def _read(self, model: tables.AnyModel) -> Iterator[tuple[str, Any, int]]:
        table = tables.TABLES[model]
        most = rows.MOST_VALUES_OF_TEXTS if table.texts and not table.inner else rows.MOST_VALUES
        for place, record, size in self._read_kind(
            table.kind, tables.get_line_type(model), table.ahead, most
        ):
            rows.check_decimals(table, record, place)
            yield place, record, size

    def _read_kind(
        self,
        kind: str,
        line_type: type[Struct],
        ahead: dict[str, timedelta] | None = None,
        most_values: int = rows.MOST_VALUES,
    ) -> Iterator[tuple[str, Any, int]]:
        for number, line in enumerate(self.archive.read_lines(kind), start=1):
            self._place = place = f"{name_rows(kind)}, line {number}"
            self.counts[kind] = number
            record = rows.read_line(line, line_type, place, most_values)
            rows.check_moments(record, ahead or {}, self.now, place)
            yield place, record, len(line)

    def _load_people(self) -> None:
        self._known = load_names(Person)
        there = {text: key for key, text in self._known.items()}
        for place, line, _size in self._read(Person):
            _check_person(line, place)
            self._check_once(Person, line.email, place)
            if line.is_system:
                key = Person.objects.system(now=self.now).pk
            else:
                key = there.get(line.email) or self._make_person(line)
            self._name(Person, line.email, key, place)

    def _make_person(self, line: Any) -> int:
        made = Person.objects.create(
            email=line.email,
            name=line.name,
            is_service=line.is_service,
            is_active=False,
            password=make_password(None),
            created_at=self.now,
        )
        self.new_people.append(line.email)
        detail = {"is_admin": False, "archive": self.archive.manifest.project}
        record_event("account:created", made, by=self.by, now=self.now, project=None, detail=detail)
        return int(made.pk)

    def _load_rubrics(self) -> None:
        for place, line, _size in self._read(Rubric):
            if not is_slug(line.key) or plain_name(line.name) != line.name:
                raise reject(place, "this is no key or no name of a rubric", "rubric")
            self._check_once(Rubric, line.key, place)
            defaults = {"kind": line.kind, "name": line.name}
            row, _is_new = Rubric.objects.get_or_create(key=line.key, defaults=defaults)
            if row.kind != line.kind:
                raise refuse(place, f"the rubric {line.key} is one of another kind here", "rubric_kind")
            self._name(Rubric, line.key, row.pk, place)

    def _load_versions(self) -> None:
        for place, line, _size in self._read(RubricVersion):
            name = f"{line.rubric} {line.number}"
            self._check_once(RubricVersion, name, place)
            record = _check_version(line, place)
            values = self._to_row(tables.TABLES[RubricVersion], line, place)
            row = RubricVersion.objects.filter(rubric=values["rubric_id"], number=line.number).first()
            if row is None:
                # Hidden characters are refused as from its file and its editor.
                if hidden := list_hidden_texts(record):
                    raise refuse(place, f"{name}: {hidden[0][1]}", "hidden")
                row = self._make_version(values, place)
                self.new_versions.append(name)
            elif row.sha256 != line.sha256:
                says = (
                    f"this installation has a version {name} that says other things. Where it came with the product, "
                    "its weights are set by the environment: set them as in the first installation. Else import the "
                    "archive into another installation"
                )
                raise refuse(place, says, "other_version")
            elif row.published_at is None:
                says = (
                    f"version {name} is an unpublished or discarded draft here. Publish it first, where it is a "
                    "draft; else import the archive into another installation"
                )
                raise refuse(place, says, "unpublished_version")
            self._name(RubricVersion, name, row.pk, place)

    def _make_version(self, values: dict[str, Any], place: str) -> RubricVersion:
        """New work does not use it until an admin offers it."""
        if values["created_at"] is None:
            system = Person.objects.system(now=self.now).pk
            values |= {"created_at": self.now, "created_by_id": system}
            values |= {"published_at": self.now, "published_by_id": system}
        if values["state"] == PUBLISHED:
            values["state"] = IMPORTED
        row = RubricVersion(**values)
        self._insert(RubricVersion, [row], place)
        detail = {"sha256": row.sha256, "archive": self.archive.manifest.project}
        record_version_event(
            version=row, verb="rubric_version:imported", detail=detail, by=self.by, now=self.now
        )
        return row

    def _load_table(self, table: tables.ArchivedTable) -> None:
        waiting: list[Any] = []
        size, first = 0, ""
        own = {field.name for field in table.fields if field.related_model is table.model}
        for place, line, line_size in self._read(table.model):
            # A row that an earlier line of the same batch makes has no key yet.
            if waiting and any(getattr(line, name) is not None for name in own):
                self._insert(table.model, waiting, first)
                waiting, size = [], 0
            first = first if waiting else place
            values = self._to_row(table, line, place)
            waiting.append(table.model(**values))
            size += line_size
            if len(waiting) >= BATCH_ROWS or size >= BATCH_BYTES:
                self._insert(table.model, waiting, first)
                waiting, size = [], 0
        if waiting:
            self._insert(table.model, waiting, first)

    def _to_row(self, table: tables.ArchivedTable, line: Any, place: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for field in table.fields:
            value = getattr(line, field.name)
            if field.is_relation and value is not None:
                value = self._resolve(field.related_model, value, place)
            elif paths := table.inner.get(field.name):
                for path, model in paths.items():
                    value = replace_keys(value, path, partial(self._resolve, model, place=place))
                value = canonical_bytes(value).decode()
            values[field.attname] = value
        rows.check_texts(table, values, place)
        if filler := self._fillers.get(table.model):
            filler(values, place)
        return values

    def _resolve(self, model: tables.AnyModel, name: Any, place: str) -> int:
        kind = name_rows(str(model._meta.label_lower))
        if tables.is_shared(model):
            key = self._names.get(model, {}).get(name) if isinstance(name, str) else None
            if key is None:
                raise reject(place, f"it names {name!r:.80}, which is not in {kind}", "no_row")
            self._unnamed.get(model, {}).pop(name, None)
            return key
        keys = self._keys[model]
        if not isinstance(name, int) or isinstance(name, bool) or not 1 <= name <= len(keys):
            says = f"it names line {name!r:.40} of {kind}, which is not there before it"
            raise reject(place, says, "no_row")
        return keys[name - 1]

    def _insert(self, model: tables.AnyModel, rows: list[Any], first: str) -> None:
        if model in KEYED:
            self._free_keys(model, rows)
        try:
            made = model._default_manager.bulk_create(rows)
        except FAULTS_OF_DATA as fault:
            reason = _first_line(fault)
            says = (
                f"the database refuses {len(rows)} rows from here on ({reason}). If rows of this project are in this "
                "installation already, import it into another one; else make the archive again"
            )
            raise refuse(first, says, "refused_rows") from None
        if model in self._keys:
            # Lines name rows by their position, and so does the next archive: keys must ascend with the lines.
            self._keys[model].extend(row.pk for row in made)
            fresh = self._keys[model][-len(made) - 1 :]
            assert all(before < after for before, after in pairwise(fresh)), "keys do not rise"

    def _free_keys(self, model: tables.AnyModel, rows: list[Any]) -> None:
        """Give each row another key if its person used that key here already: programs number their requests alike."""
        sent = {(row.created_by_id, row.key) for row in rows}
        people, keys = ({pair[place] for pair in sent} for place in (0, 1))
        stored = model._default_manager.filter(created_by__in=people, key__in=keys)
        used = sent & set(stored.values_list("created_by", "key"))
        for row in rows:
            if (row.created_by_id, row.key) in used:
                row.key = short_key(f"archive:{self._keys[Project][0]}:{row.key}")

    def _name_project(self, values: dict[str, Any], place: str) -> None:
        if self.counts["workspace.project"] > 1:
            raise refuse(place, "an archive has one project. Make it again", "project")
        if not is_slug(values["slug"]) or plain_name(values["name"]) != values["name"]:
            raise reject(place, "this is no short name or no name of a project", "project")
        if values["slug"] != self.archive.manifest.project:
            raise reject(place, "its short name is not that of the manifest", "other_project")
        values["slug"] = self.slug or values["slug"]

    def _end_known(self, values: dict[str, Any], _place: str) -> None:
        """End the memberships of existing accounts: an archive gives them no right that nobody here has given."""
        email = self._known.get(values["person_id"])
        if email is None or values["ended_at"] is not None:
            return
        self.known_members.append((email, values["role"]))
        if not self.keeps_roles:
            values |= {"ended_at": self.now, "ended_by_id": self.by.pk}

    def _name_job(self, values: dict[str, Any], _place: str) -> None:
        # Named by its upload once that exists; unique until then.
        values["subject"] = (
            f"archive:{self._keys[Project][0]}:{len(self._keys[Job])}:{self.counts['workspace.job']}"
        )

    def _hash_sides(self, values: dict[str, Any], place: str) -> None:
        if values["sides_sha256"] is not None:
            return
        game = Game.objects.select_related("iteration__rubric_version").get(pk=values["game_id"])
        subject = (values["kind"], values["subject"])
        sides = load_sides_hashes(game, [subject]).get(subject)
        if sides is None:
            raise reject(place, "nobody judged what it settles", "no_sides")
        values["sides_sha256"] = sides

    def _swap_key(self, values: dict[str, Any], place: str) -> None:
        values["key"] = tables.swap_start_key(values["key"], lambda line: self._resolve(Review, line, place))

    def _load_audit_log(self, project: Project) -> None:
        chain = Chain.objects.create(project=project)
        waiting: list[tuple[Event, FirstSeal]] = []
        sealed, first_sealed, place = "", "", ""
        # Lines that lost details, until a tombstone proves it: line -> its first seal without them.
        unproved: dict[int, str] = {}
        for place, line, _size in self._read_kind("workspace.event", ArchivedEvent):
            event = self._make_event(line, chain, place)
            event.mac = sealed = seal(event.to_line(), sealed, settings.AUDIT_KEY)
            if self.seals_hold:
                # Under this installation's key; another installation has another key.
                first = replace(
                    event.to_line(), chain=line.first.chain, by=line.first.by, object_id=line.first.object_id
                )
                mac = seal(first, first_sealed, settings.AUDIT_KEY)
                if mac != line.first.mac:
                    unproved[event.seq] = mac
                elif event.verb in ERASED:
                    for seq, left in event.details.get("lines", {}).items():
                        if unproved.get(int(seq)) == left:
                            del unproved[int(seq)]
                # Under another key, no line fits.
                self.seals_hold = len(unproved) <= MOST_UNPROVED
            first_sealed = line.first.mac
            waiting.append((event, FirstSeal(**asdict(line.first))))
            if len(waiting) >= BATCH_ROWS:
                self._insert_events(waiting, place)
                waiting = []
        self._insert_events(waiting, place)
        self.seals_hold = self.seals_hold and not unproved
        count = self.counts.get("workspace.event", 0)
        if self.archive.manifest.audit_head != ArchiveHead(count, first_sealed):
            raise reject("manifest.json", "its audit head is not that of the lines", "head")
        chain.seq, chain.mac = count, sealed
        chain.save(update_fields=["seq", "mac"])

    def _make_event(self, line: ArchivedEvent, chain: Chain, place: str) -> Event:
        if line.seq != self.counts["workspace.event"]:
            raise reject(place, f"line {line.seq} of the audit log is out of turn", "gap")
        if line.object_kind not in KINDS:
            raise reject(place, f"nothing is called {line.object_kind!r}", "unknown_kind")
        try:
            msgspec.json.decode(line.detail, type=dict[str, Any])
        except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
            raise reject(place, f"detail: {fault}", "bad_text") from None
        key = None
        if line.object is not None and line.object_kind in tables.KIND_MODELS:
            key = self._resolve(tables.KIND_MODELS[line.object_kind], line.object, place)
        return Event(
            **{field: getattr(line, field) for field in OF_EVENTS},
            chain=chain,
            by_id=self._resolve(Person, line.by, place),
            object_id="" if key is None else str(key),
        )

    def _insert_events(self, waiting: list[tuple[Event, FirstSeal]], place: str) -> None:
        self._insert(Event, [event for event, _first in waiting], place)
        for event, first in waiting:
            first.event = event
        self._insert(FirstSeal, [first for _event, first in waiting], place)


def _first_line(fault: BaseException) -> str:
    text = " ".join(fault.messages) if isinstance(fault, ValidationError) else str(fault)
    return next(iter(text.splitlines()), "") or type(fault).__name__


def _check_person(line: Any, place: str) -> None:
    is_known = line.email == SYSTEM_EMAIL if line.is_system else plain_email(line.email) == line.email
    if not is_known or plain_name(line.name) != line.name or (line.email == SYSTEM_EMAIL) != line.is_system:
        raise refuse(
            place, "this is no e-mail address, or no name, of an account. Correct it there first", "person"
        )


def _check_version(line: Any, place: str) -> RubricRecord:
    body = line.body.encode()
    record = read_version(body, is_stored=True)
    if not isinstance(record, RubricRecord) or (record.version, bytes_hash(body)) != (
        line.number,
        line.sha256,
    ):
        raise refuse(place, "what this rubric version says has a fault, or another hash", "bad_version")
    facts = [getattr(line, name) for name in OF_THE_INSTALLATION]
    if line.created_at is None and (line.state != PUBLISHED or any(fact is not None for fact in facts)):
        raise refuse(place, "a rubric version that came with the product says who retired it", "bad_version")
    return record


def _hash_basis(values: dict[str, Any], _place: str) -> None:
    values["basis_sha256"] = bytes_hash(values["basis"].encode())
