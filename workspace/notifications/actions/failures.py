"""Notifications of background jobs that failed for good."""

from datetime import datetime
from functools import partial

from workspace.models import Event, Export, Job, Person, Project
from workspace.notifications.actions.notify import mark_done, notify
from workspace.notifications.queries import leads_of

IMPORT, EXPORT = "import", "export"


def tell_failed_job(*, job: Job, now: datetime) -> None:
    """Notify the person who asked for it; if nobody did, the leads (for jobs of the installation, the admins).

    Of an export, its owner is notified, whoever started its job again.

    The reason is on the page that the notification leads to, not in it.
    """
    asker, is_asked = job.created_by, not job.created_by.is_system
    tell = partial(
        notify,
        subject=f"job:{job.pk}",
        project=job.project,
        by=asker,
        now=now,
        tells_actor=True,
    )
    if job.kind == IMPORT:
        number = job.subject.partition(":")[2]
        transcript = int(number) if number.isdecimal() else 0
        people = [asker.pk] if is_asked else _leads(job.project)
        tell(people=people, code="import_failed", about={"transcript": transcript}, for_leads=True)
    elif job.kind == EXPORT and is_asked:
        owners = list(Export.objects.filter(job=job).values_list("created_by", flat=True))
        tell(people=owners or [asker.pk], code="export_failed", about={})
    else:
        code = "job_failed" if job.project else "site_job_failed"
        tell(people=_leads(job.project), code=code, about={"job": job.pk}, for_leads=True)


def close_failed_job(*, event: Event, project: Project | None, by: Person, now: datetime) -> None:
    """Nobody need look at a failed job that was started again."""
    mark_done(project=project, subject=f"job:{event.object_id}", by=by, now=now)


def _leads(project: Project | None) -> list[int]:
    return [person.pk for person in leads_of(project)]
