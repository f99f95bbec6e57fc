"""E-mail in tests: a site that sends it, and what the sweep and a worker do."""

from datetime import datetime
from typing import Any

from tests.factories.people import NOW
from workspace.jobs.actions import take_job
from workspace.mail.actions import Send, enqueue_due_emails, send_by_smtp, send_emails
from workspace.models import Job, Person
from workspace.notifications.actions.digests import write_due_emails

SITE = "https://evalsite.example.org"


def configure_email(settings: Any) -> None:
    """Let the site send e-mail, into Django's `mail.outbox`."""
    settings.EMAIL_HOST, settings.SITE_URL = "mail.example.org", SITE
    settings.DEFAULT_FROM_EMAIL = "evalsite@example.org"


def send_waiting(*, now: datetime = NOW, send: Send = send_by_smtp) -> int:
    """What the sweep and a worker do at that moment; how many e-mails were due."""
    by = Person.objects.system(now=now)
    write_due_emails(by=by, now=now)
    count = enqueue_due_emails(by=by, now=now)
    for row in Job.objects.filter(kind="send_emails", state="queued"):
        job = take_job(job=row.pk, now=now)
        assert job is not None
        send_emails(job=job, clock=lambda: now, send=send)
    return count
