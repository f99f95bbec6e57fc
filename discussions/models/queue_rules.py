"""How a project deals its games out. Without a row the defaults hold."""

from django.db import models
from django.db.models import Q

from workspace.models import Person, Project

BY_CHANCE, OLDEST = "random", "oldest"
ORDERS = [(BY_CHANCE, "in random order, each person their own"), (OLDEST, "oldest first")]
MOST_REPEATS = 50


class QueueRule(models.Model):
    """The order of a project's games, and how many of a hundred dealt games are hidden repeats (none by default)."""

    project = models.OneToOneField(Project, models.PROTECT, related_name="queue_rule", primary_key=True)
    order = models.CharField(max_length=12, default=BY_CHANCE, choices=ORDERS)
    repeat_percent = models.PositiveSmallIntegerField(default=0)
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(repeat_percent__lte=MOST_REPEATS), name="queue_rule_repeat_percent"
            ),
        )

    def __str__(self) -> str:
        return f"queue of project {self.project_id}"


def load_queue_rule(project: Project) -> QueueRule:
    """The project's rule; an unsaved row of the defaults where nobody made one."""
    return QueueRule.objects.filter(project=project).first() or QueueRule(project=project)
