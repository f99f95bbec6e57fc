"""Erasures: what an admin removed for good, and the rows that one may change while it works."""

from django.db import models

from workspace.models.jobs import Job
from workspace.models.people import Made
from workspace.models.projects import Project

GAME, TRANSCRIPT, PROJECT, PERSON = "game", "transcript", "project", "person"
KINDS = (GAME, TRANSCRIPT, PROJECT, PERSON)


class Erasure(Made):
    """One thing that an admin removed for good, or is to be removed while `done_at` is empty. It holds nothing of it.

    `row` is the key of the row that stays, `stamp` a keyed hash of it and of when it was made: after a restore, another
    row may have its key. `counts` says what went: plain words -> number.
    """

    kind = models.CharField(max_length=12, choices=[(kind, kind) for kind in KINDS])
    row = models.PositiveBigIntegerField()
    stamp = models.CharField(max_length=64)
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", null=True, blank=True)
    reason = models.TextField()
    counts = models.JSONField(default=dict)
    job = models.ForeignKey(Job, models.PROTECT, related_name="+", null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["kind", "row"], name="erasure_once"),
            models.CheckConstraint(condition=~models.Q(reason=""), name="erasure_has_reason"),
        )

    def __str__(self) -> str:
        return f"erasure of {self.kind} {self.row}"


class ErasurePass(models.Model):
    """A row that this transaction may change or delete although triggers freeze it; none is left when it commits."""

    erasure = models.ForeignKey(Erasure, models.PROTECT, related_name="passes")
    table = models.CharField(max_length=60)
    row = models.PositiveBigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["table", "row"], name="erasure_pass_once"),)

    def __str__(self) -> str:
        return f"{self.table} {self.row}"
