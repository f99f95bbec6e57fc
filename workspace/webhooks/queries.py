"""The webhooks of a project and their deliveries; which of them an event is sent to."""

from django.db.models import QuerySet

from workspace.core.limits import PAGE_SIZE
from workspace.models import Delivery, Project, Webhook


def present_webhooks(project: Project) -> QuerySet[Webhook]:
    """All webhooks of the project, the oldest first; there are few."""
    return Webhook.objects.present().filter(project=project).order_by("pk")


def load_deliveries(webhook: Webhook, before: int = 0) -> tuple[list[Delivery], int]:
    """A page of the deliveries to a webhook, newest first; and the key to go on from, 0 at the end."""
    rows = Delivery.objects.filter(webhook=webhook).order_by("-pk")
    deliveries = list((rows.filter(pk__lt=before) if before else rows)[: PAGE_SIZE + 1])
    return deliveries[:PAGE_SIZE], deliveries[PAGE_SIZE - 1].pk if len(deliveries) > PAGE_SIZE else 0


def find_listening(project: Project, event: str) -> list[int]:
    """The numbers of the active webhooks that chose the event."""
    listening = Webhook.objects.listening().filter(project=project)
    return [key for key, events in listening.values_list("pk", "events") if event in events.split()]
