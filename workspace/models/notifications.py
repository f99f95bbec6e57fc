"""Notifications to people, in the app and by e-mail; and what each person wants to be notified of."""

from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q

from workspace.models.people import Person
from workspace.models.projects import LEAD, Membership, Project


class NotificationQuerySet(models.QuerySet["Notification"]):
    def shown_to(self, person: Any) -> "NotificationQuerySet":
        """Those of the person that the app shows and they may still see; `person` may be an expression."""
        return self.filter(person=person, is_shown=True).visible()

    def visible(self) -> "NotificationQuerySet":
        """Those whose person may still see the subject: as member of the project, or as lead for those of leads."""
        present = Membership.objects.filter(
            project=OuterRef("project"), person=OuterRef("person"), ended_at=None
        )
        may_see = Q(Exists(present), for_leads=False) | Q(Exists(present.filter(role=LEAD)))
        without_project = Q(project=None, for_leads=False)
        return self.filter(Q(person__is_admin=True) | without_project | may_see, person__is_active=True)


class Notification(models.Model):
    """One thing of which one person is notified.

    `code` says what happened (see `workspace.outbox.labels.OCCASIONS`), `about` names the thing by its numbers and
    nothing else: the sentence is made from both when it is shown. `subject` is the thing by which it can be withdrawn.
    With `for_leads` it is only for the project's leads. The app shows it if `is_shown`; an e-mail with it is due at
    `email_due_at`.
    """

    person = models.ForeignKey(Person, models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(
        Project, models.PROTECT, related_name="+", null=True, blank=True, db_index=False
    )
    code = models.CharField(max_length=30)
    about = models.JSONField(default=dict)
    subject = models.CharField(max_length=80)
    for_leads = models.BooleanField(default=False)
    is_shown = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_index=True)
    read_at = models.DateTimeField(null=True, blank=True)
    email_due_at = models.DateTimeField(null=True, blank=True)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        indexes = (
            # Has both columns, so that for the unread ones of a person it beats the next index.
            models.Index(
                fields=["person", "read_at"], condition=Q(is_shown=True), name="notification_unread"
            ),
            models.Index(fields=["person", "id"], name="notification_of_person"),
            models.Index(fields=["project", "subject"], name="notification_subject"),
            models.Index(
                fields=["email_due_at"], condition=Q(email_due_at__isnull=False), name="notification_due"
            ),
        )

    def __str__(self) -> str:
        return f"{self.code} {self.subject}"


class NotificationSettings(models.Model):
    """What a person is notified of, and how: without a row, of everything at once.

    `hidden` and `unmailed` are kinds with spaces between them; kinds that are added later are on until they are put
    there.
    """

    person = models.OneToOneField(
        Person, models.PROTECT, related_name="notification_settings", primary_key=True
    )
    hidden = models.CharField(max_length=200, blank=True)
    unmailed = models.CharField(max_length=200, blank=True)
    digest = models.CharField(max_length=12)
