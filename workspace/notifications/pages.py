"""The notifications of a person, newest first, and where each leads."""

from django.urls import reverse
from msgspec import Struct

from workspace.core.limits import PAGE_SIZE
from workspace.models import Membership, Notification, Person
from workspace.models.projects import LEAD
from workspace.notifications.core import KINDS, KINDS_FOR_ALL, MOST_JOINED, OCCASIONS, join_bursts
from workspace.notifications.labels import say_burst
from workspace.notifications.queries import count_unread_lines


class NotificationLine(Struct, frozen=True):
    """One notification, or several in one line: what it says and of which kind it is.

    `notification` is the newest one, and `count` says how many there are.
    """

    notification: Notification
    says: str
    kind: str
    count: int = 1


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
    found = list(chosen.select_related("project").order_by("-pk")[: most + 1])
    bursts = _join(found[:most]) if is_joined else [[row] for row in found[:most]]
    shown, oldest = bursts[:PAGE_SIZE], min((burst[-1].pk for burst in bursts[:PAGE_SIZE]), default=0)
    # What lies between the rows of a shown line would else be on no page.
    while len(bursts) > len(shown) and bursts[len(shown)][0].pk > oldest:
        shown.append(bursts[len(shown)])
        oldest = min(oldest, shown[-1][-1].pk)
    is_more = len(found) > most or len(bursts) > len(shown)
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
    newest = burst[0]
    says = say_burst(newest.code, [row.about for row in burst])
    return NotificationLine(newest, says, OCCASIONS[newest.code].kind, len(burst))


def list_burst(notification: Notification) -> list[Notification]:
    """The notifications that the list of unread ones shows in one line, this one first; one query."""
    if notification.read_at is not None:
        return [notification]
    unread = Notification.objects.shown_to(notification.person_id).filter(read_at=None)
    found = unread.filter(pk__lte=notification.pk).order_by("-pk")[:MOST_JOINED]
    burst = next(join_bursts(found), [])
    return burst if notification in burst else [notification]


def find_page(notification: Notification, *, count: int = 1) -> str:
    """The address of the page that a notification leads to, or `count` of them together."""
    occasion = OCCASIONS[notification.code]
    project = notification.project
    if count > 1 and occasion.many and project:
        return reverse(occasion.many, args=[project.slug])
    given = notification.about | {"slug": project.slug if project else ""}
    path = reverse(occasion.page, args=[given[name] for name in occasion.arguments])
    return f"{path}#{occasion.fragment.format(**given)}" if occasion.fragment and count == 1 else path


def kinds_of(person: Person) -> tuple[str, ...]:
    """The kinds that the person can ever get: those for leads only as a lead or admin."""
    leads = Membership.objects.filter(person=person, role=LEAD, ended_at=None)
    return KINDS if person.is_admin or leads.exists() else KINDS_FOR_ALL
