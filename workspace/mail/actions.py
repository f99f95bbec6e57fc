"""E-mails: queued in the transaction of the action that they report, sent by a job, tried again, and deleted.

As with webhooks, the rows are the outbox: an action that is rolled back leaves none, and the sweep gets everything sent
that waits. An e-mail is sent at least once.
"""

import logging
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from smtplib import SMTPException
from urllib.parse import urlsplit

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connection, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from workspace.core.retries import MOST_ATTEMPTS, compute_wait
from workspace.database.locked_texts import lock_text, unlock_text
from workspace.jobs.actions import Clock, enqueue, finish, hand_back, renew
from workspace.mail.core import EMAILS_STAY, LONGEST_ERROR, TRIED_FOR, one_header_line
from workspace.mail.queries import sends_email
from workspace.markup import plain
from workspace.models import Email, Job, Notification, Person
from workspace.models.emails import FAILED, SENT, WAITING

SEND, OUTBOX = "send_emails", "outbox"
PURPOSE = "email.body"
# An attempt takes EMAIL_TIMEOUT seconds for each of a few steps.
LEASE, TURN = timedelta(seconds=60), timedelta(seconds=20)
MOST_FORGOTTEN = 5_000
logger = logging.getLogger("evalsite.mail")
Send = Callable[[Email, str], None]


def queue_email(
    *,
    address: str,
    purpose: str,
    subject: str,
    body: str,
    by: Person,
    now: datetime,
    person: Person | None = None,
    expires_at: datetime | None = None,
) -> Email | None:
    """Queue an e-mail in the present transaction; None where no mail server is configured.

    `by` is the person who caused it; the e-mail does not name them. Raises RuntimeError outside a transaction.
    """
    if not sends_email():
        return None
    if not connection.in_atomic_block:
        raise RuntimeError("An e-mail was queued outside of a transaction; open one around the act.")
    return Email.objects.create(
        person=person,
        address=address,
        purpose=purpose,
        subject=one_header_line(subject),
        body=lock_text(PURPOSE, plain(body)),
        next_attempt_at=now,
        expires_at=min(now + TRIED_FOR, expires_at or now + TRIED_FOR),
        created_at=now,
    )


def enqueue_due_emails(*, by: Person, now: datetime) -> int:
    """Queue the job that sends what is due; return how many e-mails are due."""
    count = Email.objects.filter(state=WAITING, next_attempt_at__lte=now).count()
    if count:
        with transaction.atomic():
            enqueue(project=None, kind=SEND, subject=OUTBOX, input_hash="", by=by, now=now)
    return count


def end_all_waiting_emails(*, by: Person, now: datetime) -> int:
    """End all waiting e-mails and e-mail notifications, unsent; return how many e-mails. For a restored database."""
    Notification.objects.filter(email_due_at__isnull=False).update(email_due_at=None)
    waiting = Email.objects.filter(state=WAITING)
    error = _("It was not sent: the site was restored from a backup in which it waited.")
    return waiting.update(state=FAILED, next_attempt_at=None, body="", error=error)


def send_by_smtp(email: Email, body: str) -> None:
    """Hand an e-mail to the mail server of the settings. Raises OSError or SMTPException.

    It has the same Message-ID each time, so that a mailbox can recognise an e-mail that arrives twice.
    """
    moment, host = int(email.created_at.timestamp()), urlsplit(settings.SITE_URL).hostname
    headers = {"Message-ID": f"<{email.pk}.{moment}@{host}>", "Auto-Submitted": "auto-generated"}
    EmailMessage(email.subject, body, to=[email.address], headers=headers).send()


def send_emails(*, job: Job, clock: Clock, send: Send = send_by_smtp) -> None:
    """Send what is due, the oldest first. Raises JobLost when the job was taken over."""
    until = clock() + TURN
    while (email := _take(job, clock())) is not None:
        _attempt(email, send, clock())
        if clock() >= until:
            hand_back(job=job, now=clock())
            return
    finish(job=job, now=clock())


def forget_emails(*, by: Person, now: datetime) -> int:
    """Delete e-mails that were sent or given up and are past their retention; return how many."""
    old = Email.objects.filter(created_at__lte=now - EMAILS_STAY).order_by("created_at")
    keys = list(old.values_list("pk", flat=True)[:MOST_FORGOTTEN])
    return Email.objects.filter(pk__in=keys).delete()[0]


def _take(job: Job, now: datetime) -> Email | None:
    """The next e-mail that is due, None without one. The attempt is recorded before it is made, as with deliveries."""
    with transaction.atomic():
        renew(job=job, now=now, lease=LEASE, done_count=job.done_count + 1)
        _give_up_stale(now)
        due = Email.objects.filter(state=WAITING, next_attempt_at__lte=now).order_by("next_attempt_at", "pk")
        email = due.first()
        if email is None:
            return None
        same = Email.objects.filter(pk=email.pk, state=WAITING, attempt_count=email.attempt_count)
        email.attempt_count += 1
        wait = compute_wait(email.attempt_count, secrets.randbelow(1001) / 1000)
        is_mine = same.update(attempt_count=email.attempt_count, next_attempt_at=now + wait)
    return email if is_mine else None


def _give_up_stale(now: datetime) -> None:
    """Give up e-mails that are too late, or for a deactivated account."""
    stale = Email.objects.filter(state=WAITING).filter(Q(expires_at__lte=now) | Q(person__is_active=False))
    keys = list(stale.values_list("pk", flat=True))
    if keys:
        error = _("It was not sent: its time was over, or its account is not active.")
        _end(keys, state=FAILED, error=error)


def _attempt(email: Email, send: Send, now: datetime) -> None:
    try:
        send(email, unlock_text(PURPOSE, email.body))
    except (OSError, SMTPException, ValueError) as fault:
        # A server's answer may repeat the address, so only its kind goes to the log.
        logger.warning("e-mail %s was not sent: %s", email.pk, type(fault).__name__)
        _note_failure(email, fault)
    except (SoftTimeLimitExceeded, SystemError):
        raise
    except Exception as fault:
        # The others are sent all the same.
        logger.exception("e-mail %s was not sent", email.pk)
        _note_failure(email, fault)
    else:
        _end([email.pk], state=SENT, error="", sent_at=now)


def _note_failure(email: Email, fault: Exception) -> None:
    error = f"{type(fault).__name__}: {fault}"[:LONGEST_ERROR]
    if email.attempt_count >= MOST_ATTEMPTS or isinstance(fault, ValueError):
        _end([email.pk], state=FAILED, error=error)
    else:
        Email.objects.filter(pk=email.pk, state=WAITING).update(error=error)


def _end(keys: list[int], **changes: object) -> None:
    """Empty the body: it is not needed any more, and nobody can read what is not stored."""
    Email.objects.filter(pk__in=keys).update(body="", next_attempt_at=None, **changes)
