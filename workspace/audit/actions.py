"""Writing the audit log, the only way to add a line; and rows whose every change is kept as a revision."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import EllipsisType
from typing import Any, ClassVar, Generic, TypeVar

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Model, QuerySet
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from workspace.access.permissions import Role, role_in
from workspace.audit.core import Act, Latest
from workspace.audit.labels import KINDS
from workspace.audit.queries import kind_of, load_erased
from workspace.core.canonical import bytes_hash, canonical_bytes, canonical_hash, seal
from workspace.core.limits import DAY_MS
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import check_length
from workspace.database.append_only import PASSES
from workspace.database.bulk_rows import NewRows
from workspace.database.prepared_queries import insert_row, select_rows, update_row
from workspace.models import Chain, Erasure, ErasurePass, Event, Person, Project
from workspace.models.revisions import KeyedRevision, Versioned


def record_event(
    verb: str,
    row: Model | tuple[str, object],
    *,
    by: Person,
    now: datetime,
    project: Project | EllipsisType | None = ...,
    detail: Mapping[str, Any] | None = None,
    role: Role | None = None,
    batch: "Batch | None" = None,
) -> Event:
    """Append one line to the project's audit chain (the installation's when None), inside the current transaction.

    `verb` is past tense ("verdict:recorded"). `row` is what it happened to, or the name of a kind and a key. Without
    `project` it is the row's own or its game's, or the row if it is one. `detail` holds plain values, never transcript
    text or secrets. `role` is the person's where the caller's check has established it; else it is read. The chain row
    is locked, so lines of one chain are written one after the other. The function that settings.EVENT_ACTIONS names for
    the verb is called with the line. A `batch` of the project inserts the line later. Raises RuntimeError outside a
    transaction: a line must be committed or rolled back with the action that it records.
    """
    if not connection.in_atomic_block:
        raise RuntimeError(
            f'The event "{verb}" was recorded outside of a transaction; open one around act and event.'
        )
    if project is ...:
        project = row if isinstance(row, Project) else _find_project(row)
    kind, key = _name(row)
    chain = batch.chain if batch else _lock_chain(project)
    event = Event(
        chain=chain,
        seq=chain.seq + 1,
        at=now,
        by=by,
        role="system" if by.is_system else role or role_in(by, project) or "",
        verb=verb,
        object_kind=kind,
        object_id=str(key),
        detail=canonical_bytes(dict(detail or {})).decode(),
    )
    event.mac = seal(event.to_line(), chain.mac, settings.AUDIT_KEY)
    chain.seq, chain.mac = event.seq, event.mac
    if batch:
        batch.add(event)
        return event
    insert_row(event)
    update_row(Chain, chain.pk, {"seq": chain.seq, "mac": chain.mac})
    for action in settings.EVENT_ACTIONS.get(verb, ()):
        import_string(action)(event)
    return event


def _find_project(row: Any) -> Project:
    found: Project = (row if hasattr(type(row), "project") else row.game).project
    return found


def _name(row: Model | tuple[str, object]) -> tuple[str, object]:
    kind, key = row if isinstance(row, tuple) else (kind_of(type(row)), row.pk)
    if kind not in KINDS:
        raise RuntimeError(
            f'Nothing in the audit log is called "{kind}"; add it to workspace/audit/labels.py.'
        )
    return kind, key


def let_pass(erasure: Erasure, rows: "QuerySet[Any, Any]") -> list[int]:
    """Let this transaction change and delete rows that triggers freeze; return their keys.

    The caller ends it by `end_passes`, in the same transaction.
    """
    table = rows.model._meta.db_table
    keys = list(rows.order_by().values_list("pk", flat=True))
    passes = [ErasurePass(erasure=erasure, table=table, row=key) for key in keys]
    ErasurePass.objects.bulk_create(passes, batch_size=500, ignore_conflicts=True)
    return keys


def end_passes(erasure: Erasure) -> None:
    ErasurePass.objects.filter(erasure=erasure).delete()


def delete_rows(erasure: Erasure, rows: "QuerySet[Any, Any]") -> list[int]:
    """Delete rows, frozen or not, and nothing that refers to them: the caller deletes that too. Returns their keys."""
    meta = rows.model._meta
    if keys := let_pass(erasure, rows):
        quote = connection.ops.quote_name
        names = {"table": quote(meta.db_table), "key": quote(meta.pk.column), "passes": quote(PASSES)}
        sql = 'DELETE FROM {table} WHERE {key} IN (SELECT "row" FROM {passes} WHERE "table" = %s)'
        with connection.cursor() as cursor:
            cursor.execute(sql.format(**names), [meta.db_table])
    return keys


def erase_details(erasure: Erasure, lines: Iterable[Event], change: Callable[[Event], str]) -> dict[str, str]:
    """Change the details of lines of one chain; return what its tombstone holds: line -> its seal without them.

    Raises Conflict for a line that was altered before: a tombstone would hide it.
    """
    found: dict[str, str] = {}
    for line in lines:
        before = (
            Event.objects.filter(chain=line.chain_id, seq=line.seq - 1).values_list("mac", flat=True).first()
        )
        known = (line.mac, load_erased(line.chain_id).get(line.seq))
        if seal(line.to_line(), before or "", settings.AUDIT_KEY) not in known:
            says = _(
                "Line %(line)d of the audit log was altered, so nothing was erased. Run manage.py verify."
            )
            raise Conflict(says % {"line": line.seq}, code="altered")
        line.detail = change(line)
        rows = Event.objects.filter(pk=line.pk)
        let_pass(erasure, rows)
        rows.update(detail=line.detail)
        found[str(line.seq)] = seal(line.to_line(), before or "", settings.AUDIT_KEY)
    return found


def _lock_chain(project: Project | None) -> Chain:
    if project is not None:
        for row in select_rows(Chain, *_CHAIN, lock="UPDATE", project=project.pk):
            return Chain.from_db("default", _CHAIN, row)
    return Chain.objects.select_for_update().get_or_create(project=project)[0]


_CHAIN = [field.attname for field in Chain._meta.concrete_fields]


class Batch(NewRows):
    """Rows and audit lines of several acts in one project, after whose verbs nothing is called."""

    def __init__(self, project: Project, most: int) -> None:
        super().__init__(most)
        self.chain = _lock_chain(project)

    def insert(self) -> None:
        super().insert()
        update_row(Chain, self.chain.pk, {"seq": self.chain.seq, "mac": self.chain.mac})


LONGEST_KEY = 160


@contextmanager
def single_act() -> Iterator[None]:
    """The transaction of one keyed act; Unacceptable when something else is being stored under the key right now."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as fault:
        # PostgreSQL names the constraint, SQLite its columns.
        if "key_unique" not in str(fault) and not str(fault).endswith(".key"):
            raise
        raise key_reused() from None


