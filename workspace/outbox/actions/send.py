"""The jobs that send what is queued: deliveries to webhooks and e-mails, tried again until they arrive or are given up.

A job is about all e-mails, all that is due for a webhook, or one delivery. After the retention everything is deleted.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from workspace.core.refusals import Conflict
from workspace.core.retries import MOST_ATTEMPTS, compute_wait
from workspace.database.locked_texts import unlock_text
from workspace.database.transactions import do_each
from workspace.jobs.actions import Clock, enqueue, finish, hand_back, renew
from workspace.models import Delivery, Email, Job, Notification, Person, Project, Webhook
from workspace.models.emails import SENT
from workspace.models.webhooks import DELIVERED, FAILED, WAITING
from workspace.outbox import core
from workspace.outbox.actions.changes import give_up, list_signing, removed
from workspace.outbox.actions.client import Attempt, send_message
from workspace.outbox.actions.queue import MOST_AT_ONCE, build_delivery
from workspace.outbox.labels import NOT_SENT_RESTORED
from workspace.outbox.permissions import check_manage_webhooks
from workspace.outbox.queries import EMAIL_BODY, WEBHOOK_SECRET, takes_events

logger = logging.getLogger("evalsite.outbox")
# Kinds of jobs, and their subjects; those of deliveries have the number of the webhook or delivery behind a colon.
SEND, DELIVER = "send_emails", "deliver"
OUTBOX, WEBHOOK, DELIVERY = "outbox", "webhook", "delivery"
# An attempt takes 10 seconds, and finding the host perhaps as long again; EMAIL_TIMEOUT seconds for a few steps.
LEASE = timedelta(seconds=60)
# After that, jobs of others come first.
TURN = timedelta(seconds=20)
MOST_FORGOTTEN = 5_000
RETENTION = (
    (Delivery, core.DELIVERIES_STAY),
    (Email, core.EMAILS_STAY),
    (Notification, core.NOTIFICATIONS_STAY),
)
Send = Callable[[str, bytes, Mapping[str, str]], Attempt]
Mail = Callable[[Email, str], None]


def send_test(*, webhook: Webhook, by: Person, now: datetime) -> Delivery:
    """Send a test event, which is tried once. Raises NotAllowed, and Conflict while the webhook is off."""
    check_manage_webhooks(by, webhook.project)
    with transaction.atomic():
        _refuse_switched_off(webhook)
        delivery = build_delivery(webhook, webhook.project, core.TEST, {}, now)
        delivery.save(force_insert=True)
        _enqueue((webhook.project, DELIVER, f"{DELIVERY}:{delivery.pk}"), by, now)
    return delivery


def send_again(*, delivery: Delivery, by: Person, now: datetime) -> None:
    """Send the same message again, as if it were new, whether or not it was delivered. Raises as `send_test` does.

    A delivery that somebody asks for waits neither for its turn nor for the end of a pause.
    """
    webhook = delivery.webhook
    check_manage_webhooks(by, webhook.project)
    with transaction.atomic():
        _refuse_switched_off(webhook)
        Delivery.objects.filter(pk=delivery.pk).update(
            state=WAITING, attempt_count=0, attempted_at=None, next_attempt_at=now, error="", status=None
        )
        _enqueue((webhook.project, DELIVER, f"{DELIVERY}:{delivery.pk}"), by, now)


def _refuse_switched_off(webhook: Webhook) -> None:
    if not Webhook.objects.listening().filter(pk=webhook.pk).exists():
        if not Webhook.objects.present().filter(pk=webhook.pk).exists():
            raise removed()
        raise Conflict(_("This webhook is deactivated. Activate it first."), code="webhook_off")


def enqueue_due(*, by: Person, now: datetime) -> int:
    """Queue the job of e-mails and those of webhooks for which something is due; return how many."""
    due = Delivery.objects.filter(webhook=OuterRef("pk"), state=WAITING, next_attempt_at__lte=now)
    rested = Q(paused_until=None) | Q(paused_until__lte=now)
    webhooks = Webhook.objects.listening().filter(rested, Exists(due)).select_related("project")
    jobs: list[tuple[Project | None, str, str]] = [
        (webhook.project, DELIVER, f"{WEBHOOK}:{webhook.pk}")
        for webhook in webhooks.order_by("pk")[:MOST_AT_ONCE]
    ]
    if Email.objects.filter(state=WAITING, next_attempt_at__lte=now).exists():
        jobs.append((None, SEND, OUTBOX))
    return do_each(_enqueue, jobs, by, now)


def _enqueue(job: tuple[Project | None, str, str], by: Person, now: datetime) -> int:
    project, kind, subject = job
    with transaction.atomic():
        enqueue(project=project, kind=kind, subject=subject, input_hash="", by=by, now=now)
    return 1


def end_all_waiting(*, by: Person, now: datetime) -> int:
    """End everything that waits, unsent; return how many deliveries. For a restored database."""
    Notification.objects.filter(email_due_at__isnull=False).update(email_due_at=None)
    ended = {"state": FAILED, "next_attempt_at": None, "error": str(NOT_SENT_RESTORED)}
    Email.objects.filter(state=WAITING).update(body="", **ended)
    return Delivery.objects.filter(state=WAITING).update(**ended)


def forget_old(*, by: Person, now: datetime) -> int:
    return do_each(_forget, RETENTION, now)


def forget_webhooks(*, by: Person, now: datetime) -> int:
    """Delete webhooks removed before the retention, and replaced secrets that no longer sign; return how many."""
    count = Webhook.objects.filter(removed_at__lte=now - core.DELIVERIES_STAY).delete()[0]
    for webhook in Webhook.objects.exclude(old_secrets=[]):
        kept = list_signing(webhook.old_secrets, now)
        if kept != webhook.old_secrets:
            same = Webhook.objects.filter(pk=webhook.pk, old_secrets=webhook.old_secrets)
            count += same.update(old_secrets=kept)
    return count


def _forget(kept: tuple[Any, timedelta], now: datetime) -> int:
    model, stay = kept
    old = model.objects.filter(created_at__lte=now - stay).order_by("created_at")
    keys = list(old.values_list("pk", flat=True)[:MOST_FORGOTTEN])
    return int(model.objects.filter(pk__in=keys).delete()[0])


def send_by_smtp(email: Email, body: str) -> None:
    """Hand an e-mail to the mail server of the settings. Raises OSError or SMTPException.

    It has the same Message-ID each time, so that a mailbox can recognise an e-mail that arrives twice.
    """
    moment, host = int(email.created_at.timestamp()), urlsplit(settings.SITE_URL).hostname
    headers = {"Message-ID": f"<{email.pk}.{moment}@{host}>", "Auto-Submitted": "auto-generated"}
    EmailMessage(email.subject, body, to=[email.address], headers=headers).send()


def send_due(*, job: Job, clock: Clock, send: Send = send_message, mail: Mail = send_by_smtp) -> None:
    """Send what is due of the job's messages, the oldest first, until nothing is left or a delivery fails.

    After that the webhook pauses, so an unreachable receiver costs one attempt now and then. Raises JobLost when the
    job was taken over.
    """
    until = clock() + TURN
    while (row := _take(job, clock())) is not None:
        if isinstance(row, Email):
            _mail(row, mail, clock())
        elif not _deliver(row, send, clock, job.created_by):
            break
        if clock() >= until:
            hand_back(job=job, now=clock())
            return
    finish(job=job, now=clock())


def _take(job: Job, now: datetime) -> Delivery | Email | None:
    """The next message that is due, None without one.

    The attempt is recorded before it is made: no other worker makes it, and if this worker dies it is made again
    later.
    """
    with transaction.atomic():
        renew(job=job, now=now, lease=LEASE, done_count=job.done_count + 1)
        row = _list_of(job, now).filter(state=WAITING, next_attempt_at__lte=now).first()
        if row is None:
            return None
        mine = _mine(row)
        row.attempt_count += 1
        attempted = {"attempted_at": now} if isinstance(row, Delivery) else {}
        wait = _draw_wait(row.attempt_count)
        is_mine = mine.update(attempt_count=row.attempt_count, next_attempt_at=now + wait, **attempted)
    return row if is_mine else None


def _list_of(job: Job, now: datetime) -> "QuerySet[Any]":
    """The messages that the job is about, in their order; e-mails that are too late are given up before."""
    kind, _colon, key = job.subject.partition(":")
    if kind == OUTBOX:
        stale = Q(expires_at__lte=now) | Q(person__is_active=False)
        late = list(Email.objects.filter(stale, state=WAITING).values_list("pk", flat=True))
        if late:
            error = _("It was not sent: its time was over, or its account is not active.")
            _end(*late, state=FAILED, error=error)
        return Email.objects.order_by("next_attempt_at", "pk")
    rows = Delivery.objects.filter(**{"webhook" if kind == WEBHOOK else "pk": int(key)})
    listening = rows.filter(webhook__in=Webhook.objects.listening())
    return listening.select_related("webhook__project").order_by("pk")


def _mine(row: Delivery | Email) -> "QuerySet[Any]":
    """The row, unless meanwhile it was sent again, or another worker took it, or its webhook was switched off."""
    return type(row).objects.filter(pk=row.pk, state=WAITING, attempt_count=row.attempt_count)


def _draw_wait(attempt: int) -> timedelta:
    return compute_wait(attempt, secrets.randbelow(1001) / 1000)


def _mail(email: Email, mail: Mail, now: datetime) -> None:
    try:
        mail(email, unlock_text(EMAIL_BODY, email.body))
    except (SoftTimeLimitExceeded, SystemError):
        raise
    except Exception as fault:
        # The others are sent all the same. A server's answer may repeat the address, so only its kind goes to the log.
        kind = type(fault).__name__
        if isinstance(fault, OSError | SMTPException | ValueError):
            logger.warning("e-mail %s was not sent: %s", email.pk, kind)
        else:
            logger.exception("e-mail %s was not sent", email.pk)
        error = f"{kind}: {fault}"[: core.LONGEST_EMAIL_ERROR]
        if email.attempt_count >= MOST_ATTEMPTS or isinstance(fault, ValueError):
            _end(email.pk, state=FAILED, error=error)
        else:
            Email.objects.filter(pk=email.pk, state=WAITING).update(error=error)
    else:
        _end(email.pk, state=SENT, error="", sent_at=now)


def _end(*emails: int, **changes: object) -> None:
    """Empty the body: it is not needed any more, and nobody can read what is not stored."""
    Email.objects.filter(pk__in=emails).update(body="", next_attempt_at=None, **changes)


def _deliver(delivery: Delivery, send: Send, clock: Clock, by: Person) -> bool:
    outcome = _post(delivery, send, clock())
    with transaction.atomic():
        # Before the delivery: the order in which changes of a webhook lock them.
        webhook = Webhook.objects.select_for_update(no_key=True).get(pk=delivery.webhook_id)
        is_gone = outcome.status == core.GONE
        is_over = is_gone or core.is_last_attempt(delivery.event, delivery.attempt_count)
        ended = {"state": FAILED if outcome.error else DELIVERED, "next_attempt_at": None}
        changes = ended if is_over or not outcome.error else {}
        _mine(delivery).update(status=outcome.status, error=outcome.error, **changes)
        if not outcome.error:
            if webhook.failure_count:
                _note(webhook, 0, None, None)
        elif delivery.event != core.TEST:
            now, count = clock(), webhook.failure_count + 1
            since = webhook.failing_since or now
            _note(webhook, count, since, now + min(_draw_wait(count), core.LONGEST_PAUSE))
            if is_gone or (is_over and now - since >= core.GIVE_UP_AFTER):
                give_up(webhook=webhook, by=by, now=now)
    return not outcome.error


def _post(delivery: Delivery, send: Send, now: datetime) -> Attempt:
    webhook, body, timestamp = delivery.webhook, delivery.body.encode(), int(now.timestamp())
    replaced = [locked for locked, _until in list_signing(webhook.old_secrets, now)]
    try:
        keys = [unlock_text(WEBHOOK_SECRET, locked) for locked in (webhook.secret, *replaced)]
    except ValueError:
        return Attempt(None, _("Its secret cannot be read, as AUDIT_KEY changed. Replace the secret."))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "evalsite",
        "webhook-id": delivery.identifier,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": core.sign(keys, delivery.identifier, timestamp, body),
        **(settings.OTLP_HEADERS if takes_events(webhook) else {}),
    }
    try:
        return send(webhook.url, body, headers)
    except (SoftTimeLimitExceeded, SystemError):
        raise
    except Exception:
        # The others are sent all the same, in their turn.
        logger.exception("delivery %s was not sent", delivery.pk)
        return Attempt(None, _("It was not sent, as this site met an error. Its log says which."))


def _note(webhook: Webhook, count: int, since: datetime | None, pause: datetime | None) -> None:
    webhook.failure_count, webhook.failing_since, webhook.paused_until = count, since, pause
    webhook.save(update_fields=("failure_count", "failing_since", "paused_until"))
