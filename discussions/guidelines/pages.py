"""The page of the guideline, for everybody in the project."""

from msgspec import Struct

from discussions.guidelines.permissions import check_write_guideline
from discussions.guidelines.queries import newest_guideline, unread_guideline
from discussions.models import Guideline, GuidelineReading
from workspace.access.permissions import may
from workspace.models import Membership, Person, Project


class GuidelinePage(Struct, frozen=True):
    """The version that holds (None without one), the versions so far, and whether the person must confirm it.

    `newest` is the number of the newest version, also of an empty one. For leads, `read_count` of `evaluator_count`
    evaluators have confirmed the version that holds.
    """

    guideline: Guideline | None
    newest: int
    versions: list[Guideline]
    is_unread: bool
    may_write: bool
    read_count: int
    evaluator_count: int


def guideline_page(*, project: Project, person: Person) -> GuidelinePage:
    """What the page shows to this person."""
    may_write = may(check_write_guideline, person, project)
    guideline = newest_guideline(project)
    versions = Guideline.objects.filter(project=project).select_related("created_by").order_by("-number")
    people = Membership.objects.filter(project=project, role="evaluator", ended_at=None).values("person")
    read = GuidelineReading.objects.filter(guideline=guideline, person__in=people)
    newest = versions.first()
    return GuidelinePage(
        guideline=guideline,
        newest=newest.number if newest else 0,
        versions=list(versions[:20]) if may_write else [],
        is_unread=not may_write and unread_guideline(person, project) is not None,
        may_write=may_write,
        read_count=read.count() if may_write and guideline else 0,
        evaluator_count=people.count() if may_write else 0,
    )
