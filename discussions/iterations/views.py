"""Finds the iteration at a URL."""

from django.http import Http404

from discussions.iterations.actions import UNSORTED_NUMBER
from discussions.models import Iteration
from workspace.models import Person

UNSORTED_BEFORE = 1


def iteration_or_404(person: Person, slug: str, number: int) -> Iteration:
    """The iteration with that number and everything that its pages show; 404 if the person may not know of it.

    Unsorted games once had number 1, now 0. The old URL still finds them if no iteration has number 1.
    """
    rows = Iteration.objects.visible_to(person).select_related(
        "project",
        "stage__project",
        "rubric_version__rubric",
        "compared_with",
        "replay_of",
        "created_by",
        "opened_by",
    )
    there = rows.filter(project__slug=slug)
    found = there.filter(number=number).first()
    if found is None and number == UNSORTED_BEFORE:
        found = there.filter(number=UNSORTED_NUMBER).first()
    if found is None:
        raise Http404
    return found
