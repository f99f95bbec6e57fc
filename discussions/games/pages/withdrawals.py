"""Whether a game counts in averages, and everything that was said of that."""

from datetime import datetime

from msgspec import Struct

from discussions.models import Game, Withdrawal


class WithdrawalLine(Struct, frozen=True):
    """One act: the game was withdrawn, or counted again."""

    is_withdrawn: bool
    reason: str
    by: str
    at: datetime


class WithdrawalPart(Struct, frozen=True):
    """What stands of a game, with all acts, newest first."""

    slug: str
    number: int
    is_withdrawn: bool
    is_in_stage: bool
    lines: list[WithdrawalLine]

    @property
    def standing(self) -> WithdrawalLine | None:
        """The act by which the game is out of the averages; None while it counts."""
        return self.lines[0] if self.is_withdrawn and self.lines else None


def withdrawal_part(game: Game) -> WithdrawalPart:
    """The part of a game that was fetched with its project and iteration; one query."""
    rows = Withdrawal.objects.filter(game=game).order_by("-number")
    columns = ("is_withdrawn", "reason", "created_by__name", "created_at")
    return _part(game, [WithdrawalLine(*row) for row in rows.values_list(*columns)])


def withdrawal_in_short(game: Game) -> WithdrawalPart:
    """The same for the game's own page; of a game that counts, no query asks what was said before."""
    return _part(game, []) if game.withdrawn_at is None else withdrawal_part(game)


def _part(game: Game, lines: list[WithdrawalLine]) -> WithdrawalPart:
    return WithdrawalPart(
        slug=game.project.slug,
        number=game.number,
        is_withdrawn=game.withdrawn_at is not None,
        is_in_stage=not game.iteration.is_unsorted,
        lines=lines,
    )
