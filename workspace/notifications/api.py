"""Notifications, for programs."""

from datetime import datetime

from django.utils import timezone
from pydantic import Field

from workspace.notifications.actions.changes import mark_all_read, mark_read
from workspace.notifications.queries import NotificationLine, find_page, notifications_page
from workspace.web.endpoints import LARGEST, MOST_AT_ONCE, After, Answer, Given, Listed, Operations, next_part
from workspace.web.require import SignedIn

router = Operations()


class NotificationAnswer(Answer):
    """A notification. `about` names the thing by its numbers, `page` is its address on the site; `project` is "" for
    what concerns the installation."""

    id: int
    kind: str
    code: str
    says: str
    project: str
    about: dict[str, int]
    page: str
    created_at: datetime
    read_at: datetime | None


class ReadGiven(Given):
    """Which are read: these, or all up to the number `until`."""

    notifications: list[int] = Field(default=[], max_length=MOST_AT_ONCE)
    until: int = Field(default=0, ge=0, le=LARGEST)


class ReadAnswer(Answer):
    """How many were unread before."""

    count: int


@router.get("/notifications/", "api_notifications", "sign_in")
def list_notifications(
    request: SignedIn, unread: bool = False, after: After = 0
) -> Listed[NotificationAnswer]:
    """List your notifications, newest first."""
    page = notifications_page(person=request.user, before=after, unread=unread)
    return Listed[NotificationAnswer](
        items=[_answer(line) for line in page.lines], next=next_part(request, page.older)
    )


@router.post("/notifications/read/", "api_read_notifications", "sign_in", "read")
def read_notifications(request: SignedIn, given: ReadGiven) -> ReadAnswer:
    """Mark notifications of yours as read; numbers of others change nothing."""
    now = timezone.now()
    count = mark_read(notifications=given.notifications, by=request.user, now=now)
    count += mark_all_read(until=given.until, by=request.user, now=now)
    return ReadAnswer(count=count)


def _answer(line: NotificationLine) -> NotificationAnswer:
    row = line.notification
    return NotificationAnswer(
        id=row.pk,
        kind=line.kind,
        code=row.code,
        says=line.says,
        project=row.project.slug if row.project else "",
        about=row.about,
        page=find_page(row),
        created_at=row.created_at,
        read_at=row.read_at,
    )
