"""What would change it: the smallest number of judgements that would turn a metric, and with it the verdict.

One judgement is one reference labelled otherwise, one message called otherwise, or one phrase of one player marked
(or unmarked) as acceptable. Ratings are not counted: the distance of the rating is shown as it is.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate


def flip_of_share(numerator: int, denominator: int, threshold: Fraction) -> int | None:
    """How many messages must be judged otherwise for the share to cross `threshold` (percent); None: it cannot.

    The denominator stays.
    """
    if denominator == 0:
        return None
    needed = _least_passing(denominator, threshold)
    if numerator >= needed:
        return numerator - needed + 1 if needed > 0 else None
    return needed - numerator if needed <= denominator else None


def flip_of_references(accurate: int, judged: int, threshold: Fraction, *, has_messages: bool) -> int | None:
    """How many references must be labelled otherwise for memory accuracy to cross `threshold` (percent).

    Turning a label between accurate and inaccurate is never worse than taking a reference out or adding one. Without a
    judged reference the metric passes by rule, and one reference that is missed or was taken out, judged inaccurate,
    turns it; `has_messages` says whether there is any sentence to mark.
    """
    if judged == 0:
        return 1 if has_messages and threshold > 0 else None
    return flip_of_share(accurate, judged, threshold)


def flip_of_phrases(
    counted: int, repeated: Iterable[int], accepted: Iterable[int], threshold: Fraction
) -> int | None:
    """How many whole phrases must be marked, or unmarked, as acceptable for anti-repetition to cross `threshold`.

    `repeated` and `accepted` hold how often each repeated phrase occurs: those that stand as repeated, and those that
    a person marked acceptable. Largest first is the fewest, since k phrases never weigh more than the k largest.
    """
    if counted == 0:
        return None
    standing = sorted(repeated, reverse=True)
    now = counted - sum(standing)
    needed = _least_passing(counted, threshold)
    if now >= needed:
        return _fewest(sorted(accepted, reverse=True), now - needed + 1)
    return _fewest(standing, needed - now)


def flip_of_verdict(
    *, passing: Iterable[int | None], failing: Iterable[int | None], needed: int, is_open: bool
) -> int | None:
    """How many judgements would turn the verdict: the cheapest metrics that together cross `needed` passes.

    `passing` and `failing` are the flip distances of the metrics that pass and fail now (None: cannot be turned by
    counted judgements). Kinds of judgements do not overlap, so distances add. `is_open` is false when the rating or
    the cost decides, whatever the other metrics do: then nothing counted would turn a FAIL, and the answer is None.
    """
    passing, failing = list(passing), list(failing)
    if not is_open:
        return None
    if len(passing) >= needed:
        return _cheapest(passing, len(passing) - needed + 1)
    return _cheapest(failing, needed - len(passing))


def _least_passing(denominator: int, threshold: Fraction) -> int:
    return -(-threshold.numerator * denominator // (threshold.denominator * 100))


def _fewest(weights: list[int], target: int) -> int | None:
    for number, total in enumerate(accumulate(weights), start=1):
        if total >= target:
            return number
    return None


def _cheapest(distances: list[int | None], how_many: int) -> int | None:
    known = sorted(distance for distance in distances if distance is not None)
    return sum(known[:how_many]) if len(known) >= how_many else None
