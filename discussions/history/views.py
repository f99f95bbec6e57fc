"""The iteration history of a stage, and its summary as a page and as files."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone

from discussions.access.permissions import check_see_iterations
from discussions.gates.views import HISTORY, SECTION, SUMMARY, build_stage_frame
from discussions.history.core import figures_csv, summary_to_json
from discussions.history.pages.history import build_history_page
from discussions.history.pages.summary import Read, build_stage_summary
from discussions.models import Stage
from workspace.access.permissions import may_lead
from workspace.display.pages import render_markdown
from workspace.models import Person, Project
from workspace.web.bind_form import only_parameters, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import download, respond


@require("see_iterations")
def stage(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The iterations of a stage as a table and as small charts, a dot for every game."""
    only_parameters(request)
    rows = Stage.objects.visible_to(request.user).select_related("project")
    found = get_object_or_404(rows, project__slug=slug, number=stage)
    check_see_iterations(request.user, found.project)
    page = build_history_page(stage=found)
    head = build_stage_frame(stage=found, current=HISTORY, newest=page.newest_change)
    context = {"page": page, "head": head, **frame(request.user, found.project, SECTION)}
    return respond(request, page="discussions/history/history.html", context=context)


@require("see_iterations")
def stage_summary(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """Everything about a stage on one page, made to be printed."""
    only_parameters(request)
    found = summed_stage_or_404(request.user, slug, stage)
    read = _read(request.user, found)
    context = {
        "page": read,
        "summary": read.summary,
        "head": build_stage_frame(stage=found, current=SUMMARY),
        **frame(request.user, found.project, SECTION),
    }
    return respond(request, page="discussions/history/summary.html", context=context)


@require("see_iterations")
def stage_summary_markdown(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The summary as a Markdown file."""
    only_parameters(request)
    summary = _read(request.user, summed_stage_or_404(request.user, slug, stage)).summary
    text = render_markdown("discussions/history/summary.md", summary=summary)
    return download(text.encode(), f"{slug}-stage-{stage}.md", "text/markdown; charset=utf-8")


@require("see_iterations")
def stage_summary_json(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The summary as a JSON file."""
    only_parameters(request)
    summary = _read(request.user, summed_stage_or_404(request.user, slug, stage)).summary
    return download(summary_to_json(summary), f"{slug}-stage-{stage}.json", "application/json")


@require("see_iterations")
def stage_figures(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The figures behind every chart of the stage as a CSV file."""
    only_parameters(request)
    summary = _read(request.user, summed_stage_or_404(request.user, slug, stage)).summary
    name = f"{slug}-stage-{stage}-figures.csv"
    return download(figures_csv(summary), name, "text/csv; charset=utf-8; header=present")


def led_project_or_404(person: Person, slug: str) -> Project:
    """The project for its leads and admins, else 404."""
    project = project_or_404(person, slug)
    if not may_lead(person, project):
        raise Http404
    return project


def summed_stage_or_404(person: Person, slug: str, number: int) -> Stage:
    """The stage of that number with everybody who is named in its summary."""
    people = ("created_by", "stated_by", "closed_by")
    rows = Stage.objects.visible_to(person).select_related("project", *people)
    return get_object_or_404(rows, project__slug=slug, number=number)


def _read(person: Person, stage: Stage) -> Read:
    check_see_iterations(person, stage.project)
    return build_stage_summary(stage=stage, now=timezone.now())
