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
    handed_in_count: int
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
    shown = [row for each in sets for row in (*_begun(each), *each.of(SECOND)[:LISTED], *_newest(each))]
    questions = _questions(row.comparison for row in shown)
    second = _second_rounds(row.review for row in shown)
    listed = [_listed_set(each, questions, second) for each in sets]
    return ReviewsPage(listed, find_next_review(sets), sum(len(each.waiting()) for each in sets))


def find_next_review(sets: Sequence[WaitingSet]) -> NextReview | None:
    """What is next over all sets, those named first before others: what was begun before all that was not."""
    found = [each for each in map(_next, sets) if each]
    return min(found, key=lambda each: not each.is_begun, default=None)


def _next(each: WaitingSet) -> NextReview | None:
    waiting = each.waiting()
    if not waiting:
        return None
    row = waiting[0]
    return NextReview(
        comparison=row.comparison,
        number=row.number,
        set_name=each.name,
        is_begun=row.state in (BEGUN, SECOND_BEGUN),
        is_second=row.state in (SECOND, SECOND_BEGUN),
    )


def _begun(each: WaitingSet) -> list[Waiting]:
    return [*each.of(BEGUN), *each.of(SECOND_BEGUN)]


def _newest(each: WaitingSet) -> list[Waiting]:
    """What was handed in, the newest of the set's order first; a second round that waits was handed in before."""
    handed = [*each.of(HANDED_IN), *each.of(SECOND)]
    return sorted(handed, key=lambda row: -row.number)[:LISTED]


def _questions(comparisons: Iterable[int]) -> dict[int, str]:
    rows = Comparison.objects.filter(pk__in=set(comparisons)).annotate(
        start=Substr("question", 1, 2 * EXCERPT)
    )
    return {key: shorten(start, EXCERPT) for key, start in rows.values_list("pk", "start")}


def _second_rounds(reviews: Iterable[int]) -> set[int]:
    return set(Review.objects.filter(pk__in=set(reviews), round=2).values_list("pk", flat=True))


def _listed_set(each: WaitingSet, questions: dict[int, str], second: set[int]) -> ListedSet:
    def listed(rows: list[Waiting]) -> list[Listed]:
        return [
            Listed(row.comparison, row.number, questions[row.comparison], row.review, row.review in second)
            for row in rows
        ]

    return ListedSet(
        name=each.name,
        project=each.project,
        slug=each.slug,
        set_number=each.number,
        is_closed=each.is_closed,
        to_review=len(each.of(TO_REVIEW)),
        second=listed(each.of(SECOND)[:LISTED]),
        second_count=len(each.of(SECOND)),
        begun=listed(_begun(each)),
        handed_in=listed(_newest(each)),
        handed_in_count=len(each.of(HANDED_IN)) + len(each.of(SECOND)),
        not_for_you=len(each.of(NOT_FOR_YOU)),
        next=_next(each),
    )
