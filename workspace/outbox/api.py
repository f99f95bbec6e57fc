"""Webhooks and notifications, for programs."""

from typing import Literal

from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import Field

from workspace.models import Delivery, Webhook
from workspace.outbox.actions import changes
from workspace.outbox.actions.send import send_again, send_test
from workspace.outbox.core import EVENTS, LONGEST_URL, LONGEST_WEBHOOK_NAME
from workspace.outbox.permissions import check_manage_webhooks
from workspace.outbox.queries import NotificationLine, load_deliveries, notifications_page, present_webhooks
from workspace.outbox.views import webhook_or_404
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import LARGEST, MOST_AT_ONCE, After, Answer, Given, Listed, Operations, next_part
from workspace.web.views import SignedIn

webhooks, notifications = Operations(), Operations()
PATH = "/projects/{slug:slug}/webhooks/"
ONE = PATH + "{int:webhook}/"
ChosenEvent = Literal[EVENTS]  # type: ignore[valid-type]


class WebhookAnswer(
    Answer, of=Webhook, fields="id name url events:chosen has_scores is_active failing_since gave_up_at"
):
    """A webhook. `failing_since` is null unless the last attempt failed; `gave_up_at` says when it was deactivated
    because everything failed."""


class DeliveryAnswer(
    Answer,
    of=Delivery,
    fields="identifier event message state attempt_count attempted_at next_attempt_at status error created_at",
):
    """A message to a webhook. `state` is waiting, delivered or failed; `status` is the last answer's."""


class NotificationAnswer(
    Answer,
    of=NotificationLine,
    fields="id:notification.pk kind code:notification.code says project:notification.project.slug "
    "about:notification.about page created_at:notification.created_at read_at:notification.read_at",
):
    """A notification. `about` names the thing by its numbers, `page` is its address on the site; `project` is "" for
    what concerns the installation."""

    project: str
    about: dict[str, int]


class WebhookGiven(Given):
    """Where to send what, and whether with scores."""

    name: str = Field(max_length=LONGEST_WEBHOOK_NAME)
    url: str = Field(max_length=LONGEST_URL)
    events: list[ChosenEvent]
    has_scores: bool = False


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


@webhooks.get(PATH, "api_webhooks", "manage_webhooks", scope="admin")
def list_webhooks(request: SignedIn, slug: str) -> Listed[WebhookAnswer]:
    """List the webhooks of a project."""
    project = project_or_404(request.user, slug, check_manage_webhooks)
    return Listed[WebhookAnswer].read_all(present_webhooks(project))


@webhooks.post(PATH, "api_webhooks", "manage_webhooks", "admin", status=201)
def create(request: SignedIn, slug: str, given: NewWebhookGiven) -> WebhookAnswer:
    """Make a webhook.

    The secret is yours to make and to keep: no answer holds it, so that it is not kept with the answers.
    """
    project = project_or_404(request.user, slug, check_manage_webhooks)
    made = changes.create_webhook(project=project, **given.model_dump(), by=request.user, now=timezone.now())
    return WebhookAnswer.read(made.webhook)


@webhooks.post(ONE, "api_webhook", "manage_webhooks", "admin")
def change(request: SignedIn, slug: str, webhook: int, given: ChangedWebhookGiven) -> WebhookAnswer:
    """Change a webhook, or activate or deactivate it."""
    hook, values = webhook_or_404(request.user, slug, webhook), given.model_dump()
    return WebhookAnswer.read(
        changes.change_webhook(webhook=hook, **values, by=request.user, now=timezone.now())
    )


@webhooks.post(f"{ONE}remove/", "api_webhook_remove", "manage_webhooks", "admin")
def remove(request: SignedIn, slug: str, webhook: int) -> RemovedAnswer:
    """Remove a webhook."""
    hook = webhook_or_404(request.user, slug, webhook)
    changes.remove_webhook(webhook=hook, by=request.user, now=timezone.now())
    return RemovedAnswer(id=webhook)


@webhooks.get(f"{ONE}deliveries/", "api_deliveries", "manage_webhooks", scope="admin")
def list_deliveries(request: SignedIn, slug: str, webhook: int, after: After = 0) -> Listed[DeliveryAnswer]:
    """List the messages to a webhook, the newest first, 50 in a part."""
    deliveries, older = load_deliveries(webhook_or_404(request.user, slug, webhook, for_act=False), after)
    return Listed[DeliveryAnswer].read_all(deliveries, next=next_part(request, older))


@webhooks.post(f"{ONE}secret/", "api_webhook_secret", "manage_webhooks", "admin")
def replace(request: SignedIn, slug: str, webhook: int, given: SecretGiven) -> WebhookAnswer:
    """Replace the secret of a webhook.

    For 24 hours messages are signed with the old one, too: `webhook-signature` then has both signatures.
    """
    hook = webhook_or_404(request.user, slug, webhook)
    made = changes.replace_secret(webhook=hook, secret=given.secret, by=request.user, now=timezone.now())
    return WebhookAnswer.read(made.webhook)


@webhooks.post(f"{ONE}test/", "api_webhook_test", "manage_webhooks", "admin", status=202)
def test(request: SignedIn, slug: str, webhook: int) -> DeliveryAnswer:
    """Send a test event to a webhook. A job sends it, once."""
    hook = webhook_or_404(request.user, slug, webhook)
    return DeliveryAnswer.read(send_test(webhook=hook, by=request.user, now=timezone.now()))


@webhooks.post(
    f"{ONE}deliveries/{{slug:identifier}}/again/",
    "api_delivery_again",
    "manage_webhooks",
    "admin",
    status=202,
)
def again(request: SignedIn, slug: str, webhook: int, identifier: str) -> DeliveryAnswer:
    """Send a message again under its id, whatever became of it."""
    rows = webhook_or_404(request.user, slug, webhook).deliveries.select_related("webhook__project")
    chosen = get_object_or_404(rows, identifier=identifier)
    send_again(delivery=chosen, by=request.user, now=timezone.now())
    return DeliveryAnswer.read(rows.get(pk=chosen.pk))


class ReadGiven(Given):
    """Which are read: these, or all up to the number `until`."""

    notifications: list[int] = Field(default=[], max_length=MOST_AT_ONCE)
    until: int = Field(default=0, ge=0, le=LARGEST)


class ReadAnswer(Answer):
    """How many were unread before."""

    count: int


@notifications.get("/notifications/", "api_notifications", "sign_in")
def list_notifications(
    request: SignedIn, unread: bool = False, after: After = 0
) -> Listed[NotificationAnswer]:
    """List your notifications, newest first."""
    lines, older = notifications_page(person=request.user, before=after, unread=unread)
    return Listed[NotificationAnswer].read_all(lines, next=next_part(request, older))


@notifications.post("/notifications/read/", "api_read_notifications", "sign_in", "read")
def read_notifications(request: SignedIn, given: ReadGiven) -> ReadAnswer:
    """Mark notifications of yours as read; numbers of others change nothing."""
    now = timezone.now()
    count = changes.mark_read(notifications=given.notifications, by=request.user, now=now)
    count += changes.mark_all_read(until=given.until, by=request.user, now=now)
    return ReadAnswer(count=count)
