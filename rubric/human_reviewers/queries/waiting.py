"""What waits for a reviewer: their sets, the state of each comparison, and when a second round opens."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Case, Count, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from msgspec import Struct, structs

from rubric.calibration.queries import ReviewerProgress, load_own_progress
from rubric.core.records import FEWEST_SHOWN
from rubric.core.response_order import order_places
from rubric.models import CalibrationRound, Comparison, ComparisonSet, Response, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import CALIBRATION, DRAFT, RATING, REPEAT, SUBMITTED, SUPERSEDED
from rubric.reviews.queries import PLACE_LEASE, load_calibrated, number_own, query_calibrated, query_taken
from workspace.core.hidden_duplicates import count_ahead
from workspace.database.locked_texts import keyed_text
from workspace.database.prepared_queries import prepared
from workspace.database.unions import select_part
from workspace.models import Person, Project
from workspace.models.people import prepare_by_rights

TO_REVIEW, STARTED, SECOND, SECOND_STARTED = "to_review", "started", "second", "second_started"
DONE, NOT_FOR_YOU, FULL = "submitted", "not_for_you", "full"
# To review in the open calibration round; to review once that is passed; used for calibration, so not given to anybody.
TO_CALIBRATE, AFTER_CALIBRATION, NOT_GIVEN = "to_calibrate", "after_calibration", "not_dealt"

# The states of work that can be done now, in the order offered: started work comes first, so nothing stays unfinished.
WAITING = (STARTED, SECOND_STARTED, TO_CALIBRATE, TO_REVIEW, SECOND)


class Waiting(Struct, frozen=True):
    """The state of one comparison for one reviewer; `review` is their newest review of it, 0 before the first.

    A hidden duplicate has its own entry. `set` is the key of the set, `number` the reviewer's own number, 0 if not
    started.
    """

    set: int
    comparison: int
    number: int
    set_name: str
    state: str
    review: int = 0
    round: int = 0
    is_calibration: bool = False
    is_repeat: bool = False

    @property
    def is_started(self) -> bool:
        return self.state in (STARTED, SECOND_STARTED)

    @property
    def is_second(self) -> bool:
        return self.state in (SECOND, SECOND_STARTED)


class WaitingSet(Struct, frozen=True):
    """A set that the person reviews, with all its comparisons.

    `repeats_ahead` hidden duplicates come with the comparisons to review. `calibration` is the open calibration round
    with the person's progress, if they take part.
    """

    row: ComparisonSet
    comparisons: list[Waiting]
    repeats_ahead: int = 0
    calibration: tuple[CalibrationRound, ReviewerProgress] | None = None

    def in_state(self, *states: str) -> list[Waiting]:
        return [row for state in states for row in self.comparisons if row.state == state]

    @property
    def started(self) -> list[Waiting]:
        return self.in_state(STARTED, SECOND_STARTED)

    @property
    def second(self) -> list[Waiting]:
        return self.in_state(SECOND)

    @property
    def submitted(self) -> list[Waiting]:
        return sorted(self.in_state(DONE, SECOND), key=lambda comparison: -comparison.review)

    @property
    def waiting(self) -> list[Waiting]:
        """The comparisons that can be worked on, in the order offered; none in a closed set.

        Comparisons of an optional calibration round are started only on request.
        """
        if self.row.closed_at:
            return []
        is_optional = self.calibration is not None and not self.calibration[0].is_required
        return self.in_state(*(state for state in WAITING if not (is_optional and state == TO_CALIBRATE)))

    @property
    def waiting_count(self) -> int:
        """How many comparisons wait, hidden duplicates among them."""
        return len(self.waiting) + (0 if self.row.closed_at else self.repeats_ahead)

    @property
    def to_review_count(self) -> int:
        return len(self.in_state(TO_REVIEW, AFTER_CALIBRATION)) + self.repeats_ahead

    @property
    def is_first_open(self) -> bool:
        return bool(self.to_review_count or self.in_state(STARTED, TO_CALIBRATE))

    @property
    def why_not(self) -> str:
        if self.calibration is None or not self.calibration[0].is_required:
            return ""
        return self.calibration[1].why_not_reviewing


class OwnReview(Struct, frozen=True):
    comparison: int
    key: int
    round: int
    state: str
    purpose: str
    number: int


class _Waiting(NamedTuple):
    """What the database has of sets for one person: their reviews by set, those of a first round first; comparisons.

    They wrote so many responses of those that are `unable` that nothing is left to compare. `calibrated` are as
    `load_calibrated` has them, `taken` places as `count_taken` has them.
    """

    reviews: dict[int, list[OwnReview]]
    comparisons: dict[int, list[int]]
    unable: set[int]
    calibrated: dict[int, bool]
    taken: dict[int, int]


def waiting_sets(person: Person, *, only: int | None = None) -> list[WaitingSet]:
    """Those sets, or that with the key `only`, newest first. Sets do not add queries, open calibration rounds do."""
    reviewers = [row for row in _REVIEWERS[person.is_admin](person.pk) if only is None or row.set_id == only]
    if not reviewers:
        return []
    sets = [reviewer.set for reviewer in reviewers]
    seers = {reviewer.set_id for reviewer in reviewers if reviewer.could_see_since}
    found = _load_found(person, sets)
    reviews, waiting = found.reviews, []
    for row, comparisons, calibration in _list_waiting(person, sets, found):
        waiting_set = WaitingSet(row, comparisons, calibration=calibration)
        ahead = 0 if row.pk in seers else _duplicates_ahead(waiting_set, person, reviews[row.pk])
        waiting.append(structs.replace(waiting_set, repeats_ahead=ahead))
    return waiting


_REVIEWERS = prepare_by_rights(
    lambda person: (
        Reviewer.objects.filter(
            person=person,
            kind=PERSON,
            ended_at=None,
            set__project__in=Project.objects.visible_to(person).values("pk"),
        )
        .select_related("set__project")
        .order_by("-set")
    )
)


def _list_waiting(
    person: Person, sets: list[ComparisonSet], found: _Waiting
) -> Iterator[tuple[ComparisonSet, list[Waiting], tuple[CalibrationRound, ReviewerProgress] | None]]:
    """Each set with the state of its comparisons, and the person's calibration."""
    reviews, rows, unable, calibrated = found.reviews, found.comparisons, found.unable, found.calibrated
    # A second round begins only after the person's own first round.
    firsts = [
        own.comparison
        for row in sets
        if row.has_second_round and not row.closed_at
        for own in reviews[row.pk]
        if own.round == 1 and own.purpose == RATING and own.state != DRAFT
    ]
    open_now = second_rounds(sets, among=firsts, calibrated=calibrated) if firsts else set()
    progress = load_own_progress(sets, person) if any(calibrated.values()) else {}
    full, order = _places(person, sets, found)
    for comparison_set in sets:
        key, calibration = comparison_set.pk, progress.get(comparison_set.pk)
        asked = calibration[1].asked if calibration else set()
        gated = bool(calibration and calibration[0].is_required and not calibration[1].is_through)
        newest = {own.comparison: own for own in reviews[key] if own.purpose != REPEAT}
        listed = []
        for comparison in rows[key]:
            own = newest.get(comparison)
            state = _find_state(own, is_unable=comparison in unable, is_second_open=comparison in open_now)
            if state == TO_REVIEW and comparison in calibrated:
                state = TO_CALIBRATE if comparison in asked else NOT_GIVEN
            elif state == TO_REVIEW:
                state = FULL if comparison in full else AFTER_CALIBRATION if gated else state
            listed.append(_waiting(comparison_set, comparison, state, own))
        listed.sort(key=lambda waiting: order.get(waiting.comparison, 0))
        listed += [
            _waiting(comparison_set, own.comparison, _find_state(own), own)
            for own in reviews[key]
            if own.purpose == REPEAT
        ]
        yield comparison_set, listed, calibration


