"""One review with its marks, the reviews of others for a second round, and what waits for a reviewer."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from msgspec import Struct

from rubric.core.limits import FEWEST_DEALT
from rubric.core.records import RubricRecord
from rubric.core.response_order import deal, order_places
from rubric.human_reviewers.core import CANNOT, WHOLE, Key, Missing, Sheet, are_scores_complete, missing
from rubric.models import (
    Comparison,
    ComparisonSet,
    Mark,
    MarkRevision,
    Response,
    Review,
    ReviewedResponse,
    Reviewer,
    RubricVersion,
)
from rubric.models.comparisons import PERSON
from rubric.models.reviews import DRAFT, SUBMITTED, SUPERSEDED
from rubric.sets.queries import count_taken
from workspace.database.prepared_queries import LARGEST_KEY, Prepared, build_part
from workspace.models import Person, Project
from workspace.revisions.core import Latest

COLUMNS = (
    *("id", "comparison", "reviewer", "round", "state", "seed", "order", "version"),
    *("mode", "ranking", "reported_ranking", "flags", "created_at", "submitted_at"),
    *("comparison__number", "reviewer__person", "reviewer__kind", "reviewer__name", "reviewer__model"),
    *("reviewer__ended_at", "reviewer__set", "reviewer__set__number", "reviewer__set__name"),
    *("reviewer__set__mode", "reviewer__set__has_second_round", "reviewer__set__closed_at"),
    *("reviewer__set__project", "reviewer__set__project__slug", "reviewer__set__project__name"),
    *("reviewer__set__rubric_version", "reviewer__set__rubric_version__sha256"),
)

# The key of the revisions that a second round begins with: they are no acts, so they cannot be undone.
STARTING = "start:"
STARTED = ("mark__kind", "mark__subject", "value")


@dataclass(kw_only=True)
class ReviewState:
    """A review now: what it asks, and the marks of its reviewer so far. `now` is the time of the act under way."""

    review: Review
    sheet: Sheet
    rubric: RubricRecord
    marks: dict[Key, Latest]
    now: datetime | None = None

    @cached_property
    def started(self) -> dict[Key, str]:
        """What a second round began with, by subject; empty in a first round."""
        if not self.sheet.is_second:
            return {}
        rows = MarkRevision.objects.filter(mark__review=self.review, key__startswith=STARTING)
        return {(kind, subject): value for kind, subject, value in rows.values_list(*STARTED)}

    @cached_property
    def slips(self) -> dict[Key, str]:
        """Why scores as a whole were corrected once the criteria were open."""
        marks = [mark for mark in self.marks.values() if mark.kind == WHOLE and mark.value != CANNOT]
        return {(mark.kind, mark.subject): mark.reason for mark in marks if mark.reason}

    @cached_property
    def values(self) -> dict[Key, str]:
        """Subject -> value of its mark."""
        return {key: mark.value for key, mark in self.marks.items() if mark.value}

    @cached_property
    def reasons(self) -> dict[Key, str]:
        """Subject -> why it cannot be judged."""
        return {key: mark.reason for key, mark in self.marks.items() if mark.value == CANNOT}

    @cached_property
    def missing(self) -> list[Missing]:
        """What must be given before the review can be submitted."""
        return missing(self.sheet, self.values)

    @property
    def is_locked(self) -> bool:
        """Whether the scores as a whole stay as they are, since the criteria are open."""
        return bool(self.sheet.whole and self.sheet.scores and are_scores_complete(self.sheet, self.values))

    def mark(self, kind: str, subject: str) -> Latest:
        """The newest mark of a subject; version 0 when there is none."""
        return self.marks.get((kind, subject)) or Latest(0, kind, subject, "", "", 0)

    def changed(self, mark: Latest) -> "ReviewState":
        """The state after one mark was stored."""
        return replace(self, marks=self.marks | {(mark.kind, mark.subject): mark})

    def undoable(self) -> QuerySet[MarkRevision]:
        """Acts that can be taken back, newest first: neither undone nor undoing, of things that can still change."""
        undoing = MarkRevision.objects.filter(mark=OuterRef("mark"), undoes=OuterRef("version"))
        acts = MarkRevision.objects.filter(mark__review=self.review, undoes=None)
        acts = acts.exclude(key__startswith=STARTING).exclude(Exists(undoing)).order_by("-pk")
        return acts.exclude(mark__kind=WHOLE) if self.is_locked else acts


class OtherReview(Struct, frozen=True):
    """What another reviewer gave one response in the first round, without their name."""

    other: int
    number: int
    scores: dict[str, float]
    holistic: float | None
    notes: str
    cannot_judge: dict[str, str]


def load_own_review(person: Person, key: int) -> Review | None:
    """The person's own review with that number, as `visible_to` gives it; None when there is none."""
    if key > LARGEST_KEY:
        return None
    found = (_ANY_PROJECT if person.is_admin else _OWN_PROJECTS).rows(person.pk, key)
    if not found:
        return None
    row = found[0]
    review = build_part(Review, COLUMNS, row, "")
    reviewer = build_part(Reviewer, COLUMNS, row, "reviewer__")
    held_by = build_part(ComparisonSet, COLUMNS, row, "reviewer__set__")
    held_by.project = build_part(Project, COLUMNS, row, "reviewer__set__project__")
    held_by.rubric_version = build_part(RubricVersion, COLUMNS, row, "reviewer__set__rubric_version__")
    review.comparison = build_part(Comparison, COLUMNS, row, "comparison__")
    reviewer.set = review.comparison.set = held_by
    reviewer.person = person
    review.reviewer = reviewer
    return review


