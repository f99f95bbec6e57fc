"""Queues what people and programs are told, in the transaction of what happened, and takes back what no longer holds.

The rows are the outbox: an action that is rolled back leaves none, and the sweep gets everything sent that waits,
whatever happened to a worker. Everything is sent at least once.
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Q

from workspace import models
from workspace.database.locked_texts import lock_text
from workspace.exports.core.score_events import Score, write_events
from workspace.markup import plain
from workspace.outbox import queries
from workspace.outbox.core import AT_ONCE, EMAIL_TRIED_FOR, SCORED, find_due, one_header_line, write_body
from workspace.outbox.labels import OCCASIONS

MOST_AT_ONCE = 500
IMPORT, EXPORT = "import", "export"
# Reads, for a thing of an event, what its game calls itself and the game's scores.
ReadScores = Callable[[Mapping[str, int]], tuple[str, list[Score]]]


def queue_deliveries(
    *,
    project: models.Project,
    event: str,
    things: Sequence[Mapping[str, int]],
    by: models.Person,
    now: datetime,
    read_scores: ReadScores | None = None,
) -> None:
    """Add a delivery for each of the things and each webhook that listens; one query when nobody listens.

    `things` are the numbers that the event is about, such as {"game": 7}; `read_scores` is called for each of them if a
    webhook wants scores. Raises RuntimeError outside a transaction.
    """
    _check_atomic(event)
    webhooks = queries.find_listening(project, event) if things else []
    wants = any(webhook.has_scores or queries.takes_events(webhook) for webhook in webhooks)
    rows = []
    for thing in things if webhooks else ():
        scored = read_scores(thing) if wants and read_scores else ("", [])
        rows += [build_delivery(webhook, project, event, thing, now, scored) for webhook in webhooks]
    models.Delivery.objects.bulk_create(rows, batch_size=MOST_AT_ONCE)


def build_delivery(
    webhook: models.Webhook,
    project: models.Project,
    event: str,
    thing: Mapping[str, int],
    now: datetime,
    scored: tuple[str, list[Score]] = ("", []),
) -> models.Delivery:
    """A message that is due now; it is not saved. `scored` is what the game calls itself, and its scores."""
    identifier, (conversation, scores) = f"msg_{secrets.token_hex(16)}", scored
    if queries.takes_events(webhook):
        about = {"evalsite.project": project.slug, **{f"evalsite.{name}": key for name, key in thing.items()}}
        version = settings.VERSION
        events = write_events(scores, conversation=conversation, about=about, at=now, version=version)
        body = msgspec.json.encode(events).decode()
    else:
        shown = scores if webhook.has_scores and event in SCORED else None
        named: dict[str, Any] = {"project": project.pk, "slug": project.slug, "thing": thing}
        body = write_body(event, identifier=identifier, **named, now=now, scores=shown)
    return models.Delivery(
        webhook_id=webhook.pk,
        identifier=identifier,
        event=event,
        body=body,
        created_at=now,
        next_attempt_at=now,
    )


def queue_email(
    *,
    address: str,
    purpose: str,
    subject: str,
    body: str,
    by: models.Person,
    now: datetime,
    person: models.Person | None = None,
    expires_at: datetime | None = None,
) -> models.Email | None:
    """Queue an e-mail; None where no mail server is configured.

    `by` is the person who caused it; the e-mail does not name them. Raises RuntimeError outside a transaction.
    """
    if not queries.sends_email():
        return None
    _check_atomic(purpose)
    return models.Email.objects.create(
        person=person,
        address=address,
        purpose=purpose,
        subject=one_header_line(subject),
        body=lock_text(queries.EMAIL_BODY, plain(body)),
        next_attempt_at=now,
        expires_at=min(now + EMAIL_TRIED_FOR, expires_at or now + EMAIL_TRIED_FOR),
        created_at=now,
    )


def notify(
    *,
    people: Collection[int],
    code: str,
    subject: str,
    about: Mapping[str, int],
    project: models.Project | None,
    by: models.Person,
    now: datetime,
    for_leads: bool = False,
    tells_actor: bool = False,
) -> int:
    """Notify people (by key) of one of OCCASIONS, as they chose; return how many. The actor only with `tells_actor`.

    Nobody gets it twice while the first one is unread. Raises RuntimeError outside a transaction.
    """
    _check_atomic(code)
    wanted = set(people) if tells_actor else set(people) - {by.pk}
    if not wanted:
        return 0
    same = models.Notification.objects.filter(
        person=OuterRef("pk"), code=code, subject=subject, project=project
    )
    # A notification by e-mail only is never read; once it was sent, it does not hold back the next one.
    waiting = same.filter(Q(is_shown=True) | Q(email_due_at__isnull=False), read_at=None)
    told = models.Person.objects.signing_in().filter(pk__in=wanted).exclude(Exists(waiting))
    rows = [
        models.Notification(
            person=person,
            project=project,
            code=code,
            about=dict(about),
            subject=subject,
            for_leads=for_leads,
            created_at=now,
            **_channels(person, OCCASIONS[code].kind, now),
        )
        for person in told.select_related("notification_settings")
    ]
    made = [row for row in rows if row.is_shown or row.email_due_at]
    models.Notification.objects.bulk_create(made)
    return len(made)


def _check_atomic(what: str) -> None:
    """What is told must stand or fall with the action."""
    if not connection.in_atomic_block:
        raise RuntimeError(f'"{what}" was queued outside of a transaction; open one around the act.')


def _channels(person: models.Person, kind: str, now: datetime) -> dict[str, object]:
    """Whether the app shows it, and when an e-mail is due: columns of the row."""
    chosen: models.NotificationSettings | None = getattr(person, "notification_settings", None)
    is_shown = chosen is None or kind not in chosen.hidden.split()
    is_mailed = queries.sends_email() and (chosen is None or kind not in chosen.unmailed.split())
    zone = ZoneInfo(person.time_zone or settings.TIME_ZONE)
    due = find_due(chosen.digest if chosen else AT_ONCE, now, zone) if is_mailed else None
    return {"is_shown": is_shown, "email_due_at": due}


def tell(event: models.Event, people: Collection[int], code: str, subject: str, **more: Any) -> None:
    """As `notify`, of what an audit line says."""
    notify(
        people=people,
        code=code,
        subject=subject,
        project=event.chain.project,
        by=event.by,
        now=event.at,
        **more,
    )


def announce(event: models.Event, name: str, thing: Mapping[str, int]) -> None:
    """As `queue_deliveries`, of what an audit line of a project says."""
    project = event.chain.project
    assert project is not None
    queue_deliveries(project=project, event=name, things=[thing], by=event.by, now=event.at)


def take_back(event: models.Event, *subjects: str, person: int | None = None) -> None:
    """Delete the notifications about these things, of everybody or of one person: what they say no longer holds."""
    rows = models.Notification.objects.filter(project=event.chain.project, subject__in=subjects)
    (rows.filter(person=person) if person is not None else rows).delete()


def mark_done(event: models.Event, *subjects: str, person: int | None = None) -> None:
    """Mark the notifications about these things, of everybody or of one person, as read: nothing is left to do."""
    rows = queries.unread_about(event.chain.project, *subjects)
    (rows.filter(person=person) if person is not None else rows).update(read_at=event.at)


def tell_failed_job(*, job: models.Job, now: datetime) -> None:
    """Notify the person who asked for it; if nobody did, the leads (for jobs of the installation, the admins).

    Of an export, its owner is notified, whoever started its job again. The reason is on the page that the notification
    leads to, not in it.
    """
    asker, is_asked = job.created_by, not job.created_by.is_system
    people, about = [person.pk for person in queries.leads_of(job.project)], {"job": job.pk}
    code = "job_failed" if job.project else "site_job_failed"
    if job.kind == IMPORT:
        number = job.subject.partition(":")[2]
        code, about = "import_failed", {"transcript": int(number) if number.isdecimal() else 0}
        people = [asker.pk] if is_asked else people
    elif job.kind == EXPORT and is_asked:
        owners = list(models.Export.objects.filter(job=job).values_list("created_by", flat=True))
        code, about, people = "export_failed", {}, owners or [asker.pk]
    notify(
        people=people,
        code=code,
        subject=f"job:{job.pk}",
        about=about,
        project=job.project,
        by=asker,
        now=now,
        for_leads=code != "export_failed",
        tells_actor=True,
    )


def close_failed_job(event: models.Event) -> None:
    """Nobody need look at a failed job that was started again."""
    mark_done(event, f"job:{event.object_id}")
