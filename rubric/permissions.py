"""Who may do what with rubrics: `check_<verb>` raises NotAllowed with the sentence that the greyed button shows."""

from django.conf import settings
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from rubric.models import ComparisonSet, Review, Reviewer, RubricVersion
from rubric.models.comparisons import PERSON
from rubric.models.reviews import DRAFT as REVIEW_DRAFT
from rubric.models.reviews import SUBMITTED
from rubric.models.rubrics import DISCARDED, DRAFT, RETIRED
from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Person, Project
from workspace.permissions import is_admin, role_in


def check_read_rubric(person: Person, version: RubricVersion) -> None:
    """Everybody with an account reads what a published version asks; drafts are the admins'."""
    if is_admin(person):
        return
    if not person.is_active or version.published_at is None:
        raise NotAllowed(_("This version is a draft; only admins read it until it is published."))


def check_see_weights(person: Person) -> None:
    """Leads and admins see weights; evaluators do not, since weights must not guide what they rate."""
    if is_admin(person):
        return
    leads = Membership.objects.filter(person=person, role="lead", ended_at=None)
    if not (person.is_active and leads.exists()):
        raise NotAllowed(_("Only team leads and admins see weights."))


def check_edit_rubrics(person: Person) -> None:
    """Admins make drafts, by hand or from a file."""
    if not is_admin(person):
        raise NotAllowed(_("Only admins change rubrics. Ask one of them."))


def check_edit_version(person: Person, version: RubricVersion) -> None:
    """Admins change drafts; what was published never changes."""
    check_edit_rubrics(person)
    if version.published_at is not None:
        raise NotAllowed(_("A published version never changes. Make a new draft from it."))
    _check_not_discarded(version)


def check_publish_version(person: Person, version: RubricVersion) -> None:
    """Admins publish drafts, once."""
    check_edit_rubrics(person)
    if version.published_at is not None:
        raise NotAllowed(_("This version was published already. Make a new draft from it."))
    _check_not_discarded(version)


def check_discard_version(person: Person, version: RubricVersion) -> None:
    """Admins discard drafts; what was published is evidence and can only be retired."""
    check_edit_rubrics(person)
    if version.published_at is not None:
        raise NotAllowed(_("A published version is kept for what was made with it. Retire it instead."))
    _check_not_discarded(version)


def check_retire_version(person: Person, version: RubricVersion) -> None:
    """Admins retire what is published, but not the last that new work could take."""
    check_edit_rubrics(person)
    if version.state in (DRAFT, DISCARDED):
        raise NotAllowed(_("A draft is not in use, so there is nothing to retire."))
    if version.state == RETIRED:
        raise NotAllowed(_("This version is retired already."))
    others = RubricVersion.objects.published().filter(rubric=version.rubric_id).exclude(pk=version.pk)
    if not others.exists():
        raise NotAllowed(_("This is the only published version of its rubric. Publish another one first."))


