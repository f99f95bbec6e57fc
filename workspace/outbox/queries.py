"""The webhooks of a project and their deliveries; a person's notifications, and where each leads; who is told of what
concerns a project."""

from collections.abc import Sequence

from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse
from msgspec import Struct

from workspace.audit.queries import name_things
from workspace.core.limits import PAGE_SIZE
from workspace.models import Delivery, Event, Membership, Notification, Person, Project, Webhook
from workspace.models.projects import LEAD
from workspace.outbox.core import KINDS, KINDS_FOR_ALL, MOST_JOINED, join_bursts
from workspace.outbox.labels import OCCASIONS, say_burst

# What the encryption of the texts is bound to.
EMAIL_BODY, WEBHOOK_SECRET = "email.body", "webhook"


def sends_email() -> bool:
    """Whether a mail server is configured; without one no e-mail is ever queued."""
    return bool(settings.EMAIL_HOST)


def page_address(path: str) -> str:
    """The full address of a page. Its host comes from SITE_URL, never from a request."""
    return f"{settings.SITE_URL.rstrip('/')}{path}"


def present_webhooks(project: Project) -> QuerySet[Webhook]:
    return Webhook.objects.present().filter(project=project).order_by("pk")


def load_deliveries(webhook: Webhook, before: int = 0) -> tuple[list[Delivery], int]:
    rows = Delivery.objects.filter(webhook=webhook).order_by("-pk")
    deliveries = list((rows.filter(pk__lt=before) if before else rows)[: PAGE_SIZE + 1])
    return deliveries[:PAGE_SIZE], deliveries[PAGE_SIZE - 1].pk if len(deliveries) > PAGE_SIZE else 0


def find_listening(project: Project, event: str) -> list[Webhook]:
    listening = Webhook.objects.listening().filter(project=project)
    return [row for row in listening.only("events", "url", "has_scores") if event in row.chosen]


def takes_events(webhook: Webhook) -> bool:
    """Whether its address is the OTLP endpoint of the installation, which takes scores as log events alone."""
    return bool(settings.OTLP_LOGS_URL) and webhook.url == settings.OTLP_LOGS_URL


def count_unread_lines(person: Person) -> int:
    """The lines of the person's list of unread notifications; those beyond the newest MOST_JOINED are not counted."""
    rows = Notification.objects.shown_to(person).filter(read_at=None).order_by("-pk")
    newest = rows.only("code", "project_id", "created_at", "read_at")[:MOST_JOINED]
    return sum(1 for _burst in join_bursts(newest))


def leads_of(project: Project | None) -> QuerySet[Person]:
    """The people to notify of what a project's leads should look at: its leads; for the installation, its admins."""
    leads = Q(memberships__project=project, memberships__role=LEAD, memberships__ended_at=None)
    people: QuerySet[Person] = Person.objects.signing_in()
    return people.filter(leads if project else Q(is_admin=True))


def unread_about(project: Project | None, *subjects: str) -> QuerySet[Notification]:
    return Notification.objects.filter(project=project, subject__in=subjects, read_at=None)


class NotificationLine(Struct, frozen=True):
    """The notifications in one line, the newest first; mostly there is one."""

    burst: Sequence[Notification]

    @property
    def is_one(self) -> bool:
        return len({row.subject for row in self.burst}) == 1

    @property
    def notification(self) -> Notification:
        return self.burst[0]

    @property
    def says(self) -> str:
        return say_burst(self.burst)

    @property
    def kind(self) -> str:
        return OCCASIONS[self.notification.code].kind

    @property
    def page(self) -> str:
        occasion, row = OCCASIONS[self.notification.code], self.notification
        if not self.is_one and occasion.many and row.project:
            return reverse(occasion.many, args=[row.project.slug])
        values = row.about | {"slug": row.project.slug if row.project else ""}
        path = reverse(occasion.page, args=[values[name] for name in occasion.arguments])
        return f"{path}#{occasion.fragment.format(**values)}" if occasion.fragment and self.is_one else path


def notifications_page(
    *, person: Person, before: int = 0, unread: bool = False, is_joined: bool = False
) -> tuple[list[NotificationLine], int]:
    """The notifications of the person, or the unread ones alone, older than `before` (0: from the newest).

    Also the key to go on from, 0 at the end. With `is_joined`, those that follow each other closely and say the same
    are one line.
    """
    rows = Notification.objects.shown_to(person)
    chosen = rows.filter(read_at=None) if unread else rows
    chosen = chosen.filter(pk__lt=before) if before else chosen
    most = MOST_JOINED if is_joined else PAGE_SIZE
    newest = list(chosen.select_related("project").order_by("-pk")[: most + 1])
    bursts = _join(newest[:most]) if is_joined else [[row] for row in newest[:most]]
    shown, oldest = bursts[:PAGE_SIZE], min((burst[-1].pk for burst in bursts[:PAGE_SIZE]), default=0)
    # What lies between the rows of a shown line would else be on no page.
    while len(bursts) > len(shown) and bursts[len(shown)][0].pk > oldest:
        shown.append(bursts[len(shown)])
        oldest = min(oldest, shown[-1][-1].pk)
    is_more = len(newest) > most or len(bursts) > len(shown)
    return [NotificationLine(burst) for burst in shown], oldest if is_more else 0


def name_files(lines: list[NotificationLine]) -> dict[int, str]:
    """The names of files that lines are about, by number: their rows have none. A query for each project."""
    rows = [line.notification for line in lines if line.is_one and "transcript" in line.notification.about]
    names: dict[int, str] = {}
    for project in {row.project for row in rows}:
        files = (row.about["transcript"] for row in rows if row.project == project)
        about = [Event(object_kind="transcript", object_id=str(key)) for key in files]
        names |= {int(key): thing.name for (_kind, key), thing in name_things(project, about).items()}
    return names


def _join(rows: list[Notification]) -> list[list[Notification]]:
    """The lines of these rows, newest first; unread ones are joined as if the read ones between them were not there."""
    parts = [[row for row in rows if (row.read_at is None) is unread] for unread in (True, False)]
    return sorted((burst for part in parts for burst in join_bursts(part)), key=lambda burst: -burst[0].pk)


def find_line(notification: Notification) -> NotificationLine:
    """The line of the list of unread notifications that begins with this one; one query."""
    if notification.read_at is not None:
        return NotificationLine([notification])
    unread = Notification.objects.shown_to(notification.person_id).filter(read_at=None)
    rows = unread.filter(pk__lte=notification.pk).select_related("project").order_by("-pk")[:MOST_JOINED]
    burst = next(join_bursts(rows), [])
    return NotificationLine(burst if notification in burst else [notification])


def kinds_of(person: Person) -> tuple[str, ...]:
    leads = Membership.objects.filter(person=person, role=LEAD, ended_at=None)
    return KINDS if person.is_admin or leads.exists() else KINDS_FOR_ALL
