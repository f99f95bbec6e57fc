"""Failed jobs, for programs."""

from datetime import datetime

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Router

from workspace.checks.permissions import check_retry_job
from workspace.jobs.actions import retry_job
from workspace.models import Job
from workspace.web.endpoints import Answer, endpoint
from workspace.web.require import SignedIn

router = Router()


class JobAnswer(Answer):
    """A job: what it does ("measure"), its state, and why it failed ("" when it did not)."""

    id: int
    kind: str
    state: str
    created_at: datetime
    finished_at: datetime | None
    error: str


@endpoint(
    router,
    "POST",
    "/jobs/{int:job}/retry/",
    "api_job_retry",
    permission="retry_job",
    scope="admin",
    answer=JobAnswer,
    costs="computations",
)
def retry(request: SignedIn, job: int) -> Job:
    """Start a failed job again.

    Leads do so in their projects. An import and a round of calls of models are resumed by operations of their own.
    """
    found = get_object_or_404(Job.objects.visible_to(request.user).select_related("project"), pk=job)
    check_retry_job(request.user, found)
    return retry_job(job=found, by=request.user, now=timezone.now())