def _own(person: int, key: int, *, is_admin: bool) -> "QuerySet[Review, Any]":
    own = Review.objects.visible_to(Person(pk=person, is_admin=is_admin)).filter(pk=key)
    return own.values_list(*COLUMNS)


_OWN_PROJECTS = Prepared(lambda person, key: _own(person, key, is_admin=False), int, int)
_ANY_PROJECT = Prepared(lambda person, key: _own(person, key, is_admin=True), int, int)


def load_review_state(review: Review) -> ReviewState:
    """The state of a review from `load_own_review`, in one query; the rubric is cached."""
    held_by = review.reviewer.set
    rubric = load_rubric(held_by.rubric_version_id, held_by.rubric_version.sha256)
    return ReviewState(
        review=review,
        sheet=Sheet(
            count=len(review.order),
            criteria=tuple((criterion.key, criterion.label) for criterion in rubric.criteria),
            mode=held_by.mode,
            is_second=review.round == 2,
            scales=rubric.scales,
        ),
        rubric=rubric,
        marks={(mark.kind, mark.subject): mark for mark in (Latest(*row) for row in _MARKS.rows(review.pk))},
    )


_MARKS = Prepared(lambda key: Mark.objects.filter(review=key).values_list(*Latest.__struct_fields__), int)


# The version of a set is published and never changes; the hash guards against another database.
@lru_cache(maxsize=32)
def load_rubric(version: int, sha256: str) -> RubricRecord:
    """The version with that number and content."""
    return RubricVersion.objects.get(pk=version).to_record()


def load_other_reviews(review: Review) -> list[OtherReview]:
    """What other people gave in the first round for the responses of this review, in an order from its seed.

    Empty in a first round, which is blind.
    """
    if review.round != 2:
        return []
    rows = ReviewedResponse.objects.filter(
        review__comparison=review.comparison_id,
        review__round=1,
        review__state=SUBMITTED,
        review__reviewer__kind=PERSON,
        response__number__in=review.order,
    ).exclude(review__reviewer=review.reviewer_id)
    found = list(rows.select_related("response").defer("response__text"))
    order = deal([*{row.review_id for row in found}], f"{review.seed}:others")
    return sorted(
        (
            OtherReview(
                other=order.index(row.review_id) + 1,
                number=row.response.number,
                scores=row.scores,
                holistic=row.holistic,
                notes=row.notes,
                cannot_judge=row.cannot_judge,
            )
            for row in found
        ),
        key=lambda other: other.other,
    )


TO_REVIEW, BEGUN, SECOND, SECOND_BEGUN = "to_review", "begun", "second", "second_begun"
HANDED_IN, NOT_FOR_YOU, FULL = "handed_in", "not_for_you", "full"

# What can be worked on, in the order in which it is offered: what was begun first, so that nothing is left lying.
WAITING = (BEGUN, SECOND_BEGUN, TO_REVIEW, SECOND)


class Waiting(Struct, frozen=True):
    """The state of one comparison for one reviewer; `review` is their newest one of it, 0 before the first."""

    comparison: int
    number: int
    set_name: str
    state: str
    review: int = 0
    round: int = 0

    @property
    def is_begun(self) -> bool:
        """Whether there is a draft."""
        return self.state in (BEGUN, SECOND_BEGUN)

    @property
    def is_second(self) -> bool:
        """Whether the second round is open or begun."""
        return self.state in (SECOND, SECOND_BEGUN)


