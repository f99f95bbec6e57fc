"""Webhooks and their deliveries, reached through the real actions."""

from datetime import datetime
from typing import Any

from django.db import transaction

from tests.factories.people import NOW
from workspace.models import Delivery, Person, Project, Webhook
from workspace.webhooks.actions.changes import NewWebhook, create_webhook
from workspace.webhooks.actions.deliveries import queue_deliveries
from workspace.webhooks.core import EVENTS, GAME_MEASURED

URL = "https://receiver.invalid/hook"


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
