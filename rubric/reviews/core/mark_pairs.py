"""Pairs of marks for the same responses: how far apart they are, and whether the same response is first.

Marks are by response and key: "holistic" for the holistic score, else the key of a criterion.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from rubric.core.records import HOLISTIC
from rubric.core.scales import COMMON, Scales, bring_all, bring_to_common
from rubric.core.scores import compute_overall, rank_values
from rubric.core.weights import exact

Marks = Mapping[str, Mapping[str, Fraction]]
ONE_SCALE: Scales = {}


class MarkPair(Struct, frozen=True):
    """One mark that both give: of a response, under a key; `apart` is the distance in points of the scale 1 to 10."""

    response: str
    key: str
    one: Fraction
    other: Fraction
    apart: Fraction


class MarkPairs(Struct, frozen=True):
    """All marks of one comparison that both give. `is_same_first` is None if one of them ranks nothing."""

    pairs: list[MarkPair]
    is_same_first: bool | None

    def count_within(self, points: Fraction) -> int:
        """How many pairs are at most `points` apart."""
        return sum(pair.apart <= points for pair in self.pairs)


def pair_marks(
    one: Marks, other: Marks, weights: Mapping[str, Fraction], scales: Scales = ONE_SCALE
) -> MarkPairs:
    """The marks that both give, of the responses that both judged.

    `scales` holds the scales of criteria that have their own. The weighted overall decides which response is first;
    without criteria, the holistic score does.
    """
    shared = [response for response in one if response in other]
    pairs = [
        _pair(response, key, one[response][key], other[response][key], scales)
        for response in shared
        for key in (HOLISTIC, *weights)
        if key in one[response] and key in other[response]
    ]
    firsts = [
        find_first({response: marks[response] for response in shared}, weights, scales)
        for marks in (one, other)
    ]
    is_same = firsts[0] == firsts[1] if all(firsts) else None
    return MarkPairs(pairs, is_same)


def _pair(response: str, key: str, one: Fraction, other: Fraction, scales: Scales) -> MarkPair:
    scale = scales.get(key, COMMON)
    apart = abs(exact(bring_to_common(one, scale)) - exact(bring_to_common(other, scale)))
    return MarkPair(response, key, one, other, apart)


def collect_marks(
    rows: Iterable[tuple[str, Mapping[str, float], float | None]],
) -> dict[str, dict[str, Fraction]]:
    """Marks of rows (response, scores by criterion, holistic score)."""
    return {
        response: {key: exact(score) for key, score in scores.items()}
        | ({} if holistic is None else {HOLISTIC: exact(holistic)})
        for response, scores, holistic in rows
    }


def find_first(marks: Marks, weights: Mapping[str, Fraction], scales: Scales = ONE_SCALE) -> set[str]:
    """The responses that share the first place; empty if nothing can be ranked."""
    overalls = {
        response: compute_overall(bring_all(given, scales), weights).value
        for response, given in marks.items()
    }
    wholes = {response: given.get(HOLISTIC) for response, given in marks.items()}
    places = rank_values(overalls if any(value is not None for value in overalls.values()) else wholes)
    return set(places[0]) if places else set()
