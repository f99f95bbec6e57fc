"""Fetching a comparison set for its pages."""

from collections.abc import Callable

from django.shortcuts import get_object_or_404

from rubric.models import ComparisonSet
from workspace.models import Person

SECTION = "comparisons"


def set_or_404(
    person: Person, slug: str, number: int, check: Callable[[Person, ComparisonSet], None] | None = None
) -> ComparisonSet:
    """The set at that URL with its project and rubric, when the person may know of it and passes the `check`."""
    rows = ComparisonSet.objects.visible_to(person).select_related("project", "rubric_version__rubric")
    found = get_object_or_404(rows, project__slug=slug, number=number)
    if check:
        check(person, found)
    return found
