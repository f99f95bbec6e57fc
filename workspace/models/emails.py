"""E-mails that the site sends: the outbox that actions write to and a worker sends from."""

from django.db import models
from django.db.models import Q

from workspace.models.people import Person

WAITING = "waiting"
SENT = "sent"
FAILED = "failed"


class Email(models.Model):
    """One e-mail to one address; `person` is its recipient, None for an invitation of somebody without an account.

    `purpose` says what it is for. `body` is encrypted, since it may hold a link that opens an account, and is emptied
    as soon as the e-mail is sent or given up. It is not sent after `expires_at`.
    """

    person = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    address = models.EmailField(max_length=200)
    purpose = models.CharField(max_length=20)
    subject = models.CharField(max_length=200)
    body = models.TextField(blank=True)
    state = models.CharField(max_length=12, default=WAITING)
    attempt_count = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(db_index=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = (
            models.Index(fields=["next_attempt_at"], condition=Q(state=WAITING), name="email_waiting"),
            models.Index(fields=["person", "purpose", "created_at"], name="email_of_person"),
        )

    def __str__(self) -> str:
        return f"{self.purpose} {self.pk}"
