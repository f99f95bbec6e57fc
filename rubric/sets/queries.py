"""Names of a set's reviewers, as one person may see them."""

from django.utils.translation import gettext as _

from rubric.models import ComparisonSet, Reviewer
from workspace.models import Person


def reviewer_names(comparison_set: ComparisonSet, person: Person, *, is_lead: bool) -> dict[str, str]:
    """Names by reviewer key: leads see all names, a reviewer only their own."""
    names, others = {}, 0
    for reviewer in Reviewer.objects.filter(set=comparison_set).order_by("pk"):
        if is_lead or reviewer.person_id == person.pk:
            names[str(reviewer.pk)] = reviewer.name
        else:
            others += 1
            names[str(reviewer.pk)] = _("another reviewer (%(number)d)") % {"number": others}
    return names
