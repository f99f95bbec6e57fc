"""What the reviewers of a set are called for the person who looks."""

from django.utils.translation import gettext as _

from rubric.models import ComparisonSet, Reviewer
from workspace.models import Person


def reviewer_names(comparison_set: ComparisonSet, person: Person, *, is_lead: bool) -> dict[str, str]:
    """What reviewers are called, by their keys: everybody by name for leads, only oneself for a reviewer."""
    names, others = {}, 0
    for reviewer in Reviewer.objects.filter(set=comparison_set).order_by("pk"):
        if is_lead or reviewer.person_id == person.pk:
            names[str(reviewer.pk)] = reviewer.name
        else:
            others += 1
            names[str(reviewer.pk)] = _("another reviewer (%(number)d)") % {"number": others}
    return names
