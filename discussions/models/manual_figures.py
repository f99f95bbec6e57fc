"""Costs and cache hit rates that a lead entered by hand, never changed: the newest of a game counts."""

from django.db import models
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from discussions.models.games import Game
from workspace.models import Made

COST = "cost"
CACHE = "cache"
KINDS = [(COST, "cost in dollars"), (CACHE, "cache hit rate")]


class ManualFigureQuerySet(models.QuerySet["ManualFigure"]):
    def not_superseded(self) -> "ManualFigureQuerySet":
        return self.filter(superseded_by__supersedes=None)


class ManualFigure(Made):
    """One figure of a game, with the reason why it was entered: dollars, or a rate from 0 to 1."""

    game = models.ForeignKey(Game, models.PROTECT, related_name="manual_figures")
    kind = models.CharField(max_length=12, choices=KINDS)
    number = models.PositiveIntegerField()
    value = models.DecimalField(max_digits=12, decimal_places=6)
    reason = models.TextField()
    supersedes = models.OneToOneField(
        "self", models.PROTECT, related_name="superseded_by", null=True, blank=True
    )

    objects = ManualFigureQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["game", "kind", "number"], name="manual_figure_number_unique"),
            models.CheckConstraint(condition=~Q(reason=""), name="manual_figure_has_reason"),
            models.CheckConstraint(
                condition=Q(value__gte=0) & (~Q(kind=CACHE) | Q(value__lte=1)), name="manual_figure_in_range"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} of game {self.game_id} by hand"


def entered(kind: str, game: str = "pk") -> "QuerySet[ManualFigure, object]":
    """A subquery: the entered figure that counts for the outer query's game, whose key is in its column `game`."""
    return ManualFigure.objects.filter(game=OuterRef(game), kind=kind).not_superseded().values("value")[:1]


def paid() -> Coalesce:
    """For queries of games: the cost entered by hand, else the one in the file; the same as the column `paid_usd`."""
    return Coalesce(Subquery(entered(COST)), "cost_usd")
