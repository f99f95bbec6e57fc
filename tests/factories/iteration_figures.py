"""Games and iterations as figures, passing in everything unless said otherwise; checkable by hand."""

from decimal import Decimal
from fractions import Fraction

from msgspec.structs import replace

from discussions.core.outcome import MEMORY
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import IterationFigures
from tests.factories.verdict_examples import RUBRIC, THRESHOLDS

GATED = replace(RUBRIC, parameters=RUBRIC.parameters | {"successes_in_a_row": 3, "cache_hit_percent": 70.0})


METRICS = [key for key in THRESHOLDS if key != "engagement"]


def game(
    number: int = 1, *, cost: str | None = "1.20", rating: float | None = 3.5, **more: object
) -> GameFigures:
    """A game with 90 in every metric; keywords that are no field of the record are scores of metrics."""
    fields = set(GameFigures.__struct_fields__)
    scores = dict.fromkeys(METRICS, 90.0) | {key: score for key, score in more.items() if key not in fields}
    return GameFigures(
        number=number,
        scores=scores,
        rating=rating,
        cost_usd=None if cost is None else Decimal(cost),
        **{"cache_hit_rate": 0.8} | {key: value for key, value in more.items() if key in fields},
    )


def without_memory(number: int) -> GameFigures:
    """A game in which nobody refers to the past."""
    return game(number, memory_accuracy=100.0, not_applicable=[MEMORY])


def iteration(number: int, *games: GameFigures, is_reverted: bool = False) -> IterationFigures:
    """An iteration of these games, or of three that pass; numbers of games follow that of the iteration."""
    played = list(games) or [game(10 * number + place) for place in (1, 2, 3)]
    return IterationFigures(number, f"Iteration {number}", played, is_reverted)


def failing(number: int) -> IterationFigures:
    """An iteration of which three averages fail, so that four pass."""
    low = {"coherence": 10.0, "strategic_depth": 10.0, "anti_repetition": 10.0}
    return iteration(number, *(game(10 * number + place, **low) for place in (1, 2, 3)))


def scores(*values: float) -> list[Fraction]:
    """Scores as the core compares them."""
    return [Fraction(str(value)) for value in values]
