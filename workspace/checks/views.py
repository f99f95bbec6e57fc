"""The status page, restarting a failed job, and addresses for machines: is the site up, is it ready, its metrics."""

from hmac import compare_digest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.access.permissions import is_admin
from workspace.checks.metrics import CONTENT_TYPE, write_metrics
from workspace.checks.pages import build_jobs_part, read_versions
from workspace.checks.permissions import check_retry_job, check_see_status
from workspace.checks.readiness import find_needs
from workspace.jobs.actions import retry_job
from workspace.models import Job
from workspace.tokens.core import read_bearer
from workspace.web.bind_form import bind_form
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, frame, require, respond

PLAIN = "text/plain; charset=utf-8"


@require("see_status")
def status(request: SignedIn) -> HttpResponse:
    check_see_status(request.user)
    context = {
        "jobs": build_jobs_part(request.user, timezone.now()),
        "versions": read_versions(),
        **frame(request.user, None, "status"),
    }
    return respond(request, page="workspace/checks/status.html", context=context)


@require("retry_job", methods=("POST",), costs="computations")
def retry(request: SignedIn, job: int) -> HttpResponse:
    jobs = Job.objects.visible_to(request.user).select_related("project")
    failed = get_object_or_404(jobs, pk=job)
    check_retry_job(request.user, failed)
    bind_form(request, NothingForm)
    retry_job(job=failed, by=request.user, now=timezone.now())
    page = "overview" if is_admin(request.user) else "status"
    return respond(request, page="", redirect=reverse(page) + "#failed")


@require("anyone")
def healthz(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type=PLAIN)


@require("anyone")
def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether work can be done: each thing that the site needs, with a sentence; 503 when one is missing."""
    needs = find_needs(now=timezone.now())
    is_ready = all(need.is_met for need in needs.values())
    checks = {name: {"ok": need.is_met, "says": need.says} for name, need in needs.items()}
    answer = JsonResponse({"ready": is_ready, "checks": checks}, status=200 if is_ready else 503)
    # The reason is in the log already, once; Django would log a line for every request of a machine.
    answer._has_been_logged = True  # type: ignore[attr-defined]
    return answer


@require("anyone")
def metrics(request: HttpRequest) -> HttpResponse:
    if not settings.METRICS_TOKEN:
        raise Http404
    token = read_bearer(request.headers.get("Authorization", ""))
    if not compare_digest(token.encode(), settings.METRICS_TOKEN.encode()):
        says = "Send METRICS_TOKEN in the header Authorization: Bearer.\n"
        return HttpResponse(says, PLAIN, 401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(write_metrics(now=timezone.now()), CONTENT_TYPE)
