"""Webhooks, for programs."""

from datetime import datetime
from typing import Literal

import msgspec
from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import Field

from workspace.models import Delivery, Webhook
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Given, Listed, Operations, next_part
from workspace.web.require import SignedIn
from workspace.webhooks.actions.changes import (
    change_webhook,
    create_webhook,
    remove_webhook,
    replace_secret,
)
from workspace.webhooks.actions.deliveries import send_again, send_test
from workspace.webhooks.core import EVENTS, LONGEST_URL, LONGEST_WEBHOOK_NAME
from workspace.webhooks.permissions import check_manage_webhooks
from workspace.webhooks.queries import load_deliveries, present_webhooks
from workspace.webhooks.views import webhook_or_404

router = Operations()
PATH = "/projects/{slug:slug}/webhooks/"
ONE = PATH + "{int:webhook}/"
ChosenEvent = Literal[EVENTS]  # type: ignore[valid-type]


class WebhookAnswer(Answer):
    """A webhook. `failing_since` is null unless the last attempt failed; `gave_up_at` says when it was deactivated
    because everything failed."""

    id: int
    name: str
    url: str
    events: list[str]
    is_active: bool
    failing_since: datetime | None
    gave_up_at: datetime | None


class DeliveryAnswer(Answer):
    """A message to a webhook. `state` is waiting, delivered or failed; `status` is the last answer's."""

    identifier: str
    event: str
    message: dict[str, object]
    state: str
    attempt_count: int
    attempted_at: datetime | None
    next_attempt_at: datetime | None
    status: int | None
    error: str
    created_at: datetime


class WebhookGiven(Given):
    """Where to send what."""

    name: str = Field(max_length=LONGEST_WEBHOOK_NAME)
    url: str = Field(max_length=LONGEST_URL)
    events: list[ChosenEvent]


class SecretGiven(Given):
    """The key of the signatures: “whsec_” and 24 to 64 random bytes in base64."""

    secret: str = Field(max_length=120)


class NewWebhookGiven(WebhookGiven, SecretGiven):
    """Where to send what, and the key of the signatures: “whsec_” and 24 to 64 random bytes in base64."""


class ChangedWebhookGiven(WebhookGiven):
    """All values that a webhook is to have."""

    is_active: bool


class RemovedAnswer(Answer):
    """The number of the webhook that was removed."""

    id: int


@router.get(PATH, "api_webhooks", "manage_webhooks", scope="admin")
def list_webhooks(request: SignedIn, slug: str) -> Listed[WebhookAnswer]:
    """List the webhooks of a project."""
    project = project_or_404(request.user, slug, check_manage_webhooks)
    return Listed[WebhookAnswer](items=[_answer(webhook) for webhook in present_webhooks(project)])


@router.post(PATH, "api_webhooks", "manage_webhooks", "admin", status=201)
def create(request: SignedIn, slug: str, given: NewWebhookGiven) -> WebhookAnswer:
    """Make a webhook.

    The secret is yours to make and to keep: no answer holds it, so that it is not kept with the answers.
    """
    project = project_or_404(request.user, slug, check_manage_webhooks)
    made = create_webhook(project=project, **given.model_dump(), by=request.user, now=timezone.now())
    return _answer(made.webhook)


@router.post(ONE, "api_webhook", "manage_webhooks", "admin")
def change(request: SignedIn, slug: str, webhook: int, given: ChangedWebhookGiven) -> WebhookAnswer:
    """Change a webhook, or activate or deactivate it."""
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    return _answer(change_webhook(webhook=hook, **given.model_dump(), by=request.user, now=timezone.now()))


@router.post(f"{ONE}remove/", "api_webhook_remove", "manage_webhooks", "admin")
def remove(request: SignedIn, slug: str, webhook: int) -> RemovedAnswer:
    """Remove a webhook."""
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    remove_webhook(webhook=hook, by=request.user, now=timezone.now())
    return RemovedAnswer(id=webhook)


@router.get(f"{ONE}deliveries/", "api_deliveries", "manage_webhooks", scope="admin")
def list_deliveries(request: SignedIn, slug: str, webhook: int, after: After = 0) -> Listed[DeliveryAnswer]:
    """List the messages to a webhook, the newest first, 50 in a part."""
    hook = webhook_or_404(request.user, slug, webhook, for_act=False)
    check_manage_webhooks(request.user, hook.project)
    deliveries, older = load_deliveries(hook, after)
    items = [_delivery(delivery) for delivery in deliveries]
    return Listed[DeliveryAnswer](items=items, next=next_part(request, older))


@router.post(f"{ONE}secret/", "api_webhook_secret", "manage_webhooks", "admin")
def replace(request: SignedIn, slug: str, webhook: int, given: SecretGiven) -> WebhookAnswer:
    """Replace the secret of a webhook.

    For 24 hours messages are signed with the old one, too: `webhook-signature` then has both signatures.
    """
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    made = replace_secret(webhook=hook, secret=given.secret, by=request.user, now=timezone.now())
    return _answer(made.webhook)


@router.post(f"{ONE}test/", "api_webhook_test", "manage_webhooks", "admin", status=202)
def test(request: SignedIn, slug: str, webhook: int) -> DeliveryAnswer:
    """Send a test event to a webhook. A job sends it, once."""
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    return _delivery(send_test(webhook=hook, by=request.user, now=timezone.now()))


@router.post(
    f"{ONE}deliveries/{{slug:identifier}}/again/",
    "api_delivery_again",
    "manage_webhooks",
    "admin",
    status=202,
)
def again(request: SignedIn, slug: str, webhook: int, identifier: str) -> DeliveryAnswer:
    """Send a message again under its id, whatever became of it."""
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    rows = Delivery.objects.select_related("webhook__project").filter(webhook=hook)
    chosen = get_object_or_404(rows, identifier=identifier)
    send_again(delivery=chosen, by=request.user, now=timezone.now())
    return _delivery(rows.get(pk=chosen.pk))


def _delivery(delivery: Delivery) -> DeliveryAnswer:
    names = [name for name in DeliveryAnswer.model_fields if name != "message"]
    message = msgspec.json.decode(delivery.body)
    return DeliveryAnswer(**{name: getattr(delivery, name) for name in names}, message=message)


def _answer(webhook: Webhook) -> WebhookAnswer:
    names = [name for name in WebhookAnswer.model_fields if name != "events"]
    return WebhookAnswer(**{name: getattr(webhook, name) for name in names}, events=webhook.events.split())
