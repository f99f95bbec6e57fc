"""The notifications of a person, newest first, and where each leads; who is notified of what concerns a project."""

from collections.abc import Collection

from django.db import models
from django.urls import reverse
from msgspec import Struct

from workspace.core.limits import PAGE_SIZE
from workspace.models import Membership, Notification, Person, Project
from workspace.models.projects import LEAD
from workspace.notifications.core import (
    FEWEST_JOINED,
    KINDS,
    KINDS_FOR_ALL,
    MOST_JOINED,
    OCCASIONS,
    join_bursts,
)
from workspace.notifications.labels import say_burst


def count_unread_lines(person: Person, count: int | None = None) -> int:
    """The lines of the person's list of unread notifications; those beyond the newest MOST_JOINED are not counted.

    `count` is how many notifications are unread, if the caller knows it: without three, no query is needed.
    """
    if count is not None and count < FEWEST_JOINED:
        return count
    rows = Notification.objects.shown_to(person).filter(read_at=None).order_by("-pk")
    newest = rows.only("code", "project_id", "created_at", "read_at")[:MOST_JOINED]
    return sum(1 for _burst in join_bursts(newest))


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


class NotificationLine(Struct, frozen=True):
    """One notification, or several in one line, of which it is the newest: what it says and of which kind it is."""

    notification: Notification
    says: str
    kind: str


class NotificationsPage(Struct, frozen=True):
    """A page of notifications; `older` is the key to go on from, 0 at the end, `newest` the key of the first shown.

    `unread_count` counts the lines of the list of unread ones, as the bell does.
    """

    lines: list[NotificationLine]
    older: int
    newest: int
    unread_count: int


def notifications_page(
    *, person: Person, before: int = 0, unread: bool = False, is_joined: bool = False
) -> NotificationsPage:
    """The notifications of the person, or the unread ones alone, older than `before` (0: from the newest).

    With `is_joined`, those that follow each other closely and say the same are one line.
    """
    rows = Notification.objects.shown_to(person)
    chosen = rows.filter(read_at=None) if unread else rows
    chosen = chosen.filter(pk__lt=before) if before else chosen
    most = MOST_JOINED if is_joined else PAGE_SIZE
    newest = list(chosen.select_related("project").order_by("-pk")[: most + 1])
    bursts = _join(newest[:most]) if is_joined else [[row] for row in newest[:most]]
    shown, oldest = bursts[:PAGE_SIZE], min((burst[-1].pk for burst in bursts[:PAGE_SIZE]), default=0)
    # What lies between the rows of a shown line would else be on no page.
    while len(bursts) > len(shown) and bursts[len(shown)][0].pk > oldest:
        shown.append(bursts[len(shown)])
        oldest = min(oldest, shown[-1][-1].pk)
    is_more = len(newest) > most or len(bursts) > len(shown)
    return NotificationsPage(
        lines=[_line(burst) for burst in shown],
        older=oldest if is_more else 0,
        newest=shown[0][0].pk if shown else 0,
        unread_count=count_unread_lines(person),
    )


def _join(rows: list[Notification]) -> list[list[Notification]]:
    """The lines of these rows, newest first; unread ones are joined as if the read ones between them were not there."""
    unread = join_bursts(row for row in rows if row.read_at is None)
    read = join_bursts(row for row in rows if row.read_at is not None)
    return sorted([*unread, *read], key=lambda burst: -burst[0].pk)


def _line(burst: list[Notification]) -> NotificationLine:
    code = burst[0].code
    return NotificationLine(burst[0], say_burst(code, [row.about for row in burst]), OCCASIONS[code].kind)


def list_burst(notification: Notification) -> list[Notification]:
    """The notifications that the list of unread ones shows in one line, this one first; one query."""
    if notification.read_at is not None:
        return [notification]
    unread = Notification.objects.shown_to(notification.person_id).filter(read_at=None)
    unread = unread.filter(pk__lte=notification.pk).order_by("-pk")[:MOST_JOINED]
    burst = next(join_bursts(unread), [])
    return burst if notification in burst else [notification]


def find_page(notification: Notification, *, count: int = 1) -> str:
    """The address of the page that a notification leads to, or `count` of them together."""
    occasion = OCCASIONS[notification.code]
    project = notification.project
    if count > 1 and occasion.many and project:
        return reverse(occasion.many, args=[project.slug])
    values = notification.about | {"slug": project.slug if project else ""}
    path = reverse(occasion.page, args=[values[name] for name in occasion.arguments])
    return f"{path}#{occasion.fragment.format(**values)}" if occasion.fragment and count == 1 else path


def kinds_of(person: Person) -> tuple[str, ...]:
    """The kinds that the person can ever get: those for leads only as a lead or admin."""
    leads = Membership.objects.filter(person=person, role=LEAD, ended_at=None)
    return KINDS if person.is_admin or leads.exists() else KINDS_FOR_ALL
