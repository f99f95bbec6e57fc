"""Calibration rounds of a set for its leads: the list, and each person's result in one of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from django.db.models import Count
from msgspec import Struct

from rubric.calibration.core import FEWEST_PEOPLE, Key, parse_key
from rubric.calibration.queries import (
    ReviewerProgress,
    build_labels,
    calibrated_reviewers,
    load_progress_by_reviewer,
)
from rubric.core.scales import Scales
from rubric.models import CalibrationRound, ComparisonSet, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import CALIBRATION, RATING, SUBMITTED
from rubric.sets.pages import CALIBRATIONS, SetFrame
from rubric.versions.labels import format_mark
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person

MOST_MISSED = 20


class CalibrationsPage(Struct, frozen=True):
    """All rounds, newest first, with their `item_count`.

    `offered` names the comparisons that two people or more reviewed, `marks` what a key may hold.
    """

    head: SetFrame
    rounds: Sequence[CalibrationRound]
    is_open: bool
    offered: str
    marks: dict[str, str]
    repeat_percent: int


class AgreedMarks(Struct, frozen=True):
    """One comparison of a round with its key: each response with its marks in words."""

    number: int
    note: str
    responses: list[tuple[str, str]]


class MissedMark(Struct, frozen=True):
    """A mark for which several people differ from the key: perhaps the key is wrong."""

    number: int
    response: str
    label: str
    people: int
    of_people: int


class CalibrationPage(Struct, frozen=True):
    """One round: its comparisons, the progress of every person, and where people most often differ."""

    head: SetFrame
    round: CalibrationRound
    comparisons: list[AgreedMarks]
    people: list[tuple[Reviewer, ReviewerProgress]]
    missed: list[MissedMark]


def build_calibrations_page(*, comparison_set: ComparisonSet, person: Person) -> CalibrationsPage:
    """The list of a set's rounds."""
    rounds = CalibrationRound.objects.filter(set=comparison_set).annotate(item_count=Count("comparisons"))
    listed = list(rounds.order_by("-number"))
    reviews = Review.objects.filter(
        comparison__set=comparison_set, state=SUBMITTED, round=1, purpose=RATING, reviewer__kind=PERSON
    )
    counts = reviews.order_by("comparison__number").values_list("comparison__number").annotate(Count("pk"))
    return CalibrationsPage(
        head=SetFrame(comparison_set=comparison_set, current=CALIBRATIONS, person=person),
        rounds=listed,
        is_open=any(row.closed_at is None for row in listed),
        offered=_say([number for number, count in counts if count >= FEWEST_PEOPLE]),
        marks=build_labels(comparison_set),
        repeat_percent=comparison_set.repeat_percent,
    )


def _say(numbers: list[int]) -> str:
    return format_numbers(numbers, "comparison") if numbers else ""


def build_calibration_page(*, opened: CalibrationRound, person: Person) -> CalibrationPage:
    """One round; the same number of queries for any number of people and comparisons."""
    people = _people(opened)
    progress = load_progress_by_reviewer(opened, people)
    rows = list(opened.comparisons.order_by("place").select_related("comparison"))
    labels, scales = build_labels(opened.set), opened.set.rubric_version.to_record().scales
    return CalibrationPage(
        head=SetFrame(comparison_set=opened.set, current=CALIBRATIONS, person=person),
        round=opened,
        comparisons=[
            AgreedMarks(
                row.comparison.number,
                row.note,
                _in_words(msgspec.json.decode(row.key, type=Key), labels, scales),
            )
            for row in rows
        ],
        people=[(reviewer, progress[reviewer.pk]) for reviewer in people],
        missed=_missed(progress.values(), {row.comparison_id: row.comparison.number for row in rows}, labels),
    )


def _in_words(key: Key, labels: dict[str, str], scales: Scales) -> list[tuple[str, str]]:
    """Each response with its agreed marks."""
    return [
        (
            response,
            ", ".join(
                f"{labels[name]} {format_mark(marks[name], name, scales)}" for name in labels if name in marks
            ),
        )
        for response, marks in sorted(parse_key(key).items(), key=lambda item: int(item[0]))
    ]


def _people(opened: CalibrationRound) -> list[Reviewer]:
    """The people who are calibrated, and those who took part but no longer are, by name."""
    started = Review.objects.filter(
        purpose=CALIBRATION, comparison__in=opened.comparisons.values("comparison")
    )
    present = calibrated_reviewers(opened.set).values("pk")
    rows = Reviewer.objects.filter(set=opened.set, pk__in=present.union(started.values("reviewer")))
    return sorted(rows, key=lambda row: (row.name.casefold(), row.pk))


def _missed(
    progress: Iterable[ReviewerProgress], numbers: dict[int, int], labels: dict[str, str]
) -> list[MissedMark]:
    """Marks for which at least two people differ from the key, the most frequent first."""
    taken = Counter[int]()
    missed = Counter[tuple[int, str, str]]()
    for comparison, compared in (item for person in progress for item in person.compared.items()):
        taken[comparison] += 1
        missed.update((comparison, pair.response, pair.key) for pair in compared.differences)
    lines = [
        MissedMark(numbers[comparison], response, labels[key], people, taken[comparison])
        for (comparison, response, key), people in missed.items()
        if people > 1
    ]
    lines.sort(key=lambda line: (-line.people, line.number, int(line.response), line.label))
    return lines[:MOST_MISSED]
