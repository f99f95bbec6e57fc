"""Games that were withdrawn from the averages, or restored: never changed; the newest of a game counts."""

from django.db import models
from django.db.models import Q

from discussions.models.games import Game
from workspace.models import Made


class Withdrawal(Made):
    """One withdrawal or restoration, with its reason. `number` counts within the game. The next may undo a withdrawal.

    `Game.withdrawn_...` holds the current state, written in the same transaction, so that lists need not query this
    table.
    """

    game = models.ForeignKey(Game, models.PROTECT, related_name="withdrawals")
    number = models.PositiveIntegerField()
    is_withdrawn = models.BooleanField()
    reason = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["game", "number"], name="withdrawal_number_unique"),
            models.CheckConstraint(condition=~Q(reason=""), name="withdrawal_has_reason"),
        )

    def __str__(self) -> str:
        return f"{'withdrawal' if self.is_withdrawn else 'return'} {self.number} of game {self.game_id}"
