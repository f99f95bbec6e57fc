"""An admin's choice of how new comparison sets are scored. Before the first choice, the environment decides."""

from django.conf import settings
from django.db import models

from rubric.core.records import BOTH, HOLISTIC
from workspace.models import Person


class ScoringChoice(models.Model):
    """One choice of an admin: whether new sets are scored by criterion too. The newest counts; rows never change."""

    is_on = models.BooleanField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return "on" if self.is_on else "off"


def is_scored_by_criterion() -> bool:
    """Whether new sets begin with scores by criterion: as the last admin chose, else as DEFAULT_RUBRIC_SCORING says."""
    chosen = ScoringChoice.objects.order_by("-pk").values_list("is_on", flat=True).first()
    return bool(settings.DEFAULT_RUBRIC_SCORING) if chosen is None else chosen


def default_mode() -> str:
    return BOTH if is_scored_by_criterion() else HOLISTIC
