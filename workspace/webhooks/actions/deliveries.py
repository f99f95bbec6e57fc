"""Deliveries: queued in the transaction of the action that they report, sent by a job, tried again, and deleted.

The rows are the outbox: an action that is rolled back leaves none, and the sweep gets everything sent that waits,
whatever happened to a worker. A delivery is sent at least once.
"""

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from workspace.core.refusals import Conflict
from workspace.core.retries import compute_wait
from workspace.database.isolation import do_each
from workspace.database.locked_texts import unlock_text
from workspace.jobs.actions import Clock, enqueue, finish, hand_back, renew
from workspace.models import Delivery, Job, Person, Project, Webhook
from workspace.models.webhooks import DELIVERED, FAILED, WAITING
from workspace.webhooks.actions.changes import PURPOSE, give_up, list_signing, removed
from workspace.webhooks.actions.client import Outcome, send_message
from workspace.webhooks.core import (
    DELIVERIES_STAY,
    GIVE_UP_AFTER,
    GONE,
    LONGEST_PAUSE,
    TEST,
    is_last_attempt,
    sign,
    write_body,
)
from workspace.webhooks.labels import NOT_SENT_RESTORED
from workspace.webhooks.permissions import check_manage_webhooks
from workspace.webhooks.queries import find_listening

logger = logging.getLogger("evalsite.webhooks")
DELIVER = "deliver"
# What a job is about: everything that is due for a webhook, or one delivery.
WEBHOOK, DELIVERY = "webhook", "delivery"
Send = Callable[[str, bytes, Mapping[str, str]], Outcome]
# An attempt takes 10 seconds, and finding the host perhaps as long again.
LEASE = timedelta(seconds=60)
# After that, jobs of others come first.
TURN = timedelta(seconds=20)
MOST_AT_ONCE, MOST_FORGOTTEN = 500, 5_000
FAILURES = ("failure_count", "failing_since", "paused_until")


def queue_deliveries(
    *, project: Project, event: str, things: Sequence[Mapping[str, int]], by: Person, now: datetime
) -> None:
    """In the present transaction, add a delivery for each of the things and each webhook that listens.

    `things` are the numbers that the event is about, such as {"game": 7}. One query when nobody listens. Raises
    RuntimeError outside a transaction: a delivery must stand or fall with the action.
    """
    if not connection.in_atomic_block:
        raise RuntimeError(
            f'The event "{event}" was queued outside of a transaction; open one around the act.'
        )
    webhooks = find_listening(project, event) if things else []
    Delivery.objects.bulk_create(
        [_build(webhook, project, event, thing, now) for thing in things for webhook in webhooks],
        batch_size=MOST_AT_ONCE,
    )


def send_test(*, webhook: Webhook, by: Person, now: datetime) -> Delivery:
    """Send a test event, which is tried once. Raises NotAllowed, and Conflict while the webhook is off."""
    check_manage_webhooks(by, webhook.project)
    with transaction.atomic():
        _refuse_switched_off(webhook)
        delivery = _build(webhook.pk, webhook.project, TEST, {}, now)
        delivery.save(force_insert=True)
        _enqueue_one(delivery, by, now)
    return delivery


def send_again(*, delivery: Delivery, by: Person, now: datetime) -> None:
    """Send the same message again, as if it were new, whether or not it was delivered. Raises as `send_test` does."""
    webhook = delivery.webhook
    check_manage_webhooks(by, webhook.project)
    with transaction.atomic():
        _refuse_switched_off(webhook)
        Delivery.objects.filter(pk=delivery.pk).update(
            state=WAITING, attempt_count=0, attempted_at=None, next_attempt_at=now, error="", status=None
        )
        _enqueue_one(delivery, by, now)


