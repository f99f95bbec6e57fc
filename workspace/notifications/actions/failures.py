"""Telling of work in the background that failed for good."""

from datetime import datetime

from workspace.models import Job, Project
from workspace.notifications.actions.notify import notify
from workspace.notifications.queries import leads_of

IMPORT, EXPORT = "import", "export"


def tell_failed_job(*, job: Job, now: datetime) -> None:
    """Tell whoever asked for it; the leads (for the installation's work the admins) of what nobody asked for.

    The reason is on the page that it leads to, not here.
    """
    subject, asker = f"job:{job.pk}", job.created_by
    common = {"subject": subject, "project": job.project, "by": asker, "now": now, "tells_actor": True}
    if job.kind == IMPORT:
        transcript = int(job.subject.partition(":")[2] or 0)
        people = [asker.pk] if not asker.is_system else _leads(job.project)
        notify(people=people, code="import_failed", about={"transcript": transcript}, for_leads=True, **common)
    elif job.kind == EXPORT and not asker.is_system:
        notify(people=[asker.pk], code="export_failed", about={}, **common)
    else:
        code = "job_failed" if job.project else "site_job_failed"
        notify(people=_leads(job.project), code=code, about={"job": job.pk}, for_leads=True, **common)


def _leads(project: Project | None) -> list[int]:
    return [person.pk for person in leads_of(project)]
