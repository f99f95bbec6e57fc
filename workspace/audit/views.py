"""The audit log of a project, and that of the site."""

from django.http import HttpResponse

from workspace.access.permissions import check_see_people
from workspace.audit.pages import KINDS, audit_page, readable_name
from workspace.audit.permissions import check_see_audit_log
from workspace.core.refusals import Malformed
from workspace.models import Project
from workspace.web.bind_form import only_parameters, parse_number, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("see_audit_log")
def audit(request: SignedIn, slug: str) -> HttpResponse:
    """The audit log of a project."""
    project = project_or_404(request.user, slug)
    check_see_audit_log(request.user, project)
    return show_log(request, project)


@require("see_people")
def site_audit(request: SignedIn) -> HttpResponse:
    """The audit log of the installation: accounts and admins."""
    check_see_people(request.user)
    return show_log(request, None)


def show_log(request: SignedIn, project: Project | None) -> HttpResponse:
    """A page of a log; filters come from an allow-list."""
    given = only_parameters(request, "kind", "before", "after")
    if given["kind"] and given["kind"] not in KINDS:
        raise Malformed("This log cannot be filtered like that. Choose from the list.")
    before, after = parse_number(given["before"]), parse_number(given["after"])
    page = audit_page(project=project, kind=given["kind"], before=before, after=after)
    context: dict[str, object] = {
        "page": page,
        "kind": given["kind"],
        "kinds": KINDS,
        "readable": readable_name,
    }
    context |= frame(request.user, project, "audit")
    return respond(request, page="workspace/audit/list.html", context=context)
