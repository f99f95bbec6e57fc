"""Fetching a comparison set for its pages."""

from django.shortcuts import get_object_or_404

from rubric.models import ComparisonSet
from workspace.models import Person

SECTION = "comparisons"


def set_or_404(person: Person, slug: str, number: int) -> ComparisonSet:
    """The set at that URL with its project and rubric; 404 if the person may not know of it."""
    rows = ComparisonSet.objects.visible_to(person).select_related("project", "rubric_version__rubric")
    return get_object_or_404(rows, project__slug=slug, number=number)
