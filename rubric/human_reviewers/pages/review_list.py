"""What waits for a reviewer: the list of their sets, and what is next. Nothing of it tells of other reviewers."""

from collections.abc import Iterable, Sequence

from django.db.models.functions import Substr
from msgspec import Struct

from rubric.human_reviewers.pages.records import NextReview
from rubric.human_reviewers.queries import (
    BEGUN,
    HANDED_IN,
    NOT_FOR_YOU,
    SECOND,
    SECOND_BEGUN,
    TO_REVIEW,
    Waiting,
    WaitingSet,
    waiting_sets,
)
from rubric.models import Comparison, Review
from workspace.core.text import shorten
from workspace.models import Person

LISTED, EXCERPT = 10, 160


class Listed(Struct, frozen=True):
    """One comparison in the list; `review` is one's own review of it, 0 when there is none yet."""

    comparison: int
    number: int
    question: str
    review: int
    is_second: bool


class ListedSet(Struct, frozen=True):
    """One set in the list: counts of one's own work, what was begun, what was handed in last."""

    name: str
    project: str
    slug: str
    set_number: int
    is_closed: bool
    to_review: int
    second: list[Listed]
    second_count: int
    begun: list[Listed]
    handed_in: list[Listed]
    submitted_count: int
    not_for_you: int
    next: NextReview | None


class ReviewsPage(Struct, frozen=True):
    """Everything that waits for one reviewer, and what is next of it."""

    sets: list[ListedSet]
    next: NextReview | None
    waiting_count: int


def reviews_page(*, person: Person) -> ReviewsPage:
    """The same number of queries however many sets and comparisons there are."""
    sets = waiting_sets(person)
    shown = [
        row
        for waiting_set in sets
        for row in (*_begun(waiting_set), *waiting_set.of(SECOND)[:LISTED], *_newest(waiting_set))
    ]
    questions = _questions(row.comparison for row in shown)
    second = _second_rounds(row.review for row in shown)
    listed = [_listed_set(waiting_set, questions, second) for waiting_set in sets]
    return ReviewsPage(
        listed, find_next_review(sets), sum(len(waiting_set.waiting()) for waiting_set in sets)
    )


def find_next_review(sets: Sequence[WaitingSet]) -> NextReview | None:
    """What is next over all sets, those named first before others: what was begun before all that was not."""
    found = [review for review in map(_next, sets) if review]
    return min(found, key=lambda review: not review.is_begun, default=None)


def _next(waiting_set: WaitingSet) -> NextReview | None:
    waiting = waiting_set.waiting()
    if not waiting:
        return None
    row = waiting[0]
    return NextReview(
        comparison=row.comparison,
        number=row.number,
        set_name=waiting_set.name,
        is_begun=row.state in (BEGUN, SECOND_BEGUN),
        is_second=row.state in (SECOND, SECOND_BEGUN),
    )


def _begun(waiting_set: WaitingSet) -> list[Waiting]:
    return [*waiting_set.of(BEGUN), *waiting_set.of(SECOND_BEGUN)]


def _newest(waiting_set: WaitingSet) -> list[Waiting]:
    """What was handed in, the newest of the set's order first; a second round that waits was handed in before."""
    handed = [*waiting_set.of(HANDED_IN), *waiting_set.of(SECOND)]
    return sorted(handed, key=lambda row: -row.number)[:LISTED]


def _questions(comparisons: Iterable[int]) -> dict[int, str]:
    rows = Comparison.objects.filter(pk__in=set(comparisons)).annotate(
        start=Substr("question", 1, 2 * EXCERPT)
    )
    return {key: shorten(start, EXCERPT) for key, start in rows.values_list("pk", "start")}


def _second_rounds(reviews: Iterable[int]) -> set[int]:
    return set(Review.objects.filter(pk__in=set(reviews), round=2).values_list("pk", flat=True))


def _listed_set(waiting_set: WaitingSet, questions: dict[int, str], second: set[int]) -> ListedSet:
    def listed(rows: list[Waiting]) -> list[Listed]:
        return [
            Listed(row.comparison, row.number, questions[row.comparison], row.review, row.review in second)
            for row in rows
        ]

    return ListedSet(
        name=waiting_set.name,
        project=waiting_set.project,
        slug=waiting_set.slug,
        set_number=waiting_set.number,
        is_closed=waiting_set.is_closed,
        to_review=len(waiting_set.of(TO_REVIEW)),
        second=listed(waiting_set.of(SECOND)[:LISTED]),
        second_count=len(waiting_set.of(SECOND)),
        begun=listed(_begun(waiting_set)),
        handed_in=listed(_newest(waiting_set)),
        submitted_count=len(waiting_set.of(HANDED_IN)) + len(waiting_set.of(SECOND)),
        not_for_you=len(waiting_set.of(NOT_FOR_YOU)),
        next=_next(waiting_set),
    )
