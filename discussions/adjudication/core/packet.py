"""The packet for a guideline meeting: which answers are confused, and the disagreements that show it best.

The page and the Markdown file are built from the same values. They have no names.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

from discussions.adjudication.core.disagreements import Disagreement

# A disagreement, after the number of its game.
Differing = tuple[int, Disagreement]


def group_by_kind(differing: Iterable[Differing]) -> dict[str, list[Differing]]:
    """The disagreements by kind, the kind with the most first."""
    by_kind: dict[str, list[Differing]] = defaultdict(list)
    for game, disagreement in differing:
        by_kind[disagreement.kind].append((game, disagreement))
    return dict(sorted(by_kind.items(), key=lambda row: (-len(row[1]), row[0])))


def count_confusions(disagreements: Iterable[Disagreement]) -> dict[tuple[str, str], int]:
    """Every pair of different answers, the most frequent first; a subject counts once for each pair."""
    counts: Counter[tuple[str, str]] = Counter()
    for disagreement in disagreements:
        counts.update(combinations(sorted({side.value for side in disagreement.sides}), 2))
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def most_telling(differing: Iterable[Differing], most: int) -> list[Differing]:
    """The disagreements to discuss: the kinds take turns, the kind with the most disagreements first.

    Within a kind, first those without a majority, then those of frequently confused answers, then those with more
    reasons and changed answers; otherwise in the order of games.
    """
    queues = [_ranked(those) for those in group_by_kind(differing).values()]
    turns = max(map(len, queues), default=0)
    return [queue[turn] for turn in range(turns) for queue in queues if turn < len(queue)][:most]


def _ranked(those: list[Differing]) -> list[Differing]:
    often = count_confusions(disagreement for _game, disagreement in those)

    def rank(difference: Differing) -> tuple[bool, int, int, int, str]:
        game, disagreement = difference
        sides = disagreement.sides
        pairs = combinations(sorted({side.value for side in sides}), 2)
        telling = sum(bool(side.reason) + side.is_changed for side in sides)
        return (
            disagreement.majority is not None,
            -max((often[pair] for pair in pairs), default=0),
            -telling,
            game,
            disagreement.subject,
        )

    return sorted(those, key=rank)
