"""Recipes: how files with rows are read in a project. Removed rows stay and say who removed them."""

from django.db import models
from django.db.models import Q

from discussions.models.games import Transcript
from workspace.database.pairs import set_together
from workspace.models import Made, Person, Project


class ColumnMapping(Made):
    """A recipe: what the columns of files mean. `transcript` is the file that it was made with, if it was made here.

    `columns` are those that its files have, `fields` what is read of them, as `MappingRecord.written`. A changed recipe
    is a new row, and the one before is removed; only the name changes in its place.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="column_mappings")
    transcript = models.ForeignKey(Transcript, models.PROTECT, related_name="+", null=True, blank=True)
    name = models.CharField(max_length=100)
    columns_sha256 = models.CharField(max_length=64)
    columns = models.TextField()
    fields = models.TextField()
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["project", "columns_sha256"],
                condition=Q(removed_at=None),
                name="column_mapping_once_per_project",
            ),
            models.UniqueConstraint(
                fields=["project", "name"], condition=Q(removed_at=None), name="column_mapping_name_unique"
            ),
            set_together("removed_at", "removed_by", name="column_mapping_removed_pair"),
        )

    def __str__(self) -> str:
        return f"recipe {self.name} of project {self.project_id}"
