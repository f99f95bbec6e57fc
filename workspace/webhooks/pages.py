"""The webhooks of a project, and one of them with its deliveries."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.db.models import Count
from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.core.limits import PAGE_SIZE
from workspace.jobs.pages import worker_note
from workspace.models import Delivery, Project, Webhook
from workspace.models.webhooks import DELIVERED, FAILED, WAITING
from workspace.webhooks.core import MOST_WEBHOOKS


class WebhookLine(Struct, frozen=True):
    """One webhook: the word for its state, the tone of that chip, and how many deliveries wait.

    `old_secret_ends_at` is when the last replaced secret stops signing, None when none signs.
    """

    webhook: Webhook
    events: list[str]
    says: str
    tone: str
    waiting_count: int
    old_secret_ends_at: datetime | None


class WebhooksPage(Struct, frozen=True):
    """The webhooks of a project, the oldest first."""

    lines: list[WebhookLine]
    most: int


class DeliveryLine(Struct, frozen=True):
    """One delivery: its state in words, the tone of that chip, and whether another attempt follows automatically."""

    delivery: Delivery
    says: str
    tone: str
    is_waiting: bool


class WebhookPage(Struct, frozen=True):
    """A webhook and its deliveries, newest first; `older` is the key to continue from, 0 at the end.

    `is_live`: a first attempt is about to be made.
    """

    line: WebhookLine
    deliveries: list[DeliveryLine]
    older: int
    is_live: bool
    worker_note: str


def webhooks_page(*, project: Project, now: datetime) -> WebhooksPage:
    """All webhooks of the project; there are few."""
    webhooks = list(Webhook.objects.present().filter(project=project).order_by("pk"))
    return WebhooksPage(_lines(webhooks, now), MOST_WEBHOOKS)


def webhook_page(*, webhook: Webhook, now: datetime, before: int = 0) -> WebhookPage:
    """One webhook with a page of its deliveries."""
    rows = Delivery.objects.filter(webhook=webhook).order_by("-pk")
    found = list((rows.filter(pk__lt=before) if before else rows)[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    is_live = webhook.is_active and any(
        delivery.state == WAITING and not delivery.attempt_count for delivery in shown
    )
    return WebhookPage(
        line=_lines([webhook], now)[0],
        deliveries=[_delivery_line(delivery) for delivery in shown],
        older=shown[-1].pk if len(found) > PAGE_SIZE else 0,
        is_live=is_live,
        worker_note=worker_note(now) if is_live else "",
    )


def _lines(webhooks: Sequence[Webhook], now: datetime) -> list[WebhookLine]:
    waiting = Delivery.objects.filter(webhook__in=webhooks, state=WAITING).values_list("webhook")
    counts: dict[int, int] = dict(waiting.annotate(Count("pk")).order_by())
    return [_line(webhook, counts.get(webhook.pk, 0), now) for webhook in webhooks]


def _line(webhook: Webhook, waiting_count: int, now: datetime) -> WebhookLine:
    if not webhook.is_active:
        says, tone = _("inactive"), "fail" if webhook.gave_up_at else ""
    elif webhook.failing_since:
        says, tone = _("failing"), "pending"
    else:
        says, tone = _("active"), "pass"
    ends = [until for _locked, until in webhook.old_secrets if until > now.timestamp()]
    old_ends_at = datetime.fromtimestamp(max(ends), UTC) if ends else None
    return WebhookLine(webhook, webhook.events.split(), says, tone, waiting_count, old_ends_at)


def _delivery_line(delivery: Delivery) -> DeliveryLine:
    says, tone = {
        WAITING: (_("waiting"), "pending"),
        DELIVERED: (_("delivered"), "pass"),
        FAILED: (_("failed"), "fail"),
    }[delivery.state]
    return DeliveryLine(delivery, says, tone, delivery.state == WAITING)
