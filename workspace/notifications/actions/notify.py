"""Notifies people, in the transaction of what happens; withdraws and deletes notifications."""

from collections.abc import Collection, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Q

from workspace.mail.queries import sends_email
from workspace.models import Event, Notification, NotificationSettings, Person, Project
from workspace.notifications.core import AT_ONCE, NOTIFICATIONS_STAY, OCCASIONS, find_due
from workspace.notifications.queries import unread_about

MOST_FORGOTTEN = 5_000


def notify(
    *,
    people: Collection[int],
    code: str,
    subject: str,
    about: Mapping[str, int],
    project: Project | None,
    by: Person,
    now: datetime,
    for_leads: bool = False,
    tells_actor: bool = False,
) -> int:
    """Notify people (by key) of one of OCCASIONS, as they chose; return how many. The actor only with `tells_actor`.

    Nobody gets it twice while the first one is unread. Raises RuntimeError outside a transaction: what is told must
    stand or fall with the action.
    """
    if not connection.in_atomic_block:
        raise RuntimeError(f'"{code}" was told outside of a transaction; open one around the act.')
    wanted = set(people) if tells_actor else set(people) - {by.pk}
    if not wanted:
        return 0
    same = Notification.objects.filter(person=OuterRef("pk"), code=code, subject=subject, project=project)
    # A notification by e-mail only is never read; once it was sent, it does not hold back the next one.
    waiting = same.filter(Q(is_shown=True) | Q(email_due_at__isnull=False), read_at=None)
    told = Person.objects.signing_in().filter(pk__in=wanted).exclude(Exists(waiting))
    rows = [
        Notification(
            person=person,
            project=project,
            code=code,
            about=dict(about),
            subject=subject,
            for_leads=for_leads,
            created_at=now,
            **_channels(person, OCCASIONS[code].kind, now),
        )
        for person in told.select_related("notification_settings")
    ]
    made = [row for row in rows if row.is_shown or row.email_due_at]
    Notification.objects.bulk_create(made)
    return len(made)


def tell_of_event(
    *,
    event: Event,
    people: Collection[int],
    code: str,
    subject: str,
    about: Mapping[str, int],
    by: Person,
    for_leads: bool = False,
    tells_actor: bool = False,
) -> int:
    """As `notify`, about the action in an audit line."""
    return notify(
        people=people,
        code=code,
        subject=subject,
        about=about,
        project=event.chain.project,
        by=by,
        now=event.at,
        for_leads=for_leads,
        tells_actor=tells_actor,
    )


def take_back(*, project: Project | None, subject: str, by: Person, person: int | None = None) -> int:
    """Delete the notifications about a thing, of everybody or of one person: it no longer holds. Return how many."""
    rows = Notification.objects.filter(project=project, subject=subject)
    return (rows.filter(person=person) if person is not None else rows).delete()[0]


def mark_done(
    *,
    project: Project | None,
    subject: str,
    by: Person,
    now: datetime,
    person: int | None = None,
    codes: Collection[str] = tuple(OCCASIONS),
) -> int:
    """Mark the notifications about a thing as read: there is nothing left to do about it. Return how many.

    Those of everybody or of one person, of all occasions or of these.
    """
    rows = unread_about(project, subject, codes)
    return (rows.filter(person=person) if person is not None else rows).update(read_at=now)


def forget_notifications(*, by: Person, now: datetime) -> int:
    """Delete notifications past their retention; return how many."""
    old = Notification.objects.filter(created_at__lte=now - NOTIFICATIONS_STAY).order_by("created_at")
    keys = list(old.values_list("pk", flat=True)[:MOST_FORGOTTEN])
    return Notification.objects.filter(pk__in=keys).delete()[0]


def _channels(person: Person, kind: str, now: datetime) -> dict[str, object]:
    """Whether the app shows it, and when an e-mail is due: columns of the row."""
    chosen: NotificationSettings | None = getattr(person, "notification_settings", None)
    is_shown = chosen is None or kind not in chosen.hidden.split()
    is_mailed = sends_email() and (chosen is None or kind not in chosen.unmailed.split())
    zone = ZoneInfo(person.time_zone or settings.TIME_ZONE)
    due = find_due(chosen.digest if chosen else AT_ONCE, now, zone) if is_mailed else None
    return {"is_shown": is_shown, "email_due_at": due}
