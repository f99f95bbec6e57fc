"""The list of a project's comparison sets, and one set for its leads. Authors of responses are never shown."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from math import ceil

from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext_lazy as _
from msgspec import Struct

from rubric.comparisons.queries import count_comparisons
from rubric.core.limits import FEWEST_SHOWN
from rubric.models import Comparison, ComparisonSet, Response, Review, Reviewer
from rubric.models.comparisons import ELSEWHERE, MODEL, PERSON
from rubric.models.reviews import RATING, SET_APART, SUBMITTED
from rubric.sets.pages import COMPARISONS, MODE_NAMES, SetFrame, build_set_frame
from rubric.sets.permissions import check_change_set, check_open_set
from rubric.sets.queries import count_taken, load_calibrated
from workspace.access.permissions import get_refusal, may
from workspace.models import Person, Project

COMPARISONS_A_PAGE = 100
MOST_REVIEWERS = 200
KIND_NAMES = {PERSON: _("person"), MODEL: _("model"), ELSEWHERE: _("external")}


class SetLine(Struct, frozen=True):
    """One set in the list. `own_count` of `own_total` are the person's own reviews; None for non-reviewers.

    Hidden duplicates are included, and `own_total` is 0 if it would reveal them.
    """

    comparison_set: ComparisonSet
    mode: object
    comparison_count: int
    reviewer_count: int
    review_count: int
    own_count: int | None
    own_total: int


class SetsPage(Struct, frozen=True):
    """The sets of a project that are visible to the person, newest first."""

    project: Project
    may_lead: bool
    reviews_any: bool
    lines: list[SetLine]


class ReviewerLine(Struct, frozen=True):
    """One reviewer with the count of submitted reviews. `own_count` comparisons are not theirs to judge.

    `is_share` says that `total` is an equal share of the places, and not what they must review.
    """

    reviewer: Reviewer
    kind: object
    total: int
    own_count: int
    is_share: bool = False


class SetPage(Struct, frozen=True):
    """One set: its header, a page of its comparisons, its reviewers. `change_refusal` is "" while the set is open.

    Each comparison comes with its count of submitted first-round reviews by kind of reviewer. `previous` and `next` are
    query strings of the other pages, "" without one. `calibrated` holds the comparisons for calibration. `under_way`
    counts the reviews that people have begun and not submitted.
    """

    head: SetFrame
    lines: list[tuple[Comparison, dict[str, int]]]
    comparison_count: int
    previous: str
    next: str
    says: str
    reviewers: list[ReviewerLine]
    more_reviewers: int
    candidates: list[tuple[int, str]]
    change_refusal: str
    people_needed: int | None = None
    places_taken: int = 0
    places_needed: int = 0
    calibrated: frozenset[int] = frozenset()
    under_way: int = 0


def build_sets_page(*, project: Project, person: Person) -> SetsPage:
    """The sets of the project: all of them for leads, for others those in which they review."""
    rows = ComparisonSet.objects.visible_to(person).filter(project=project)
    found = list(rows.select_related("rubric_version__rubric").order_by("-number"))
    comparisons = _counts(Comparison.objects.filter(set__in=found), "set")
    reviewers = _counts(Reviewer.objects.filter(set__in=found, ended_at=None), "set")
    reviews = _counts(_first_round().filter(comparison__set__in=found), "comparison__set")
    mine = Reviewer.objects.filter(set__in=found, person=person, ended_at=None)
    own = dict(mine.values_list("set").annotate(count=Count("reviews", filter=_SUBMITTED | _SET_APART)))
    unfit = _unfit_counts(mine)
    lines = [
        SetLine(
            comparison_set=comparison_set,
            mode=MODE_NAMES[comparison_set.mode],
            comparison_count=comparisons.get(comparison_set.pk, 0),
            reviewer_count=reviewers.get(comparison_set.pk, 0),
            review_count=reviews.get(comparison_set.pk, 0),
            own_count=own.get(comparison_set.pk),
            own_total=0
            if comparison_set.repeat_percent
            else comparisons.get(comparison_set.pk, 0) - unfit.get((comparison_set.pk, person.pk), 0),
        )
        for comparison_set in found
    ]
    return SetsPage(project, may(check_open_set, person, project), bool(own), lines)


def build_set_page(*, comparison_set: ComparisonSet, person: Person, start: int = 1) -> SetPage:
    """One set fetched with its project and its version's rubric, for its leads; comparisons from `start` on."""
    rows = Comparison.objects.filter(set=comparison_set).order_by("number")
    count, under_way = count_comparisons(comparison_set)
    shown = list(
        rows.filter(number__gte=start).annotate(response_count=Count("responses"))[:COMPARISONS_A_PAGE]
    )
    calibrated = load_calibrated([comparison_set])
    reviewers, more = _reviewers(comparison_set, count, calibrated)
    last = shown[-1].number if shown else 0
    is_closed = comparison_set.closed_at is not None
    says = _("%(first)s to %(last)s of %(count)s") % {"first": start, "last": last, "count": count}
    return SetPage(
        head=build_set_frame(comparison_set=comparison_set, current=COMPARISONS, person=person),
        lines=_lines(shown),
        comparison_count=count,
        previous=f"?from={max(1, start - COMPARISONS_A_PAGE)}" if start > 1 else "",
        next=f"?from={last + 1}" if shown and last < count else "",
        says=str(says) if count > COMPARISONS_A_PAGE else "",
        reviewers=reviewers,
        more_reviewers=more,
        candidates=candidates(comparison_set),
        change_refusal=get_refusal(check_change_set, person, comparison_set) if is_closed else "",
        people_needed=comparison_set.people_needed,
        calibrated=frozenset(calibrated),
        under_way=under_way,
        **_places(comparison_set, calibrated),
    )


