"""A set of comparisons as a whole: the ranking of authors across questions, wins and correlations of criteria.

Every mean is over comparisons, and comparisons are resampled, because responses to one question depend on each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import lcm

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from rubric.core.records import HOLISTIC, RUBRIC
from rubric.core.scales import Value
from rubric.core.scores import rank_values
from rubric.core.weights import exact
from rubric.results.core.rater_scales import Rating
from rubric.reviews.core.panel import Rankings, compute_mean_ranks, compute_rank_numbers
from rubric.reviews.core.score_rows import ReviewRow
from workspace.core.words import mark, say
from workspace.statistics.conclusions import Figure, mean_figure
from workspace.statistics.means import exact_mean
from workspace.statistics.ratings import Matrix

Shares = Mapping[str, Fraction]
Item = tuple[str, str]
NO_SCORES = mark("No review that counts has scores of it.")


class Scored(Struct, frozen=True):
    """The values of one response that count (overall or holistic score, by reviewer), and means by criterion.

    `holistic` is the mean of its holistic scores, whichever kind of score the values are.
    """

    comparison: str
    response: str
    values: dict[str, Fraction]
    criteria: dict[str, Fraction]
    holistic: Fraction | None

    @property
    def mean(self) -> Fraction | None:
        """The mean of its values; None when no value counts."""
        return exact_mean(self.values.values())


class ComparisonOutcome(Struct, frozen=True):
    """The outcome of one comparison: the first response, several when they are level, and their lead over the next.

    `gap` is 0 when several are first, None when fewer than two responses have a mean.
    """

    comparison: str
    first: list[str]
    second: str
    gap: Fraction | None
    reviewers: int


class Subject(Struct, frozen=True):
    """The author, or the key, of responses across comparisons. `means` are its means by comparison, in their order.

    `figure` is their mean with its interval, `mean` the same mean as an exact fraction. `wins` counts comparisons where
    it alone is first, `shared` those where it is level with others. `mean_rank` is the mean rank on reviewers' own
    lists.
    """

    name: str
    mean: Fraction | None
    figure: Figure
    place: int | None
    wins: int
    shared: int
    mean_rank: Fraction | None
    means: list[float]
    criteria: dict[str, Fraction]
    holistic: Fraction | None


class Pair(Struct, frozen=True):
    """Two criteria: their correlation over responses, None without spread, and the points."""

    one: str
    other: str
    correlation: float | None
    points: list[tuple[float, float]]


def score_responses(
    rows: Sequence[ReviewRow], shares: Shares, *, kind: str = RUBRIC, with_incomplete: bool = False
) -> list[Scored]:
    """The values of each response that count, in the order of the rows; own responses never count.

    By overall, complete rows count, or on request all rows with an overall. By holistic score, all rows with one count.
    """
    exacts = {score: exact(score) for row in rows for score in (*row.scores.values(), row.holistic or 0)}
    unit = lcm(*(value.denominator for value in exacts.values()))
    units = {score: int(value * unit) for score, value in exacts.items()}
    base = lcm(*(share.denominator for share in shares.values()))
    weights = {key: int(share * base) for key, share in shares.items()}
    grouped: dict[Item, list[ReviewRow]] = {}
    for row in rows:
        grouped.setdefault((row.comparison, row.response), []).append(row)
    return [
        _score_response(
            item,
            [row for row in several if not row.is_own],
            weights,
            units,
            base=base,
            unit=unit,
            kind=kind,
            with_incomplete=with_incomplete,
        )
        for item, several in grouped.items()
    ]


def _score_response(
    item: Item,
    rows: Sequence[ReviewRow],
    weights: Mapping[str, int],
    units: Mapping[Value, int],
    *,
    base: int,
    unit: int,
    kind: str,
    with_incomplete: bool,
) -> Scored:
    """Compute with whole numbers throughout: the sums are exact and take a tenth of the time of fractions.

    A share is its entry in `weights` divided by `base`, a score its entry in `units` divided by `unit`.
    """
    values, counted = {}, []
    for row in rows:
        present = [key for key in weights if key in row.scores]
        if kind == HOLISTIC:
            value = None if row.holistic is None else Fraction(units[row.holistic], unit)
        else:
            is_whole = len(present) == len(weights)
            below = base if is_whole else sum(weights[key] for key in present)
            total = sum(weights[key] * units[row.scores[key]] for key in present)
            value = Fraction(total, below * unit) if (is_whole or with_incomplete) and below else None
        if value is not None and (present or kind == HOLISTIC):
            values[row.reviewer] = value
            counted.append(row)
    criteria = {}
    for key in weights:
        given = [units[row.scores[key]] for row in counted if key in row.scores]
        if given:
            criteria[key] = Fraction(sum(given), unit * len(given))
    whole = [units[row.holistic] for row in rows if row.holistic is not None]
    return Scored(*item, values, criteria, Fraction(sum(whole), unit * len(whole)) if whole else None)


def compute_outcomes(scored: Iterable[Scored]) -> list[ComparisonOutcome]:
    """The outcome of each comparison, in the order of the responses."""
    found = []
    for comparison, several in groupby(scored, key=lambda score: score.comparison):
        responses = list(several)
        means = {response.response: response.mean for response in responses}
        places = rank_values(means)
        first, rest = (places[0], places[1:]) if places else ([], [])
        gap = None
        if len(first) > 1:
            gap = Fraction()
        elif rest:
            gap = (means[first[0]] or Fraction()) - (means[rest[0][0]] or Fraction())
        second = first[1] if len(first) > 1 else rest[0][0] if rest else ""
        reviewers = len({name for response in responses for name in response.values})
        found.append(ComparisonOutcome(comparison, first, second, gap, reviewers))
    return found


def build_subjects(
    scored: Sequence[Scored],
    names: Mapping[Item, str],
    *,
    rankings: Mapping[str, Rankings] | None = None,
) -> list[Subject]:
    """Every subject in `names` (the subject of each response), the highest mean first; ties share a rank.

    If one subject has several responses to one question, their mean counts. For reviewers without a value, `rankings`
    (by comparison) enter the mean ranks.
    """
    grouped: dict[str, list[Scored]] = {}
    for score in scored:
        grouped.setdefault(names[score.comparison, score.response], []).append(score)
    firsts = {outcome.comparison: outcome.first for outcome in compute_outcomes(scored)}
    places = _places(scored, rankings or {})
    found = [
        _subject(
            name,
            several,
            firsts,
            [places[scored_response.comparison, scored_response.response] for scored_response in several],
        )
        for name, several in sorted(grouped.items())
    ]
    numbers = compute_rank_numbers(rank_values({subject.name: subject.mean for subject in found}))
    ordered = sorted(found, key=lambda subject: (numbers.get(subject.name, len(found) + 1), subject.name))
    return [replace(subject, place=numbers.get(subject.name)) for subject in ordered]


def _subject(
    name: str,
    scored: Sequence[Scored],
    firsts: Mapping[str, list[str]],
    places: Sequence[Fraction | None],
) -> Subject:
    means = _by_comparison((score.comparison, score.mean) for score in scored)
    won = [firsts[score.comparison] for score in scored if score.response in firsts[score.comparison]]
    floats = [float(mean) for mean in means]
    keys = dict.fromkeys(key for score in scored for key in score.criteria)
    by_key = {
        key: exact_mean(_by_comparison((score.comparison, score.criteria.get(key)) for score in scored))
        for key in keys
    }
    return Subject(
        name=name,
        mean=exact_mean(means),
        figure=mean_figure(np.array(floats), responses=len(scored), reason=say(NO_SCORES)),
        place=None,
        wins=sum(len(group) == 1 for group in won),
        shared=sum(len(group) > 1 for group in won),
        mean_rank=exact_mean([place for place in places if place is not None]),
        means=floats,
        criteria={key: value for key, value in by_key.items() if value is not None},
        holistic=exact_mean(_by_comparison((score.comparison, score.holistic) for score in scored)),
    )


def _places(scored: Iterable[Scored], rankings: Mapping[str, Rankings]) -> dict[Item, Fraction | None]:
    """The mean rank of each response on the lists of its reviewers."""
    found: dict[Item, Fraction | None] = {}
    for comparison, several in groupby(scored, key=lambda score: score.comparison):
        listed = list(several)
        values = {**rankings.get(comparison, {}), **list_values(listed)}
        for response, place in compute_mean_ranks(values, [score.response for score in listed]).items():
            found[comparison, response] = place
    return found


def list_values(scored: Iterable[Scored]) -> dict[str, dict[str, Fraction]]:
    """The values of one comparison that count, by reviewer and response."""
    found: dict[str, dict[str, Fraction]] = {}
    for score in scored:
        for reviewer, value in score.values.items():
            found.setdefault(reviewer, {})[score.response] = value
    return found


def list_ratings(scored: Iterable[Scored]) -> list[Rating]:
    """Every value that counts, in the form that calibration takes; an item is a response of a comparison."""
    return [
        Rating(reviewer, item_name(score.comparison, score.response), float(value))
        for score in scored
        for reviewer, value in score.values.items()
    ]


def item_name(comparison: str, response: str) -> str:
    return f"{comparison}:{response}"


def view_means(items: Mapping[str, float], names: Mapping[Item, str]) -> dict[str, float]:
    """Each subject's mean over comparisons of the values that a view gives its responses, where the view has one."""
    grouped: dict[str, dict[str, list[float]]] = {}
    for (comparison, response), name in names.items():
        value = items.get(item_name(comparison, response))
        if value is not None:
            grouped.setdefault(name, {}).setdefault(comparison, []).append(value)
    return {
        name: float(np.mean([np.mean(several) for several in by_comparison.values()]))
        for name, by_comparison in grouped.items()
    }


