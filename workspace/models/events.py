"""The audit log: one line per action, chained, never changed (the database refuses it)."""

from datetime import UTC
from typing import Any

import msgspec
from django.db import models
from django.db.models.functions import Coalesce

from workspace.core.audit_chain import Head, Line, Sealed
from workspace.models.people import Person
from workspace.models.projects import Project


class Chain(models.Model):
    """The head of one audit chain: a project's, or the installation's (no project)."""

    project = models.OneToOneField(Project, models.PROTECT, related_name="chain", null=True, blank=True)
    seq = models.PositiveBigIntegerField(default=0)
    mac = models.CharField(max_length=64, blank=True)

    class Meta:
        # A unique column allows any number of nulls, but the installation must have only one chain.
        constraints = (models.UniqueConstraint(Coalesce("project", 0), name="chain_one_per_project"),)

    def to_head(self) -> Head:
        """The head of the chain, as `workspace.core.audit_chain` reads it."""
        return Head(self.pk, self.seq, self.mac)


class Event(models.Model):
    """One audit line: who did what to which thing, when, sealed to the line before it.

    `mac` is HMAC-SHA256 over the canonical JSON of the line and the `mac` of the previous one, see
    `workspace.core.audit_chain`.
    `verb` is past tense ("verdict:recorded"), `object_kind`/`object_id` name the row, `detail` is canonical JSON text.
    """

    # db_index=False: the index of a constraint begins with the same column.
    chain = models.ForeignKey(Chain, models.PROTECT, related_name="events", db_index=False)
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    role = models.CharField(max_length=20)
    verb = models.CharField(max_length=60)
    object_kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=40)
    detail = models.TextField(default="{}")
    mac = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["chain", "seq"], name="event_seq_unique"),)

    def __str__(self) -> str:
        return f"{self.verb} {self.object_kind} {self.object_id}"

    @property
    def details(self) -> dict[str, Any]:
        return msgspec.json.decode(self.detail, type=dict[str, Any])

    def to_line(self) -> Line:
        """The line as `workspace.core.audit_chain` reads it."""
        return Line(
            chain=self.chain_id,
            seq=self.seq,
            at=self.at.astimezone(UTC).isoformat(timespec="microseconds"),
            by=self.by_id,
            role=self.role,
            verb=self.verb,
            object_kind=self.object_kind,
            object_id=self.object_id,
            detail=self.detail,
        )

    def to_sealed(self) -> Sealed:
        return Sealed(self.to_line(), self.mac)


class FirstSeal(models.Model):
    """The seal of a line where it was first written, kept when the line came in with a project archive.

    A seal covers keys of rows and of the chain, which differ here: this row holds the first ones. So whoever has the
    first installation's AUDIT_KEY can still check the line, and a later archive carries it as it came.
    """

    event = models.OneToOneField(Event, models.PROTECT, related_name="first_seal", primary_key=True)
    chain = models.PositiveBigIntegerField()
    by = models.PositiveBigIntegerField()
    object_id = models.CharField(max_length=40)
    mac = models.CharField(max_length=64)
