"""The weighted overall of a response, in exact arithmetic, and the ranking that follows from overalls."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from rubric.core.records import RubricRecord
from rubric.core.scales import Value, bring_all
from rubric.core.weights import Number, exact


class Overall(Struct, frozen=True):
    """A weighted overall, exact and unrounded; `value` is None if no criterion with a weight has a score."""

    value: Fraction | None
    is_incomplete: bool


def get_weights(rubric: RubricRecord) -> dict[str, Fraction]:
    return {criterion.key: exact(criterion.weight) for criterion in rubric.criteria}


def compute_overall(scores: Mapping[str, Number], weights: Mapping[str, Fraction]) -> Overall:
    """Sum of weight x score, all on the common scale.

    If scores are missing, the sum is divided by the weights of the given ones. Scores of criteria without a weight do
    not count. A complete set is not divided, so weights that sum to 0.99999 give the result of the rubric's formula.
    """
    present = [key for key in weights if key in scores]
    total = sum((weights[key] * exact(scores[key]) for key in present), Fraction())
    if len(present) == len(weights) and present:
        return Overall(total, is_incomplete=False)
    share = sum((weights[key] for key in present), Fraction())
    return Overall(total / share if share else None, is_incomplete=True)


def score_marks(marks: Mapping[str, Value], rubric: RubricRecord) -> Overall:
    """The overall of scores as given under the version, each converted to the common scale first."""
    return compute_overall(bring_all(marks, rubric.scales), get_weights(rubric))


def rank_values(values: Mapping[str, Fraction | int | float | None]) -> list[list[str]]:
    """Places, the highest value first; equal values share one, in the order of `values`; None has no place."""
    places: dict[Fraction, list[str]] = {}
    for label, value in values.items():
        if value is not None:
            places.setdefault(exact(value), []).append(label)
    return [places[value] for value in sorted(places, reverse=True)]


def round_half_up(value: Fraction, places: int = 2) -> Decimal:
    """The value rounded half up, for display only: 8.125 is 8.13."""
    units = value * 10**places
    whole = int(abs(units) + Fraction(1, 2)) if units >= 0 else -int(abs(units) + Fraction(1, 2))
    return Decimal(whole).scaleb(-places)
