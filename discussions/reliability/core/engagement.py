"""Which metrics go with the rating of games of one prompt, and how many games that pass are worth watching."""

from collections import Counter
from collections.abc import Hashable, Sequence

from msgspec import Struct

from discussions.core.outcome import ENGAGEMENT
from discussions.metrics.core.registry import METRICS
from workspace.statistics.estimates import Agreement
from workspace.statistics.proportions import wilson
from workspace.statistics.within_groups import Within, centre, correlate_within, disattenuate

# Fewer games have no sentence.
LEAST_GAMES = 20
# Two-sided. The table in docs/agreement.md says how often a sentence is right and wrong.
LEVEL = 0.045
GOES_WITH, NO_SIGN, AGAINST, TOO_FEW = "goes_with", "no_sign", "against", "too_few"


class RatedGame(Struct, frozen=True):
    """A game with a recorded verdict: the scores of metrics that apply, the mean rating, whether M1 to M6 all pass.

    Games of one `prompt` are compared with each other; None where it is not known. `threshold` is that of the rating.
    """

    number: int
    prompt: Hashable | None
    iteration: int | None
    scores: dict[str, float]
    rating: float
    is_pass: bool
    threshold: float


class MetricWithRating(Struct, frozen=True):
    """One metric and the rating over `games`, with their distances from the means of their prompts in `points`.

    `word` is "goes_with", "no_sign", "against" or "too_few". The corrected values are tau-b and rho, divided by
    the root of the rating's reliability.
    """

    key: str
    games: list[RatedGame]
    points: list[tuple[float, float]]
    word: str
    within: Within
    tau_b_corrected: Agreement | None
    rho_corrected: Agreement | None


class EngagementFigures(Struct, frozen=True):
    """`alone` games are left out of `metrics`: no other game of their prompt is known.

    Of `passing` games that pass M1 to M6, `watchable` have a rating of `threshold` or more; `share` is Wilson's
    interval in percent. `reliability` is the rating's ICC(2,k).
    """

    games: int
    prompts: int
    alone: int
    reliability: float | None
    metrics: list[MetricWithRating]
    passing: int
    watchable: int
    threshold: float | None
    share: tuple[float, float] | None


def compute_engagement(games: Sequence[RatedGame], reliability: float | None) -> EngagementFigures:
    """The figures of these games, the newest first."""
    counts = Counter(game.prompt for game in games if game.prompt is not None)
    compared = [game for game in games if counts[game.prompt] > 1]
    threshold = games[0].threshold if games else None
    passing = [game for game in games if game.is_pass]
    watchable = sum(game.rating >= (threshold or 0) for game in passing)
    return EngagementFigures(
        games=len(compared),
        prompts=sum(count > 1 for count in counts.values()),
        alone=len(games) - len(compared),
        reliability=reliability,
        metrics=[_relate(key, compared, reliability) for key in METRICS if key != ENGAGEMENT],
        passing=len(passing),
        watchable=watchable,
        threshold=threshold,
        share=wilson(watchable, len(passing)),
    )


def choose_word(within: Within) -> str:
    """The word for what these games show."""
    if within.items < LEAST_GAMES or within.p is None:
        return TOO_FEW
    if within.p > LEVEL:
        return NO_SIGN
    return GOES_WITH if within.slope > 0 else AGAINST


def _relate(key: str, games: Sequence[RatedGame], reliability: float | None) -> MetricWithRating:
    rows = [(game.prompt, game.scores[key], game.rating) for game in games if key in game.scores]
    within, tables = correlate_within(rows), centre(rows)
    placed = {prompt: iter(table.tolist()) for prompt, table in tables.items()}
    shown = [game for game in games if key in game.scores and game.prompt in placed]
    return MetricWithRating(
        key=key,
        games=shown,
        points=[tuple(next(placed[game.prompt])) for game in shown],
        word=choose_word(within),
        within=within,
        tau_b_corrected=disattenuate(within.tau, reliability),
        rho_corrected=disattenuate(within.rho, reliability),
    )
