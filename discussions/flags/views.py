"""The inbox of flags, and answers to them."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from discussions.flags.actions import answer_flag
from discussions.flags.forms import AnswerForm
from discussions.flags.pages import flags_page
from discussions.flags.queries import query_flags
from workspace.access.permissions import may_lead
from workspace.core.refusals import Refusal
from workspace.models import Project
from workspace.web.bind_form import add_refusal, bind_form, only_parameters, parse_number, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("see_project")
def flags(request: SignedIn, slug: str) -> HttpResponse:
    """The flags of a project for its leads; for evaluators their own."""
    return show_flags(request, project_or_404(request.user, slug))


@require("answer_flag", methods=("POST",))
def answer(request: SignedIn, slug: str, flag: int) -> HttpResponse:
    """Answer a flag, resolve it, or both."""
    project = project_or_404(request.user, slug)
    rows = query_flags().filter(evaluation__game__project=project)
    if not may_lead(request.user, project):
        rows = rows.filter(evaluation__evaluator=request.user)
    found, form = get_object_or_404(rows, pk=flag), bind_form(request, AnswerForm, auto_id=_ids(flag))
    if not form.is_valid():
        return show_flags(request, project, flag=flag, form=form, status=422)
    text, is_resolved = form.cleaned_data["text"], form.cleaned_data["do"] == "resolve"
    try:
        answer_flag(flag=found, text=text, is_resolved=is_resolved, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return show_flags(request, project, flag=flag, form=form, status=add_refusal(form, refusal))
    return respond(request, page="", redirect=reverse("flags", args=[slug]))


def show_flags(
    request: SignedIn, project: Project, *, flag: int = 0, form: AnswerForm | None = None, status: int = 200
) -> HttpResponse:
    """Show the page, or only the flag with that number, with the text typed below it and its faults."""
    asked = only_parameters(request, "show", "from")
    resolved = asked["show"] == "resolved"
    start = parse_number(asked["from"])
    page = flags_page(project=project, person=request.user, resolved=resolved, start=start, only=flag)
    forms = {line.key: AnswerForm(auto_id=_ids(line.key)) for line in page.flags}
    if form is not None:
        forms[flag] = form
    context = {"page": page, "resolved": resolved, "forms": forms}
    context |= frame(request.user, project, "flags")
    return respond(request, page="discussions/flags/list.html", context=context, status=status)


def _ids(flag: int) -> str:
    """The ids of the fields below a flag, on a page where each flag has a form."""
    return f"flag-{flag}-%s"
