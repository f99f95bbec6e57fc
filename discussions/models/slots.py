"""Slots on games: rows that one conditional update takes, each for one purpose, held under a lease."""

from typing import Any

from django.db import models
from django.db.models import Q

from discussions.models.games import Game
from workspace.database.pairs import set_together
from workspace.models import Person, Project

RATING = "rating"
REPEAT = "repeat"
CALIBRATION = "calibration"


class SlotQuerySet(models.QuerySet["Slot"]):
    def free(self) -> "SlotQuerySet":
        """Open slots that no evaluator holds, including assigned ones."""
        return self.filter(evaluator=None, is_closed=False)

    def free_for(self, person: Any) -> "SlotQuerySet":
        """Free slots that this person may take: assigned to nobody or to them. `person` may be an expression."""
        return self.free().filter(Q(assigned_to=None) | Q(assigned_to=person))


class Slot(models.Model):
    """One evaluator's place on a game; a game has as many slots for rating as it needs evaluators.

    An evaluator who takes a slot holds it until `lease_until`; work renews it. None means that no lease runs
    (submitted, or returned and not opened yet). `assigned_to` reserves it for one person. A hidden duplicate and a
    calibration game have slots of their own, assigned to their person. `shuffle` is a random number, so that an index
    finds a random free slot; `project` is the game's, for the same index. `awaiting_since` is the moment of submission,
    until the first verdict on the game is recorded: an index holds only slots that may wait for a verdict.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    # db_index=False: the index of a constraint begins with the same column.
    game = models.ForeignKey(Game, models.PROTECT, related_name="slots", db_index=False)
    purpose = models.CharField(max_length=12, default=RATING)
    number = models.PositiveSmallIntegerField()
    shuffle = models.PositiveIntegerField()
    evaluator = models.ForeignKey(
        Person, models.PROTECT, related_name="slots", null=True, blank=True, db_index=False
    )
    taken_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    assigned_to = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    assigned_at = models.DateTimeField(null=True, blank=True)
    assigned_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    is_closed = models.BooleanField(default=False)
    awaiting_since = models.DateTimeField(null=True, blank=True)

    objects = SlotQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["game", "purpose", "number"], name="slot_number_unique"),
            models.UniqueConstraint(
                fields=["game", "purpose", "evaluator"],
                condition=Q(evaluator__isnull=False),
                name="slot_person_once_per_game",
            ),
            models.UniqueConstraint(
                fields=["game", "purpose", "assigned_to"],
                condition=Q(assigned_to__isnull=False),
                name="slot_assigned_once_per_game",
            ),
            set_together("evaluator", "taken_at", name="slot_taken_pair"),
            models.CheckConstraint(
                condition=Q(lease_until=None) | Q(evaluator__isnull=False, is_closed=False),
                name="slot_lease_of_somebody",
            ),
            models.CheckConstraint(
                condition=Q(assigned_to=None, assigned_at=None, assigned_by=None)
                | Q(assigned_to__isnull=False, assigned_at__isnull=False, assigned_by__isnull=False),
                name="slot_assigned_whole",
            ),
            models.CheckConstraint(
                condition=Q(assigned_to=None) | Q(evaluator=None) | Q(evaluator=models.F("assigned_to")),
                name="slot_kept_for_one",
            ),
        )
        indexes = (
            models.Index(fields=["evaluator", "is_closed"], name="slot_by_person"),
            models.Index(
                fields=["project", "purpose", "shuffle"],
                condition=Q(evaluator=None, assigned_to=None, is_closed=False),
                name="slot_free_by_chance",
            ),
            models.Index(
                fields=["project", "purpose", "game", "number"],
                condition=Q(evaluator=None, assigned_to=None, is_closed=False),
                name="slot_free_by_age",
            ),
            models.Index(
                fields=["assigned_to"],
                condition=Q(assigned_to__isnull=False, evaluator=None, is_closed=False),
                name="slot_kept_free",
            ),
            models.Index(
                fields=["project", "game"],
                condition=Q(awaiting_since__isnull=False),
                name="slot_awaiting_verdict",
            ),
            models.Index(
                fields=["project", "game"],
                condition=Q(evaluator__isnull=False, is_closed=False),
                name="slot_taken",
            ),
            models.Index(
                fields=["lease_until"], condition=Q(lease_until__isnull=False), name="slot_by_lease"
            ),
        )
