"""What waits for a reviewer: comparisons to begin, to go on with, and those whose second round is open."""

from collections import Counter
from collections.abc import Iterable

from django.db.models import Count
from msgspec import Struct

from rubric.core.limits import FEWEST_DEALT
from rubric.models.comparisons import PERSON, Comparison, ComparisonSet, Response, Reviewer
from rubric.models.reviews import DRAFT, SUBMITTED, SUPERSEDED, Review
from workspace.models import Person, Project

TO_REVIEW, BEGUN, SECOND, SECOND_BEGUN = "to_review", "begun", "second", "second_begun"
HANDED_IN, NOT_FOR_YOU = "handed_in", "not_for_you"
# What can be worked on, in the order in which it is offered: what was begun first, so that nothing is left lying.
WAITING = (BEGUN, SECOND_BEGUN, TO_REVIEW, SECOND)


class Waiting(Struct, frozen=True):
    """One comparison as it stands for one reviewer; `review` is the newest one of their own, 0 before the first."""

    comparison: int
    number: int
    state: str
    review: int = 0


class WaitingSet(Struct, frozen=True):
    """A set that the person reviews, with all its comparisons."""

    key: int
    name: str
    project: str
    slug: str
    number: int
    mode: str
    is_closed: bool
    rows: list[Waiting]

    def of(self, state: str) -> list[Waiting]:
        """Those in that state."""
        return [row for row in self.rows if row.state == state]

    def waiting(self) -> list[Waiting]:
        """What can be worked on, in the order in which it is offered; nothing in a closed set."""
        return [] if self.is_closed else [row for state in WAITING for row in self.of(state)]


def waiting_sets(person: Person) -> list[WaitingSet]:
    """The sets that the person reviews, newest first, in the same number of queries however many there are."""
    visible = Project.objects.visible_to(person)
    places = Reviewer.objects.filter(person=person, kind=PERSON, ended_at=None, set__project__in=visible)
    sets = [place.set for place in places.select_related("set__project").order_by("-set")]
    if not sets:
        return []
    reviews = _newest_reviews(person, sets)
    unable = _unable(person, sets)
    open_now = second_rounds(each for each in sets if each.has_second_round and not each.closed_at)
    rows: dict[int, list[Waiting]] = {each.pk: [] for each in sets}
    found = Comparison.objects.filter(set__in=rows).order_by("number").values_list("set", "pk", "number")
    for held_by, comparison, number in found:
        key, round_number, state = reviews.get(comparison, (0, 0, ""))
        said = _state(round_number, state, comparison in unable, comparison in open_now)
        rows[held_by].append(Waiting(comparison, number, said, key))
    return [
        WaitingSet(
            each.pk,
            each.name,
            each.project.name,
            each.project.slug,
            each.number,
            each.mode,
            each.closed_at is not None,
            rows[each.pk],
        )
        for each in sets
    ]


def waiting_count(person: Person) -> int | None:
    """How many comparisons wait for the person; None for who reviews nothing."""
    sets = waiting_sets(person)
    return sum(len(each.waiting()) for each in sets) if sets else None


def second_rounds(sets: Iterable[ComparisonSet], *, comparison: int | None = None) -> set[int]:
    """The comparisons of these sets whose second round is open: everybody who can has handed in the first.

    Whoever was taken out is not waited for, and who wrote so many of the responses that nothing is left to compare
    neither. With nobody else there is no second round.
    """
    keys = [each.pk for each in sets]
    if not keys:
        return set()
    people: dict[int, dict[int, int]] = {}
    for held_by, key, person in Reviewer.objects.filter(set__in=keys, kind=PERSON, ended_at=None).values_list(
        "set", "pk", "person"
    ):
        people.setdefault(held_by, {})[key] = person
    comparisons = Comparison.objects.filter(set__in=keys)
    handed = Review.objects.filter(comparison__set__in=keys, round=1, state=SUBMITTED, reviewer__kind=PERSON)
    responses = Response.objects.filter(comparison__set__in=keys)
    if comparison is not None:
        comparisons, handed = comparisons.filter(pk=comparison), handed.filter(comparison=comparison)
        responses = responses.filter(comparison=comparison)
    done: dict[int, set[int]] = {}
    for key, reviewer in handed.values_list("comparison", "reviewer"):
        done.setdefault(key, set()).add(reviewer)
    counts = comparisons.annotate(response_count=Count("responses")).values_list(
        "pk", "set", "response_count"
    )
    written = Counter(responses.exclude(written_by=None).values_list("comparison", "written_by"))
    return {
        key
        for key, held_by, count in counts
        if len(done.get(key, ())) >= FEWEST_DEALT
        and all(
            reviewer in done[key] or count - written[key, person] < FEWEST_DEALT
            for reviewer, person in people.get(held_by, {}).items()
        )
    }


def _newest_reviews(person: Person, sets: list[ComparisonSet]) -> dict[int, tuple[int, int, str]]:
    """Comparison -> (number, round, state) of the person's newest review of it."""
    own = Review.objects.filter(reviewer__person=person, comparison__set__in=sets).exclude(state=SUPERSEDED)
    rows = own.order_by("round").values_list("comparison", "pk", "round", "state")
    return {comparison: (key, number, state) for comparison, key, number, state in rows}


def _unable(person: Person, sets: list[ComparisonSet]) -> set[int]:
    """The comparisons of which the person wrote so many responses that nothing is left to compare."""
    written = Response.objects.filter(comparison__set__in=sets, written_by=person)
    own = written.values("comparison").annotate(own=Count("pk")).values_list("comparison", "own")
    counts = dict(own)
    all_of = Comparison.objects.filter(pk__in=counts).annotate(all=Count("responses"))
    return {key for key, count in all_of.values_list("pk", "all") if count - counts[key] < FEWEST_DEALT}


def _state(round_number: int, state: str, is_unable: bool, is_second_open: bool) -> str:
    if round_number == 2:
        return SECOND_BEGUN if state == DRAFT else HANDED_IN
    if round_number == 1:
        if state == DRAFT:
            return BEGUN
        return SECOND if is_second_open else HANDED_IN
    return NOT_FOR_YOU if is_unable else TO_REVIEW
