"""Failed jobs, for programs."""

from django.shortcuts import get_object_or_404
from django.utils import timezone

from workspace.checks.permissions import check_retry_job
from workspace.jobs.actions import retry_job
from workspace.models import Job
from workspace.web.endpoints import Answer, Operations
from workspace.web.views import SignedIn

router = Operations()


class JobAnswer(Answer, of=Job, fields="id kind state created_at finished_at error"):
    """A job: what it does ("measure"), its state, and why it failed ("" when it did not)."""


@router.post("/jobs/{int:job}/retry/", "api_job_retry", "retry_job", "admin", costs="computations")
def retry(request: SignedIn, job: int) -> JobAnswer:
    """Start a failed job again.

    Leads do so in their projects. An import and a round of calls of models are resumed by operations of their own.
    """
    found = get_object_or_404(Job.objects.visible_to(request.user).select_related("project"), pk=job)
    check_retry_job(request.user, found)
    return JobAnswer.read(retry_job(job=found, by=request.user, now=timezone.now()))
