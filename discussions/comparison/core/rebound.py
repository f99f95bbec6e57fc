"""How much a target that was picked as the lowest rises by regression to the mean; subtracted before judging.

The rise is the one that was announced when the target was named (`next_target.expected_rebound`), in the unit of the
scores. If only a share of the control's judged games picked the target, it rises by that share.
"""

from collections.abc import Collection, Sequence

from discussions.iterations.core.figures import GameFigures, collect_scores
from discussions.iterations.core.next_target import NextTarget

# Scores have no more decimals than this.
PLACES = 4


# The regression to the mean in points, the unit of the scores, and the share of the control that picked the target.
Rebound = tuple[float, float]
NO_REBOUND: Rebound = (0.0, 0.0)


def find_rebound(
    key: str, lowest: NextTarget, picked: Collection[int], judged: Sequence[GameFigures]
) -> Rebound:
    """The rebound of a metric that is the lowest in the games that picked it, by numbers, of the `judged` control.

    None for any other metric, and while no spread was known when it was named.
    """
    games = [game for game in judged if collect_scores([game], key, with_by_rule=False)]
    count = sum(game.number in picked for game in games)
    if lowest.target is None or lowest.target.key != key or lowest.rebound is None or not count:
        return NO_REBOUND
    share = count / len(games)
    return round(lowest.rebound * share, PLACES), share
