"""The notifications of a person, newest first, and where each leads."""

from django.urls import reverse
from msgspec import Struct

from workspace.core.limits import PAGE_SIZE
from workspace.models import Membership, Notification, Person
from workspace.models.projects import LEAD
from workspace.notifications.core import KINDS, KINDS_FOR_ALL, OCCASIONS
from workspace.notifications.labels import say_notification


class NotificationLine(Struct, frozen=True):
    """One notification: what it says and of which kind it is."""

    notification: Notification
    says: str
    kind: str


class NotificationsPage(Struct, frozen=True):
    """A page of notifications; `older` is the key to go on from, 0 at the end, `newest` the key of the first shown."""

    lines: list[NotificationLine]
    older: int
    newest: int
    unread_count: int


def notifications_page(*, person: Person, before: int = 0, unread: bool = False) -> NotificationsPage:
    """The notifications of the person, or the unread ones alone, older than `before` (0: from the newest)."""
    rows = Notification.objects.shown_to(person)
    unread_count = rows.filter(read_at=None).count()
    chosen = rows.filter(read_at=None) if unread else rows
    chosen = chosen.filter(pk__lt=before) if before else chosen
    found = list(chosen.select_related("project").order_by("-pk")[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    lines = [
        NotificationLine(row, say_notification(row.code, row.about), OCCASIONS[row.code].kind)
        for row in shown
    ]
    older = shown[-1].pk if len(found) > PAGE_SIZE else 0
    return NotificationsPage(lines, older, shown[0].pk if shown else 0, unread_count)


def find_page(notification: Notification) -> str:
    """The address of the page that a notification leads to."""
    occasion = OCCASIONS[notification.code]
    project = notification.project
    given = notification.about | {"slug": project.slug if project else ""}
    path = reverse(occasion.page, args=[given[name] for name in occasion.arguments])
    return f"{path}#{occasion.fragment.format(**given)}" if occasion.fragment else path


def kinds_of(person: Person) -> tuple[str, ...]:
    """The kinds that the person can ever be told of: those of leads for leads and admins alone."""
    leads = Membership.objects.filter(person=person, role=LEAD, ended_at=None)
    return KINDS if person.is_admin or leads.exists() else KINDS_FOR_ALL
