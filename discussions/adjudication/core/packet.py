"""The packet for a guideline meeting: which answers are confused, and the disagreements that show it best.

The page and the Markdown file are built from the same record. It has no names.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import combinations

from msgspec import Struct

from discussions.adjudication.core.disagreements import Disagreement


class Differing(Struct, frozen=True):
    game: int
    disagreement: Disagreement


class KindSummary(Struct, frozen=True):
    kind: str
    differing: int
    judged: int
    ties: int
    confusions: dict[tuple[str, str], int]


def summarize_kinds(differing: Iterable[Differing], judged: Mapping[str, int]) -> list[KindSummary]:
    """The kinds with disagreements, those with the most first; `judged` counts subjects by kind."""
    by_kind: dict[str, list[Disagreement]] = defaultdict(list)
    for difference in differing:
        by_kind[difference.disagreement.kind].append(difference.disagreement)
    found = [
        KindSummary(
            kind=kind,
            differing=len(those),
            judged=judged.get(kind, 0),
            ties=sum(disagreement.majority is None for disagreement in those),
            confusions=count_confusions(those),
        )
        for kind, those in by_kind.items()
    ]
    return sorted(found, key=lambda summary: (-summary.differing, summary.kind))


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
    by_kind: dict[str, list[Differing]] = defaultdict(list)
    for difference in differing:
        by_kind[difference.disagreement.kind].append(difference)
    queues = [
        _ranked(those) for _kind, those in sorted(by_kind.items(), key=lambda row: (-len(row[1]), row[0]))
    ]
    turns = max(map(len, queues), default=0)
    return [queue[turn] for turn in range(turns) for queue in queues if turn < len(queue)][:most]


def _ranked(those: list[Differing]) -> list[Differing]:
    often = count_confusions(difference.disagreement for difference in those)

    def rank(difference: Differing) -> tuple[bool, int, int, int, str]:
        sides = difference.disagreement.sides
        pairs = combinations(sorted({side.value for side in sides}), 2)
        telling = sum(bool(side.reason) + side.is_changed for side in sides)
        return (
            difference.disagreement.majority is not None,
            -max((often[pair] for pair in pairs), default=0),
            -telling,
            difference.game,
            difference.disagreement.subject,
        )

    return sorted(those, key=rank)


class PacketKind(Struct, frozen=True):
    label: str
    differing: int
    judged: int
    share: str
    ties: int
    confusions: list[tuple[str, int]]


class PacketAnswer(Struct, frozen=True):
    word: str
    count: int
    reasons: list[str]
    before: list[str]


class PacketDifference(Struct, frozen=True):
    game: int
    label: str
    message: int
    speaker: str
    role: str
    text: str
    spans: list[tuple[int, int]]
    machine: str
    evidence: list[str]
    answers: list[PacketAnswer]
    resolved: str
    resolved_reason: str


class Packet(Struct, frozen=True):
    """Everything in the packet. `left_out` counts older games that were not read."""

    project: str
    scope: str
    made_at: datetime
    games: int
    left_out: int
    differing: int
    judged: int
    share: str
    kinds: list[PacketKind]
    differences: list[PacketDifference]
