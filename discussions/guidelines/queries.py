"""The guideline that holds, and whether a person has read it."""

from django.db.models import Exists, OuterRef, QuerySet

from discussions.models import Guideline, GuidelineReading
from workspace.database.prepared_queries import Prepared
from workspace.models import Person, Project


def newest_guideline(project: Project) -> Guideline | None:
    """Current version; None while the project has none, or its newest is empty."""
    newest = Guideline.objects.filter(project=project).order_by("-number").first()
    return newest if newest is not None and newest.text else None


def unread_guideline(person: Person, project: Project) -> Guideline | None:
    """Current version, when the person has not confirmed it yet; one query."""
    newest = _NEWEST.first(person.pk, project.pk)
    return newest if newest is not None and newest.text and not newest.is_read else None


def _newest(person: int, project: int) -> "QuerySet[Guideline]":
    read = Exists(GuidelineReading.objects.filter(guideline=OuterRef("pk"), person=person))
    return Guideline.objects.filter(project=project).annotate(is_read=read).order_by("-number")[:1]


# This query runs for every game that is given out.
_NEWEST = Prepared(_newest, int, int)
