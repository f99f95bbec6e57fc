"""The page of a set's results: who stands where across its comparisons, and in which view."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.prompt import BOTH
from rubric.core.records import HIGHEST, HOLISTIC, LOWEST, RUBRIC, Criterion
from rubric.core.results import Subject, scored_of, subjects_of
from rubric.core.success.figures import LEAST_COMPARISONS
from rubric.models import ComparisonSet
from rubric.models.reviewed import reviewed_of, rows_of
from rubric.pages.results_notes import set_notes
from rubric.pages.results_outcomes import OutcomesPart, brought_of, build_outcomes
from rubric.pages.results_pairs import PairsPart, build_pairs
from rubric.pages.results_views import ViewsPart, build_views
from rubric.pages.results_words import (
    Asked,
    Choice,
    choices_of,
    gap_text,
    listed,
    range_text,
    two,
)
from rubric.pages.statistics_state import names_of
from rubric.permissions import check_open_set, check_see_weights
from workspace.core.charts import DotRow, DotsChart, dot_plot
from workspace.models import Person
from workspace.permissions import may


class SubjectRow(Struct, frozen=True):
    """One author's line of the ranking and of the means; `criteria` are texts in the order of the criteria."""

    name: str
    place: int | None
    is_shared: bool
    mean: str
    interval: str
    comparison_count: int
    wins: int
    shared: int
    mean_place: str
    criteria: list[str]
    holistic: str


class SetResultsPage(Struct, frozen=True):
    """Everything the page shows. `by_author` says whether rows are authors or keys of responses."""

    asked: Asked
    choices: list[Choice]
    under: str
    kind: str
    by_author: bool
    comparison_count: int
    reviewer_count: int
    left_out_count: int
    notes: list[str]
    lead: str
    rows: list[SubjectRow]
    chart: DotsChart
    interval_reason: str
    labels: list[str]
    has_holistic: bool
    views: ViewsPart
    pairs: PairsPart
    outcomes: OutcomesPart


def build_set_results(*, comparison_set: ComparisonSet, asked: Asked, person: Person) -> SetResultsPage:
    """The page for a set fetched with its project and rubric."""
    brought = brought_of(comparison_set)
    reviewed = sorted(
        reviewed_of(comparison_set), key=lambda one: (one.comparison, one.response, one.reviewer)
    )
    rows, shares, mode = rows_of(reviewed), asked.shares, comparison_set.mode
    kind = HOLISTIC if mode == HOLISTIC else RUBRIC
    scored = scored_of(rows, shares, kind=kind, with_incomplete=asked.with_incomplete)
    subjects = subjects_of(scored, brought.subjects)
    is_lead = may(check_open_set, person, comparison_set.project)
    sees = kind == RUBRIC and may(check_see_weights, person)
    criteria = [] if kind == HOLISTIC else asked.criteria
    whole = scored_of(rows, shares) if sees and asked.with_incomplete else scored if sees else []
    notes, left_out = set_notes(reviewed, asked, kind)
    names = names_of(comparison_set, person, is_lead=is_lead)
    return SetResultsPage(
        asked=asked,
        choices=choices_of(comparison_set, asked) if sees else [],
        under=asked.version.number if asked.under else "",
        kind=kind,
        by_author=brought.by_author,
        comparison_count=len(brought.candidates),
        reviewer_count=len({row.reviewer for row in rows}),
        left_out_count=left_out,
        notes=notes + _unequal(subjects),
        lead=_lead(subjects),
        rows=[_row(each, subjects, criteria) for each in subjects],
        chart=_chart(subjects),
        interval_reason=_interval_reason(subjects),
        labels=[each.label for each in criteria],
        has_holistic=any(each.holistic is not None for each in subjects),
        views=build_views(scored, subjects, brought.subjects, names, with_holistic=mode == BOTH),
        pairs=build_pairs(scored, criteria, with_holistic=any(each.holistic is not None for each in scored)),
        outcomes=build_outcomes(comparison_set, scored, whole, brought, asked),
    )


def _interval_reason(subjects: Sequence[Subject]) -> str:
    """Why means have no interval; how many comparisons there are is said where they are as many for all."""
    reasons = {each.figure.interval_reason for each in subjects if not each.figure.interval}
    if len(reasons) < 2:
        return next(iter(reasons), "")
    return _("An interval needs at least %(n)d comparisons with responses of the same author.") % {
        "n": LEAST_COMPARISONS
    }


def _unequal(subjects: Sequence[Subject]) -> list[str]:
    """That means rest on different questions, where they do."""
    if len({len(each.means) for each in subjects}) < 2:
        return []
    return [
        _(
            "Not all have responses to the same number of comparisons, so their means rest on different questions."
        )
    ]


def _row(subject: Subject, subjects: Sequence[Subject], criteria: Sequence[Criterion]) -> SubjectRow:
    places = [each.place for each in subjects]
    return SubjectRow(
        name=subject.name,
        place=subject.place,
        is_shared=subject.place is not None and places.count(subject.place) > 1,
        mean=two(subject.mean),
        interval=range_text(subject.figure.interval),
        comparison_count=len(subject.means),
        wins=subject.wins,
        shared=subject.shared,
        mean_place=two(subject.mean_place),
        criteria=[two(subject.criteria.get(each.key)) for each in criteria],
        holistic=two(subject.holistic),
    )


def _chart(subjects: Sequence[Subject]) -> DotsChart:
    rows = []
    for each in subjects:
        low, high = each.figure.interval or (None, None)
        mean = None if each.mean is None else float(each.mean)
        shown = range_text(each.figure.interval)
        rows.append(DotRow(each.name, each.means, mean, two(each.mean), low, high, shown))
    return dot_plot(rows, minimum=LOWEST, maximum=HIGHEST)


def _lead(subjects: Sequence[Subject]) -> str:
    ranked = [each for each in subjects if each.mean is not None]
    if not ranked:
        return _("No score counts yet, so nothing is ranked.")
    first = [each for each in ranked if each.place == 1]
    names, mean = listed(each.name for each in first), two(first[0].mean)
    if len(first) > 1:
        return _("%(names)s share the first place with a mean of %(mean)s: a tie.") % {
            "names": names, "mean": mean,
        }  # fmt: skip
    if len(ranked) == 1:
        return _("%(names)s has a mean of %(mean)s.") % {"names": names, "mean": mean}
    second = ranked[1]
    gap = (first[0].mean or Fraction()) - (second.mean or Fraction())
    return _("%(names)s leads with a mean of %(mean)s, %(gap)s before %(second)s.") % {
        "names": names, "mean": mean, "gap": gap_text(gap), "second": second.name,
    }  # fmt: skip
