"""Who makes a project's archive, and when it can be made."""

from django.utils.translation import gettext as _

from discussions.models import Transcript
from rubric.models import ComparisonSet
from rubric.reviews.permissions import check_see_results
from workspace.access.permissions import check_admin, check_leads, get_refusal
from workspace.core.refusals import Conflict, NotAllowed
from workspace.exports.labels import ARCHIVE_FOR_LEADS
from workspace.models import Job, Person, Project
from workspace.models.jobs import QUEUED, RUNNING


def check_archive(person: Person, project: Project) -> None:
    """Leads of the project and admins, who may see the results of all its comparison sets.

    An archive without other people's reviews would be no archive.
    """
    check_leads(person, project, str(ARCHIVE_FOR_LEADS))
    for row in ComparisonSet.objects.filter(project=project).select_related("project").order_by("number"):
        if reason := get_refusal(check_see_results, person, row):
            says = _("An archive holds all reviews of comparison set %(number)d. %(reason)s")
            raise NotAllowed(says % {"number": row.number, "reason": reason})


def check_erase(person: Person, thing: object = None) -> None:
    """Admins erase, but neither themselves nor the last admin who can sign in."""
    check_admin(person, _("Only admins erase games, uploads, projects and people. Ask one of them."))
    if not isinstance(thing, Person):
        return
    if thing.pk == person.pk:
        raise NotAllowed(_("Nobody erases themselves. Ask another admin."))
    if thing.is_system:
        raise NotAllowed(_("The system account names no person, so there is nothing to erase."))
    others = Person.objects.signing_in().filter(is_admin=True).exclude(pk=thing.pk)
    if thing.is_admin and not others.exists():
        raise NotAllowed(_("This is the last admin. Make somebody else an admin first."))


def check_not_running(job: Job | None) -> None:
    """Refuse while a job works on what is to be erased: it may write what it read before."""
    if job is not None:
        says = _(
            "Job %(number)d (%(kind)s) works on this now. Wait until it is over, or cancel it; then erase."
        )
        raise Conflict(says % {"number": job.pk, "kind": job.kind}, code="job_runs")


def check_nothing_is_read(project: Project) -> None:
    """Check that no upload of the project is being read; the archive would hold only a part of its games."""
    reading = Transcript.objects.filter(project=project, job__state__in=(QUEUED, RUNNING)).order_by("pk")
    if name := reading.values_list("name", flat=True).first():
        says = _("“%(name)s” is being read. Wait until it is imported, or cancel it; then make the archive.")
        raise Conflict(says % {"name": name}, code="being_read")
