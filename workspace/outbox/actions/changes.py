"""Makes, changes and removes webhooks; people read their notifications, and choose which they get.

The secret of a webhook is shown once, to the person who made it.
"""

import secrets
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.audit.actions import record_event
from workspace.core.identifiers import plain_name
from workspace.core.refusals import Conflict, Unacceptable
from workspace.database.locked_texts import lock_text, unlock_text
from workspace.models import Delivery, Notification, NotificationSettings, Person, Project, Webhook
from workspace.models.webhooks import FAILED, WAITING
from workspace.outbox import core
from workspace.outbox.actions.client import read_address
from workspace.outbox.labels import NOT_SENT, OCCASIONS
from workspace.outbox.permissions import check_manage_webhooks
from workspace.outbox.queries import WEBHOOK_SECRET, takes_events


class NewWebhook(Struct, frozen=True):
    """A webhook and its secret, which is shown once."""

    webhook: Webhook
    secret: str


def create_webhook(
    *,
    project: Project,
    name: str,
    url: str,
    events: Sequence[str],
    has_scores: bool = False,
    by: Person,
    now: datetime,
    secret: str | None = None,
) -> NewWebhook:
    """Make a webhook that is told of these events, with a new secret unless one is given.

    Raises NotAllowed; Unacceptable for a bad name, address, secret, or events; Conflict when the project has the most
    webhooks allowed.
    """
    check_manage_webhooks(by, project)
    values = _checked(name, url, events, has_scores)
    key = _new_secret(secret)
    with transaction.atomic():
        # One webhook of a project at a time, so that the limit holds.
        Project.objects.select_for_update(no_key=True).only("pk").get(pk=project.pk)
        if Webhook.objects.present().filter(project=project).count() >= core.MOST_WEBHOOKS:
            says = _("There are %(most)d webhooks already. Remove one that is not needed any more.")
            raise Conflict(says % {"most": core.MOST_WEBHOOKS}, code="too_many_webhooks")
        webhook = Webhook.objects.create(
            project=project, secret=lock_text(WEBHOOK_SECRET, key), created_at=now, created_by=by, **values
        )
        _record_webhook("webhook:created", webhook, by, now)
    return NewWebhook(webhook, key)


def change_webhook(
    *,
    webhook: Webhook,
    name: str,
    url: str,
    events: Sequence[str],
    has_scores: bool = False,
    is_active: bool,
    by: Person,
    now: datetime,
) -> Webhook:
    """Give a webhook another name, address and events, and switch it on or off; its failures are forgotten.

    Deliveries that wait when it is switched off are never sent. Raises NotAllowed, Unacceptable, and Conflict when it
    was removed meanwhile.
    """
    check_manage_webhooks(by, webhook.project)
    values = _checked(name, url, events, has_scores)
    fresh = {"failure_count": 0, "failing_since": None, "paused_until": None, "gave_up_at": None}
    with transaction.atomic():
        if not _present(webhook).update(is_active=is_active, **values, **fresh):
            raise removed()
        webhook.refresh_from_db()
        if not is_active:
            end_waiting(webhook)
        _record_webhook("webhook:changed", webhook, by, now)
    return webhook


def replace_secret(*, webhook: Webhook, by: Person, now: datetime, secret: str | None = None) -> NewWebhook:
    """Give a webhook a new secret; the old one also signs for OLD_SECRET_STAYS, so that receivers can change over.

    Raises NotAllowed; Unacceptable for a bad secret, and for the present one; Conflict when it was removed meanwhile,
    or when too many old secrets still sign.
    """
    check_manage_webhooks(by, webhook.project)
    key = _new_secret(secret)
    with transaction.atomic():
        present, locked = "", _present(webhook).select_for_update(no_key=True).first()
        if locked is None:
            raise removed()
        # Nobody can read it any more where AUDIT_KEY changed.
        with suppress(ValueError):
            present = unlock_text(WEBHOOK_SECRET, locked.secret)
        if key == present:
            raise Unacceptable(_("This webhook has that secret already. Choose a new one."), field="secret")
        kept = list_signing(locked.old_secrets, now)
        if len(kept) >= core.MOST_OLD_SECRETS:
            says = _(
                "The secret was replaced %(most)d times within 24 hours. Use the newest one, or wait a day."
            )
            raise Conflict(says % {"most": core.MOST_OLD_SECRETS}, code="too_many_secrets")
        until = int((now + core.OLD_SECRET_STAYS).timestamp())
        old = [[locked.secret, until], *kept] if present else []
        _present(webhook).update(secret=lock_text(WEBHOOK_SECRET, key), old_secrets=old)
        webhook.refresh_from_db()
        _record_webhook("webhook:secret_replaced", webhook, by, now)
    return NewWebhook(webhook, key)


