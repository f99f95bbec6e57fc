"""Fetching a comparison set for its pages."""

from django.shortcuts import get_object_or_404

from rubric.models import ComparisonSet
from workspace.models import Person

SECTION = "comparisons"


def set_or_404(person: Person, slug: str, number: int) -> ComparisonSet:
    """The set of that address with its project and rubric, when the person may know of it."""
    rows = ComparisonSet.objects.visible_to(person).select_related("project", "rubric_version__rubric")
    return get_object_or_404(rows, project__slug=slug, number=number)
