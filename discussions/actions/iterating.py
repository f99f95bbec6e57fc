"""Projects as games need them: with the iteration in which games wait until somebody sorts them."""

from datetime import datetime

from django.db import transaction

from discussions.models import Iteration
from rubric.actions.publishing import publish_first_versions
from rubric.core.records import DISCUSSION
from rubric.models import RubricVersion
from workspace.actions.accounts import system_person
from workspace.actions.projects import create_project
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


def _newest_version(now: datetime) -> RubricVersion:
    newest = RubricVersion.objects.newest(DISCUSSION)
    if newest is None:
        publish_first_versions(by=system_person(now=now), now=now)
        newest = RubricVersion.objects.newest(DISCUSSION)
    assert newest is not None
    return newest
