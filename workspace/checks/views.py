"""The status page, and the two questions that machines ask: is the site up, is it ready."""

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from workspace.checks.pages import is_ready, status_page
from workspace.checks.permissions import check_see_status
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("see_status")
def status(request: SignedIn) -> HttpResponse:
    """Workers, queue, version, database."""
    check_see_status(request.user)
    mode = "local" if settings.LOCAL else "production"
    page = status_page(now=timezone.now(), version=settings.VERSION, mode=mode)
    context = {"page": page, **frame(request.user, None, "status")}
    return respond(request, page="workspace/checks/status.html", context=context)


@require("anyone")
def healthz(_request: HttpRequest) -> HttpResponse:
    """Whether the web process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@require("anyone")
def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether work can be done: database, a live worker, a queue that moves. One word, no detail."""
    connection.ensure_connection()
    ready = is_ready(now=timezone.now())
    said = "ready\n" if ready else "not ready\n"
    return HttpResponse(said, content_type="text/plain", status=200 if ready else 503)
