"""The audit log of a project, and that of the site."""

from django.http import HttpResponse

from workspace.access.permissions import check_see_people
from workspace.audit.files import FORMATS
from workspace.audit.forms import FilterForm
from workspace.audit.permissions import check_see_audit_log
from workspace.audit.queries import AuditQuery, audit_page, stream_lines
from workspace.models import Project
from workspace.web.bind_form import parse_number, project_or_404
from workspace.web.views import SignedIn, frame, odd_address, only_parameters, require, respond, stream


@require("see_audit_log", costs="searches")
def audit(request: SignedIn, slug: str) -> HttpResponse:
    return show_log(request, project_or_404(request.user, slug, check_see_audit_log))


@require("see_people", costs="searches")
def site_audit(request: SignedIn) -> HttpResponse:
    check_see_people(request.user)
    return show_log(request, None)


@require("see_audit_log", costs="searches")
def audit_file(request: SignedIn, slug: str, format_name: str) -> HttpResponse:
    return send_log(request, project_or_404(request.user, slug, check_see_audit_log), format_name)


@require("see_people", costs="searches")
def site_audit_file(request: SignedIn, format_name: str) -> HttpResponse:
    check_see_people(request.user)
    return send_log(request, None, format_name)


def send_log(request: SignedIn, project: Project | None, format_name: str) -> HttpResponse:
    """Stream the file; an invalid filter is refused, so that nobody takes all lines for a part."""
    form = FilterForm(only_parameters(request, *FilterForm.base_fields))
    if format_name not in FORMATS or not form.is_valid():
        raise odd_address()
    lines = stream_lines(project=project, wanted=AuditQuery(**form.cleaned_data))
    name = f"{project.slug if project else 'installation'}-audit.{format_name}"
    content_type, write = FORMATS[format_name]
    return stream(write(lines), name, content_type)


def show_log(request: SignedIn, project: Project | None) -> HttpResponse:
    asked = only_parameters(request, *FilterForm.base_fields, "before", "after")
    form = FilterForm({name: asked[name] for name in FilterForm.base_fields})
    if project is not None:
        form.offer_project_lines()
    wanted = AuditQuery(**form.cleaned_data) if form.is_valid() else AuditQuery()
    before, after = parse_number(asked["before"]), parse_number(asked["after"])
    page = audit_page(project=project, wanted=wanted, before=before, after=after)
    context = {"page": page, "form": form, "wanted": wanted, **frame(request.user, project, "audit")}
    status = 200 if form.is_valid() else 422
    return respond(request, page="workspace/audit/list.html", context=context, status=status)
