"""What people do with their notifications: read them, and choose which they get."""

from collections.abc import Collection
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from workspace.core.refusals import Unacceptable
from workspace.models import Notification, NotificationSettings, Person
from workspace.notifications.core import AT_ONCE, DIGESTS, OCCASIONS, find_due, join_kinds


def mark_read(*, notifications: Collection[int], by: Person, now: datetime) -> int:
    """Mark these of one's own notifications as read, leaving those of others; return how many were unread."""
    rows = Notification.objects.filter(person=by, pk__in=notifications, read_at=None)
    return rows.update(read_at=now)


def mark_all_read(*, until: int, by: Person, now: datetime) -> int:
    """Mark all that the app shows as read, up to that key, not what came later; return how many were unread.

    Notifications by e-mail only are still sent.
    """
    return Notification.objects.shown_to(by).filter(pk__lte=until, read_at=None).update(read_at=now)


def change_notifications(
    *,
    offered: Collection[str],
    shown: Collection[str],
    mailed: Collection[str] | None,
    digest: str,
    by: Person,
    now: datetime,
) -> NotificationSettings:
    """Choose which of the `offered` kinds the app shows and which are sent by e-mail, and how often.

    Raises Unacceptable. Kinds that were not offered stay as they are; with `mailed` None, so do all choices about
    e-mail. Waiting e-mails follow the new choice.
    """
    if digest not in DIGESTS:
        raise Unacceptable(_("Choose how often e-mails are sent."), field="digest")
    with transaction.atomic():
        given = {"digest": AT_ONCE}
        chosen, _new = NotificationSettings.objects.select_for_update().get_or_create(
            person=by, defaults=given
        )
        chosen.hidden = _without(chosen.hidden, offered, shown, "shown")
        if mailed is not None:
            chosen.unmailed, chosen.digest = _without(chosen.unmailed, offered, mailed, "mailed"), digest
        chosen.save()
        _plan_waiting(by, chosen, now)
    return chosen


def _without(left_out: str, offered: Collection[str], chosen: Collection[str], field: str) -> str:
    """The unwanted kinds: those of the offered kinds that are not chosen, and the others that were unwanted before."""
    try:
        kept = set(left_out.split()) - set(offered)
        return join_kinds(kept | set(offered) - set(join_kinds(chosen).split()))
    except ValueError:
        raise Unacceptable(_("Choose among the kinds of this page."), field=field) from None


def _plan_waiting(person: Person, chosen: NotificationSettings, now: datetime) -> None:
    waiting = Notification.objects.filter(person=person, email_due_at__isnull=False)
    unmailed = chosen.unmailed.split()
    stopped = [code for code, occasion in OCCASIONS.items() if occasion.kind in unmailed]
    waiting.filter(code__in=stopped).update(email_due_at=None)
    zone = ZoneInfo(person.time_zone or settings.TIME_ZONE)
    waiting.exclude(code__in=stopped).update(email_due_at=find_due(chosen.digest, now, zone))
