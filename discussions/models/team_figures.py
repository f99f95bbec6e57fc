"""Figures of a whole team that a job computes: kept under the hash of their input, never changed."""

from django.db import models

from workspace.models import Job, Project


class TeamFigures(models.Model):
    """Figures of one kind for one project as JSON; those of the present input are found by its hash."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=30)
    input_sha256 = models.CharField(max_length=64)
    body = models.TextField()
    evaluation_count = models.PositiveIntegerField()
    job = models.ForeignKey(Job, models.PROTECT, related_name="+", null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "kind", "input_sha256"], name="team_figures_once"),
        )

    def __str__(self) -> str:
        return f"{self.kind} of project {self.project_id}"