def _waiting(comparison_set: ComparisonSet, comparison: int, state: str, own: OwnReview | None) -> Waiting:
    return Waiting(
        set=comparison_set.pk,
        comparison=comparison,
        number=own.number if own else 0,
        set_name=comparison_set.name,
        state=state,
        review=own.key if own else 0,
        round=own.round if own else 0,
        is_calibration=state == TO_CALIBRATE or bool(own and own.purpose == CALIBRATION),
        is_repeat=bool(own and own.purpose == REPEAT),
    )


def repeat_seed(comparison_set: ComparisonSet, person: Person) -> str:
    """The seed that draws the person's hidden duplicates of the set; it is keyed, since row numbers can be guessed."""
    return keyed_text("repeats", f"set {comparison_set.pk}:{person.pk}")


def _duplicates_ahead(waiting_set: WaitingSet, person: Person, reviews: list[OwnReview]) -> int:
    """How many hidden duplicates come among the comparisons that the person has not started.

    They are counted as waiting, since a count that stays the same after a review would reveal a hidden duplicate.
    """
    if not waiting_set.row.repeat_percent:
        return 0
    rated = sum(own.purpose == RATING for own in reviews)
    repeated = sum(own.purpose == REPEAT for own in reviews)
    return count_ahead(
        repeat_seed(waiting_set.row, person),
        given_count=rated + repeated,
        percent=waiting_set.row.repeat_percent,
        left=len(waiting_set.in_state(TO_REVIEW, AFTER_CALIBRATION)),
        submitted=rated,
        repeated=repeated,
    )


