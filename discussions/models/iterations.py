"""Stages and iterations: under which goal, rubric version and rules a game is judged."""

from django.db import models
from django.db.models import Count, Q

from rubric.models import RubricVersion
from workspace.models import Person, Project

BLIND_FIRST = "blind_first"
ALONGSIDE = "alongside"
NEVER = "never"
QUESTION = "question"
TEST = "test"
IDENTIFICATIONS = [(QUESTION, "question"), (TEST, "test")]


class Stage(models.Model):
    """What the rubric calls "Iteration 1": a goal with a gate."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="stages")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        ordering = ("project", "number")
        constraints = (models.UniqueConstraint(fields=["project", "number"], name="stage_number_unique"),)


class Iteration(models.Model):
    """One cycle inside a stage, or the project's unsorted iteration (no stage), where games wait."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="iterations")
    stage = models.ForeignKey(Stage, models.PROTECT, related_name="iterations", null=True, blank=True)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    rubric_version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="+")
    evaluator_count = models.PositiveSmallIntegerField(default=1)
    reveal = models.CharField(
        max_length=12,
        default=BLIND_FIRST,
        choices=[(BLIND_FIRST, "blind first"), (ALONGSIDE, "alongside"), (NEVER, "never")],
    )
    identification = models.CharField(max_length=12, default=QUESTION, choices=IDENTIFICATIONS)
    prompt = models.TextField(blank=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        ordering = ("project", "number")
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="iteration_number_unique"),
            models.UniqueConstraint(
                fields=["project"], condition=Q(stage=None), name="iteration_one_unsorted_per_project"
            ),
            models.CheckConstraint(
                condition=Q(evaluator_count__gte=1, evaluator_count__lte=10), name="iteration_evaluator_count"
            ),
        )

    @property
    def is_unsorted(self) -> bool:
        """Whether this is the project's waiting room."""
        return self.stage_id is None


def iterations_by_version() -> dict[int, int]:
    """How many iterations use each rubric version; versions that none uses are not there."""
    rows = Iteration.objects.order_by().values_list("rubric_version").annotate(count=Count("pk"))
    return dict(rows)
