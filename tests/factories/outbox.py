"""Webhooks with their deliveries, and a site that sends e-mail; what the sweep and a worker do."""

from datetime import datetime
from typing import Any

from django.db import transaction

from tests.factories.people import NOW
from workspace.jobs.actions import take_job
from workspace.models import Delivery, Email, Job, Person, Project, Webhook
from workspace.outbox.actions.changes import NewWebhook, create_webhook
from workspace.outbox.actions.digests import write_due_emails
from workspace.outbox.actions.queue import queue_deliveries
from workspace.outbox.actions.send import Mail, enqueue_due, send_by_smtp, send_due
from workspace.outbox.core import EVENTS, GAME_MEASURED

URL = "https://receiver.invalid/hook"
SITE = "https://evalsite.example.org"


def make_webhook(
    *, project: Project, by: Person | None = None, now: datetime = NOW, **given: Any
) -> NewWebhook:
    """A webhook that listens to everything, with its secret."""
    by = by or Person.objects.system(now=now)
    chosen = {"name": "Pipeline", "url": URL, "events": EVENTS} | given
    return create_webhook(project=project, by=by, now=now, **chosen)


def measure_games(project: Project, *games: int, now: datetime = NOW) -> list[Delivery]:
    """Tell of games that were measured; the deliveries of these, the oldest first."""
    by = Person.objects.system(now=now)
    things = [{"game": game} for game in games]
    last = Delivery.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    with transaction.atomic():
        queue_deliveries(project=project, event=GAME_MEASURED, things=things, by=by, now=now)
    return list(Delivery.objects.filter(pk__gt=last).order_by("pk"))


def fresh(webhook: Webhook) -> Webhook:
    """The webhook as it is now."""
    return Webhook.objects.select_related("project").get(pk=webhook.pk)


def configure_email(settings: Any) -> None:
    """Let the site send e-mail, into Django's `mail.outbox`."""
    settings.EMAIL_HOST, settings.SITE_URL = "mail.example.org", SITE
    settings.DEFAULT_FROM_EMAIL = "evalsite@example.org"


def send_waiting(*, now: datetime = NOW, mail: Mail = send_by_smtp) -> int:
    """What the sweep and a worker do at that moment; how many e-mails were due."""
    by = Person.objects.system(now=now)
    write_due_emails(by=by, now=now)
    count = Email.objects.filter(state="waiting", next_attempt_at__lte=now).count()
    enqueue_due(by=by, now=now)
    for row in Job.objects.filter(kind="send_emails", state="queued"):
        job = take_job(job=row.pk, now=now)
        assert job is not None
        send_due(job=job, clock=lambda: now, mail=mail)
    return count
