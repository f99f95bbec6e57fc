"""Who leads a project, and how many lines a person's unread notifications take."""

from collections.abc import Collection

from django.db import models

from workspace.models import Notification, Person, Project
from workspace.models.projects import LEAD
from workspace.notifications.core import FEWEST_JOINED, MOST_JOINED, join_bursts


def count_unread_lines(person: Person, count: int | None = None) -> int:
    """The lines of the person's list of unread notifications; those beyond the newest MOST_JOINED are not counted.

    `count` is how many notifications are unread, if the caller knows it: without three, no query is needed.
    """
    if count is not None and count < FEWEST_JOINED:
        return count
    rows = Notification.objects.shown_to(person).filter(read_at=None).order_by("-pk")
    told = rows.only("code", "project_id", "created_at", "read_at")[:MOST_JOINED]
    return sum(1 for _burst in join_bursts(told))


def leads_of(project: Project | None) -> list[Person]:
    """The people to notify of what a project's leads should look at: its leads; for the installation, its admins."""
    people = Person.objects.signing_in()
    if project is None:
        return list(people.filter(is_admin=True))
    return list(
        people.filter(memberships__project=project, memberships__role=LEAD, memberships__ended_at=None)
    )


def unread_about(
    project: Project | None, subject: str, codes: Collection[str]
) -> "models.QuerySet[Notification]":
    """The unread notifications about a thing, of these occasions; also those that are only sent by e-mail."""
    return Notification.objects.filter(project=project, subject=subject, code__in=codes, read_at=None)
