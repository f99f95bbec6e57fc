"""How the texts of a game count its rounds, as a lead set it: rows never change; the newest of a game counts."""

from django.db import models

from discussions.models.games import Game
from workspace.models import Made


class RoundOffset(Made):
    """`offset` is added to the number of a round in a text to get the file's; `number` counts the offsets of the game.

    Imported rows never change, so the offset is a row of its own. Measurements name the offset that applied to them.
    """

    game = models.ForeignKey(Game, models.PROTECT, related_name="round_offsets")
    number = models.PositiveIntegerField()
    offset = models.SmallIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["game", "number"], name="round_offset_number_unique"),)

    def __str__(self) -> str:
        return f"round offset {self.offset} of game {self.game_id}"
