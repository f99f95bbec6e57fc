"""Projects as games need them: with the iteration in which games wait until somebody sorts them, and its rules."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.models import Iteration
from discussions.models.iterations import IDENTIFICATIONS
from discussions.permissions import check_change_iteration
from rubric.actions.publishing import publish_first_versions
from rubric.core.records import DISCUSSION
from rubric.models import RubricVersion
from workspace.actions.accounts import system_person
from workspace.actions.events import record_event
from workspace.actions.projects import create_project
from workspace.core.refusals import Unacceptable
from workspace.models import Person, Project

UNSORTED_NAME = "Unsorted"


def open_project(*, slug: str, name: str, by: Person, now: datetime) -> Project:
    """Create a project together with its unsorted iteration under the newest discussion version.

    A database without any version gets the shipped ones first. Raises what `create_project` raises.
    """
    with transaction.atomic():
        project = create_project(slug=slug, name=name, by=by, now=now)
        Iteration.objects.create(
            project=project,
            number=1,
            name=UNSORTED_NAME,
            rubric_version=_newest_version(now),
            created_at=now,
            created_by=by,
        )
    return project


def change_iteration(*, iteration: Iteration, identification: str, by: Person, now: datetime) -> None:
    """Say whether evaluators are asked the question of who said it, or take the test before the transcript opens.

    It holds for places taken from now on: whoever has begun keeps the form they began with, so that no transcript
    closes again. The same value changes nothing. Raises NotAllowed, and Unacceptable for a value there is not.
    """
    check_change_iteration(by, iteration.project)
    if identification not in dict(IDENTIFICATIONS):
        raise Unacceptable(_("Choose the question or the test."), field="identification")
    with transaction.atomic():
        others = Iteration.objects.filter(pk=iteration.pk).exclude(identification=identification)
        if not others.update(identification=identification):
            return
        record_event(
            by=by,
            now=now,
            project=iteration.project,
            verb="iteration:changed",
            object_kind="iteration",
            object_id=iteration.pk,
            detail={"identification": identification},
        )


def _newest_version(now: datetime) -> RubricVersion:
    newest = RubricVersion.objects.newest(DISCUSSION)
    if newest is None:
        publish_first_versions(by=system_person(now=now), now=now)
        newest = RubricVersion.objects.newest(DISCUSSION)
    assert newest is not None
    return newest
