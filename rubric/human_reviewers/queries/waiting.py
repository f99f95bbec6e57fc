"""What waits for a reviewer: their sets, the state of each comparison, and when a second round opens."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Count, OuterRef, Subquery
from msgspec import Struct, structs

from rubric.calibration.queries import ReviewerProgress, load_own_progress
from rubric.core.limits import FEWEST_SHOWN
from rubric.core.response_order import order_places
from rubric.models import CalibrationRound, Comparison, ComparisonSet, Response, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import CALIBRATION, DRAFT, RATING, REPEAT, SUBMITTED, SUPERSEDED
from rubric.reviews.queries import count_taken, load_calibrated, number_own
from workspace.access.queries import prepare_by_rights
from workspace.core.hidden_duplicates import count_ahead
from workspace.database.locked_texts import keyed_text
from workspace.models import Person, Project

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


def waiting_sets(person: Person, *, only: int | None = None) -> list[WaitingSet]:
    """Those sets, or that with the key `only`, newest first. Sets do not add queries, open calibration rounds do."""
    reviewers = [row for row in _REVIEWERS[person.is_admin](person.pk) if only is None or row.set_id == only]
    if not reviewers:
        return []
    sets = [reviewer.set for reviewer in reviewers]
    seers = {reviewer.set_id for reviewer in reviewers if reviewer.could_see_since}
    reviews, waiting = _own_reviews(person, sets), []
    for row, comparisons, calibration in _list_waiting(person, sets, reviews):
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
    person: Person, sets: list[ComparisonSet], reviews: Mapping[int, list[OwnReview]]
) -> Iterator[tuple[ComparisonSet, list[Waiting], tuple[CalibrationRound, ReviewerProgress] | None]]:
    """Each set with the state of its comparisons, and the person's calibration."""
    unable, calibrated = _unable(person, sets), load_calibrated(sets)
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
    rows: dict[int, list[int]] = {comparison_set.pk: [] for comparison_set in sets}
    comparisons = Comparison.objects.filter(set__in=rows).order_by("number")
    for key, comparison in comparisons.values_list("set", "pk"):
        rows[key].append(comparison)
    full, order = _places(person, sets, rows)
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


def _places(
    person: Person, sets: list[ComparisonSet], rows: Mapping[int, list[int]]
) -> tuple[set[int], dict[int, int]]:
    """The comparisons whose limited places are all taken, and the order of the others; `rows` are those by set."""
    needed = {
        key: comparison_set.people_needed
        for comparison_set in sets
        if comparison_set.people_needed is not None
        for key in rows[comparison_set.pk]
    }
    if not needed:
        return set(), {}
    taken = count_taken(comparison_set for comparison_set in sets if comparison_set.people_needed is not None)
    taken = {key: taken.get(key, 0) for key in needed}
    full = {key for key, count in taken.items() if count >= needed[key]}
    return full, {key: at for at, key in enumerate(order_places(taken, f"places {person.pk}"))}


def waiting_count(person: Person) -> int | None:
    sets = waiting_sets(person)
    return sum(waiting_set.waiting_count for waiting_set in sets) if sets else None


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
    people: dict[int, dict[int, int]] = {}
    reviewers = Reviewer.objects.filter(set__in=needed, kind=PERSON, ended_at=None)
    for held_by, key, person in reviewers.values_list("set", "pk", "person"):
        people.setdefault(held_by, {})[key] = person
    done: dict[int, set[int]] = {}
    reviews = Review.objects.filter(comparison__in=among, round=1, state=SUBMITTED, reviewer__kind=PERSON)
    for key, reviewer in reviews.values_list("comparison", "reviewer"):
        done.setdefault(key, set()).add(reviewer)
    rows = Comparison.objects.filter(pk__in=among).order_by()
    over = set()
    counts = rows.values_list("pk", "set").annotate(Count("responses"))
    responses = Response.objects.filter(comparison__in=among).exclude(written_by=None)
    written = Counter(responses.values_list("comparison", "written_by"))
    for key, held_by, count in counts:
        submitted, limit = done.get(key, set()), needed[held_by]
        able = {
            reviewer
            for reviewer, person in people.get(held_by, {}).items()
            if count - written[key, person] >= FEWEST_SHOWN
        }
        everybody = (
            able <= submitted if limit is None else len(submitted) >= min(limit, len(able | submitted))
        )
        # Nobody else will begin a review of a comparison for calibration.
        if len(submitted) >= FEWEST_SHOWN and (key in calibrated or everybody):
            over.add(key)
    return over


def _own_reviews(person: Person, sets: list[ComparisonSet]) -> dict[int, list[OwnReview]]:
    """Set -> the person's reviews, those of a first round before those of a second."""
    reviews_by_set: dict[int, list[OwnReview]] = {}
    listed: dict[int, list[tuple[Any, ...]]] = {comparison_set.pk: [] for comparison_set in sets}
    rows = Review.objects.filter(reviewer__person=person, comparison__set__in=listed)
    columns = ("comparison__set", "comparison", "pk", "round", "state", "purpose")
    for key, *own in rows.exclude(state=SUPERSEDED).order_by("round", "pk").values_list(*columns):
        listed[key].append(tuple(own))
    for key, reviews in listed.items():
        numbers = number_own((review, comparison, round_) for comparison, review, round_, *_rest in reviews)
        reviews_by_set[key] = [
            OwnReview(comparison, review, round_, state, purpose, numbers[review])
            for comparison, review, round_, state, purpose in reviews
        ]
    return reviews_by_set


def find_next_review(sets: Iterable[WaitingSet]) -> Waiting | None:
    """What is next over all sets: a started review before a new one, else in the order of `sets`."""
    firsts = [waiting_set.waiting[0] for waiting_set in sets if waiting_set.waiting]
    return min(firsts, key=lambda review: not review.is_started, default=None)


def _unable(person: Person, sets: list[ComparisonSet]) -> set[int]:
    """The comparisons of which the person wrote so many responses that nothing is left to compare."""
    totals = Response.objects.filter(comparison=OuterRef("comparison")).order_by().values("comparison")
    rows = Response.objects.filter(comparison__set__in=[row.pk for row in sets], written_by=person)
    counted = (
        rows.order_by()
        .values("comparison")
        .annotate(own=Count("pk"), total=Subquery(totals.annotate(count=Count("pk")).values("count")))
    )
    counts = counted.values_list("comparison", "own", "total")
    return {key for key, own, count in counts if count - own < FEWEST_SHOWN}


def _find_state(own: OwnReview | None, *, is_unable: bool = False, is_second_open: bool = False) -> str:
    if own is None:
        return NOT_FOR_YOU if is_unable else TO_REVIEW
    if own.round == 2:
        return SECOND_STARTED if own.state == DRAFT else DONE
    if own.state == DRAFT:
        return STARTED
    return SECOND if is_second_open and own.purpose == RATING else DONE
