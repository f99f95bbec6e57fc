"""The audit log of a project, and that of the site."""

from django.http import HttpResponse

from workspace.access.permissions import check_see_people
from workspace.audit.forms import FilterForm
from workspace.audit.pages import AuditQuery, audit_page, readable_name
from workspace.audit.permissions import check_see_audit_log
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
    given = only_parameters(request, "kind", "who", "since", "until", "before", "after")
    form = FilterForm({name: given[name] for name in FilterForm.base_fields})
    wanted = AuditQuery(**form.cleaned_data) if form.is_valid() else AuditQuery()
    before, after = parse_number(given["before"]), parse_number(given["after"])
    page = audit_page(project=project, wanted=wanted, before=before, after=after)
    context: dict[str, object] = {"page": page, "form": form, "wanted": wanted, "readable": readable_name}
    context |= frame(request.user, project, "audit")
    status = 200 if form.is_valid() else 422
    return respond(request, page="workspace/audit/list.html", context=context, status=status)