def _places(person: Person, sets: list[ComparisonSet], found: _Waiting) -> tuple[set[int], dict[int, int]]:
    """The comparisons whose limited places are all taken, and the order of the others."""
    needed = {
        key: comparison_set.people_needed
        for comparison_set in sets
        if comparison_set.people_needed is not None
        for key in found.comparisons[comparison_set.pk]
    }
    if not needed:
        return set(), {}
    taken = {key: found.taken.get(key, 0) for key in needed}
    full = {key for key, count in taken.items() if count >= needed[key]}
    return full, {key: at for at, key in enumerate(order_places(taken, f"places {person.pk}"))}


def second_rounds(
    sets: Iterable[ComparisonSet],
    *,
    among: Collection[int] | None = None,
    calibrated: Mapping[int, bool] | None = None,
) -> set[int]:
    """The comparisons of these sets with an open second round: everybody who can review has submitted the first round.

    Removed reviewers do not count. Reviewers who wrote so many responses that nothing is left to compare do not count
    either. A second round needs at least two reviews. `among` limits the search to these comparisons. `calibrated` is
    the result of `load_calibrated`, if it is known.
    """
    sets = list(sets)
    needed = {comparison_set.pk: comparison_set.people_needed for comparison_set in sets}
    if calibrated is None:
        calibrated = load_calibrated(sets)
    if among is None:
        among = list(Comparison.objects.filter(set__in=needed).values_list("pk", flat=True))
    people: dict[int, dict[int, int]] = defaultdict(dict)
    done: dict[int, set[int]] = defaultdict(set)
    written: dict[tuple[int, int], list[int]] = defaultdict(list)
    for part, one, other, person in _list_first_rounds(list(needed), list(among)):
        if part == _PEOPLE:
            people[one][other] = person
        elif part == _DONE:
            done[one].add(other)
        else:
            written[one, other].append(person)
    over = set()
    for (key, held_by), authors in written.items():
        submitted, limit = done[key], needed[held_by]
        able = {
            reviewer
            for reviewer, person in people[held_by].items()
            if len(authors) - authors.count(person) >= FEWEST_SHOWN
        }
        everybody = (
            able <= submitted if limit is None else len(submitted) >= min(limit, len(able | submitted))
        )
        # Nobody else will begin a review of a comparison for calibration.
        if len(submitted) >= FEWEST_SHOWN and (key in calibrated or everybody):
            over.add(key)
    return over


_PEOPLE, _DONE, _WRITTEN = range(3)


