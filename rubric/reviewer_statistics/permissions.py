"""Who opens the reviews behind a reviewer's statistics, and who sees fitted weights."""

from django.utils.translation import gettext as _

from rubric.models import ComparisonSet, Reviewer
from rubric.reviews.permissions import check_see_results
from rubric.versions.permissions import check_see_weights
from workspace.access.permissions import may_lead
from workspace.core.refusals import NotAllowed
from workspace.models import Person


def check_see_reviewer(person: Person, comparison_set: ComparisonSet, reviewer: Reviewer) -> None:
    """Leads open the reviews of every reviewer; other viewers of the results open only their own."""
    check_see_results(person, comparison_set)
    is_lead = may_lead(person, comparison_set.project)
    if not is_lead and reviewer.person_id != person.pk:
        raise NotAllowed(_("Only team leads open what is said of another reviewer."))


def check_tune(person: Person, comparison_set: ComparisonSet) -> None:
    """People who see the set's results and its weights see the fitted weights."""
    check_see_results(person, comparison_set)
    check_see_weights(person)
