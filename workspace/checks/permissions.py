"""Who sees the status and the overview of the site, and who starts failed jobs again."""

from django.utils.translation import gettext as _

from workspace.access.permissions import check_admin, check_leads, is_admin
from workspace.checks.labels import MAY_WAIT
from workspace.core.refusals import NotAllowed
from workspace.models import Job, Membership, Person


def check_see_status(person: Person) -> None:
    if is_admin(person):
        return
    leads = Membership.objects.filter(person=person, role="lead", ended_at=None)
    if not (person.is_active and leads.exists()):
        raise NotAllowed(_("Only team leads and admins see the status of the site."))


def check_see_overview(person: Person) -> None:
    check_admin(person, _("Only admins see the overview of the site."))


def check_retry_job(person: Person, job: Job) -> None:
    """Admins, and leads of the job's project; not for jobs whose restart has its own conditions."""
    check_leads(person, job.project, _("Only team leads of its project and admins start a failed job again."))
    if job.kind == "import":
        raise NotAllowed(_("Resume this import on its own page: its iteration may not take games any more."))
    if job.kind in MAY_WAIT:
        raise NotAllowed(_("Ask the model again on the page of its set or judge: calls cost money."))