def _list_first_rounds(sets: list[int], comparisons: list[int]) -> "QuerySet[Any, Any]":
    """Who may review each set, who submitted a first round of each comparison, who wrote each response (0: nobody)."""
    reviewers = Reviewer.objects.filter(set__in=sets, kind=PERSON, ended_at=None)
    done = Review.objects.filter(comparison__in=comparisons, round=1, state=SUBMITTED, reviewer__kind=PERSON)
    responses = Response.objects.filter(comparison__in=comparisons)
    author = Coalesce("written_by", 0)
    return select_part(_PEOPLE, reviewers, "set", "pk", "person").union(
        select_part(_DONE, done, "comparison", "reviewer", Value(0)),
        select_part(_WRITTEN, responses, "comparison", "comparison__set", author),
        all=True,
    )


def _load_found(person: Person, sets: list[ComparisonSet]) -> _Waiting:
    found = _Waiting({row.pk: [] for row in sets}, {row.pk: [] for row in sets}, set(), {}, {})
    listed: dict[int, list[tuple[int, int, int, str, str]]] = {row.pk: [] for row in sets}
    parts = _list_parts(person.pk, list(listed), timezone.now() - PLACE_LEASE)
    for part, key, one, other, comparison, state, purpose in sorted(parts):
        if part == _OWN:
            listed[key].append((comparison, other, one, state, purpose))
        elif part == _COMPARISON:
            found.comparisons[key].append(other)
        elif part == _OWN_RESPONSES:
            if other - one < FEWEST_SHOWN:
                found.unable.add(key)
        elif part == _CALIBRATED:
            found.calibrated[key] = found.calibrated.get(key, False) or bool(one)
        else:
            found.taken[key] = one
    for key, reviews in listed.items():
        numbers = number_own((review, comparison, round_) for comparison, review, round_, *_rest in reviews)
        found.reviews[key] += [
            OwnReview(comparison, review, round_, state, purpose, numbers[review])
            for comparison, review, round_, state, purpose in reviews
        ]
    return found


_OWN, _COMPARISON, _OWN_RESPONSES, _CALIBRATED, _TAKEN = range(5)
_NO_TEXTS = (Value(""), Value(""))


@prepared
def _list_parts(person: int, sets: list[int], since: datetime) -> "QuerySet[Any, Any]":
    """All that `_Waiting` holds: the part, four numbers and two texts of it."""
    own = Review.objects.filter(reviewer__person=person, comparison__set__in=sets).exclude(state=SUPERSEDED)
    comparisons = Comparison.objects.filter(set__in=sets)
    totals = Response.objects.filter(comparison=OuterRef("comparison")).order_by().values("comparison")
    written = (
        Response.objects.filter(comparison__set__in=sets, written_by=person).order_by().values("comparison")
    )
    total = Subquery(totals.annotate(count=Count("pk")).values("count"))
    is_open = Case(When(round__closed_at=None, then=1), default=0)
    zero, count = Value(0), Count("pk")
    return select_part(_OWN, own, "comparison__set", "round", "pk", "comparison", "state", "purpose").union(
        select_part(_COMPARISON, comparisons, "set", "number", "pk", zero, *_NO_TEXTS),
        select_part(_OWN_RESPONSES, written, "comparison", count, total, zero, *_NO_TEXTS),
        select_part(_CALIBRATED, query_calibrated(sets), "comparison", is_open, zero, zero, *_NO_TEXTS),
        select_part(
            _TAKEN, query_taken(sets, since).values("comparison"), "comparison", count, zero, zero, *_NO_TEXTS
        ),
        all=True,
    )


def find_next_review(sets: Iterable[WaitingSet]) -> Waiting | None:
    """What is next over all sets: a started review before a new one, else in the order of `sets`."""
    firsts = [waiting_set.waiting[0] for waiting_set in sets if waiting_set.waiting]
    return min(firsts, key=lambda review: not review.is_started, default=None)


def _find_state(own: OwnReview | None, *, is_unable: bool = False, is_second_open: bool = False) -> str:
    if own is None:
        return NOT_FOR_YOU if is_unable else TO_REVIEW
    if own.round == 2:
        return SECOND_STARTED if own.state == DRAFT else DONE
    if own.state == DRAFT:
        return STARTED
    return SECOND if is_second_open and own.purpose == RATING else DONE