def key_reused() -> Unacceptable:
    says = _(
        "This form was already saved with another answer or another text. "
        "Load the page again and repeat the last one."
    )
    return Unacceptable(says, code="key_reused", field="key")


def short_key(key: str) -> str:
    """The key as it is stored: itself, or its hash when it is longer than the column."""
    if not key:
        raise Unacceptable(_("The form came without its key. Load the page again."), field="key")
    return key if len(key) <= LONGEST_KEY else f"sha256:{bytes_hash(key.encode())}"


OwnerT = TypeVar("OwnerT", bound=Versioned)
LatestT = TypeVar("LatestT", bound=Latest)
WorkT = TypeVar("WorkT")

# The columns that say which subject a row is about; the others hold its value.
IDENTITY = ("id", "kind", "subject")


class Saved(Struct, Generic[WorkT], frozen=True):
    """The result of an act: the stored revision and its subject, what it revealed, and the work after it.

    `work` is None when the act was only repeated: the page then reads it again.
    """

    revision: KeyedRevision
    kind: str
    subject: str
    revealed: frozenset[str] = frozenset()
    work: WorkT | None = None

    @property
    def is_repeated(self) -> bool:
        return self.work is None


def _hash_act(owner: int, act: Act) -> str:
    """The hash of what was posted; the time it took is not part of it."""
    return canonical_hash([owner, act.kind, act.subject, act.version, act.value, act.reason])