class WaitingSet(Struct, frozen=True):
    """A set that the person reviews, with all its comparisons."""

    row: ComparisonSet
    comparisons: list[Waiting]

    def in_state(self, *states: str) -> list[Waiting]:
        """The comparisons in these states, state by state."""
        return [
            comparison for state in states for comparison in self.comparisons if comparison.state == state
        ]

    @property
    def begun(self) -> list[Waiting]:
        """The person's drafts."""
        return self.in_state(BEGUN, SECOND_BEGUN)

    @property
    def second(self) -> list[Waiting]:
        """The comparisons whose second round is open and not begun."""
        return self.in_state(SECOND)

    @property
    def submitted(self) -> list[Waiting]:
        """What the person submitted, the newest of the set's order first; also where a second round is open."""
        return sorted(self.in_state(HANDED_IN, SECOND), key=lambda comparison: -comparison.number)

    @property
    def waiting(self) -> list[Waiting]:
        """What can be worked on, in the order in which it is offered; nothing in a closed set."""
        return [] if self.row.closed_at else self.in_state(*WAITING)


def waiting_sets(person: Person) -> list[WaitingSet]:
    """The sets that the person reviews, newest first, in the same number of queries however many there are."""
    visible = Project.objects.visible_to(person)
    reviewers = Reviewer.objects.filter(person=person, kind=PERSON, ended_at=None, set__project__in=visible)
    sets = [reviewer.set for reviewer in reviewers.select_related("set__project").order_by("-set")]
    if not sets:
        return []
    reviews = _newest_reviews(person, sets)
    unable = _unable(person, sets)
    open_now = second_rounds(
        comparison_set
        for comparison_set in sets
        if comparison_set.has_second_round and not comparison_set.closed_at
    )
    names = {comparison_set.pk: comparison_set.name for comparison_set in sets}
    rows: dict[int, list[Waiting]] = {key: [] for key in names}
    full, order = _places(person, sets)
    found = Comparison.objects.filter(set__in=rows).order_by("number").values_list("set", "pk", "number")
    for key, comparison, number in found:
        review, round_number, submission = reviews.get(comparison, (0, 0, ""))
        state = _state(round_number, submission, comparison in unable, comparison in open_now)
        state = FULL if state == TO_REVIEW and comparison in full else state
        rows[key].append(Waiting(comparison, number, names[key], state, review, round_number))
    return [
        WaitingSet(
            comparison_set,
            sorted(rows[comparison_set.pk], key=lambda waiting: order.get(waiting.comparison, 0)),
        )
        for comparison_set in sets
    ]


def _places(person: Person, sets: list[ComparisonSet]) -> tuple[set[int], dict[int, int]]:
    """Of sets that need some people for each comparison: those that have them, and in which order they are dealt."""
    dealt = [comparison_set for comparison_set in sets if comparison_set.people_needed is not None]
    if not dealt:
        return set(), {}
    taken = count_taken(dealt)
    held_by = dict(Comparison.objects.filter(set__in=dealt).values_list("pk", "set"))
    needed = {comparison_set.pk: comparison_set.people_needed or 0 for comparison_set in dealt}
    full = {key for key, count in taken.items() if count >= needed[held_by[key]]}
    return full, {key: at for at, key in enumerate(order_places(taken, f"places {person.pk}"))}


def waiting_count(person: Person) -> int | None:
    """How many comparisons wait for the person; None for who reviews nothing."""
    sets = waiting_sets(person)
    return sum(len(waiting_set.waiting) for waiting_set in sets) if sets else None


def second_rounds(sets: Iterable[ComparisonSet], *, comparison: int | None = None) -> set[int]:
    """The comparisons of these sets whose second round is open: everybody who can has submitted the first.

    Reviewers who were taken out do not count, nor those who wrote so many of the responses that nothing is left to
    compare. A second round needs at least two reviews.
    """
    needed = {comparison_set.pk: comparison_set.people_needed for comparison_set in sets}
    keys = list(needed)
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
        and _is_round_over(
            done[key],
            {
                reviewer
                for reviewer, person in people.get(held_by, {}).items()
                if count - written[key, person] >= FEWEST_DEALT
            },
            needed[held_by],
        )
    }


def _is_round_over(done: set[int], able: set[int], needed: int | None) -> bool:
    """Whether everybody who can, or as many as are needed, submitted the first round."""
    return able <= done if needed is None else len(done) >= min(needed, len(able | done))


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
    totals = Comparison.objects.filter(pk__in=counts).annotate(all=Count("responses"))
    return {key for key, count in totals.values_list("pk", "all") if count - counts[key] < FEWEST_DEALT}


def _state(round_number: int, state: str, is_unable: bool, is_second_open: bool) -> str:
    if round_number == 2:
        return SECOND_BEGUN if state == DRAFT else HANDED_IN
    if round_number == 1:
        if state == DRAFT:
            return BEGUN
        return SECOND if is_second_open else HANDED_IN
    return NOT_FOR_YOU if is_unable else TO_REVIEW
