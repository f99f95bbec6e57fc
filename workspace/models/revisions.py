"""The columns that every table of keyed revisions has."""

from django.db import models

from workspace.models.people import Person


class KeyedRevision(models.Model):
    """One act on one subject, never changed: the version it was based on, how long it took, what it undoes.

    `key` is the idempotency key made when the form was rendered, `body_sha256` the hash of what was posted with it.
    """

    version = models.PositiveIntegerField()
    value = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    took_ms = models.PositiveIntegerField(null=True, blank=True)
    undoes = models.PositiveIntegerField(null=True, blank=True)
    key = models.CharField(max_length=160)
    body_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    # db_index=False: the index of a constraint begins with the same column.
    created_by = models.ForeignKey(Person, models.PROTECT, related_name="+", db_index=False)

    class Meta:
        abstract = True


class Versioned(models.Model):
    """What subjects belong to, such as an evaluation: `version` counts every change of its state or its subjects."""

    version = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True