def _places(comparison_set: ComparisonSet, calibrated: Collection[int]) -> dict[str, int]:
    """How many places are taken, without comparisons for calibration; {} if the set has no limited places."""
    needed = comparison_set.people_needed
    if not needed:
        return {}
    counts = [count for key, count in count_taken([comparison_set]).items() if key not in calibrated]
    return {
        "places_taken": sum(min(count, needed) for count in counts),
        "places_needed": needed * len(counts),
    }


def candidates(comparison_set: ComparisonSet) -> list[tuple[int, str]]:
    """Members of the project who do not review in the set yet: key, and name with e-mail address."""
    present = Reviewer.objects.filter(set=comparison_set, person__isnull=False, ended_at=None)
    members = Person.objects.filter(
        memberships__project=comparison_set.project_id, memberships__ended_at=None, is_active=True
    ).exclude(pk__in=present.values("person"))
    return [(member.pk, f"{member.name} ({member.email})") for member in members.order_by("name", "pk")]


_SUBMITTED = Q(reviews__state=SUBMITTED, reviews__round=1)
_SET_APART = Q(reviews__state=SET_APART)


def _first_round() -> QuerySet[Review]:
    return Review.objects.filter(state=SUBMITTED, round=1)


def _counts(rows: QuerySet, by: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(by).annotate(count=Count("pk")))


def _lines(shown: Sequence[Comparison]) -> list[tuple[Comparison, dict[str, int]]]:
    submitted = _first_round().filter(comparison__in=shown).order_by()
    by_kind: dict[int, dict[str, int]] = defaultdict(dict)
    for comparison, kind, count in submitted.values_list("comparison", "reviewer__kind").annotate(
        Count("pk")
    ):
        by_kind[comparison][kind] = count
    return [(comparison, by_kind[comparison.pk]) for comparison in shown]


def _reviewers(
    comparison_set: ComparisonSet, count: int, calibrated: Collection[int]
) -> tuple[list[ReviewerLine], int]:
    """The reviewers, people first, removed ones last; and how many more there are."""
    rows = Reviewer.objects.filter(set=comparison_set)
    counted = rows.annotate(
        done_count=Count("reviews", filter=_SUBMITTED),
        second_count=Count("reviews", filter=Q(reviews__state=SUBMITTED, reviews__round=2)),
    ).order_by(F("ended_at").asc(nulls_first=True), "-kind", "name", "pk")
    found = list(counted[:MOST_REVIEWERS])
    more = rows.count() - len(found) if len(found) == MOST_REVIEWERS else 0
    unfit = _unfit_counts(rows)
    apart = _calibrated_counts(calibrated)
    needed = comparison_set.people_needed
    people = rows.filter(kind=PERSON, ended_at=None).count() if needed else 0
    lines = []
    for reviewer in sorted(found, key=_by_kind):
        own = unfit.get((reviewer.set_id, reviewer.person_id), 0) if reviewer.person_id else 0
        is_share = needed is not None and reviewer.kind == PERSON
        most = count - own - (apart(reviewer.pk) if reviewer.kind == PERSON else 0)
        total = ceil(needed * most / people) if needed and is_share and people else most
        lines.append(ReviewerLine(reviewer, KIND_NAMES[reviewer.kind], min(total, most), own, is_share))
    return lines, more


def _calibrated_counts(calibrated: Collection[int]) -> Callable[[int], int]:
    """Maps a reviewer to the number of calibration comparisons that they had not started before."""
    started = Review.objects.filter(comparison__in=calibrated, purpose=RATING, round=1)
    counts = _counts(started, "reviewer") if calibrated else {}
    return lambda reviewer: len(calibrated) - counts.get(reviewer, 0)


def _by_kind(reviewer: Reviewer) -> tuple[bool, int]:
    return reviewer.ended_at is not None, list(KIND_NAMES).index(reviewer.kind)


def _unfit_counts(reviewers: QuerySet[Reviewer]) -> dict[tuple[int, int], int]:
    """How many comparisons of a set, by set and person, leave a reviewer fewer than two responses of others."""
    people = reviewers.filter(person__isnull=False)
    written = (
        Response.objects.filter(
            comparison__set__in=people.values("set"), written_by__in=people.values("person")
        )
        .order_by()
        .values_list("comparison__set", "comparison", "written_by")
        .annotate(count=Count("pk"))
    )
    own = list(written)
    if not own:
        return {}
    totals = _counts(Response.objects.filter(comparison__in={row[1] for row in own}), "comparison")
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for set_id, comparison, person, count in own:
        if totals[comparison] - count < FEWEST_SHOWN:
            counts[set_id, person] += 1
    return counts
