"""Names of a set's reviewers, as one person may see them, and the taken places of comparisons."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.core.call_parameters import describe_parameters
from rubric.core.limits import FEWEST_SHOWN
from rubric.models import CalibrationComparison, Comparison, ComparisonSet, Response, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import DRAFT, RATING, SUBMITTED, SUPERSEDED
from workspace.models import Person

# How long a started review holds a place; after that somebody else may take the place, and the work is kept.
PLACE_LEASE = timedelta(days=1)


def count_taken(sets: Iterable[ComparisonSet], *, now: datetime | None = None) -> dict[int, int]:
    """How many people have a place on each comparison of these sets: submitted, or started within the lease."""
    keys = [comparison_set.pk for comparison_set in sets]
    counts = dict.fromkeys(Comparison.objects.filter(set__in=keys).values_list("pk", flat=True), 0)
    since = (now or timezone.now()) - PLACE_LEASE
    taken = Review.objects.filter(
        Q(state=DRAFT, reviewer__ended_at=None, created_at__gt=since) | Q(state=SUBMITTED),
        comparison__set__in=keys,
        round=1,
        purpose=RATING,
        reviewer__kind=PERSON,
    )
    return counts | dict(taken.order_by().values_list("comparison").annotate(Count("pk")))


def load_calibrated(sets: Iterable[ComparisonSet]) -> dict[int, bool]:
    """The comparisons of these sets that are or were in a calibration round -> whether the round is open.

    New reviews of them do not count.
    """
    found: dict[int, bool] = {}
    rows = CalibrationComparison.objects.filter(round__set__in=[row.pk for row in sets])
    for comparison, closed_at in rows.values_list("comparison", "round__closed_at"):
        found[comparison] = found.get(comparison, False) or closed_at is None
    return found


def has_open_places(comparison_set: ComparisonSet, reviewer: Reviewer) -> bool:
    """Whether a person has reviews to submit, or may still take a place, in a set that needs so many of them."""
    own = Review.objects.filter(reviewer=reviewer).exclude(state=SUPERSEDED)
    if own.filter(state=DRAFT).exists():
        return True
    done = set(own.values_list("comparison", flat=True))
    others = Response.objects.filter(comparison__set=comparison_set).exclude(written_by=reviewer.person_id)
    fit = dict(others.order_by().values_list("comparison").annotate(count=Count("pk")))
    needed = comparison_set.people_needed or 0
    taken, never = count_taken([comparison_set]), done | load_calibrated([comparison_set]).keys()
    return any(
        count < needed and key not in never and fit.get(key, 0) >= FEWEST_SHOWN
        for key, count in taken.items()
    )


def reviewer_names(comparison_set: ComparisonSet, person: Person, *, is_lead: bool) -> dict[str, str]:
    """Names by reviewer key: leads see all names, models with their parameters; a reviewer only their own."""
    names, others = {}, 0
    for reviewer in Reviewer.objects.filter(set=comparison_set).order_by("pk"):
        if is_lead or reviewer.person_id == person.pk:
            said = describe_parameters(reviewer.parameters)
            names[str(reviewer.pk)] = f"{reviewer.name} ({said})" if said else reviewer.name
        else:
            others += 1
            names[str(reviewer.pk)] = _("another reviewer (%(number)d)") % {"number": others}
    return names
