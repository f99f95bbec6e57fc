"""Where another game under the same prompt would score: how well one game's score predicts the next.

The spread of a few games is itself uncertain, so it is moderated by that of the project's other prompts, and by a
constant where these are few: s~^2 = (d0 s0^2 + nu s^2) / (d0 + nu), with d0 + nu degrees of freedom. Source: G. K.
Smyth, Statistical Applications in Genetics and Molecular Biology 3 (2004), article 3. A share of n messages also varies
by p (1 - p) / n, however alike the games are so far.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt

from msgspec import Struct

from discussions.core.outcome import OutcomeLine
from discussions.metrics.core.metric import PERCENT
from discussions.metrics.core.registry import METRICS
from workspace.statistics.conclusions import Z_TWO_SIDED
from workspace.statistics.means import exact_mean, pool_squares, predict_next

Scores = Mapping[str, Fraction]
# The spread between games where nothing is known: an SD of 8 % of the scale, which weighs as half a game. All that is
# known from elsewhere weighs as six games at most, since prompts may differ in their spread.
PRIOR_SHARE, PRIOR_DF, MOST_PRIOR_DF = 0.08, 0.5, 6.0


class PlayedGame(Struct, frozen=True):
    """A game with a verdict: the key of its prompt, and metric -> score where the metric applies."""

    game: int
    prompt: str
    scores: Scores


class NextGame(Struct, frozen=True):
    """The interval of 95 % that the next game's score falls into, clipped to the scale.

    It rests on the mean and the spread of `count` games under the prompt, and on the spread of `other_count` games
    under other prompts. `low` and `high` are None if no two games under one prompt are known.
    """

    key: str
    count: int
    other_count: int = 0
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
    batches: dict[str, dict[int, Fraction]] = {prompt: {}}
    for other in played:
        if line.key in other.scores:
            batches.setdefault(other.prompt, {})[other.game] = other.scores[line.key]
    mine = batches.pop(prompt) if prompt else {}
    own = list((mine | {game: scale.value(line.numerator, line.denominator)}).values())
    squares, df, _count = pool_squares([own])
    others, other_df, other_count = pool_squares(list(batch.values()) for batch in batches.values())
    centre = exact_mean(own)
    if not df + other_df or centre is None:
        return NextGame(line.key, len(own))
    prior = (PRIOR_DF * (PRIOR_SHARE * scale.span) ** 2 + float(others)) / (PRIOR_DF + other_df)
    prior_df = min(MOST_PRIOR_DF, PRIOR_DF + other_df)
    spread = sqrt((prior_df * prior + float(squares)) / (prior_df + df))
    low, high = predict_next(float(centre), len(own), spread, prior_df + df)
    least = Z_TWO_SIDED * _compute_least_sd(line, float(centre)) * sqrt(1 + 1 / len(own))
    low, high = min(low, float(centre) - least), max(high, float(centre) + least)
    return NextGame(line.key, len(own), other_df + other_count, max(scale.low, low), min(scale.high, high))


def _compute_least_sd(line: OutcomeLine, centre: float) -> float:
    """What chance alone makes of a share of so many messages; 0 where messages are not what is counted."""
    metric = METRICS[line.key]
    if metric.scale != PERCENT or not metric.has_interval:
        return 0.0
    messages = line.people.total if line.people and line.is_scored_by_people else line.denominator
    return sqrt(centre * (metric.scale.span - centre) / messages)