def enqueue_due(*, by: Person, now: datetime) -> int:
    """Queue the jobs of webhooks for which something is due; return how many."""
    due = Delivery.objects.filter(webhook=OuterRef("pk"), state=WAITING, next_attempt_at__lte=now)
    rested = Q(paused_until=None) | Q(paused_until__lte=now)
    found = Webhook.objects.listening().filter(rested, Exists(due)).select_related("project")
    return do_each(_enqueue_webhook, list(found.order_by("pk")[:MOST_AT_ONCE]), by, now)


def end_all_waiting(*, by: Person, now: datetime) -> int:
    """End all waiting deliveries of all webhooks, so that none is sent; return how many. For a restored database."""
    waiting = Delivery.objects.filter(state=WAITING)
    return waiting.update(state=FAILED, next_attempt_at=None, error=str(NOT_SENT_RESTORED))


def send_deliveries(*, job: Job, clock: Clock, send: Send = send_message) -> None:
    """Send what is due for the job's webhook, the oldest first, until nothing is left or an attempt fails.

    After a failure the webhook pauses, so an unreachable receiver costs one attempt now and then. A job may be about
    one delivery alone. Raises JobLost when it was taken over.
    """
    kind, _colon, key = job.subject.partition(":")
    asked = Q(webhook=int(key)) if kind == WEBHOOK else Q(pk=int(key))
    until = clock() + TURN
    while (delivery := _take(job, asked, clock())) is not None:
        if not _attempt(delivery, send, clock, job.created_by):
            break
        if clock() >= until:
            hand_back(job=job, now=clock())
            return
    finish(job=job, now=clock())


def forget_deliveries(*, by: Person, now: datetime) -> int:
    """Delete deliveries past their retention, and webhooks removed before then; return how many deliveries.

    Replaced secrets that no longer sign are deleted, too.
    """
    old = Delivery.objects.filter(created_at__lte=now - DELIVERIES_STAY).order_by("created_at")
    keys = list(old.values_list("pk", flat=True)[:MOST_FORGOTTEN])
    count = Delivery.objects.filter(pk__in=keys).delete()[0]
    Webhook.objects.filter(removed_at__lte=now - DELIVERIES_STAY).delete()
    for webhook in Webhook.objects.exclude(old_secrets=[]):
        kept = list_signing(webhook.old_secrets, now)
        if kept != webhook.old_secrets:
            Webhook.objects.filter(pk=webhook.pk, old_secrets=webhook.old_secrets).update(old_secrets=kept)
    return count


def _build(webhook: int, project: Project, event: str, thing: Mapping[str, int], now: datetime) -> Delivery:
    identifier = f"msg_{secrets.token_hex(16)}"
    body = write_body(
        event, identifier=identifier, project=project.pk, slug=project.slug, thing=thing, now=now
    )
    return Delivery(
        webhook_id=webhook,
        identifier=identifier,
        event=event,
        body=body,
        created_at=now,
        next_attempt_at=now,
    )


def _enqueue_webhook(webhook: Webhook, by: Person, now: datetime) -> int:
    with transaction.atomic():
        _enqueue(webhook.project, f"{WEBHOOK}:{webhook.pk}", by, now)
    return 1


def _enqueue_one(delivery: Delivery, by: Person, now: datetime) -> None:
    """A delivery that somebody asks for waits neither for its turn nor for the end of a pause."""
    _enqueue(delivery.webhook.project, f"{DELIVERY}:{delivery.pk}", by, now)


def _enqueue(project: Project, subject: str, by: Person, now: datetime) -> None:
    enqueue(project=project, kind=DELIVER, subject=subject, input_hash="", by=by, now=now)


def _refuse_switched_off(webhook: Webhook) -> None:
    if not Webhook.objects.listening().filter(pk=webhook.pk).exists():
        if not Webhook.objects.present().filter(pk=webhook.pk).exists():
            raise removed()
        raise Conflict(_("This webhook is deactivated. Activate it first."), code="webhook_off")


