"""The overview of a project, and the summary of a stage as a page and as files."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone

from discussions.core.stage_figures import figures_csv
from discussions.core.stage_summary import json_of
from discussions.models import Stage
from discussions.pages.overview import build_overview_page
from discussions.pages.stage_frame import SECTION, SUMMARY, build_stage_frame
from discussions.pages.stage_summary import Read, build_stage_summary
from discussions.permissions import check_see_iterations
from discussions.views.verdicts import download
from workspace.models import Person, Project
from workspace.pages.frame import frame
from workspace.pages.markdown import render_markdown
from workspace.permissions import role_in
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


@needs("see_iterations")
def stages(request: SignedIn, slug: str) -> HttpResponse:
    """The stages of a project, what waits for evaluators, and how fast evaluations come in."""
    only_parameters(request)
    project = led_project_or_404(request.user, slug)
    check_see_iterations(request.user, project)
    page = build_overview_page(project=project, person=request.user, now=timezone.now())
    context = {"page": page, **frame(request.user, project, SECTION)}
    return answer(request, page="discussions/stage_list.html", context=context)


@needs("see_iterations")
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
    return answer(request, page="discussions/stage_summary.html", context=context)


@needs("see_iterations")
def stage_summary_markdown(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The summary as a Markdown file."""
    only_parameters(request)
    summary = _read(request.user, summed_stage_or_404(request.user, slug, stage)).summary
    text = render_markdown("discussions/stage.md", summary=summary)
    return download(text.encode(), f"{slug}-stage-{stage}.md", "text/markdown; charset=utf-8")


@needs("see_iterations")
def stage_summary_json(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The summary as a JSON file."""
    only_parameters(request)
    summary = _read(request.user, summed_stage_or_404(request.user, slug, stage)).summary
    return download(json_of(summary), f"{slug}-stage-{stage}.json", "application/json")


@needs("see_iterations")
def stage_figures(request: SignedIn, slug: str, stage: int) -> HttpResponse:
    """The figures behind every chart of the stage as a CSV file."""
    only_parameters(request)
    summary = _read(request.user, summed_stage_or_404(request.user, slug, stage)).summary
    name = f"{slug}-stage-{stage}-figures.csv"
    return download(figures_csv(summary), name, "text/csv; charset=utf-8; header=present")


def led_project_or_404(person: Person, slug: str) -> Project:
    """The project, for its leads and admins; for everybody else there is no such page."""
    project = project_or_404(person, slug)
    if role_in(person, project) not in ("admin", "lead"):
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
