"""How far reviewers agree with themselves: first reviews against hidden duplicates of the same comparison.

Their agreement with others cannot be expected to be higher. Exact and adjacent agreement are shares of marks, as is
usual for scores of texts (Brown, Glasswell and Harland, Assessing Writing 9 (2004)).
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from rubric.core.scales import Scales
from rubric.reviews.core.mark_pairs import ONE_SCALE, Marks, pair_marks

ADJACENT = Fraction(1)


class SelfAgreement(Struct, frozen=True):
    """One reviewer: how many of the `marks` given twice are the same, and how many at most a point apart.

    In `first_alike` of `first_count` repeats, the same response is first.
    """

    reviewer: int
    repeats: int
    marks: int
    exact: int
    within_one: int
    first_alike: int
    first_count: int


def compute_self_agreement(
    repeats: Iterable[tuple[int, Marks, Marks]], weights: Mapping[str, Fraction], scales: Scales = ONE_SCALE
) -> list[SelfAgreement]:
    """One line for each reviewer, in the order of `repeats`, which are (reviewer, first, again).

    `scales` holds the scales of the criteria that have their own.
    """
    by_reviewer: dict[int, list[tuple[Marks, Marks]]] = {}
    for reviewer, first, again in repeats:
        by_reviewer.setdefault(reviewer, []).append((first, again))
    lines = []
    for reviewer, both in by_reviewer.items():
        found = [pair_marks(first, again, weights, scales) for first, again in both]
        firsts = [pairs.is_same_first for pairs in found if pairs.is_same_first is not None]
        lines.append(
            SelfAgreement(
                reviewer=reviewer,
                repeats=len(found),
                marks=sum(len(pairs.pairs) for pairs in found),
                exact=sum(pairs.count_within(Fraction(0)) for pairs in found),
                within_one=sum(pairs.count_within(ADJACENT) for pairs in found),
                first_alike=sum(firsts),
                first_count=len(firsts),
            )
        )
    return lines
