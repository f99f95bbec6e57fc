"""Categories of one's own: codes of leads on messages and games, merged into a short list.

A code keeps the category under which it was given; what counts is the one into which that was merged. How often a
category occurs is counted among the messages of games that have a code, since nobody looked at the others.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from discussions.agents.core.files import AGENT
from discussions.reliability.core.crosstab import compute_interval_over_games
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.estimates import Agreement
from workspace.statistics.means import wilson


class Code(Struct, frozen=True):
    """A code on a message, or on the whole game (message 0); `category` is the key under which it was given."""

    game: int
    message: int
    category: int
    coder: int


class CategoryShare(Struct, frozen=True):
    """How many messages of one agent or iteration have a category; the interval is in percent, None below 3 games."""

    name: str
    coded: int
    of: int
    games: int
    interval: tuple[float, float] | None

    @property
    def percent(self) -> float:
        return 100 * self.coded / self.of


def find_roots(merged_into: Mapping[int, int | None]) -> dict[int, int]:
    """Category -> the one into which it was merged at last, itself if into none. Raises ValueError for a circle."""
    roots = {}
    for category in merged_into:
        seen, here = {category}, category
        while (after := merged_into.get(here)) is not None:
            if after in seen:
                raise ValueError(f"category {category} is merged into itself")
            seen.add(after)
            here = after
        roots[category] = here
    return roots


def merge_codes(codes: Iterable[Code], roots: Mapping[int, int], ended: Iterable[int] = ()) -> list[Code]:
    """The codes that count, under the categories that count: one by each coder; none of categories that ended."""
    gone = set(ended)
    merged = {
        Code(code.game, code.message, root, code.coder)
        for code in codes
        if (root := roots[code.category]) not in gone
    }
    return sorted(merged, key=lambda code: (code.category, code.game, code.message, code.coder))


def count_shares(
    codes: Sequence[Code], category: int, said: Mapping[int, Sequence[str]]
) -> list[CategoryShare]:
    """Name -> how many of its messages have the category, most first; `said` is game -> whose each message is.

    Only games with a code count. "" in the place of a name leaves a message out.
    """
    coded = {(code.game, code.message) for code in codes if code.category == category and code.message}
    counts: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for game in sorted({code.game for code in codes} & said.keys()):
        for message, name in enumerate(said[game], start=1):
            if name:
                counts[name][game][0] += (game, message) in coded
                counts[name][game][1] += 1
    shares = [
        _sum_share(name, [(right, of) for right, of in games.values()]) for name, games in counts.items()
    ]
    return sorted(shares, key=lambda share: (-share.percent, share.name))


def compute_agreement(codes: Sequence[Code], category: int, lengths: Mapping[int, int]) -> Agreement:
    """Krippendorff's alpha on whether a message has the category, over games that two coders or more coded.

    `lengths` is game -> how many messages it has. Whole games are left out in turn.
    """
    coders: dict[int, set[int]] = defaultdict(set)
    for code in codes:
        coders[code.game].add(code.coder)
    people = sorted({code.coder for code in codes})
    given = {(code.game, code.message, code.coder) for code in codes if code.category == category}
    rows: list[list[float | None]] = []
    groups: list[int] = []
    for game in sorted(game for game, who in coders.items() if len(who) > 1 and game in lengths):
        for message in range(1, lengths[game] + 1):
            rows.append(
                [float((game, message, who) in given) if who in coders[game] else None for who in people]
            )
            groups.append(game)
    return krippendorff_alpha(rows or [[None, None]], level="nominal", groups=groups or None)


def _sum_share(name: str, games: list[tuple[int, int]]) -> CategoryShare:
    coded, of = (sum(counts) for counts in zip(*games, strict=True))
    return CategoryShare(
        name, coded, of, len(games), compute_interval_over_games(games, wilson(coded, of))[0]
    )


class CodedGames(Struct, frozen=True):
    """The codes that count in some games: `names` are the categories that have not ended, by key.

    `said` is grouping -> game -> whose each message is, of games with a code.
    """

    names: dict[int, str]
    codes: list[Code]
    said: dict[str, dict[int, list[str]]]

    def list_codes(self, category: int) -> list[Code]:
        return [code for code in self.codes if code.category == category]

    def list_shares(self, category: int, grouping: str) -> list[CategoryShare]:
        return count_shares(self.codes, category, self.said[grouping])

    def measure_agreement(self, category: int) -> Agreement:
        lengths = {game: len(names) for game, names in self.said[AGENT].items()}
        return compute_agreement(self.codes, category, lengths)

    def rank(self) -> list[int]:
        """The categories, those with the most messages and games first."""
        counts = {
            key: len({(code.game, code.message) for code in self.list_codes(key)}) for key in self.names
        }
        return sorted(self.names, key=lambda key: (-counts[key], self.names[key].casefold()))
