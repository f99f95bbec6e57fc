"""Background work as rows: the row is the truth, a Celery message only says "look at job N"."""

from django.db import models

from workspace.database.pairs import set_together
from workspace.models.people import Made, Person
from workspace.models.projects import LedQuerySet, Project

QUEUED = "queued"
RUNNING = "running"
DONE = "done"
FAILED = "failed"
CANCELLED = "cancelled"


class JobQuerySet(LedQuerySet["Job"]):
    pass


class Job(Made):
    """One piece of background work: what to do to which subject, and its progress.

    `subject` names the row it is about ("import:12"), `input_hash` is the hash of its input; a worker holds it by
    `lease_until` and writes only under its own `fence`. `attempt` counts how often it was taken since the last
    progress. A row that is over may be used again: then all its facts are those of the new request, but for `fence`
    and `suspects`. `created_at` and `created_by` say when and by whom the work was last asked for; it acts for them.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="jobs", null=True, blank=True)
    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=80)
    input_hash = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=12, default=QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    # The items on which workers died, so that the next worker does them last: keys of what the job goes through.
    suspects = models.JSONField(default=list)
    # The items that cannot be done: the key of each (as text) and a code that says why. The default is in the database:
    # during a deployment, code of the version before inserts jobs without this column.
    faults = models.JSONField(default=dict, db_default={})
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    done_count = models.PositiveIntegerField(default=0)
    total_count = models.PositiveIntegerField(default=0)
    done_bytes = models.PositiveBigIntegerField(default=0)
    total_bytes = models.PositiveBigIntegerField(default=0)
    # Since when a job waits that gave others a turn; empty: since `created_at`.
    queued_at = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True)
    cancelled_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    # The unforeseen error that the last attempt ended with: class, message and place. It may hold secrets: only for
    # admins. The default is in the database for the same reason as that of `faults`.
    cause = models.TextField(blank=True, default="", db_default="")

    objects = JobQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=["state", "lease_until"], name="job_waiting"),)
        constraints = (
            models.UniqueConstraint(fields=["kind", "subject", "input_hash"], name="job_unique"),
            set_together("cancelled_at", "cancelled_by", name="job_cancelled_pair"),
        )


class Heartbeat(models.Model):
    """The last sign of life of a worker, written when it looks at the queue."""

    worker = models.CharField(max_length=120, unique=True)
    beat_at = models.DateTimeField()
