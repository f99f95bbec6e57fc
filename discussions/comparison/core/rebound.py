"""How much a target that was picked as the lowest rises by regression to the mean; subtracted before judging.

Of k metrics of n games each, the lowest rises by c_k (s^2/n) / sqrt(s^2/n + tau^2) when it is played again unchanged
(`next_target.expected_rebound`; F. Galton, Journal of the Anthropological Institute 15 (1886), 246-263). If only a
share of the control's games picked the target, it rises by that share.
"""

from collections.abc import Sequence

from msgspec import Struct

from discussions.iterations.core.averages import Spread
from discussions.iterations.core.figures import GameFigures, collect_scores
from discussions.iterations.core.next_target import NextTarget

# Scores have no more decimals than this, and the exact test reads decimals.
PLACES = 4


class Rebound(Struct, frozen=True):
    """The regression to the mean in `points`, the unit of the scores; `share` of the control picked the target."""

    points: float = 0.0
    share: float = 0.0


NO_REBOUND = Rebound()


def find_rebound(key: str, lowest: NextTarget, control: Sequence[GameFigures], spread: Spread) -> Rebound:
    """The rebound of a metric that is the lowest in the games that picked it, which are part of `control`.

    None for any other metric, and while no spread is known. `spread` is the metric's spread over all batches.
    """
    count = len(collect_scores(control, key, with_by_rule=False))
    if lowest.target is None or lowest.target.key != key or lowest.rebound_sds is None or not spread.sd:
        return NO_REBOUND
    share = min(1.0, lowest.target.game_count / count) if count else 0.0
    return Rebound(round(lowest.rebound_sds * spread.sd * share, PLACES), share)
