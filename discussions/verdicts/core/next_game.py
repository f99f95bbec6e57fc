"""Where another game under the same prompt would score: how well one game's score predicts the next."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt

from msgspec import Struct

from discussions.core.outcome import OutcomeLine
from discussions.metrics.core.registry import METRICS
from workspace.statistics.means import exact_mean, pool_squares, predict_next

Scores = Mapping[str, Fraction]


class PlayedGame(Struct, frozen=True):
    """A game with a verdict: the key of its prompt, and metric -> score where the metric applies."""

    game: int
    prompt: str
    scores: Scores


class NextGame(Struct, frozen=True):
    """The interval of 95 % that the next game's score falls into, clipped to the scale.

    It rests on the mean of `count` games under the prompt and on the spread within batches of `spread_count` games;
    with `is_pooled` those are games under other prompts, too. `low` and `high` are None if no games show a spread.
    """

    key: str
    count: int
    spread_count: int = 0
    is_pooled: bool = False
    low: float | None = None
    high: float | None = None


def predict_next_games(
    lines: Iterable[OutcomeLine], game: int, prompt: str, played: Sequence[PlayedGame]
) -> dict[str, NextGame]:
    """Metric -> where the next game would score, for the lines of a game that are known and apply.

    `prompt` is the key of the prompt that the game was played under, "" if unknown; `played` are the project's games
    with a verdict under the same rubric version.
    """
    return {
        line.key: _predict(line, game, prompt, played)
        for line in lines
        if line.score is not None and line.is_applicable
    }


def _predict(line: OutcomeLine, game: int, prompt: str, played: Sequence[PlayedGame]) -> NextGame:
    scale = METRICS[line.key].scale
    batches: dict[str, dict[int, Fraction]] = {prompt: {}} if prompt else {}
    for other in played:
        if line.key in other.scores:
            batches.setdefault(other.prompt, {})[other.game] = other.scores[line.key]
    own = (batches[prompt] if prompt else {}) | {game: scale.value(line.numerator, line.denominator)}
    squares, df, count = pool_squares([list(own.values())])
    is_pooled = not df
    if is_pooled:
        squares, df, count = pool_squares(list(batch.values()) for batch in batches.values())
    centre = exact_mean(list(own.values()))
    if not df or not squares or centre is None:
        return NextGame(line.key, len(own), df + count if df else 0, is_pooled=is_pooled)
    low, high = predict_next(float(centre), len(own), sqrt(squares / df), df)
    return NextGame(line.key, len(own), df + count, is_pooled, max(scale.low, low), min(scale.high, high))
