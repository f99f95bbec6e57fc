"""Verdicts: PASS or FAIL of a game, recorded once by a person, with everything that it was based on."""

from django.db import models
from django.db.models import Q

from discussions.models.games import Game
from discussions.models.measurements import Measured
from rubric.models import RubricVersion
from workspace.models import Made, Project


class VerdictQuerySet(models.QuerySet["Verdict"]):
    def not_superseded(self) -> "VerdictQuerySet":
        return self.filter(superseded_by__supersedes=None)


class Verdict(Made):
    """One recorded verdict, never changed; a correction is a new row that supersedes it, with a reason.

    `basis` is the canonical JSON of everything that the verdict rests on, `basis_sha256` its hash; `outcome` is the
    JSON of what was computed from it. `composite`, `passed_count`, `flip_distance` and `weak_pass_count` repeat figures
    of the outcome for lists.
    """

    # The game's project, denormalised: lists sorted by a figure read one index, however many games there are.
    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    # db_index=False: an index below begins with the same column.
    game = models.ForeignKey(Game, models.PROTECT, related_name="verdicts", db_index=False)
    rubric_version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="+")
    measured = models.ForeignKey(Measured, models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    passes = models.BooleanField()
    passed_count = models.PositiveSmallIntegerField()
    composite = models.FloatField(null=True, blank=True)
    flip_distance = models.PositiveIntegerField(null=True, blank=True)
    weak_pass_count = models.PositiveSmallIntegerField(default=0)
    basis = models.TextField()
    basis_sha256 = models.CharField(max_length=64)
    outcome = models.TextField()
    reason = models.TextField(blank=True)
    supersedes = models.OneToOneField(
        "self", models.PROTECT, related_name="superseded_by", null=True, blank=True
    )

    objects = VerdictQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["game", "number"], name="verdict_number_unique"),
            models.CheckConstraint(
                condition=Q(supersedes=None) | ~Q(reason=""), name="verdict_correction_has_reason"
            ),
        )
        indexes = (
            models.Index(fields=["project", "composite", "id"], name="verdict_in_order_of_composite"),
            models.Index(fields=["project", "passed_count", "id"], name="verdict_in_order_of_passed"),
            models.Index(fields=["project", "flip_distance", "id"], name="verdict_in_order_of_flip"),
            models.Index(
                fields=["game", "rubric_version", "passes", "weak_pass_count"], name="verdict_by_game"
            ),
            # The sums of the dashboard read only this index: rows are wide, and `created_at` is stored after the texts.
            models.Index(fields=["project", "created_at", "game", "passes"], name="verdict_by_time"),
        )
