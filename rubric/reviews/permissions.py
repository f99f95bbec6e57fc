"""Who may open, fill and see comparison sets, and who sees their results."""

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from rubric.models import CalibrationComparison, ComparisonSet, Review, Reviewer
from rubric.models.comparisons import PERSON
from rubric.models.reviews import RATING, SUBMITTED
from rubric.reviews.queries import has_open_places
from workspace.access.permissions import check_leads, may, may_lead
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_open_set(person: Person, project: Project) -> None:
    """Only leads of the project and admins open, fill and close comparison sets."""
    check_leads(
        person, project, _("Only team leads of this project create comparison sets. Ask one of them.")
    )


def check_see_set(person: Person, comparison_set: ComparisonSet) -> None:
    """Only leads of the project and admins see what a set holds and who reviews it."""
    sentence = _("Only team leads of this project see a whole set. What you review is under Reviews.")
    check_leads(person, comparison_set.project, sentence)


def check_change_set(person: Person, comparison_set: ComparisonSet) -> None:
    """Only leads and admins add comparisons and reviewers, and only to an open set."""
    check_open_set(person, comparison_set.project)
    if comparison_set.closed_at is not None:
        raise NotAllowed(_("This set is closed. Open it again first."))


def check_see_results(person: Person, comparison_set: ComparisonSet) -> None:
    """Leads and admins see results once their own reviews are submitted; reviewers once the set is closed."""
    is_lead = may_lead(person, comparison_set.project)
    reviewers = Reviewer.objects.filter(set=comparison_set, kind=PERSON, person=person, ended_at=None)
    # A reviewer who sees results after the first round is not blind in the second.
    last = 2 if comparison_set.has_second_round else 1
    submitted = Count("reviews", filter=Q(reviews__round=last, reviews__state=SUBMITTED))
    reviewer = reviewers.annotate(submitted=submitted).first()
    if reviewer is None and not is_lead:
        raise NotAllowed(_("Only team leads of this project and its reviewers see results."))
    if comparison_set.closed_at is not None:
        return
    if not is_lead:
        raise NotAllowed(_("Results are shown when the set is closed. A team lead does that."))
    if reviewer is not None and _has_work(comparison_set, reviewer):
        raise NotAllowed(
            _(
                "You review this set yourself. Submit both rounds of all your reviews, then its results are shown."
            )
            if last == 2
            else _("You review this set yourself. Submit all your reviews first, then its results are shown.")
        )


def _has_work(comparison_set: ComparisonSet, reviewer: Reviewer) -> bool:
    """Whether the reviewer has reviews to submit; the row has the count `submitted`."""
    if comparison_set.people_needed is not None:
        return has_open_places(comparison_set, reviewer)
    return int(getattr(reviewer, "submitted", 0)) < _reviewable_count(comparison_set, reviewer)


def could_see_results(person: Person, comparison_set: ComparisonSet) -> bool:
    """Whether the set has answers or results, and the person may see them now."""
    has_results = Review.objects.filter(comparison__set=comparison_set, state=SUBMITTED).exists()
    return has_results and may(check_see_results, person, comparison_set)


def _reviewable_count(comparison_set: ComparisonSet, reviewer: Reviewer) -> int:
    """How many comparisons this reviewer has to submit.

    These are all comparisons, except those with too many responses of their own, and calibration ones not started
    before.
    """
    others = Count("responses", filter=~Q(responses__written_by=reviewer.person_id))
    started = Review.objects.filter(reviewer=reviewer, purpose=RATING).values("comparison")
    calibrated = CalibrationComparison.objects.filter(round__set=comparison_set).exclude(
        comparison__in=started
    )
    found = comparison_set.comparisons.exclude(pk__in=calibrated.values("comparison"))
    return found.annotate(others=others).filter(others__gte=2).count()
