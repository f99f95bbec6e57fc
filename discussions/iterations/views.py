"""Finds the iteration of an address."""

from django.shortcuts import get_object_or_404

from discussions.models import Iteration
from workspace.models import Person


def iteration_or_404(person: Person, slug: str, number: int) -> Iteration:
    """The iteration of that number with all that its pages show, when the person may know of it."""
    rows = Iteration.objects.visible_to(person).select_related(
        "project",
        "stage__project",
        "rubric_version__rubric",
        "compared_with",
        "replay_of",
        "created_by",
        "opened_by",
    )
    return get_object_or_404(rows, project__slug=slug, number=number)
