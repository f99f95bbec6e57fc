"""Which two responses of a comparison a survey asks about, and what separates them most."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from rubric.core.weights import exact
from rubric.reviews.core.score_rows import ReviewRow, complete, sort_rows


class Separated(Struct, frozen=True):
    """Two responses by their names, the better one first; mean scores of both by criterion, and their overalls.

    `most` are the criteria with the largest difference of means, several if they are level.
    """

    first: str
    second: str
    overalls: tuple[Fraction, Fraction]
    means: dict[str, tuple[Fraction, Fraction]]
    most: list[str]


def find_separation(rows: Iterable[ReviewRow], weights: Mapping[str, Fraction]) -> Separated | None:
    """The response with the highest overall and the next one below it; None when all overalls are equal.

    Exact means over the reviewers who scored every criterion. Of responses that share a rank, the first counts.
    """
    means = _means(complete(sort_rows(rows), weights), list(weights))
    overall = {
        name: sum((weights[key] * value for key, value in mean.items()), Fraction())
        for name, mean in means.items()
    }
    places = sorted(overall, key=lambda name: (-overall[name], name))
    below = [name for name in places if overall[name] < overall[places[0]]]
    if not below:
        return None
    first, second = places[0], below[0]
    pairs = {key: (means[first][key], means[second][key]) for key in weights}
    furthest = max(abs(first - other) for first, other in pairs.values())
    return Separated(
        first=first,
        second=second,
        overalls=(overall[first], overall[second]),
        means=pairs,
        most=[key for key, (first, other) in pairs.items() if abs(first - other) == furthest],
    )


def _means(rows: Sequence[ReviewRow], keys: Sequence[str]) -> dict[str, dict[str, Fraction]]:
    given: dict[str, list[ReviewRow]] = {}
    for row in rows:
        given.setdefault(row.response, []).append(row)
    return {
        name: {key: sum((exact(row.scores[key]) for row in group), Fraction()) / len(group) for key in keys}
        for name, group in given.items()
    }
