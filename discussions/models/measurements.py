"""What is computed: the metrics of a game, unique per (game, rubric version, code version); a team's statistics."""

import msgspec
from django.db import models

from discussions.core.records import Measurement
from discussions.models.games import Game
from rubric.models import RubricVersion
from workspace.models import Job, Project
from workspace.models.stored_statistics import StoredStatistics


class Measured(models.Model):
    """The six measurements of one game, without findings.

    `figures` is JSON: metric -> [numerator, denominator, is_applicable, is_pending]; `input_hash` covers the game's
    content, the rubric version's content and the code version, and the round offset if there is one.
    `round_offset_number` is the number of the game's `RoundOffset` that applied to the measurement, 0 without one.
    """

    # db_index=False: the index of the constraint, or `measured_by_version`, begins with the same column.
    game = models.ForeignKey(Game, models.PROTECT, related_name="measurements", db_index=False)
    rubric_version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="+", db_index=False)
    code_version = models.CharField(max_length=20)
    round_offset_number = models.PositiveIntegerField(default=0)
    input_hash = models.CharField(max_length=64)
    findings_sha256 = models.CharField(max_length=64)
    figures = models.TextField()
    created_at = models.DateTimeField()
    job = models.ForeignKey(Job, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["game", "rubric_version", "code_version", "round_offset_number"], name="measured_once"
            ),
        )
        # For the newest measurement of a game. With an index on the version alone, SQLite reads all games back to that
        # one.
        indexes = (models.Index(fields=["rubric_version", "game"], name="measured_by_version"),)


class MeasuredFindings(models.Model):
    """The measurements with their findings, as JSON: metric -> Measurement."""

    measured = models.OneToOneField(Measured, models.PROTECT, related_name="findings", primary_key=True)
    body = models.TextField()

    def to_records(self) -> dict[str, Measurement]:
        return msgspec.json.decode(self.body, type=dict[str, Measurement])


class Companions(models.Model):
    """The diagnostics of one measurement, computed when its game is first opened: metric -> figures, as JSON."""

    measured = models.OneToOneField(Measured, models.PROTECT, related_name="companions", primary_key=True)
    body = models.TextField()


class TeamFigures(StoredStatistics):
    """Team statistics that a job computes."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    evaluation_count = models.PositiveIntegerField()
    job = models.ForeignKey(Job, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "kind", "input_sha256"], name="team_figures_once"),
        )

    def __str__(self) -> str:
        return f"{self.kind} of project {self.project_id}"