class KeyedRevisions(ABC, Generic[OwnerT, WorkT, LatestT]):
    """Saves acts on the subjects of one kind of owner: a row for the latest value of each, a row for each revision.

    A subclass says which tables these are and what may be saved. `row_name` is the name of the subject's table in audit
    events, and of the revision's foreign key to it; `owner_name` is the name of the subject's key to its owner.
    """

    row_model: ClassVar[type[Model]]
    revision_model: ClassVar[type[KeyedRevision]]
    row_name: ClassVar[str]
    owner_name: ClassVar[str]
    # The role of everybody whom `check` allows; None where it allows several roles.
    checked_role: ClassVar[Role | None] = None

    @abstractmethod
    def lock(self, owner: OwnerT) -> None:
        """Read state and version of the owner again; others who change it wait for this transaction."""

    @abstractmethod
    def check(self, owner: OwnerT, *, by: Person, now: datetime) -> None:
        """Raise NotAllowed when the owner is not open, or is another person's."""

    @abstractmethod
    def read(self, owner: OwnerT) -> WorkT:
        """The work as it is stored now."""

    def read_ahead(self, owner: OwnerT) -> WorkT | None:
        """The work, read before the lock, where every change of it increases the owner's version."""
        return None

    @abstractmethod
    def latest(self, work: WorkT, kind: str, subject: str) -> LatestT:
        """The newest value of one subject; version 0 when it has none."""

    @abstractmethod
    def refuse_faults(self, work: WorkT, act: Act, proposed: LatestT) -> None:
        """Raise Unacceptable when the act does not fit the work, or comes too early."""

    @abstractmethod
    def undoable(self, work: WorkT) -> QuerySet[Any, Any]:
        """Revisions that can be undone, newest first."""

    @abstractmethod
    def project(self, owner: OwnerT) -> Project:
        """The project whose audit log records the act."""

    @abstractmethod
    def changed(self, work: WorkT, latest: LatestT, *, now: datetime) -> tuple[WorkT, frozenset[str]]:
        """The work after `latest` was stored, and what this reveals."""

    def amend(self, work: WorkT, proposed: LatestT) -> LatestT:
        """The value to store, where it depends on more than the act."""
        return proposed

    def context(self, work: WorkT, act: Act) -> dict[str, str]:
        """More columns of the revision; the audit event holds them too."""
        return {}

    def save(self, *, owner: OwnerT, act: Act, by: Person, now: datetime) -> Saved[WorkT]:
        """Store one act, once: compare the version, set the value, add the revision and the audit event.

        The same key with the same body gives the stored result again, whatever the state of the owner is now. Raises
        Unacceptable for a key used for something else and for what cannot be saved, Conflict (with both versions) when
        the subject was changed since, NotAllowed when the owner is not open or is another person's.
        """
        body = _hash_act(owner.pk, act)
        version, work = owner.version, self.read_ahead(owner)
        with single_act():
            self.lock(owner)
            if stored := self._stored_act(act.key, body, by):
                return stored
            self.check(owner, by=by, now=now)
            if work is None or owner.version != version:
                work = self.read(owner)
            return self._write(owner, work, act, body, by=by, now=now)

    def save_all(self, *, owner: OwnerT, acts: Sequence[tuple[Act, datetime]], by: Person) -> WorkT:
        """Store acts under new keys, each with its time, all or none; return the work after them.

        Raises what `save` raises, and Unacceptable for a key that was used before.
        """
        with single_act():
            self.lock(owner)
            if acts:
                self.check(owner, by=by, now=acts[0][1])
            work = self.read(owner)
            if not acts:
                return work
            batch = Batch(self.project(owner), len(acts))
            for act, now in acts:
                body = _hash_act(owner.pk, act)
                work = self._write(owner, work, act, body, by=by, now=now, batch=batch).work or work
            batch.insert()
            update_row(type(owner), owner.pk, {"version": owner.version})
        return work

    def undo(
        self, *, owner: OwnerT, key: str, by: Person, now: datetime, kind: str = "", subject: str = ""
    ) -> Saved[WorkT]:
        """Undo the newest act that is not undone yet, of one subject if `kind` is given, else of all.

        The value before it is stored as a new revision; what the act revealed stays visible. The same key gives the
        stored result again. Raises Unacceptable when nothing can be undone, and what `save` raises.
        """
        body = canonical_hash([owner.pk, "undo", kind, subject])
        with single_act():
            self.lock(owner)
            if stored := self._stored_act(key, body, by):
                return stored
            self.check(owner, by=by, now=now)
            work = self.read(owner)
            act, undone = self._reversal(work, key, kind, subject)
            return self._write(owner, work, act, body, by=by, now=now, undoes=undone)

    def _stored_act(self, key: str, body_sha256: str, by: Person) -> Saved[WorkT] | None:
        """The result stored under this key, if the same body was posted; raises Unacceptable if it was another."""
        found = select_rows(self.revision_model, "pk", created_by=by.pk, key=short_key(key))
        if not found:
            return None
        revisions = self.revision_model._default_manager.select_related(self.row_name)
        stored = revisions.get(pk=found[0][0])
        if stored.body_sha256 != body_sha256:
            raise key_reused()
        row = getattr(stored, self.row_name)
        return Saved(stored, row.kind, row.subject)

    def _reversal(self, work: WorkT, key: str, kind: str, subject: str) -> tuple[Act, int]:
        """The act that brings the previous value back, and the version that it undoes."""
        acts = self.undoable(work).select_related(self.row_name)
        if kind:
            acts = acts.filter(**{f"{self.row_name}__kind": kind, f"{self.row_name}__subject": subject})
        undone = acts.first()
        if undone is None:
            raise Unacceptable(_("There is nothing left to undo here."), code="nothing_to_undo")
        row = getattr(undone, self.row_name)
        before = row.revisions.filter(version=undone.version - 1).first()
        act = Act(
            kind=row.kind,
            subject=row.subject,
            version=row.version,
            key=key,
            value=before.value if before else "",
            reason=before.reason if before else "",
        )
        return act, undone.version

    def _write(
        self,
        owner: OwnerT,
        work: WorkT,
        act: Act,
        body: str,
        *,
        by: Person,
        now: datetime,
        undoes: int = 0,
        batch: Batch | None = None,
    ) -> Saved[WorkT]:
        """Store the latest value, its revision, what follows from it, and the audit event; a batch only takes them."""
        latest = self._compare_and_set(owner, work, act, by, batch)
        context = self.context(work, act)
        given = {
            **context,
            "undoes": undoes or None,
            "body_sha256": body,
            "created_at": now,
            "created_by": by,
        }
        revision = self._build_revision(latest, act, given)
        (batch.add if batch else insert_row)(revision)
        after, revealed = self.changed(work, latest, now=now)
        owner.version += 1
        if batch is None:
            update_row(type(owner), owner.pk, {"version": owner.version})
        record_event(
            f"{self.row_name}:{'undone' if undoes else 'made'}",
            (self.row_name, latest.id),
            by=by,
            now=now,
            project=self.project(owner),
            detail={"kind": act.kind, "version": latest.version, **context},
            role=self.checked_role,
            batch=batch,
        )
        return Saved(revision, act.kind, act.subject, revealed, after)

    def _build_revision(self, latest: LatestT, act: Act, given: dict[str, Any]) -> KeyedRevision:
        return self.revision_model(
            **{f"{self.row_name}_id": latest.id},
            version=latest.version,
            value=latest.value,
            reason=latest.reason,
            took_ms=None if act.took_ms is None else min(max(act.took_ms, 0), DAY_MS),
            key=short_key(act.key),
            **given,
        )

    def _compare_and_set(
        self, owner: OwnerT, work: WorkT, act: Act, by: Person, batch: Batch | None
    ) -> LatestT:
        """Store the value after the act with the next version; raises Conflict when it changed meanwhile."""
        before = self.latest(work, act.kind, act.subject)
        proposed = replace(
            before,
            value=before.value if act.value is None else act.value,
            reason=before.reason if act.reason is None else act.reason,
            version=act.version + 1,
        )
        self.refuse_faults(work, act, proposed)
        check_length(act.reason or "", field="reason")
        if before.version != act.version:
            raise self._conflict(before, act, by)
        after = self.amend(work, proposed)
        fields = {name: getattr(after, name) for name in after.__struct_fields__ if name not in IDENTITY}
        if not before.id:
            row = self.row_model(**{self.owner_name: owner}, kind=act.kind, subject=act.subject, **fields)
            (batch.add if batch else insert_row)(row)
            return replace(after, id=row.pk)
        if batch and batch.change(self.row_model, before.id, fields):
            return after
        if not update_row(self.row_model, before.id, fields, version=act.version):
            raise self._conflict(before, act, by)
        return after

    def _conflict(self, stored: LatestT, act: Act, by: Person) -> Conflict:
        """The refusal with both versions: what is stored (always the person's own) and what was sent."""
        revisions = self.revision_model._default_manager.filter(**{self.row_name: stored.id})
        newest = revisions.order_by("-version").first()
        return Conflict(
            _(
                "This was changed elsewhere since the page was loaded. Nothing was overwritten; "
                "choose which answer stays."
            ),
            code="stale",
            detail={
                "kind": act.kind,
                "subject": act.subject,
                "yours": act.value,
                "yours_reason": act.reason,
                "yours_version": act.version,
                "stored": stored.value,
                "stored_reason": stored.reason,
                "version": stored.version,
                "stored_by": by.name,
                "stored_at": newest.created_at if newest else None,
            },
        )
