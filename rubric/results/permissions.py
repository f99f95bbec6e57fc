"""Who is asked whether a result is clear."""

from django.utils.translation import gettext as _

from rubric.models import ComparisonSet
from rubric.reviews.permissions import check_see_results
from workspace.access.permissions import may_lead
from workspace.core.refusals import NotAllowed
from workspace.models import Person


def check_survey(person: Person, comparison_set: ComparisonSet) -> None:
    """Only reviewers of a closed set are asked whether a result is clear; team leads see all of it beforehand."""
    check_see_results(person, comparison_set)
    if may_lead(person, comparison_set.project):
        raise NotAllowed(
            _("The survey asks reviewers alone. Team leads see every result with its scores by criterion.")
        )
