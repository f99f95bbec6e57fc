"""Webhooks of projects, and what is sent to them: the outbox that actions write to and workers send from."""

import msgspec
from django.db import models
from django.db.models import Q

from workspace.database.pairs import set_together
from workspace.models.people import Made, Person
from workspace.models.projects import Project

WAITING = "waiting"
DELIVERED = "delivered"
FAILED = "failed"


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def present(self) -> "WebhookQuerySet":
        """Webhooks that were not removed."""
        return self.filter(removed_at=None)

    def listening(self) -> "WebhookQuerySet":
        return self.present().filter(is_active=True)


class Webhook(Made):
    """An address to which events of a project are sent.

    `events` are words of `workspace.outbox.core.EVENTS` with spaces between them; `secret` is encrypted.
    `old_secrets` are encrypted secrets that were replaced, each with the Unix time until which it also signs.
    `failure_count` counts failed attempts since the last success, `failing_since` is the first of them; nothing is sent
    before `paused_until`. `gave_up_at` says when it was switched off because everything failed. The row of a removed
    webhook stays for a while: an action that read it earlier may still add a delivery.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="webhooks")
    name = models.CharField(max_length=100)
    url = models.CharField(max_length=1000)
    secret = models.CharField(max_length=400)
    old_secrets = models.JSONField(default=list, blank=True)
    events = models.CharField(max_length=200)
    has_scores = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    failure_count = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True)
    gave_up_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        constraints = (set_together("removed_at", "removed_by", name="webhook_removed_pair"),)

    def __str__(self) -> str:
        return self.name

    @property
    def chosen(self) -> list[str]:
        return self.events.split()


class Delivery(models.Model):
    """One message to one webhook: `body` is sent as it is, under the same `identifier` with every attempt."""

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries", db_index=False)
    identifier = models.CharField(max_length=40, unique=True)
    event = models.CharField(max_length=40)
    body = models.TextField()
    state = models.CharField(max_length=12, default=WAITING)
    attempt_count = models.PositiveIntegerField(default=0)
    attempted_at = models.DateTimeField(null=True, blank=True)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = (
            models.Index(fields=["webhook", "id"], name="delivery_of_webhook"),
            models.Index(fields=["webhook", "id"], condition=Q(state=WAITING), name="delivery_waiting"),
        )

    def __str__(self) -> str:
        return self.identifier

    @property
    def message(self) -> dict[str, object]:
        return msgspec.json.decode(self.body, type=dict[str, object])
