"""Reviews by people in the states that tests need, reached through the real actions."""

from collections.abc import Sequence
from datetime import datetime

from rubric.human_reviewers.actions import mark, open_review, submit_marked_review
from rubric.human_reviewers.queries.reviews import ReviewState, load_own_review, load_review_state
from rubric.human_reviewers.queries.waiting import waiting_sets
from rubric.models import Comparison, ComparisonSet, Review
from tests.factories.comparisons import make_set
from tests.factories.numbers import numbers
from tests.factories.people import NOW, make_lead, make_member, make_project
from tests.factories.replays import replayed
from workspace.audit.actions import Saved
from workspace.audit.core import Act
from workspace.models import Person

RECORD = {"accuracy": (9, 7, 6), "completeness": (8, 9, 6), "conciseness": (7, 9, 6), "clarity": (8, 8, 6)}


@replayed
def make_review_set(*, people: int = 1, **given: object) -> ComparisonSet:
    """A set in a project of its own, with that many evaluators of it as reviewers."""
    project = make_project()
    lead = make_lead(project=project)
    members = [make_member(project=project) for _ in range(people)]
    return make_set(by=lead, people=members, **given)


def list_reviewers(made: ComparisonSet) -> list[Person]:
    """The people who review it, in the order in which they were added."""
    return [
        reviewer.person
        for reviewer in made.reviewers.order_by("pk").select_related("person")
        if reviewer.person
    ]


@replayed
def begin(made: ComparisonSet, *, by: Person | None = None, number: int = 1) -> Review:
    """The review of that comparison as its page fetches it; the first reviewer's unless told."""
    person = by or list_reviewers(made)[0]
    opened = open_review(
        comparison=Comparison.objects.select_related("set__project").get(set=made, number=number),
        by=person,
        now=NOW,
    )
    return fresh(opened, person)


@replayed
def start(**given: object) -> Review:
    """A review that was started, in a set of its own."""
    return begin(make_review_set(**given))


def fresh(review: Review, person: Person | None = None) -> Review:
    """The review as it is stored now."""
    found = load_own_review(person or review.reviewer.person, review.pk)
    assert found is not None
    return found


def work(review: Review) -> ReviewState:
    """The review's work as it is stored now."""
    return load_review_state(fresh(review))


@replayed
def say(
    review: Review,
    kind: str,
    subject: str,
    value: str | None,
    *,
    version: int | None = None,
    key: str = "",
    reason: str | None = None,
    now: datetime = NOW,
    **more: int,
) -> Saved:
    """One act of the reviewer, on the version that is stored unless one is given."""
    based_on = work(review).mark(kind, subject).version if version is None else version
    act = Act(
        kind=kind,
        subject=subject,
        value=value,
        version=based_on,
        key=key or f"key-{next(numbers)}",
        reason=reason,
        **more,
    )
    return mark(review=fresh(review), act=act, by=review.reviewer.person, now=now)


@replayed
def say_all(
    review: Review, *, whole: Sequence[int] = (8, 7, 6), scores: dict[str, Sequence[int]] | None = None
) -> Review:
    """Everything that submitting waits for, by the number of the response (not by its place)."""
    given = scores or RECORD
    sheet = work(review).sheet
    for kind, subject in [*sheet.holistic, *sheet.scores]:
        place, _dot, criterion = subject.partition(".")
        number = review.order[int(place) - 1]
        say(review, kind, subject, str((given[criterion] if criterion else whole)[number - 1]))
    return review


@replayed
def submitted(review: Review, **given: object) -> Review:
    """The same review with everything said, submitted."""
    say_all(review, **given)
    return submit_marked_review(review=fresh(review), by=review.reviewer.person, now=NOW)


def find_position(review: Review, number: int) -> int:
    """Where the response of that number is shown."""
    return review.order.index(number) + 1


def count_waiting(person: Person) -> int:
    """How many comparisons wait for a reviewer, over all sets."""
    return sum(found.waiting_count for found in waiting_sets(person))
