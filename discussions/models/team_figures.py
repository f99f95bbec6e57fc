"""Team statistics that a job computes: stored under the hash of their input, never changed."""

from django.db import models

from workspace.models import Job, Project
from workspace.models.stored_statistics import StoredStatistics


class TeamFigures(StoredStatistics):
    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    evaluation_count = models.PositiveIntegerField()
    job = models.ForeignKey(Job, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "kind", "input_sha256"], name="team_figures_once"),
        )

    def __str__(self) -> str:
        return f"{self.kind} of project {self.project_id}"
