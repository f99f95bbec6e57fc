"""The door from a stage to the next: a streak, a lead's word on its games, their cache hit rate; or an admin's reason.

Source: the rubric's "Do NOT proceed to Iteration 2 until".
"""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from discussions.core.game_figures import GameFigures, exact, numbered
from discussions.core.outcome import ENGAGEMENT
from discussions.core.streak import Streak
from rubric.core.records import RubricRecord
from workspace.core.text_display import figure


class CacheRate(Struct, frozen=True):
    """The cache hit rate over the games of the row, from 0 to 1, weighted by input tokens where those are known.

    `rate` is None while a game of the row has none (`missing` names them); `unweighted` games count with the mean of
    the known weights. `passes` asks for more than `percent`.
    """

    rate: float | None
    percent: float
    passes: bool | None
    missing: list[int]
    unweighted: list[int]
    by_hand: list[int]
    says: str


class Signed(Struct, frozen=True):
    """What somebody signed: a lead's statement on the games, or an admin's reason to open the door all the same."""

    by: str
    on: str
    says: str


class Door(Struct, frozen=True):
    """The door to the next stage. `missing` holds a sentence for each thing that keeps it shut.

    With an admin's `override` it is open although things are missing; both stay to be shown.
    """

    is_open: bool
    missing: list[str]
    streak: Streak
    cache: CacheRate
    statement: Signed | None
    override: Signed | None

    @property
    def is_by_override(self) -> bool:
        """Whether nothing but the admin's reason opens it."""
        return self.is_open and bool(self.missing)


def cache_rate_of(games: Sequence[GameFigures], rubric: RubricRecord) -> CacheRate:
    """The cache hit rate over these games; a game without one leaves it unknown."""
    percent = Fraction(str(rubric.parameters["cache_hit_percent"]))
    missing = [game.number for game in games if game.cache_hit_rate is None]
    weights = [game.input_tokens for game in games if game.input_tokens is not None]
    usual = Fraction(sum(weights), len(weights)) if sum(weights) else Fraction(1)
    total = hit = Fraction()
    for game in games:
        weight = usual if game.input_tokens is None or not sum(weights) else Fraction(game.input_tokens)
        total += weight
        hit += weight * exact(game.cache_hit_rate or 0)
    rate = None if missing or not games else hit / total
    return CacheRate(
        rate=None if rate is None else float(rate),
        percent=float(percent),
        passes=None if rate is None else rate * 100 > percent,
        missing=missing,
        unweighted=[game.number for game in games if game.input_tokens is None] if weights else [],
        by_hand=[game.number for game in games if game.is_cache_by_hand],
        says=_cache_says(games, missing, rate, percent, weights=weights),
    )


def door_of(
    streak: Streak,
    rubric: RubricRecord,
    *,
    statement: Signed | None = None,
    override: Signed | None = None,
) -> Door:
    """The door: the streak, a lead's statement on its games, and their cache hit rate; or an admin's reason."""
    cache = cache_rate_of(streak.games, rubric)
    missing = [] if streak.is_reached else [streak.says]
    if statement is None or not statement.says.strip():
        anchor = rubric.criterion(ENGAGEMENT).anchors.get("5", "")
        quoted = f' ("{anchor}")' if anchor else ""
        missing.append(f"No lead has signed yet that the games are fascinating to watch{quoted}.")
    if not cache.passes:
        missing.append(cache.says)
    return Door(
        is_open=not missing or (override is not None and bool(override.says.strip())),
        missing=missing,
        streak=streak,
        cache=cache,
        statement=statement,
        override=override,
    )


def _cache_says(
    games: Sequence[GameFigures],
    missing: list[int],
    rate: Fraction | None,
    percent: Fraction,
    *,
    weights: list[int],
) -> str:
    if not games:
        return "The cache hit rate is that of the games of the row, and there is no such game yet."
    if rate is None:
        return f"The cache hit rate of {numbered(missing)} is not reported; enter it with a reason."
    over = f"over {numbered([game.number for game in games])}"
    how = "weighted by input tokens" if sum(weights) else "each game alike, since no input tokens are known"
    if sum(weights) and len(weights) < len(games):
        bare = numbered([game.number for game in games if game.input_tokens is None])
        how += f" (of {bare} none are known: the mean of the others stands in)"
    shown = figure(rate * 100, float(percent))
    needs = "" if rate * 100 > percent else f" It must be above {figure(percent)} %."
    return f"The cache hit rate {over} is {shown} %, {how}.{needs}"
