"""Criteria beside each other over all responses of a set: correlations, and a plot for each pair."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import HIGHEST, HOLISTIC, LOWEST, Criterion
from rubric.core.results import Scored, correlations
from workspace.core.charts import Scatter, scatter


class Plot(Struct, frozen=True):
    """One pair as a plot: the first along, the second up."""

    id: str
    along: str
    up: str
    text: str
    scatter: Scatter


class MatrixRow(Struct, frozen=True):
    """One line of the table of correlations."""

    label: str
    cells: list[str]


class PairsPart(Struct, frozen=True):
    """The table and the plots; empty where there are fewer than two criteria."""

    labels: list[str]
    rows: list[MatrixRow]
    plots: list[Plot]
    response_count: int


def build_pairs(scored: Sequence[Scored], criteria: Sequence[Criterion], *, with_holistic: bool) -> PairsPart:
    """Every pair of criteria, and each with the score as a whole where it was given; over means of responses."""
    labels = {each.key: each.label for each in criteria}
    if with_holistic and labels:
        labels[HOLISTIC] = _("As a whole")
    found = correlations(scored, [each.key for each in criteria], with_holistic=HOLISTIC in labels)
    texts = {
        frozenset((pair.one, pair.other)): "" if pair.correlation is None else f"{pair.correlation:.2f}"
        for pair in found
    }
    rows = [
        MatrixRow(label, ["1" if one == other else texts[frozenset((one, other))] for other in labels])
        for one, label in labels.items()
    ]
    plots = [
        Plot(
            f"pair-{number}",
            labels[pair.one],
            labels[pair.other],
            texts[frozenset((pair.one, pair.other))],
            scatter(pair.points, minimum=LOWEST, maximum=HIGHEST),
        )
        for number, pair in enumerate(found, start=1)
    ]
    return PairsPart(list(labels.values()), rows, plots, max((len(pair.points) for pair in found), default=0))
