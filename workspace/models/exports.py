"""Exports: what somebody requested as a file, and where the file is stored while it exists."""

from django.db import models
from django.db.models import Q

from workspace.models.jobs import Job
from workspace.models.people import Made, Person
from workspace.models.projects import Project


class ExportQuerySet(models.QuerySet["Export"]):
    def visible_to(self, person: Person) -> "ExportQuerySet":
        """One's own, in projects that one still belongs to; nobody sees another person's, not even an admin."""
        return self.filter(created_by=person, project__in=Project.objects.visible_to(person))


class Export(Made):
    """One file that a person asked for.

    `subject` says what it holds: "project", "stage:1", "iteration:2", "game:7", "games:3,5-7", "set:3".

    An unblinded export holds everything, as leads see it; else it holds only its owner's own work. `seed` determines
    the pseudonyms. The file is kept under `stored_as` from `ready_at` to `expires_at`, or until `removed_at`.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="exports")
    subject = models.CharField(max_length=3000)
    format = models.CharField(max_length=20)
    is_unblinded = models.BooleanField()
    has_pseudonyms = models.BooleanField(default=False)
    has_byte_order_mark = models.BooleanField(default=False)
    seed = models.CharField(max_length=32)
    job = models.ForeignKey(Job, models.PROTECT, related_name="+", null=True, blank=True)
    stored_as = models.CharField(max_length=80, blank=True)
    byte_count = models.PositiveBigIntegerField(default=0)
    ready_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = ExportQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(ready_at=None, expires_at=None, stored_as="")
                | (Q(ready_at__isnull=False, expires_at__isnull=False) & ~Q(stored_as="")),
                name="export_ready_whole",
            ),
        )
        indexes = (
            models.Index(
                fields=["expires_at"],
                condition=Q(expires_at__isnull=False, removed_at=None),
                name="export_with_file",
            ),
        )

    def __str__(self) -> str:
        return f"export {self.pk} of {self.subject}"