def correlations(scored: Sequence[Scored], keys: Sequence[str], *, with_holistic: bool = False) -> list[Pair]:
    """Pearson's r of each pair of criteria, over responses with means of both. "holistic" is the last if asked for.

    Source: K. Pearson, Proceedings of the Royal Society 58 (1895), 240-242.
    """
    names = [*keys, *([HOLISTIC] if with_holistic else [])]
    columns: dict[str, Matrix] = {
        name: np.array(
            [_number(score.holistic if name == HOLISTIC else score.criteria.get(name)) for score in scored]
        )
        for name in names
    }
    return [
        _pair(name, other, columns[name], columns[other])
        for at, name in enumerate(names)
        for other in names[at + 1 :]
    ]


def _pair(text: str, other: str, first: Matrix, second: Matrix) -> Pair:
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    points = list(zip(first.tolist(), second.tolist(), strict=True))
    if len(points) < 3 or not np.ptp(first) or not np.ptp(second):
        return Pair(text, other, None, points)
    return Pair(text, other, float(np.corrcoef(first, second)[0, 1]), points)


def _number(value: Fraction | None) -> float:
    return float("nan") if value is None else float(value)


def _by_comparison(values: Iterable[tuple[str, Fraction | None]]) -> list[Fraction]:
    grouped: dict[str, list[Fraction]] = {}
    for comparison, value in values:
        if value is not None:
            grouped.setdefault(comparison, []).append(value)
    return [sum(several, Fraction()) / len(several) for several in grouped.values()]
