"""The audit logs, the status of the site, and the two questions that machines ask."""

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from workspace.core.refusals import Malformed
from workspace.models import Project
from workspace.pages.audit import KINDS, audit_page
from workspace.pages.frame import frame
from workspace.pages.status import is_ready, status_page
from workspace.permissions import check_see_audit_log, check_see_people, check_see_status
from workspace.views.answers import answer
from workspace.views.bodies import number_of, only_parameters
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


@needs("see_audit_log")
def audit(request: SignedIn, slug: str) -> HttpResponse:
    """The audit log of a project."""
    project = project_or_404(request.user, slug)
    check_see_audit_log(request.user, project)
    return show_log(request, project)


@needs("see_people")
def site_audit(request: SignedIn) -> HttpResponse:
    """The audit log of the installation: accounts and admins."""
    check_see_people(request.user)
    return show_log(request, None)


@needs("see_status")
def status(request: SignedIn) -> HttpResponse:
    """Workers, queue, version, database."""
    check_see_status(request.user)
    mode = "local" if settings.LOCAL else "production"
    page = status_page(now=timezone.now(), version=settings.VERSION, mode=mode)
    context = {"page": page, **frame(request.user, None, "status")}
    return answer(request, page="workspace/status_show.html", context=context)


@needs("anyone")
def healthz(_request: HttpRequest) -> HttpResponse:
    """Whether the web process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@needs("anyone")
def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether work can be done: database, a live worker, a queue that moves. One word, no detail."""
    connection.ensure_connection()
    ready = is_ready(now=timezone.now())
    said = "ready\n" if ready else "not ready\n"
    return HttpResponse(said, content_type="text/plain", status=200 if ready else 503)


def show_log(request: SignedIn, project: Project | None) -> HttpResponse:
    """A page of a log; filters come from an allow-list."""
    given = only_parameters(request, "kind", "before", "after")
    if given["kind"] and given["kind"] not in KINDS:
        raise Malformed("This log cannot be filtered like that. Choose from the list.")
    before, after = number_of(given["before"]), number_of(given["after"])
    page = audit_page(project=project, kind=given["kind"], before=before, after=after)
    context = {"page": page, **frame(request.user, project, "audit")}
    return answer(request, page="workspace/event_list.html", context=context)
