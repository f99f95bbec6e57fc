"""E-mails with notifications: those at once, gathered over a few minutes, and the daily ones."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from workspace.database.transactions import do_each
from workspace.models import Email, Notification, Person
from workspace.outbox.actions.queue import queue_email
from workspace.outbox.core import NOTIFICATIONS, PAUSE, join_bursts, one_header_line
from workspace.outbox.labels import say_burst
from workspace.outbox.queries import page_address, sends_email

MOST_PEOPLE, MOST_LINES = 200, 50


def write_due_emails(*, by: Person, now: datetime) -> int:
    """Write one e-mail for each person for whom something is due; return how many. The e-mail job sends them."""
    due = Notification.objects.filter(email_due_at__lte=now)
    if not sends_email():
        due.update(email_due_at=None)
        return 0
    recent = Email.objects.filter(purpose=NOTIFICATIONS, created_at__gt=now - PAUSE).values("person")
    people = due.exclude(person__in=recent).order_by("person").values_list("person", flat=True).distinct()
    return do_each(_write, list(people[:MOST_PEOPLE]), by, now)


def _write(key: int, by: Person, now: datetime) -> bool:
    with transaction.atomic():
        # Of two sweeps at once, the second finds nothing that is due.
        person = Person.objects.select_for_update(no_key=True).get(pk=key)
        due = Notification.objects.filter(person=person, email_due_at__lte=now)
        # Notifications that were read in the app, or may not be seen any more, are not sent.
        rows = list(due.filter(read_at=None).visible().select_related("project").order_by("pk"))
        due.update(email_due_at=None)
        if not rows:
            return False
        made = queue_email(
            address=person.email,
            purpose=NOTIFICATIONS,
            subject=_subject(rows),
            body=_body(rows),
            by=by,
            now=now,
            person=person,
        )
    return made is not None


def _subject(rows: Sequence[Notification]) -> str:
    bursts = list(join_bursts(rows))
    if len(bursts) == 1:
        return _("evalsite: %(sentence)s") % {"sentence": say_burst(bursts[0])}
    count = len(rows)
    return ngettext("evalsite: %(n)d notification", "evalsite: %(n)d notifications", count) % {"n": count}


def _body(rows: Sequence[Notification]) -> str:
    """Plain text: the sentences by project, each with its address, and the address of the settings."""
    parts, project = [], ""
    bursts = list(join_bursts(rows))
    for burst in bursts[:MOST_LINES]:
        row = burst[-1]
        name = one_header_line(row.project.name) if row.project else ""
        if name != project:
            parts.append(f"{name}\n")
            project = name
        address = page_address(reverse("notification", args=[row.pk]))
        parts.append(f"* {say_burst(burst)}\n  {address}\n")
    more = sum(map(len, bursts[MOST_LINES:]))
    if more > 0:
        parts.append(ngettext("and %(n)d more", "and %(n)d more", more) % {"n": more} + "\n")
    pages = {"all": "notifications", "settings": "notification_settings"}
    says = _("All notifications: %(all)s\nWhat is sent to you, and how often: %(settings)s")
    parts.append(says % {word: page_address(reverse(page)) for word, page in pages.items()})
    return "\n".join(parts) + "\n"
