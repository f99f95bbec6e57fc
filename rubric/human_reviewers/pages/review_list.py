"""What waits for a reviewer: the list of their sets, and what is next. It shows nothing about other reviewers."""

from collections.abc import Sequence

from django.db.models.functions import Substr
from msgspec import Struct

from rubric.human_reviewers.queries.waiting import Waiting, WaitingSet, waiting_sets
from rubric.models import Comparison
from workspace.core.text import shorten
from workspace.models import Person

LISTED, EXCERPT = 10, 160


class ReviewsPage(Struct, frozen=True):
    """The sets of one reviewer, what is next, and the questions that are listed, by comparison.

    `listed` is how many second rounds and submitted reviews of a set are listed.
    """

    sets: list[WaitingSet]
    next: Waiting | None
    waiting_count: int
    questions: dict[int, str]
    listed: int = LISTED


def reviews_page(*, person: Person) -> ReviewsPage:
    """The page, in a number of queries that does not depend on the number of sets and comparisons."""
    sets = waiting_sets(person)
    listed = [
        comparison.comparison
        for waiting_set in sets
        for comparison in (*waiting_set.started, *waiting_set.submitted[:LISTED])
    ]
    rows = Comparison.objects.filter(pk__in=listed).annotate(start=Substr("question", 1, 2 * EXCERPT))
    questions = {key: shorten(start, EXCERPT) for key, start in rows.values_list("pk", "start")}
    count = sum(waiting_set.waiting_count for waiting_set in sets)
    return ReviewsPage(sets, find_next_review(sets), count, questions)


def find_next_review(sets: Sequence[WaitingSet]) -> Waiting | None:
    """What is next over all sets: a started review before a new one, else in the order of `sets`."""
    found = [waiting_set.waiting[0] for waiting_set in sets if waiting_set.waiting]
    return min(found, key=lambda review: not review.is_started, default=None)