def check_open_set(person: Person, project: Project) -> None:
    """Leads of the project and admins open, fill and close comparison sets."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project open comparison sets. Ask one of them."))


def check_see_set(person: Person, comparison_set: ComparisonSet) -> None:
    """Leads of the project and admins see what a set holds and who reviews it."""
    if role_in(person, comparison_set.project) not in ("admin", "lead"):
        raise NotAllowed(
            _("Only team leads of this project see a whole set. What you review is under Reviews.")
        )


def check_change_set(person: Person, comparison_set: ComparisonSet) -> None:
    """Leads and admins add comparisons and reviewers to a set that is open."""
    check_open_set(person, comparison_set.project)
    if comparison_set.closed_at is not None:
        raise NotAllowed(_("This set is closed. Open it again first."))


def check_ask_models(person: Person, comparison_set: ComparisonSet) -> None:
    """Leads and admins have models asked live, where the site has an endpoint for that."""
    check_change_set(person, comparison_set)
    if not settings.REVIEW_MODELS_URL:
        raise NotAllowed(
            _(
                "This site calls no models by itself. Paste or upload their answers, or have an admin configure it."
            )
        )


def check_see_results(person: Person, comparison_set: ComparisonSet) -> None:
    """Leads and admins see results, reviewers once the set is closed; nobody before their own reviews are handed in."""
    is_lead = role_in(person, comparison_set.project) in ("admin", "lead")
    reviewers = Reviewer.objects.filter(set=comparison_set, kind=PERSON, person=person, ended_at=None)
    # Nobody is blind in a second round who saw the results after the first.
    last = 2 if comparison_set.has_second_round else 1
    handed_in = Count("reviews", filter=Q(reviews__round=last, reviews__state=SUBMITTED))
    reviewer = reviewers.annotate(handed_in=handed_in).first()
    if reviewer is None and not is_lead:
        raise NotAllowed(_("Only team leads of this project and its reviewers see results."))
    if comparison_set.closed_at is not None:
        return
    if not is_lead:
        raise NotAllowed(_("Results are shown when the set is closed. A team lead does that."))
    if reviewer is not None and reviewer.handed_in < _reviewable_count(comparison_set, reviewer):
        raise NotAllowed(
            _(
                "You review this set yourself. Hand in both rounds of all your reviews, then its results are shown."
            )
            if last == 2
            else _(
                "You review this set yourself. Hand in all your reviews first, then its results are shown."
            )
        )


def check_see_reviewer(person: Person, comparison_set: ComparisonSet, reviewer: Reviewer) -> None:
    """Whoever sees the set's results opens the reviews behind one's own figures, leads those of everybody."""
    check_see_results(person, comparison_set)
    is_lead = role_in(person, comparison_set.project) in ("admin", "lead")
    if not is_lead and reviewer.person_id != person.pk:
        raise NotAllowed(_("Only team leads open what is said of another reviewer."))


def check_tune(person: Person, comparison_set: ComparisonSet) -> None:
    """Whoever sees the set's results and weights sees what weights its reviews speak for."""
    check_see_results(person, comparison_set)
    check_see_weights(person)


def check_survey(person: Person, comparison_set: ComparisonSet) -> None:
    """Reviewers of a closed set are asked whether a result is clear; team leads see all of it beforehand."""
    check_see_results(person, comparison_set)
    if role_in(person, comparison_set.project) in ("admin", "lead"):
        raise NotAllowed(
            _("The survey asks reviewers alone. Team leads see every result with its scores by criterion.")
        )


def check_begin_review(person: Person, comparison_set: ComparisonSet) -> None:
    """Whoever reviews a set opens its comparisons; what is closed can still be read."""
    own = Reviewer.objects.filter(set=comparison_set, kind=PERSON, person=person, ended_at=None)
    if not (person.is_active and own.exists()):
        raise NotAllowed(_("You do not review this set. A team lead can add you."))


def check_review(person: Person, review: Review) -> None:
    """A reviewer changes an own review until it is handed in, while the set is open."""
    if review.reviewer.person_id != person.pk or not person.is_active:
        raise NotAllowed(_("This is not your review."))
    if review.state != REVIEW_DRAFT:
        raise NotAllowed(_("This review was handed in. It can be read, but not changed."))
    if review.reviewer.set.closed_at is not None:
        raise NotAllowed(_("This set is closed, so it takes no more reviews. What you wrote is kept."))
    if review.reviewer.ended_at is not None:
        raise NotAllowed(_("A team lead took you out of this set. What you wrote is kept."))


def _reviewable_count(comparison_set: ComparisonSet, reviewer: Reviewer) -> int:
    """How many comparisons this reviewer hands in: all but those in which too many responses are their own."""
    others = Count("responses", filter=~Q(responses__written_by=reviewer.person_id))
    return comparison_set.comparisons.annotate(others=others).filter(others__gte=2).count()


def _check_not_discarded(version: RubricVersion) -> None:
    if version.state == DISCARDED:
        raise NotAllowed(_("This draft was discarded. Make a new draft from it."))
