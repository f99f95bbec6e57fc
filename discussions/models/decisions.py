"""Decisions on iterations, never changed: a later one supersedes, and the newest counts."""

from django.db import models
from django.db.models import Q

from discussions.core.iteration_states import INCONCLUSIVE, KEEP, REVERT
from discussions.models.iterations import Iteration
from workspace.models import Made

CHOICES = [(KEEP, "keep"), (REVERT, "revert"), (INCONCLUSIVE, "inconclusive")]


class DecisionQuerySet(models.QuerySet["Decision"]):
    def not_superseded(self) -> "DecisionQuerySet":
        return self.filter(superseded_by__supersedes=None)


class Decision(Made):
    """One recorded decision on a change. `number` counts within the iteration, `look` within the pair.

    A pair is a prompt and the reference it was compared with: a second iteration with the same prompt against the same
    reference looks at the same pair again. `basis` is the canonical JSON of the figures that were decided on,
    `basis_sha256` its hash; `proposal` is the JSON of what was proposed on them. `choice` may differ from it.
    """

    iteration = models.ForeignKey(Iteration, models.PROTECT, related_name="decisions")
    compared_with = models.ForeignKey(Iteration, models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    look = models.PositiveSmallIntegerField()
    choice = models.CharField(max_length=12, choices=CHOICES)
    reason = models.TextField()
    proposal = models.TextField()
    basis = models.TextField()
    basis_sha256 = models.CharField(max_length=64)
    supersedes = models.OneToOneField(
        "self", models.PROTECT, related_name="superseded_by", null=True, blank=True
    )

    objects = DecisionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["iteration", "number"], name="decision_number_unique"),
            models.CheckConstraint(condition=~Q(reason=""), name="decision_has_reason"),
            models.CheckConstraint(condition=Q(look__gte=1), name="decision_look_counts"),
        )