def _take(job: Job, asked: Q, now: datetime) -> Delivery | None:
    """The next delivery that is due, None without one.

    The attempt is recorded before it is made: no other worker makes it, and if this worker dies it is made again
    later.
    """
    with transaction.atomic():
        renew(job=job, now=now, lease=LEASE, done_count=job.done_count + 1)
        due = Delivery.objects.filter(asked, webhook__in=Webhook.objects.listening(), state=WAITING)
        due = due.filter(next_attempt_at__lte=now).select_related("webhook__project").order_by("pk")
        delivery = due.first()
        if delivery is None:
            return None
        same = Delivery.objects.filter(pk=delivery.pk, state=WAITING, attempt_count=delivery.attempt_count)
        delivery.attempt_count += 1
        wait = _draw_wait(delivery.attempt_count)
        is_mine = same.update(
            attempt_count=delivery.attempt_count, attempted_at=now, next_attempt_at=now + wait
        )
    return delivery if is_mine else None


def _draw_wait(attempt: int) -> timedelta:
    return compute_wait(attempt, secrets.randbelow(1001) / 1000)


def _attempt(delivery: Delivery, send: Send, clock: Clock, by: Person) -> bool:
    """Send it and record the outcome; return whether it was delivered."""
    outcome = _send(delivery, send, clock())
    with transaction.atomic():
        # Before the delivery: the order in which changes of a webhook lock them.
        webhook = Webhook.objects.select_for_update(no_key=True).get(pk=delivery.webhook_id)
        if outcome.error:
            _note_failure(delivery, webhook, outcome, by, clock())
        else:
            _note(delivery, outcome, {"state": DELIVERED, "next_attempt_at": None})
            if webhook.failure_count:
                webhook.failure_count, webhook.failing_since, webhook.paused_until = 0, None, None
                webhook.save(update_fields=FAILURES)
    return not outcome.error


def _send(delivery: Delivery, send: Send, now: datetime) -> Outcome:
    webhook, body, timestamp = delivery.webhook, delivery.body.encode(), int(now.timestamp())
    replaced = [locked for locked, _until in list_signing(webhook.old_secrets, now)]
    try:
        keys = [unlock_text(PURPOSE, locked) for locked in (webhook.secret, *replaced)]
    except ValueError:
        return Outcome(None, _("Its secret cannot be read, as AUDIT_KEY changed. Replace the secret."))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "evalsite",
        "webhook-id": delivery.identifier,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(keys, delivery.identifier, timestamp, body),
    }
    try:
        return send(webhook.url, body, headers)
    except (SoftTimeLimitExceeded, SystemError):
        raise
    except Exception:
        # The others are sent all the same, in their turn.
        logger.exception("delivery %s was not sent", delivery.pk)
        return Outcome(None, _("It was not sent, as this site met an error. Its log says which."))


def _note_failure(delivery: Delivery, webhook: Webhook, outcome: Outcome, by: Person, now: datetime) -> None:
    is_gone = outcome.status == GONE
    is_over = is_gone or is_last_attempt(delivery.event, delivery.attempt_count)
    _note(delivery, outcome, {"state": FAILED, "next_attempt_at": None} if is_over else {})
    if delivery.event == TEST:
        return
    webhook.failure_count += 1
    webhook.failing_since = webhook.failing_since or now
    webhook.paused_until = now + min(_draw_wait(webhook.failure_count), LONGEST_PAUSE)
    webhook.save(update_fields=FAILURES)
    if is_gone or (is_over and now - webhook.failing_since >= GIVE_UP_AFTER):
        give_up(webhook=webhook, by=by, now=now)


def _note(delivery: Delivery, outcome: Outcome, changes: Mapping[str, object]) -> None:
    """Record nothing when meanwhile somebody had it sent again, or switched the webhook off."""
    mine = Delivery.objects.filter(pk=delivery.pk, state=WAITING, attempt_count=delivery.attempt_count)
    mine.update(status=outcome.status, error=outcome.error, **changes)