def list_signing(old_secrets: Sequence[Any], now: datetime) -> list[Any]:
    return [[locked, until] for locked, until in old_secrets if until > now.timestamp()]


def remove_webhook(*, webhook: Webhook, by: Person, now: datetime) -> None:
    """Send nothing to it any more and forget its secrets. Raises NotAllowed; Conflict when it was removed already."""
    check_manage_webhooks(by, webhook.project)
    with transaction.atomic():
        if not _present(webhook).update(
            is_active=False, secret="", old_secrets=[], removed_at=now, removed_by=by
        ):
            raise removed()
        webhook.refresh_from_db()
        end_waiting(webhook)
        _record_webhook("webhook:removed", webhook, by, now)


def give_up(*, webhook: Webhook, by: Person, now: datetime) -> None:
    """Switch a webhook off, in the present transaction: every attempt failed for days, or its program is gone.

    The page says so.
    """
    if _present(webhook).filter(is_active=True).update(is_active=False, gave_up_at=now):
        webhook.refresh_from_db()
        end_waiting(webhook)
        _record_webhook("webhook:gave_up", webhook, by, now)


def end_waiting(webhook: Webhook) -> None:
    waiting = Delivery.objects.filter(webhook=webhook, state=WAITING)
    waiting.update(state=FAILED, next_attempt_at=None, error=str(NOT_SENT))


def _checked(name: str, url: str, events: Sequence[str], has_scores: bool) -> dict[str, Any]:
    plain = plain_name(name)
    if plain is None or len(plain) > core.LONGEST_WEBHOOK_NAME:
        says = _("Write a name of 1 to 100 visible characters, such as the program that listens.")
        raise Unacceptable(says, field="name")
    url = url.strip()
    read_address(url)
    if not events or set(events) - set(core.EVENTS):
        raise Unacceptable(_("Choose at least one event, from the list."), field="events")
    if takes_events(Webhook(url=url)) and set(events) - set(core.SCORED):
        says = _("This address takes scores alone. Choose game.measured, verdict.recorded or both.")
        raise Unacceptable(says, field="events")
    names = core.join_known(events, core.EVENTS)
    return {"name": plain, "url": url, "events": names, "has_scores": has_scores}


def _new_secret(secret: str | None) -> str:
    try:
        return core.write_secret(secrets.token_bytes(32) if secret is None else core.read_secret(secret))
    except ValueError:
        fewest, most = core.SECRET_BYTES
        says = _("Write “whsec_” and %(fewest)d to %(most)d random bytes in base64.")
        raise Unacceptable(says % {"fewest": fewest, "most": most}, field="secret") from None


def _present(webhook: Webhook) -> "QuerySet[Webhook]":
    return Webhook.objects.present().filter(pk=webhook.pk)


def removed() -> Conflict:
    return Conflict(_("This webhook was removed. Make another one."), code="webhook_removed")


def _record_webhook(verb: str, webhook: Webhook, by: Person, now: datetime) -> None:
    """Record only the host of the address: paths and queries often hold a secret of the receiver."""
    detail = {
        "name": webhook.name,
        "host": urlsplit(webhook.url).hostname or "",
        "events": webhook.events,
        "scores": webhook.has_scores,
        "active": webhook.is_active,
    }
    record_event(verb, webhook, by=by, now=now, detail=detail)


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
    if digest not in core.DIGESTS:
        raise Unacceptable(_("Choose how often e-mails are sent."), field="digest")
    with transaction.atomic():
        rows = NotificationSettings.objects.select_for_update()
        chosen, _new = rows.get_or_create(person=by, defaults={"digest": core.AT_ONCE})
        chosen.hidden = _without(chosen.hidden, offered, shown, "shown")
        if mailed is not None:
            chosen.unmailed, chosen.digest = _without(chosen.unmailed, offered, mailed, "mailed"), digest
        chosen.save()
        unmailed, zone = chosen.unmailed.split(), ZoneInfo(by.time_zone or settings.TIME_ZONE)
        stopped = [code for code, occasion in OCCASIONS.items() if occasion.kind in unmailed]
        waiting = Notification.objects.filter(person=by, email_due_at__isnull=False)
        waiting.filter(code__in=stopped).update(email_due_at=None)
        waiting.exclude(code__in=stopped).update(email_due_at=core.find_due(chosen.digest, now, zone))
    return chosen


def _without(left_out: str, offered: Collection[str], chosen: Collection[str], field: str) -> str:
    """The unwanted kinds: those of the offered kinds that are not chosen, and the others that were unwanted before."""
    try:
        kept = set(left_out.split()) - set(offered)
        return core.join_known(
            kept | set(offered) - set(core.join_known(chosen, core.KINDS).split()), core.KINDS
        )
    except ValueError:
        raise Unacceptable(_("Choose among the kinds of this page."), field=field) from None
